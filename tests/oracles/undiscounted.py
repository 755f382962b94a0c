"""Undiscounted values, the plain way: what a policy can reach, then dense linear algebra; all policies in turn."""

import itertools

import numpy as np
from hypothesis import strategies as st

from spotree.mdp import MDP, build_mdp


def policy_values(mdp: MDP, rows) -> np.ndarray:
    """[state] total reward of the policy that takes these rows (-1: forbidden)."""
    size = mdp.num_states
    matrix = np.array([mdp.rows[row].toarray().ravel() if row >= 0 else np.zeros(size) for row in rows])
    reward = np.array([mdp.reward_of_choice[row] if row >= 0 else -np.inf for row in rows])
    ends = matrix.sum(axis=1) < 1 - 1e-9
    reach = np.eye(size, dtype=bool) | (matrix > 0)
    for _ in range(size):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    endless = ~(reach & ends).any(axis=1)
    endless = np.array([endless[s] and all(reach[t, s] for t in np.flatnonzero(reach[s])) for s in range(size)])
    lost = np.isneginf(reward)
    for state in np.flatnonzero(endless):
        lost[state] = lost[state] or mdp.must_end or bool((reward[reach[state]] != 0).any())
    lost = (reach & lost).any(axis=1)
    value = np.where(lost, -np.inf, 0.0)
    rest = np.flatnonzero(~lost & ~endless)
    if len(rest):
        system = np.eye(len(rest)) - matrix[np.ix_(rest, rest)]
        value[rest] = np.linalg.solve(system, reward[rest])
    return value


def all_policies(mdp: MDP):
    """Every way to take one of the rows of each state."""
    ranges = [range(mdp.choice_start[s], mdp.choice_start[s + 1]) for s in range(mdp.num_states)]
    return itertools.product(*ranges)


def best_values(mdp: MDP) -> np.ndarray:
    """[state] the largest value of any deterministic policy; one of them is best everywhere."""
    return np.max([policy_values(mdp, rows) for rows in all_policies(mdp)], axis=0)


@st.composite
def tangled(draw, most_states=5, missing=("random", "end", "stay", "forbid")):
    """How to build a small undiscounted MDP full of end components: few next states, few rows that end."""
    size, actions = draw(st.integers(1, most_states)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    transitions = np.zeros((actions, size, size))
    for action, state in itertools.product(range(actions), range(size)):
        targets = rng.choice(size, size=rng.integers(1, min(2, size) + 1), replace=False)
        transitions[action, state, targets] = 1.0 / len(targets)
    ends = np.where(rng.random((size, actions)) < 0.3, rng.choice([0.25, 1.0], size=(size, actions)), 0.0)
    ends[rng.integers(size)] = 1.0
    transitions *= (1.0 - ends.T)[:, :, None]
    kind = draw(st.sampled_from(["reach", "avoid", "cost"]))
    if kind == "cost":
        reward = -rng.choice([0.0, 1.0, 2.5], size=(size, actions), p=[0.5, 0.25, 0.25])
    else:  # paid at the very end, or not
        reward = np.where(ends == 1.0, rng.integers(0, 2, size=(size, actions)), 0.0)
        reward = reward if kind == "reach" else 0.0 - reward
    available = rng.random((size, actions)) < 0.8
    available[np.arange(size), rng.integers(0, actions, size)] = True
    missing_rule, must_end = draw(st.sampled_from(missing)), kind == "cost" and draw(st.booleans())
    start = int(rng.integers(size))

    def build() -> MDP:
        return build_mdp(
            transitions,
            reward,
            1.0,
            initial=start,
            ends=ends,
            available=available,
            missing=missing_rule,
            undiscounted=True,
            must_end=must_end,
        )

    return build
