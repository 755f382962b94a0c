"""Undiscounted models as a proof sees them: ways from a state to itself are summed up (lemma 10 of docs/proof.md)."""

import math
from dataclasses import replace

import numpy as np

from spotree.common.arrays import frozen_array
from spotree.mdp.graph import ending_choices
from spotree.mdp.model import MDP


def without_own_loops(mdp: MDP) -> MDP:
    """The same returns for every policy without memory, and no row that leads back to its own state.

    A row that surely stays is worth -inf, so it is forbidden, or 0, so it ends the episode. Rows that do not end sum
    to 1. With a discount the model is left as it is.
    """
    if mdp.discount < 1:
        return mdp
    rows = len(mdp.choice_action)
    row_of = np.repeat(np.arange(rows), np.diff(mdp.row_start))
    onward = (mdp.target != mdp.state_of_choice[row_of]) & (mdp.probability > 0)
    away = np.bincount(row_of[onward], mdp.probability[onward], rows).astype(np.float64)
    ends, loops = ending_choices(mdp), np.bincount(row_of[~onward], minlength=rows) > 0
    for row in np.flatnonzero(ends):  # to the last bit: the chance to end may be tiny beside that to stay
        part = mdp.probability[mdp.row_start[row] : mdp.row_start[row + 1]].tolist()
        away[row] = away[row] - math.fsum([*part, -1.0]) if loops[row] else 1.0
    stays = away == 0
    away[stays] = 1.0
    hopeless = stays & (mdp.must_end | (mdp.reward_of_choice != 0))
    start = np.concatenate(([0], np.cumsum(np.bincount(row_of[onward], minlength=rows))))
    return replace(
        mdp,
        choice_of=frozen_array(
            np.where((mdp.choice_of >= 0) & hopeless[mdp.choice_of], -1, mdp.choice_of), np.int32
        ),
        row_start=frozen_array(start, np.int64),
        target=frozen_array(mdp.target[onward], np.int32),
        probability=frozen_array(mdp.probability[onward] / away[row_of[onward]], np.float64),
        reward_of_choice=frozen_array(mdp.reward_of_choice / away, np.float64),
    )
