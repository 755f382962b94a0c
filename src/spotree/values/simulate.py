"""Playing episodes: what a policy earns on average, beside the value that a linear solve gives it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from spotree.axes import Floats, Ints
from spotree.errors import InvalidProblemError
from spotree.mdp import MDP
from spotree.values.dice import Dice, policy_dice
from spotree.values.policy import Acts
from spotree.values.returns import certified_values, expected_return

CUT = 1e-4  # of the largest value: what may be left of a discounted episode that is cut off
LONGEST = 10**6  # time steps of an undiscounted episode
Watch = Callable[[int, Ints, Ints, Floats], None]


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a number of episodes earned, and where the expected return lies by them.

    Attributes
    ----------
    mean
        The mean of the episodes' discounted rewards.
    low, high
        The confidence interval of the return: normal, from the spread of the episodes, widened on both sides by what
        their skewness can do to it and by `bias`. An event that decides the return but happens in none or a handful of
        the episodes is missed all the same: play more.
    exact
        The return by a linear solve, of which the episodes know nothing; -inf for a policy that may pay for ever.
    episodes, steps
        How many episodes, and the time steps of all of them.
    cut
        How many episodes were broken off at the horizon; the others ended, or came where nothing is earned any more.
    horizon
        The time steps after which an episode is broken off.
    bias
        No more than this is missing in expectation because of that: discount^horizon times the largest value of a
        state that is met, undiscounted the share of the broken-off ones (its own error included) times that value.
    """

    mean: float
    low: float
    high: float
    exact: float
    episodes: int
    steps: int
    cut: int
    horizon: int
    bias: float
    confidence: float
    seed: int

    @property
    def agrees(self) -> bool:
        """Whether the exact return lies in the interval."""
        return self.low <= self.exact <= self.high


def simulate(
    mdp: MDP,
    policy: ArrayLike | Acts,
    episodes: int = 10_000,
    seed: int = 0,
    horizon: int | None = None,
    confidence: float = 0.99,
    *,
    watch: Watch | None = None,
) -> Simulation:
    """Play episodes of a policy and give the confidence interval of its return, with the exact return beside it.

    A time step earns the expected reward of its choice, as the model holds no other.

    Parameters
    ----------
    policy
        A `Solution`, a `TreePolicy`, a `Tree` or one action per state.
    episodes, seed
        How many; the same seed plays the same ones.
    horizon
        The most time steps of an episode. If not given: discounted, where less than 1e-4 of the largest value is left;
        undiscounted, 1,000,000.
    confidence
        How often such an interval holds the return, if the model is played again and again.
    watch
        Called at each time step with its number, the episodes that are on, their states and the rewards they get; once
        more for episodes that come where nothing is earned any more, with the reward nan.
    """
    _check(episodes, seed, horizon, confidence)
    exact = expected_return(mdp, policy)
    if exact == -math.inf and horizon is None:
        raise InvalidProblemError(
            "the policy may go on for ever and is worth -inf; pass a horizon to play its first time steps"
        )
    dice = policy_dice(mdp, policy)
    values = certified_values(mdp, policy).value[dice.met]
    largest = float(np.abs(values).max(initial=0.0))
    most = _horizon(mdp.discount) if horizon is None else horizon
    earned, steps, cut = _play(mdp, dice, episodes, np.random.default_rng(seed), most, watch)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    bias = 0.0
    if largest == math.inf:
        bias = math.inf
    elif cut:
        share = min(1.0, cut / episodes + z * math.sqrt(cut) / episodes)
        bias = (mdp.discount**most if mdp.discount < 1 else share) * largest
    mean = math.fsum(earned) / episodes
    rounding = 1e-12 * max(1.0, abs(mean))  # where all episodes are the same, nothing else is left
    wide = _half_width(earned, mean, z) + bias + rounding
    return Simulation(mean, mean - wide, mean + wide, exact, episodes, steps, cut, most, bias, confidence, seed)


def _play(
    mdp: MDP, dice: Dice, episodes: int, rng: np.random.Generator, horizon: int, watch: Watch | None
) -> tuple[Floats, int, int]:
    """[episode] what it earned; the time steps of all, and how many were broken off."""
    earned = np.zeros(episodes)
    on = np.arange(episodes)
    state = dice.first(rng, episodes)
    weight, steps = 1.0, 0
    for time in range(horizon + 1):
        over = dice.over[state]
        if over.any():
            if watch is not None:
                watch(time, on[over], state[over], np.full(int(over.sum()), np.nan))
            on, state = on[~over], state[~over]
        if len(on) == 0 or time == horizon:
            break
        reward = dice.reward[state]
        if watch is not None:
            watch(time, on, state, reward)
        earned[on] += weight * reward
        steps += len(on)
        weight *= mdp.discount
        state = dice.next(rng, state)
        gone = state < 0
        if gone.any():
            on, state = on[~gone], state[~gone]
    return earned, steps, len(on)


def _half_width(earned: Floats, mean: float, z: float) -> float:
    """Of the mean's normal interval, and how far Johnson's correction for skewness (1978) moves that."""
    episodes = len(earned)
    if episodes == 1:
        return math.inf
    spread = float(earned.std(ddof=1))
    if spread == 0:
        return 0.0
    third = float(((earned - mean) ** 3).mean())
    return z * spread / math.sqrt(episodes) + abs(third) / (6 * spread**2 * episodes) * (1 + 2 * z**2)


def _horizon(discount: float) -> int:
    if discount == 1:
        return LONGEST
    return 1 if discount == 0 else max(1, math.ceil(math.log(CUT) / math.log(discount)))


def _check(episodes: int, seed: int, horizon: int | None, confidence: float) -> None:
    for name, value, least in (("episodes", episodes, 1), ("seed", seed, 0), ("horizon", horizon, 1)):
        if value is not None and (isinstance(value, bool) or int(value) != value or value < least):
            raise InvalidProblemError(f"{name} is {value}; it must be a whole number, {least} or more")
    if not 0 < confidence < 1:
        raise InvalidProblemError(f"confidence is {confidence}; it must lie between 0 and 1, as in 0.99")
