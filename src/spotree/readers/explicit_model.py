"""A model as a file spells it out: states, choices and branches, before anything is chosen from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.common.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Kind:
    """Where a choice comes from: its action label ("" if it has none) and its command ("" if unknown)."""

    label: str
    command: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RewardStructure:
    """What a state pays at every step, and what a choice pays on top; None where nothing is."""

    states: Floats | None
    choices: Floats | None

    def per_choice(self, state_of: Ints) -> Floats:
        if self.states is None:
            return np.zeros(len(state_of)) if self.choices is None else self.choices
        return self.states[state_of] + (0 if self.choices is None else self.choices)


@dataclass(frozen=True, slots=True, eq=False)
class ExplicitModel:
    """States, choices and branches with everything the file says about them.

    Attributes
    ----------
    choice_start, row_start
        [state + 1] the choices of a state, and [choice + 1] the branches of a choice.
    kind_of, kinds
        [choice] an index into `kinds`.
    initial
        [state] probability of starting there.
    rewards
        Reward structures by name; expected branch rewards are counted in `choices`.
    labels
        [state] sets of states by name.
    variables
        [state] columns by name, in the order of the file; numbers only.
    left_out
        Columns that are no features, each with the reason.
    ends
        [choice] probability that the episode ends there; None if it never does.
    extension
        What spotree itself wrote beside the standard entries; empty for other tools' files.
    """

    choice_start: Ints
    row_start: Ints
    target: Ints
    probability: Floats
    kind_of: Ints
    kinds: tuple[Kind, ...]
    initial: Floats
    rewards: Mapping[str, RewardStructure]
    labels: Mapping[str, NDArray[np.bool_]]
    variables: Mapping[str, Floats]
    left_out: Mapping[str, str] = field(default_factory=dict)
    ends: Floats | None = None
    extension: Mapping[str, Any] = field(default_factory=dict)

    @property
    def num_states(self) -> int:
        return len(self.choice_start) - 1

    @property
    def num_choices(self) -> int:
        return len(self.row_start) - 1

    @property
    def state_of(self) -> Ints:
        """[choice] -> state."""
        return np.repeat(np.arange(self.num_states), np.diff(self.choice_start))
