"""A program and what is asked of it, in the words of spotree and of Storm."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Question = tuple[str, Mapping[str, Any]]  # Storm's property, and the options of `read` that ask the same


@dataclass(frozen=True, slots=True)
class Case:
    """`for_storm` is the same program without what Storm's parser lacks; None where it lacks nothing."""

    text: str
    questions: tuple[Question, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    for_storm: str | None = None


def reach(goal: str, storms: str | None = None, **options: Any) -> tuple[Question, Question]:
    """Both probabilities of reaching a goal; `storms` is Storm's word for it where that differs."""
    name = goal if storms is None else storms
    return (
        (f"Pmax=? [F {name}]", {"goal": goal, "reward": "reach", **options}),
        (f"Pmin=? [F {name}]", {"goal": goal, "reward": "reach", "sense": "min", **options}),
    )


def until(stay: str, goal: str) -> tuple[Question, Question]:
    """Both probabilities of `stay U goal`."""
    avoid = {"goal": goal, "avoid": f"!({stay})", "reward": "reach"}
    return (
        (f"Pmax=? [({stay}) U ({goal})]", avoid),
        (f"Pmin=? [({stay}) U ({goal})]", {**avoid, "sense": "min"}),
    )


def cost(goal: str, reward: str | None = None) -> Question:
    """The least expected cost until a goal."""
    structure = "" if reward is None else f'{{"{reward}"}}'
    return f"R{structure}min=? [F {goal}]", {"goal": goal, "reward": reward, "sense": "min"}


def gain(goal: str, reward: str | None = None) -> Question:
    """The largest expected reward until a goal."""
    structure = "" if reward is None else f'{{"{reward}"}}'
    return f"R{structure}max=? [F {goal}]", {"goal": goal, "reward": reward}
