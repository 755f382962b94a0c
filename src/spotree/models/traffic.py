"""A traffic intersection: when to switch the light between two roads."""

from collections.abc import Iterator
from itertools import product
from math import exp, factorial

from spotree.mdp.model import MDP
from spotree.models.from_rules import mdp_from_rules

Crossing = tuple[int, int, int, int]  # green side (0 left, 1 right), cars left, cars right, waiting time

ROOM = 5  # cars on each side
LONGEST = 5  # the waiting time is counted up to here
ARRIVALS = (0.1, 0.5)  # mean number of new cars per step, left and right


def traffic_intersection() -> MDP:
    """One car may pass per step on the green side while new ones arrive on both.

    A car that passes earns 1, switching the light costs 2, and each car at the red light costs 0.1 * 2^t, where the
    waiting time t is the number of steps since the light last changed (not the time that a car has really waited).
    Arrivals are Poisson, cut off at the room that is left and scaled to sum to 1.
    A light that is switched turns after the step: the car on the old green side still passes.
    """

    def outcomes(crossing: Crossing, action: str) -> Iterator[tuple[float, Crossing, float]]:
        green, left, right, waited = crossing
        queues = [left, right]
        passing = min(queues[green], 1)
        reward = passing - 0.1 * 2**waited * queues[1 - green]
        queues[green] -= passing
        if action == "switch_light":
            reward, green, waited = reward - 2, 1 - green, 0
        for (new_left, a), (new_right, b) in product(*(_arrivals(side, queues[side]) for side in (0, 1))):
            following = (green, queues[0] + new_left, queues[1] + new_right, min(waited + 1, LONGEST))
            yield a * b, following, reward

    return mdp_from_rules(
        start={(0, 0, 0, 0): 1.0},
        outcomes=outcomes,
        features=lambda crossing: crossing,
        feature_names=("green_side", "cars_left", "cars_right", "waiting_time"),
        action_names=("switch_light", "wait"),
    )


def _arrivals(side: int, queue: int) -> list[tuple[int, float]]:
    """New cars on a side and their probability."""
    mean = ARRIVALS[side]
    weights = [exp(-mean) * mean**cars / factorial(cars) for cars in range(ROOM - queue + 1)]
    return [(cars, weight / sum(weights)) for cars, weight in enumerate(weights)]
