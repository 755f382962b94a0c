"""Program texts: PRISM and JANI sources, edited before Storm reads them."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from spotree.common.untrusted import ClaimError, json_bytes, regular_bytes
from spotree.errors import ReadError
from spotree.readers.options import CONDITIONS, ReadOptions

_BLANK = r"//[^\n]*|\s+"
_TOKEN = re.compile(
    rf'{_BLANK}|(?P<head>formula\s+\w+\s*=|label\s*"[^"]*"\s*=|const\s+(?:\w+\s+)?\w+\s*=|rewards\s*"[^"]*"|\'\s*=)'
    r'|"[^"]*"|<=>|=>|->|<=|>=|!=|\.\.|\w+|.',
    re.DOTALL,
)
# An operand does not reach across these: <=> binds more loosely than & and |, but more tightly than => and ? :.
_ENDS = frozenset({";", ",", ":", "?", "=>", "->", "..", "init", "endinit", "rewards", "endrewards", "module"})
_ENDS |= {"endmodule", "mdp", "dtmc"}
_SYSTEM = re.compile(r"\bsystem\b([\w\s|()]*)\bendsystem\b")
_CLOSES = {"(": ")", "[": "]", "{": "}"}


def for_storm(program: str) -> str:
    """The program without constructs that Storm refuses and that have another spelling; else as it is."""
    return _without_default_system(with_brackets(program))


def _without_default_system(program: str) -> str:
    """Modules run in parallel, and synchronise on the labels that they share: to say so changes nothing."""
    found = _SYSTEM.search(program)
    code = re.sub(r"//[^\n]*", "", program)
    if found is None or "|||" in found[1] or found[0] not in code:
        return program
    modules = re.findall(r"(?<!\w)module\s+(\w+)", code)
    same = sorted(re.findall(r"\w+", found[1])) == sorted(modules)
    return program.replace(found[0], "\n" * found[0].count("\n"), 1) if same else program


def with_brackets(text: str) -> str:
    """The program or expression with every `<=>` as an equation, and brackets around what `!` negates."""
    if "<=>" not in text and "!" not in text:
        return text
    levels = [_Level("")]
    for token in _TOKEN.finditer(text):
        here, word = levels[-1], token[0]
        if word in _CLOSES:
            levels.append(_Level(word))
        elif word == _CLOSES.get(here.opened) and len(levels) > 1:
            levels.pop()
            levels[-1].add(here.opened + here.end() + word, ends=word == "]")
        elif word == "<=>":
            here.operands.append([])
        else:
            here.add(word, ends=word in _ENDS or token["head"] is not None)
    while len(levels) > 1:  # a bracket that nothing closes: Storm will say so
        unclosed = levels.pop()
        levels[-1].add(unclosed.opened + unclosed.end())
    return levels[0].end()


class _Level:
    """The text inside one pair of brackets: what is written already, and the operands of `<=>` since the last end.

    A pair of brackets inside is one word of its operand.
    """

    def __init__(self, opened: str) -> None:
        self.opened = opened
        self.written: list[str] = []
        self.operands: list[list[str]] = [[]]

    def add(self, word: str, ends: bool = False) -> None:
        if ends:
            self._fold()
            self.written.append(word)
        else:
            self.operands[-1].append(word)

    def end(self) -> str:
        """All of it as text."""
        self._fold()
        return "".join(self.written)

    def _fold(self) -> None:
        """Write the operands down; what follows begins a new one."""
        first, *others = map(_with_negations, self.operands)
        text = first
        for operand in others:
            text = _bracketed(f"{_bracketed(text)} = {_bracketed(operand)}")
        self.written.append(text)
        self.operands = [[]]


def _with_negations(words: list[str]) -> str:
    """The operand, in which what follows a `!` has brackets if it is more than a name, a call or in brackets."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in ("&", "|"):
            parts += [[word], []]
        else:
            parts[-1].append(word)
    return "".join(map(_negated, parts))


