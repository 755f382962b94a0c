"""A PRISM program with the tree conjoined to its guards: what is left is the Markov chain of the policy.

A dtmc in which several commands are enabled takes one of them at random, each with the same probability. That is the
rule for missing actions `random`, and what a label does that covers several choices. Where both meet, commands are
repeated so that each action, not each choice, is equally likely.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from spotree.errors import ReadError
from spotree.export.prism_names import Names, comment, disjunction, leaf_conditions, number
from spotree.mdp.model import MDP
from spotree.readers.actions import UNLABELLED
from spotree.readers.options import REACH, ReadOptions
from spotree.readers.program import Command, Program, RewardItem
from spotree.tree.tree import Tree

MOST_COPIES = 120


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


@dataclass(frozen=True, slots=True)
class Words:
    """The formulas and variables that are new in the program."""

    ended: str
    goal: str
    missing: str
    running: str
    toss: str


def conjoined(
    program: Program,
    options: ReadOptions,
    mdp: MDP,
    tree: Tree,
    names: Names,
    ended: str,
    structure: str,
    discount_in_model: bool,
) -> list[str]:
    """The lines of the program; `options` say which reward and which goal the model was read with."""
    actions = _actions(program, mdp.action_names)
    words = Words(ended, *(names.fresh(word) for word in ("goal", "missing", "running", "toss")))
    used = sorted({int(action) for action in tree.action if action >= 0})
    tree_of = {a: names.fresh(f"tree_{mdp.action_names[a]}") for a in used}
    offered_of = {a: names.fresh(f"offered_{mdp.action_names[a]}") for a in used}
    known = frozenset(name for name in mdp.feature_names)
    declared = {line.removeprefix("global ").split(":")[0] for line in program.head}
    declared |= {line.split(":")[0] for lines in program.declared.values() for line in lines}
    for feature in sorted(known - declared):
        raise ReadError(f"feature {feature!r} is no variable of the program; read the model from this very file")
    leaves = leaf_conditions(tree, list(mdp.feature_names), program.truths)
    goal = _goal(program, options)
    lines = [*program.head, "", "// where the tree takes an action, and whether the model offers it there"]
    for a in used:
        where = disjunction(condition for action, condition in leaves if action == a)
        lines += [comment(f"action {mdp.action_names[a]!r}"), f"formula {tree_of[a]} = {where};"]
        lines += [f"formula {offered_of[a]} = {actions[a].offered};"]
    lines += [
        f"formula {words.missing} = {disjunction(f'{tree_of[a]} & !({offered_of[a]})' for a in used)};",
        f"formula {words.goal} = {goal};",
        f"formula {words.running} = !{ended} & !({words.goal}){f' & !{words.toss}' if discount_in_model else ''};",
    ]
    together = (mdp.missing == "random" and max(program.most_choices) > 1) or discount_in_model
    label_of = {
        command.name: command.label or (names.fresh(command.name) if together else "")
        for command in program.commands
    }
    instead = [words.missing] if mdp.missing == "random" else []
    taken = {
        command.name: [tree_of[a] for a in used if command in actions[a].commands] + instead
        for command in program.commands
    }
    part_of_some = {command.name for action in actions for command in action.commands}
    for module, variables in program.declared.items():
        lines += ["", f"module {module}", *(f"  {line}" for line in variables)]
        for command in program.commands:
            if command.module == module:
                may = disjunction(taken[command.name]) if command.name in part_of_some else "false"
                lines.append(
                    f"  [{label_of[command.name]}] {command.guard} & {words.running} & ({may}) -> {command.updates};"
                )
        lines.append("endmodule")
    lines += _control(program, mdp, actions, words, label_of, together, discount_in_model)
    arrived = f"{words.goal} & !{ended}{f' & !{words.toss}' if discount_in_model else ''}"
    lines += _rewards(program, options, mdp, words, label_of, structure, arrived)
    lines += ["", *(f'label "{name}" = {states};' for name, states in program.labels.items())]
    if options.goal is not None:
        lines += [
            comment(f'P=? [ F "{words.goal}" ] is the probability of reaching the goal'),
            f'label "{words.goal}" = {words.goal};',
        ]
    return lines


def _actions(program: Program, action_names: Sequence[str]) -> list[Action]:
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


def _goal(program: Program, options: ReadOptions) -> str:
    """The states where the episode ends."""
    if options.goal is None:
        return "false"
    if options.goal in program.labels:
        return program.labels[options.goal]

    def states(found: re.Match[str]) -> str:
        if found[1] not in program.labels:
            raise ReadError(f"goal={options.goal!r}: no label {found[1]!r} in the program")
        return f"({program.labels[found[1]]})"

    return re.sub(r'"([^"]*)"', states, options.goal).replace("==", "=")


def _control(
    program: Program,
    mdp: MDP,
    actions: Sequence[Action],
    words: Words,
    label_of: dict[str, str],
    together: bool,
    discount_in_model: bool,
) -> list[str]:
    """A module that ends the episode, does what missing actions do, and moves along where actions must be weighed."""
    toss, ended = words.toss, words.ended
    lines = ["", "module spotree_control", f"  {ended} : bool init false;"]
    lines += [
        f"  {toss} : bool init false;  // go on with the probability that is the discount"
    ] * discount_in_model
    step = f"({toss}'=true)" if discount_in_model else "true"
    lines += [f"  [] {words.goal} & !{ended}{f' & !{toss}' * discount_in_model} -> ({ended}'=true);"]
    if mdp.missing == "end":
        lines += [f"  [] {words.running} & {words.missing} -> ({ended}'=true);"]
    if mdp.missing == "stay":
        lines += [f"  [] {words.running} & {words.missing} -> {step};"]
    if discount_in_model:
        discount = number(mdp.discount)
        lines += [
            f"  [] {toss} -> {discount} : ({toss}'=false) + 1-{discount} : ({toss}'=false) & ({ended}'=true);"
        ]
    lines += [f"  [] {ended}{f' & !{toss}' * discount_in_model} -> true;"]
    if together:
        copies = lcm(*program.most_choices) if mdp.missing == "random" else 1
        if copies > MOST_COPIES:
            raise ReadError(
                f"an action covers up to {max(program.most_choices)} choices of a state: a random action cannot be"
                " exported; read the model with actions='commands'"
            )
        seen = set()
        for action in actions:
            for label in dict.fromkeys(label_of[command.name] for command in action.commands):
                if label in seen:
                    continue  # commands of one label that are told apart: each is one choice
                seen.add(label)
                lines.append(f"  [{label}] true -> {step};")
                for copy in range(2, copies + 1):
                    few = "" if action.is_one_choice else f" & {copy} * ({action.count}) <= {copies}"
                    lines.append(f"  [{label}] {words.missing}{few} -> {step};")
    return [*lines, "endmodule"]


def _rewards(
    program: Program,
    options: ReadOptions,
    mdp: MDP,
    words: Words,
    label_of: dict[str, str],
    structure: str,
    arrived: str,
) -> list[str]:
    """What counts, as one structure; costs are positive. `arrived` holds for one step in a goal."""
    asked = options.reward
    known = program.rewards
    if asked is None:
        asked = REACH if not known and options.goal is not None else next(iter(known), "")
    chosen = sorted(known) if asked == "sum" else [asked] if isinstance(asked, str) else list(asked)
    act = f"{words.running} & !{words.missing}" if mdp.missing in ("end", "stay") else words.running
    lines = []
    for name in chosen:
        if name == REACH and name not in known:
            lines.append(f"  {arrived} : 1;")
        elif name in known:
            lines += [line for item in known[name] for line in _item(program, item, act, label_of)]
        elif name in program.labels:
            states = program.labels[name]
            lines += [f"  ({states}) & {act} : 1;", f"  ({states}) & {arrived} : 1;"]
        else:
            raise ReadError(f"no reward structure or label {name!r} in the program; there are {', '.join(known)}")
    if mdp.missing == "end":
        paid = -mdp.missing_reward if mdp.sense == "min" else mdp.missing_reward
        lines.append(f"  {words.running} & {words.missing} : {number(paid)};")
    return ["", f'rewards "{structure}"', *(lines or ["  false : 0;"]), "endrewards"]


def _item(program: Program, item: RewardItem, act: str, label_of: dict[str, str]) -> list[str]:
    guard = f"{item.guard} & {act}"
    if item.label is None:
        return [f"  {guard} : {item.value};"]
    if item.label:
        return [f"  [{item.label}] {guard} : {item.value};"]
    labels = dict.fromkeys(label_of[command.name] for command in program.commands if not command.label)
    return [f"  [{label}] {guard} : {item.value};" for label in labels]
