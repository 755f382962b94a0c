"""The dice of a policy on a model: which state comes next, thrown for many episodes at once."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import breadth_first_order

from spotree.common.arrays import Floats, Ints, PerState
from spotree.evaluation.policy import Acts, chosen_rows
from spotree.mdp import MDP
from spotree.mdp.choices import gather_rows
from spotree.mdp.graph import ENDS


@dataclass(frozen=True, slots=True, eq=False)
class TransitionSampler:
    """A chain of states that can be thrown.

    Attributes
    ----------
    reward
        [state] what its choice earns.
    over
        [state] whether nothing is earned from here on, whatever comes.
    met
        [state] whether the policy can come there.
    may_end
        [state] whether the episode may end by its choice.
    scale, row_start, target
        The chain's rows; `scale` holds the state's number plus the sum of its probabilities up to each entry, so that
        one ascending array serves all states.
    """

    reward: PerState
    over: np.ndarray
    met: np.ndarray
    may_end: np.ndarray
    start: Floats
    scale: Floats
    row_start: Ints
    target: Ints

    @property
    def starts(self) -> np.ndarray:
        """[state] whether an episode may begin there."""
        starts: np.ndarray = np.diff(self.start, prepend=0.0) > 0
        return starts

    def first(self, rng: np.random.Generator, episodes: int) -> Ints:
        """[episode] the state that it begins in."""
        drawn: Ints = np.searchsorted(self.start, rng.random(episodes) * self.start[-1], side="right")
        return drawn

    def next(self, rng: np.random.Generator, state: Ints) -> Ints:
        """[episode] the state after this one, -1 where the episode ends."""
        entry = np.searchsorted(self.scale, state + rng.random(len(state)), side="right")
        last = self.row_start[state + 1] - 1
        following: Ints = self.target[np.minimum(entry, last)]
        following[(entry > last) & self.may_end[state]] = -1
        return following


def policy_dice(mdp: MDP, policy: ArrayLike | Acts) -> TransitionSampler:
    """The dice of a policy that takes no forbidden action where it can come."""
    rows = chosen_rows(mdp, policy)
    allowed = np.maximum(rows, 0)
    row_start, entry = gather_rows(mdp.row_start, allowed)
    target, probability = mdp.target[entry].astype(np.int64), mdp.probability[entry]
    reward = mdp.reward_of_choice[allowed]
    may_end = np.asarray(mdp.rows.sum(axis=1)).ravel()[allowed] < 1.0 - ENDS
    chain = sp.csr_matrix((probability, target, row_start), shape=(mdp.num_states, mdp.num_states))
    return TransitionSampler(
        reward=reward,
        over=~leading_to(sp.csr_matrix(chain.T), reward != 0),
        met=leading_to(chain, mdp.initial > 0),
        may_end=may_end,
        start=np.cumsum(mdp.initial),
        scale=_scale(row_start, probability, may_end),
        row_start=row_start,
        target=np.append(target, -1),  # for a row without entries, the place before the first
    )


def _scale(row_start: Ints, probability: Floats, may_end: np.ndarray) -> Floats:
    """[entry] the state's number and the probability up to and with the entry; a row that does not end is full."""
    length = np.diff(row_start)
    state = np.repeat(np.arange(len(length)), length)
    total = np.concatenate(([0.0], np.cumsum(probability)))
    upto = np.clip(total[1:] - total[row_start[:-1]][state], 0.0, 1.0)
    upto[row_start[1:][(length > 0) & ~may_end] - 1] = 1.0
    scale: Floats = state + upto
    return scale


def leading_to(chain: sp.csr_matrix, wanted: np.ndarray) -> np.ndarray:
    """[state] whether some wanted state leads to it along the chain; one extra node leads to all wanted ones."""
    states = len(wanted)
    extra = sp.csr_matrix(wanted.astype(float)[None, :])
    graph = sp.bmat([[chain, None], [extra, sp.csr_matrix((1, 1))]], format="csr")
    found = np.zeros(states + 1, dtype=bool)
    found[breadth_first_order(graph, states, return_predecessors=False)] = True
    return found[:states]