def _negated(words: list[str]) -> str:
    solid = [word for word in words if not _is_blank(word)]
    if solid[:1] != ["!"]:
        return "".join(words)
    start = next((place for place, word in enumerate(words) if word != "!" and not _is_blank(word)), len(words))
    rest = [word for word in words[start:] if not _is_blank(word)]
    call = len(rest) == 2 and rest[1].startswith("(") and rest[0].isidentifier()
    if len(rest) < 2 or call:
        return "".join(words)
    return "".join(words[:start]) + _bracketed("".join(words[start:]))


def _is_blank(word: str) -> bool:
    return word.isspace() or word.startswith("//")


def _bracketed(text: str) -> str:
    """Brackets around the text without the blanks and comments at its ends."""
    tokens = [token[0] for token in _TOKEN.finditer(text)]
    inside = [place for place, token in enumerate(tokens) if not _is_blank(token)]
    first, last = (inside[0], inside[-1] + 1) if inside else (0, 0)
    return f"{''.join(tokens[:first])}({''.join(tokens[first:last])}){''.join(tokens[last:])}"


ROUNDING = 1e-9  # how far a sum of probabilities may be off 1


def jani_document(path: Path) -> Any:
    """What the file says, as JSON."""
    try:
        return json_bytes(regular_bytes(path))
    except ClaimError as error:
        raise ReadError(f"{path}: {error}") from None


def parse_jani(path: Path, options: ReadOptions) -> Callable[..., Any]:
    """A function that has Storm parse the file, if wanted with exact sums.

    Properties of JANI speak of global variables alone; those of an automaton that a goal names are made global.
    """
    texts = [getattr(options, name) or "" for name in CONDITIONS]
    named = {word for text in texts for word in re.findall(r"\w+", text)}

    def parse(stormpy: Any, exact: bool = False) -> Any:
        if not (exact or named):
            return stormpy.parse_jani_model(str(path))[0]
        document = jani_document(path)
        if not isinstance(document, dict):
            return stormpy.parse_jani_model(str(path))[0]  # says what is wrong
        changed = _with_globals(document, named)
        if exact:
            _make_sums_exact(document)
        if exact or changed:
            return stormpy.parse_jani_model_from_string(json.dumps(document))[0]
        return stormpy.parse_jani_model(str(path))[0]

    return parse


def _with_globals(document: Any, named: set[str]) -> bool:
    """Move the variables of automata that are named, and whose names are not taken, to those of the model."""
    parts = [document, *(document.get("automata") or ())]
    count = Counter(entry["name"] for part in parts for entry in part.get("variables", ()))
    moved = []
    for part in parts[1:]:
        own = part.get("variables", ())
        moving = [entry for entry in own if entry["name"] in named and count[entry["name"]] == 1]
        part["variables"] = [entry for entry in own if entry not in moving]
        moved += moving
    document["variables"] = [*document.get("variables", ()), *moved]
    return bool(moved)


def _make_sums_exact(document: Any) -> None:
    """Divide the probabilities of an edge by their sum, if they are decimals that sum to 1 up to rounding."""
    for automaton in document["automata"]:
        for edge in automaton["edges"]:
            given = [end.get("probability", {}).get("exp", 1) for end in edge["destinations"]]
            if not all(type(number) in (int, float) and math.isfinite(number) for number in given):
                continue
            total = sum((Fraction(repr(number)) for number in given), Fraction(0))
            if total != 1 and abs(total - 1) <= ROUNDING:
                for end, number in zip(edge["destinations"], given, strict=True):
                    end["probability"] = {"exp": {"op": "/", "left": number, "right": _added(given)}}


def _added(numbers: list[float]) -> Any:
    """The sum as an expression."""
    total: Any = numbers[0]
    for number in numbers[1:]:
        total = {"op": "+", "left": total, "right": number}
    return total
