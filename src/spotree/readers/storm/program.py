"""A PRISM program as Storm understands it, in parts: renamed modules written out, formulas and constants filled in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spotree.errors import ReadError
from spotree.readers.actions import name_actions
from spotree.readers.options import ReadOptions
from spotree.readers.storm.isolation import apart
from spotree.readers.storm.reader import build_symbolic

_COMMAND = re.compile(r"\[(?P<label>\w*)\] (?P<guard>.*?) -> (?P<updates>.*);")
_DECLARED = re.compile(r"(?:global )?(?P<name>\w+): (?P<kind>bool|int|\[).*;")
_LABEL = re.compile(r'label "(?P<name>[^"]*)" = (?P<states>.*);')
_REWARDS = re.compile(r'rewards(?: "(?P<name>[^"]*)")?')
_MODULE = re.compile(r"module (?P<name>\w+)")


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `name` is module#number, as actions are called after it."""

    module: str
    name: str
    label: str
    guard: str
    updates: str


@dataclass(frozen=True, slots=True)
class RewardItem:
    """A line of a reward structure; `label` is None for a state reward, "" for unlabelled commands."""

    label: str | None
    guard: str
    value: str


@dataclass(frozen=True, slots=True)
class SymbolicProgram:
    """The parts of a program, each as text.

    Attributes
    ----------
    head
        Constants and global variables, one declaration each.
    declared
        Module -> the declarations of its variables.
    truths
        The variables that are true or false.
    names
        Every name that stands in the program.
    most_choices
        How many choices an action covers in a state, all numbers that occur.
    conditions
        The options `goal` and `avoid` -> their expressions, formulas and labels filled in.
    """

    head: tuple[str, ...]
    declared: Mapping[str, tuple[str, ...]]
    truths: frozenset[str]
    commands: tuple[Command, ...]
    labels: Mapping[str, str]
    rewards: Mapping[str, tuple[RewardItem, ...]]
    names: frozenset[str]
    most_choices: frozenset[int]
    conditions: Mapping[str, str]


def read_program(path: Path, options: ReadOptions) -> SymbolicProgram:
    """The program of a file; what stands in it that spotree cannot write again is named and refused."""

    def build() -> tuple[str, frozenset[int], dict[str, str | None]]:
        built = build_symbolic(path, options)
        program, model = built.program, built.model
        if program.model_type.name != "MDP":
            raise ReadError(f"{path}: a {program.model_type.name}, which leaves nothing to a policy")
        if program.has_initial_states_expression:
            raise ReadError(f"{path}: init ... endinit, several initial states, cannot be exported; choose one")
        action_of, names, _ = name_actions(model, options.actions)
        counts = np.unique(model.state_of * len(names) + action_of, return_counts=True)[1]
        conditions = {option: asked.text for option, asked in built.conditions.items()}
        return str(program), frozenset(np.unique(counts).tolist()), conditions

    text, most_choices, conditions = apart(path, build)
    spelled = {}
    for option, condition in conditions.items():
        if condition is None:
            raise ReadError(
                f"{path}: {option}={getattr(options, option)!r} is about initial or deadlock states, which no "
                "expression of PRISM says; it cannot be exported"
            )
        spelled[option] = _spelled(path, condition)
    return _parts(path, text, most_choices, spelled)


def _parts(path: Path, text: str, most_choices: frozenset[int], conditions: Mapping[str, str]) -> SymbolicProgram:
    head: list[str] = []
    declared: dict[str, list[str]] = {}
    truths: set[str] = set()
    commands: list[Command] = []
    labels: dict[str, str] = {}
    rewards: dict[str, list[RewardItem]] = {}
    module = structure = None
    number = 0
    for line in map(str.strip, text.splitlines()):
        if not line or line == "mdp" or line.startswith("formula "):
            continue  # formulas are filled in where they were used
        plain = _spelled(path, line)
        if line in ("endmodule", "endrewards"):
            module = structure = None
        elif found := _MODULE.fullmatch(line):
            module, number = found["name"], 0
            declared[module] = []
        elif found := _REWARDS.fullmatch(line):
            structure = found["name"] or ""
            rewards[structure] = []
        elif structure is not None:
            rewards[structure].append(_item(path, plain))
        elif found := _DECLARED.fullmatch(plain):
            (head if module is None else declared[module]).append(plain)
            truths |= {found["name"]} if found["kind"] == "bool" else set()
        elif module is not None and (found := _COMMAND.fullmatch(plain)):
            number += 1
            commands.append(Command(module, f"{module}#{number}", found["label"], found["guard"], found["updates"]))
        elif found := _LABEL.fullmatch(plain):
            labels[found["name"]] = found["states"]
        elif line.startswith("const "):
            head.append(plain)
        else:
            raise ReadError(f"{path}: {line[:60]!r} cannot be exported to PRISM again")
    return SymbolicProgram(
        tuple(head),
        {name: tuple(lines) for name, lines in declared.items()},
        frozenset(truths),
        tuple(commands),
        labels,
        {name: tuple(items) for name, items in rewards.items()},
        frozenset(re.findall(r"[A-Za-z_]\w*", text)),
        most_choices,
        conditions,
    )


def _item(path: Path, line: str) -> RewardItem:
    found = re.fullmatch(r"(?:\[(\w*)\] )?(.*);", line)
    depth, colon = 0, -1
    for place, sign in enumerate(found[2] if found else ""):
        depth += (sign == "(") - (sign == ")")
        if sign == ":" and depth == 0:
            colon = place
            break
    if found is None or colon < 0 or "->" in found[2]:
        raise ReadError(
            f"{path}: the reward {line[:60]!r} is for transitions between states; it cannot be exported"
        )
    return RewardItem(found[1], found[2][:colon].strip(), found[2][colon + 1 :].strip())


def _spelled(path: Path, text: str) -> str:
    """The text with Storm's own operators as functions, which PRISM knows: (a ^ b) is pow(a, b)."""
    while (place := text.find(" ^ ")) >= 0:
        start, end = _around(text, place)
        text = f"{text[:start]}pow({text[start + 1 : place]}, {text[place + 3 : end]}){text[end + 1 :]}"
    if " % " in text:
        text = _with_mod(text)
        if " % " in text:
            raise ReadError(f"{path}: mod in {text[:60]!r} cannot be exported to PRISM again")
    return text


def _with_mod(text: str) -> str:
    """Storm writes mod(a, b) as ((a >= 0) ? (a % b) : ((a % b) + b))."""
    for _ in range(text.count(" % ")):
        place = text.find(" % ")
        if place < 0:
            break
        start, end = _around(text, place)
        a, b = text[start + 1 : place], text[place + 3 : end]
        whole = f"(({a} >= 0) ? ({a} % {b}) : (({a} % {b}) + {b}))"
        if whole not in text:
            break
        text = text.replace(whole, f"mod({a}, {b})")
    return text


def _around(text: str, place: int) -> tuple[int, int]:
    """The brackets around a place."""
    depth, start = 0, place
    while depth >= 0:
        start -= 1
        depth += (text[start] == ")") - (text[start] == "(")
    depth, end = 0, place
    while depth >= 0:
        end += 1
        depth += (text[end] == "(") - (text[end] == ")")
    return start, end
