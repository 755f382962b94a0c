"""The system administrator: which computer of a network to reboot."""

from itertools import product

import numpy as np

from spotree.common.arrays import Floats
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

# For each computer, those it depends on.
NETWORKS: dict[str, tuple[tuple[int, ...], ...]] = {
    "sparse": ((2, 6), (0,), (0, 4), (2, 6), (5,), (1, 6, 7), (4,), (0,)),
    "dense": ((3, 6, 7), (0, 1, 2, 4), (1, 2, 6, 7), (1, 2), (1, 2, 3, 4), (1, 4), (4, 5, 7), (3, 4, 5)),
    "tree": ((), (0,), (0,), (1,), (1,), (2,), (2,)),
}
STAYS_UP, COMES_BACK, REBOOT_COST = 0.95, 0.05, 0.45


def system_administrator(network: str) -> MDP:
    """A network of computers that fail and drag others down; one of them may be rebooted in each step.

    A running computer keeps running with probability 0.95, a failed one comes back with 0.05, both times the share
    of the computers it depends on that are running (1 if there are none). The computer that is rebooted runs for
    certain. Each step pays the number of running computers, less 0.45 for a reboot. At first all are running.

    Kept from OMDT: in its dense network three computers are among their own dependencies, so that for them alone a
    failure lowers the chance to come back twice over.
    """
    dependencies = NETWORKS[network]
    size = len(dependencies)
    running = np.array(list(product((0.0, 1.0), repeat=size)))  # [state, computer]

    support = np.stack(
        [running[:, list(on)].mean(axis=1) if on else np.ones(2**size) for on in dependencies], axis=1
    )
    up_next = np.where(running == 1, STAYS_UP, COMES_BACK) * support  # [state, computer], when nothing is rebooted
    transitions = np.empty((size + 1, 2**size, 2**size))
    for action in range(size + 1):
        chance = up_next.copy()
        chance[:, action : action + 1] = 1.0  # an empty slice for the last action, "wait"
        transitions[action] = _independent(chance)

    cost = np.full(size + 1, REBOOT_COST)
    cost[size] = 0.0
    initial = np.zeros(2**size)
    initial[-1] = 1.0
    return build_mdp(
        transitions=transitions,
        reward=running.sum(axis=1)[:, None] - cost,
        discount=0.99,
        initial=initial,
        features=running,
        feature_names=[f"computer_{computer}_running" for computer in range(size)],
        action_names=[*(f"reboot_computer_{computer}" for computer in range(size)), "wait"],
    )


def _independent(chance: Floats) -> Floats:
    """[state, next state] when each computer runs next with its own `chance` [state, computer].

    Next states are in binary order, the first computer the leading digit.
    """
    joint = np.ones((len(chance), 1))
    for up in chance.T:
        either = np.stack([1 - up, up], axis=1)
        joint = (joint[:, :, None] * either[:, None, :]).reshape(len(chance), -1)
    return joint
