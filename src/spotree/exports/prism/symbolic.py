"""A PRISM program with the tree conjoined to its guards: what is left is the Markov chain of the policy.

A dtmc in which several commands are enabled takes one of them at random, each with the same probability. That is the
rule for missing actions `random`, and what a label does that covers several choices. Where both meet, commands are
repeated so that each action, not each choice, is equally likely.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from spotree.errors import ReadError
from spotree.exports.prism.names import (
    Action,
    Names,
    actions_by_name,
    comment,
    disjunction,
    leaf_conditions,
    number,
)
from spotree.mdp.model import MDP
from spotree.readers.options import REACH, STEPS, ReadOptions
from spotree.readers.storm.program import RewardItem, SymbolicProgram
from spotree.trees.tree import Tree

MOST_COPIES = 120


@dataclass(frozen=True, slots=True)
class Words:
    """The formulas and variables that are new in the program."""

    ended: str
    goal: str
    avoid: str
    missing: str
    running: str
    toss: str


def conjoined(
    program: SymbolicProgram,
    options: ReadOptions,
    mdp: MDP,
    tree: Tree,
    names: Names,
    ended: str,
    structure: str,
    discount_in_model: bool,
) -> list[str]:
    """The lines of the program; `options` say which reward and which goal the model was read with."""
    actions = actions_by_name(program, mdp.action_names)
    words = Words(ended, *(names.fresh(word) for word in ("goal", "avoid", "missing", "running", "toss")))
    used = sorted({int(action) for action in tree.action if action >= 0})
    tree_of = {a: names.fresh(f"tree_{mdp.action_names[a]}") for a in used}
    together = (mdp.missing == "random" and max(program.most_choices) > 1) or discount_in_model
    label_of = {
        command.name: command.label or (names.fresh(command.name) if together else "")
        for command in program.commands
    }
    quiet = f" & !{words.toss}" if discount_in_model else ""
    arrived = f"{words.goal} & !{ended}{quiet}"
    lines = [
        *program.head,
        *_formulas(program, mdp, tree, actions, tree_of, names, words),
        f"formula {words.goal} = {program.conditions.get('goal', 'false')};",
        f"formula {words.avoid} = {program.conditions.get('avoid', 'false')};",
        f"formula {words.running} = !{ended} & !({words.goal}) & !({words.avoid}){quiet};",
        *_modules(program, mdp, actions, tree_of, words, label_of),
        *_control(program, mdp, actions, words, label_of, together, discount_in_model),
        *_rewards(program, options, mdp, words, label_of, structure, arrived),
        "",
        *(f'label "{name}" = {states};' for name, states in program.labels.items()),
    ]
    if options.goal is not None:
        lines += [
            comment(f'P=? [ F "{words.goal}" ] is the probability of reaching the goal'),
            f'label "{words.goal}" = {words.goal};',
        ]
    return lines


def _formulas(
    program: SymbolicProgram,
    mdp: MDP,
    tree: Tree,
    actions: Sequence[Action],
    tree_of: Mapping[int, str],
    names: Names,
    words: Words,
) -> list[str]:
    """Where the tree takes an action, whether the model offers it there, and where it does not."""
    declared = {line.removeprefix("global ").split(":")[0] for line in program.head}
    declared |= {line.split(":")[0] for lines in program.declared.values() for line in lines}
    for feature in mdp.feature_names:
        if feature not in declared:
            raise ReadError(f"feature {feature!r} is no variable of the program; pass the file that was read")
    leaves = leaf_conditions(tree, list(mdp.feature_names), program.truths)
    lines, lacking = ["", "// where the tree takes an action, and whether the model offers it there"], []
    for a, taken in tree_of.items():
        offered = names.fresh(f"offered_{mdp.action_names[a]}")
        where = disjunction(condition for action, condition in leaves if action == a)
        lines += [comment(f"action {mdp.action_names[a]!r}"), f"formula {taken} = {where};"]
        lines += [f"formula {offered} = {actions[a].offered};"]
        lacking.append(f"{taken} & !{offered}")
    return [*lines, f"formula {words.missing} = {disjunction(lacking)};"]


def _modules(
    program: SymbolicProgram,
    mdp: MDP,
    actions: Sequence[Action],
    tree_of: Mapping[int, str],
    words: Words,
    label_of: Mapping[str, str],
) -> list[str]:
    """The modules, in which a command of the tree's action may happen, or any where that is missing (`random`)."""
    instead = [words.missing] if mdp.missing == "random" else []
    part_of_some = {command.name for action in actions for command in action.commands}
    lines = []
    for module, variables in program.declared.items():
        lines += ["", f"module {module}", *(f"  {line}" for line in variables)]
        for command in program.commands:
            if command.module == module:
                taken = [name for a, name in tree_of.items() if command in actions[a].commands]
                may = disjunction(taken + instead) if command.name in part_of_some else "false"
                lines.append(
                    f"  [{label_of[command.name]}] {command.guard} & {words.running} & ({may}) -> {command.updates};"
                )
        lines.append("endmodule")
    return lines


def _control(
    program: SymbolicProgram,
    mdp: MDP,
    actions: Sequence[Action],
    words: Words,
    label_of: Mapping[str, str],
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
    over = f"({words.goal} | {words.avoid})"
    lines += [f"  [] {over} & !{ended}{f' & !{toss}' * discount_in_model} -> ({ended}'=true);"]
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
    program: SymbolicProgram,
    options: ReadOptions,
    mdp: MDP,
    words: Words,
    label_of: Mapping[str, str],
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
        elif name == STEPS:
            lines.append(f"  {act} : 1;")
        else:
            raise ReadError(f"no reward structure or label {name!r} in the program; there are {', '.join(known)}")
    if mdp.missing == "end":
        paid = 0.0 - mdp.missing_reward if mdp.sense == "min" else mdp.missing_reward
        lines.append(f"  {words.running} & {words.missing} : {number(paid)};")
    return ["", f'rewards "{structure}"', *(lines or ["  false : 0;"]), "endrewards"]


def _item(program: SymbolicProgram, item: RewardItem, act: str, label_of: Mapping[str, str]) -> list[str]:
    guard = f"{item.guard} & {act}"
    if item.label is None:
        return [f"  {guard} : {item.value};"]
    if item.label:
        return [f"  [{item.label}] {guard} : {item.value};"]
    labels = dict.fromkeys(label_of[command.name] for command in program.commands if not command.label)
    return [f"  [{label}] {guard} : {item.value};" for label in labels]
