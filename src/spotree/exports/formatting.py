"""Names and numbers as the export formats spell them."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import TypeAlias

from spotree.common.sanitize import LONGEST_NAME, shown
from spotree.errors import InvalidProblemError
from spotree.results.solution import Solution
from spotree.trees.policy import TreePolicy

GivenPolicy: TypeAlias = TreePolicy | Solution


def named_policy(given: GivenPolicy) -> TreePolicy:
    """The policy itself; a bare tree has no names and is refused."""
    policy = given.policy if isinstance(given, Solution) else given
    if not isinstance(policy, TreePolicy):
        raise InvalidProblemError(
            f"{type(given).__name__} cannot be exported; give a Solution or a TreePolicy(tree, feature_names,"
            " action_names)"
        )
    return policy


LONGEST_IDENTIFIER = 40


def labels(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    """The names as a person is shown them, all different: `#3` after what would look like another one."""
    plain = [shown(name, longest) if name.strip() else repr(name) for name in names]
    often = Counter(plain)
    unique = [_marked(label, n, longest) if often[label] > 1 else label for n, label in enumerate(plain)]
    if len(set(unique)) < len(unique):
        unique = [_marked(label, n, longest) for n, label in enumerate(plain)]
    return unique


def _marked(label: str, number: int, longest: int) -> str:
    return f"{shown(label, longest - len(f' #{number}'))} #{number}"


def comment(name: str) -> str:
    """The name in a comment of C, Rust or Python: on one line, without what would begin or end a comment."""
    return re.sub(r"\*(?=/)|/(?=\*)|\?(?=\?)", r"\g<0> ", shown(name)).rstrip("\\")


def identifiers(
    names: Sequence[str], kind: str, reserved: Collection[str] = (), style: str = "snake", prefix: str = ""
) -> list[str]:
    """An identifier for each name, all different: ASCII letters, digits and underscores, no reserved word.

    Parameters
    ----------
    kind
        What they stand for, which is the word where nothing else remains of a name: "action".
    style
        "snake" keeps letters as they are, "UPPER" raises them, "Camel" joins capitalised words.
    prefix
        What each begins with.
    """
    taken = set(reserved)
    found = []
    for name in names:
        words = re.findall(r"[A-Za-z0-9]+", name[: 4 * LONGEST_IDENTIFIER])
        if not words or (not prefix and words[0][0].isdigit()):
            words.insert(0, kind)
        if style == "Camel":
            plain = "".join(word[0].upper() + word[1:].lower() for word in words)
        else:
            plain = "_".join(words).upper() if style == "UPPER" else "_".join(words)
        plain = prefix + plain[:LONGEST_IDENTIFIER].rstrip("_")
        unique, number = plain, 1
        while unique in taken:
            number += 1
            unique = f"{plain}{'' if style == 'Camel' else '_'}{number}"
        taken.add(unique)
        found.append(unique)
    return found


def exact_text(value: float) -> str:
    """The shortest decimal that reads back as the value, without a needless `.0`; `inf` and `-inf` for those."""
    return repr(float(value)).removesuffix(".0")


def is_decimal(value: float) -> bool:
    """Whether the shortest decimal is the value itself, and not only nearest to it."""
    return Decimal(repr(float(value))) == Decimal(float(value))
