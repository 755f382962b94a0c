"""Feature classes of an MDP: merged choices, and classes of equal states with a real choice."""

from dataclasses import dataclass

import numpy as np

from spotree.common.arrays import SmallInts
from spotree.mdp.model import MDP
from spotree.mdp.transforms import merged_choices, relevant_states
from spotree.trees.ranks import Ranks, rank_rows


@dataclass(frozen=True, slots=True, eq=False)
class ModelRanks(Ranks):
    """The groups with a state in which two actions differ, sorted; `choice_of` is [state, action] -> row."""

    choice_of: SmallInts  # the first of a state's rows that are equal to the last bit stands for all of them


def rank_features(mdp: MDP, whole: bool = False) -> ModelRanks:
    """Group the states that have a real choice by equal features, and rank the values.

    The other states are in no group (-1), or, for groups as a `whole`, in that of their features where there is one.
    """
    choice_of = merged_choices(mdp)
    matters = relevant_states(mdp, choice_of)
    every = rank_rows(mdp.features)
    ranks = every.sorted(np.unique(every.group_of[matters]))
    group_of = ranks.group_of if whole else np.where(matters, ranks.group_of, np.int32(-1))
    return ModelRanks(ranks.values, ranks.rank, group_of, ranks.first, choice_of)
