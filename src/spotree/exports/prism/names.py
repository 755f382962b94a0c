"""Names and conditions as PRISM spells them."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spotree.common.sanitize import shown
from spotree.errors import ReadError
from spotree.readers.actions import UNLABELLED
from spotree.readers.storm.program import Command, SymbolicProgram
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


@dataclass(frozen=True, slots=True)
class Action:
    """The commands of an action: it is offered where in every group one of them is enabled."""

    name: str
    groups: tuple[tuple[Command, ...], ...]

    @property
    def commands(self) -> tuple[Command, ...]:
        return tuple(command for group in self.groups for command in group)

    @property
    def offered(self) -> str:
        return " & ".join(f"({disjunction(c.guard for c in group)})" for group in self.groups)

    @property
    def count(self) -> str:
        """How many choices it covers in a state."""
        return " * ".join("(" + " + ".join(f"({c.guard} ? 1 : 0)" for c in group) + ")" for group in self.groups)

    @property
    def is_one_choice(self) -> bool:
        return all(len(group) == 1 for group in self.groups)


def actions_by_name(program: SymbolicProgram, action_names: Sequence[str]) -> list[Action]:
    """The commands behind each action of the model, by its name."""
    by_name = {command.name: command for command in program.commands}
    labels = {command.label for command in program.commands}
    if UNLABELLED in labels:
        raise ReadError(f"a label is called {UNLABELLED!r}, as commands without one are; rename it")
    found = []
    for name in action_names:
        label, _, behind = name.partition(" ")
        parts = [by_name.get(part) for part in behind.split("+")] if behind else []
        if name in labels and name:
            own = [command for command in program.commands if command.label == name]
            modules = dict.fromkeys(command.module for command in own)
            groups = [tuple(c for c in own if c.module == module) for module in modules]
        elif name == UNLABELLED and "" in labels:
            groups = [tuple(command for command in program.commands if not command.label)]
        elif name in by_name:
            groups = [(by_name[name],)]
        elif behind and all(part is not None and (part.label or UNLABELLED) == label for part in parts):
            groups = [(part,) for part in parts if part is not None]
        else:
            raise ReadError(f"action {name!r} is no label and no command of the program; it cannot be exported")
        found.append(Action(name, tuple(groups)))
    return found
