"""`MDP`: a frozen finite Markov decision process; its choices are rows of one sparse matrix."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from spotree.common.arrays import Features, Floats, Ints, PerState, PerStateAction, SmallInts
from spotree.common.sanitize import shown
from spotree.mdp.choices import above_one
from spotree.mdp.source import ModelSource

Missing: TypeAlias = Literal["random", "end", "stay", "forbid"]
Sense: TypeAlias = Literal["max", "min"]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many states, choices and transitions a model has."""

    states: int
    choices: int
    transitions: int


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class MDP:
    """A finite MDP. Make one with `build_mdp`, `read` or `load`; all arrays are read-only.

    A *choice* is one (state, action) row: a reward and a distribution over next states. The choices of a state
    stand together: first one for each available action, in ascending order of action, then, where an action is
    missing, one row that says what happens instead (see `missing`). `choice_of` looks a row up.

    Attributes
    ----------
    choice_start
        [state + 1] the rows of a state are `choice_start[state] : choice_start[state + 1]`.
    choice_action
        [choice] the action of the row, -1 for the row that stands in for missing actions.
    choice_of
        [state, action] -> choice; -1 where the action is forbidden (`missing="forbid"`, or `finite_part`).
    row_start, target, probability
        The rows as CSR arrays: next states and probabilities. A row that sums to less than 1 ends the episode
        with the rest of its probability; only an ending row may do so.
    reward_of_choice
        [choice] expected reward of the row.
    must_end
        Undiscounted models only: a policy that may go on for ever is worth -inf. Otherwise it is so only if it
        pays for ever; going on without reward is worth 0.
    sense
        "min" where the rewards are negated costs: inside, more is always better; a person is shown positive costs.
    state_number
        [state] the number the state had in its source, before unreachable ones were left out.
    notes
        What a reader chose (reward structure, action mapping, features dropped ...), for `spotree info`.
    in_file
        The counts of the PRISM, JANI, DRN or UMB file, as Storm counts: before a goal ends episodes, choices of one
        action are joined, and states or actions are left out. None for models from elsewhere, also from spotree's
        own files.
    source
        The file, shipped name or environment that the model was read from; None for one made of arrays.
    """

    choice_start: Ints
    choice_action: SmallInts
    choice_of: SmallInts
    row_start: Ints
    target: SmallInts
    probability: Floats
    reward_of_choice: Floats
    initial: PerState
    discount: float
    features: Features
    feature_names: tuple[str, ...]
    action_names: tuple[str, ...]
    missing: Missing
    missing_reward: float
    state_number: Ints
    must_end: bool = False
    sense: Sense = "max"
    name: str = "mdp"
    notes: Mapping[str, str] = field(default_factory=dict)
    in_file: Counts | None = None
    source: ModelSource | None = None

    def __repr__(self) -> str:
        sizes = f"{self.num_states} states, {self.num_actions} actions, {self.num_features} features"
        return f"<MDP {shown(self.name)}: {sizes}, discount {self.discount:g}, missing {self.missing!r}>"

    def _repr_html_(self) -> str:
        from spotree.exports.notebook import mdp_html

        return mdp_html(self)

    @property
    def num_states(self) -> int:
        return len(self.initial)

    @property
    def num_actions(self) -> int:
        return len(self.action_names)

    @property
    def num_features(self) -> int:
        return len(self.feature_names)

    @property
    def num_choices(self) -> int:
        """Choices that the model really offers (stand-in rows not counted)."""
        return int(np.count_nonzero(self.choice_action >= 0))

    @property
    def num_transitions(self) -> int:
        """Transitions of the choices that the model really offers."""
        return int(np.diff(self.row_start)[self.choice_action >= 0].sum())

    @property
    def state_of_choice(self) -> Ints:
        """[choice] the state that the row belongs to."""
        return np.repeat(np.arange(self.num_states), np.diff(self.choice_start))

    @property
    def available(self) -> np.ndarray:
        """[state, action] whether the model offers the action there."""
        known = np.zeros((self.num_states, self.num_actions), dtype=bool)
        real = self.choice_action >= 0
        known[self.state_of_choice[real], self.choice_action[real]] = True
        return known

    @property
    def forbidden(self) -> np.ndarray:
        """[state, action] whether no policy may take the action although the rule for missing ones would let it."""
        return (self.choice_of < 0) & (self.missing != "forbid")

    @property
    def reward(self) -> PerStateAction:
        """Expected reward [state, action], missing actions filled in by the rule (forbidden: -inf)."""
        return np.where(self.choice_of >= 0, self.reward_of_choice[self.choice_of], -np.inf)

    @property
    def rows(self) -> sp.csr_matrix:
        """All rows [choice, next state] as one sparse matrix (no copy)."""
        shape = (len(self.choice_action), self.num_states)
        return sp.csr_matrix((self.probability, self.target, self.row_start), shape=shape, copy=False)

    @property
    def excess(self) -> float:
        """How far the largest row sum is above 1 as a real number, 0 if none is; discount * (1 + excess) < 1.

        It is at most 2**-50: larger ones are taken away by `build_mdp`, smaller ones are the rounding of what was
        given, as in 0.1 + 0.9, and stay.
        """
        return float(above_one(self.row_start, self.probability).max(initial=0.0))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model, by the ending of the path; `spotree.read` reads it back.

        .npz and .umb (.umb.gz, .umb.xz) keep everything. A path FOLDER/model.drn makes that folder as dtPAYNT takes it,
        see `write_drn`: the discount and the rule for missing actions are not in it.
        """
        from spotree.readers.read import write

        write(self, path)

    def transition_matrix(self, action: int | str) -> sp.csr_matrix:
        """CSR [state, next state] under one action, missing ones filled in (forbidden: an empty row)."""
        index = self.action_names.index(action) if isinstance(action, str) else action
        row = self.choice_of[:, index]
        matrix = self.rows[np.maximum(row, 0)]
        return matrix if (row >= 0).all() else sp.diags((row >= 0).astype(float)) @ matrix


def fingerprint(mdp: MDP) -> str:
    """A hash of everything a proof depends on: choices, rewards, start, discount, features, in the order they stand."""
    digest = hashlib.sha256()
    for array in (
        mdp.choice_of,
        mdp.row_start,
        mdp.target,
        mdp.probability,
        mdp.reward_of_choice,
        mdp.initial,
        mdp.features,
    ):
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(mdp.discount).encode())
    if mdp.discount == 1:  # what going on for ever is worth
        digest.update(b"must end" if mdp.must_end else b"may idle")
    return digest.hexdigest()
