"""Which commands of a PRISM program an action of the model is, by the name that the reader gave it."""

from collections.abc import Sequence
from dataclasses import dataclass

from spotree.errors import ReadError
from spotree.exports.prism.names import disjunction
from spotree.readers.actions import UNLABELLED
from spotree.readers.storm.program import Command, Program


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


def actions_by_name(program: Program, action_names: Sequence[str]) -> list[Action]:
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
