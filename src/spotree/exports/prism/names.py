"""Names and conditions as PRISM spells them."""

import math
import re
from collections.abc import Iterable

import numpy as np

from spotree.common.sanitize import shown
from spotree.trees.tree import Tree

_KEYWORDS = """
A bool clock const ctmc C double dtmc E endinit endinvariant endmodule endobservables endplayer endrewards endsystem
false formula filter func F global G init invariant I int label ma max mdp min module X nondeterministic observable
observables of Pmax Pmin P player pomdp popta probabilistic prob pta rate rewards Rmax Rmin R S smg stochastic system
true U W floor ceil round pow mod log deadlock
"""
KEYWORDS = frozenset(_KEYWORDS.split())
LONGEST = 40


class Names:
    """Identifiers that are in use; `fresh` adds one that is like a given text and like no other."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self.used = set(used) | KEYWORDS

    def fresh(self, text: str) -> str:
        base = re.sub(r"[^A-Za-z0-9_]", "_", text)[:LONGEST]
        base = base if re.match(r"[A-Za-z]", base) else f"v_{base.lstrip('_')}"  # Storm refuses __name
        name, count = base, 1
        while name in self.used:
            count += 1
            name = f"{base}_{count}"
        self.used.add(name)
        return name


def comment(text: str) -> str:
    """One line that no name can break out of."""
    return f"// {shown(text, 200)}"


def leaf_conditions(tree: Tree, variables: list[str], truths: frozenset[str]) -> list[tuple[int, str]]:
    """(action, condition) for each leaf, over whole-number variables and those that are true or false."""
    known: list[dict[int, tuple[float, float]]] = [{} for _ in range(tree.num_nodes)]
    found = []
    for node in range(tree.num_nodes):  # parents stand before their children
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        if feature < 0:
            parts = [_within(variables[j], variables[j] in truths, *known[node][j]) for j in sorted(known[node])]
            found.append((int(tree.action[node]), " & ".join(part for part in parts if part) or "true"))
            continue
        low, high = known[node].get(feature, (-math.inf, math.inf))
        known[tree.left[node]] = known[node] | {feature: (low, min(high, threshold))}
        known[tree.right[node]] = known[node] | {feature: (max(low, threshold), high)}
    return found


def _within(name: str, truth: bool, low: float, high: float) -> str:
    """low <= name < high, in whole numbers."""
    least = -math.inf if low == -math.inf else math.ceil(low)
    most = math.inf if high == math.inf else math.ceil(high) - 1
    if truth:
        can_be = [value for value in (0, 1) if least <= value <= most]
        return "" if len(can_be) == 2 else "false" if not can_be else name if can_be == [1] else f"!{name}"
    if least > most:
        return "false"
    if least == most:
        return f"{name}={least}"
    parts = ([f"{name}>={least}"] if least > -math.inf else []) + ([f"{name}<={most}"] if most < math.inf else [])
    return " & ".join(parts)


def number(value: float) -> str:
    """A number that reads back as the same float; PRISM has no unary plus and wants whole numbers plain."""
    value = float(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value)) if value >= 0 else f"({int(value)})"
    return repr(value) if value >= 0 else f"({value!r})"


def disjunction(parts: Iterable[str]) -> str:
    """Any of them; false where there are none."""
    listed = list(dict.fromkeys(parts))
    return " | ".join(f"({part})" if len(listed) > 1 else part for part in listed) or "false"


def is_whole(features: np.ndarray) -> bool:
    """Whether PRISM's integers can hold every value."""
    return bool((features == np.round(features)).all() and (np.abs(features) < 2**31).all())
