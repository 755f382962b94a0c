"""Playing episodes: what a policy earns on average, beside the value that a linear solve gives it."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from spotree.common.arrays import Floats, Ints
from spotree.common.untrusted import in_short
from spotree.errors import InvalidProblemError
from spotree.evaluation.confidence_interval import IntervalKind, interval_of, return_range
from spotree.evaluation.policy import Acts
from spotree.evaluation.returns import certified_return, certified_values
from spotree.evaluation.transition_sampler import TransitionSampler, policy_dice
from spotree.mdp import MDP

CUT = 1e-4  # of the largest value: what may be left of a discounted episode that is cut off
MOST_EPISODES = 10**8  # their returns and states are held in memory
LONGEST = 10**6  # time steps of an undiscounted episode
ROUNDING = 1e-12  # of the largest return: what sums of rewards may be off
TOLD_EVERY = 0.1  # seconds between two calls of `progress`
Watch = Callable[[int, Ints, Ints, Floats], None]
Stopped: TypeAlias = Literal["", "horizon", "time limit", "interrupted"]


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a number of episodes earned, and where the expected return lies by them.

    Attributes
    ----------
    mean
        The mean of the episodes' discounted rewards.
    low, high
        The confidence interval of the return. What an episode that was cut would have earned is taken at its least for
        `low` and at its largest for `high`.
    exact
        The return by a linear solve, of which the episodes know nothing; -inf for a policy that may pay for ever,
        nan where float64 cannot solve the equations.
    episodes, steps
        How many episodes, and the time steps of all of them.
    cut
        How many episodes were broken off; the others ended, or came where nothing is earned any more.
    horizon
        The time steps after which an episode is broken off.
    bias
        No more than this is missing in the mean because of that: the share of the cut episodes times the largest
        value of a state that is met, discounted.
    stopped
        Why episodes were cut: "horizon", "time limit" or "interrupted"; empty where none was.
    interval
        What the interval rests on. "Clopper-Pearson" (an episode returns `least` or `most`) and "empirical Bernstein"
        (it returns something between them) hold at any probability. "normal" is an approximation, for episodes whose
        return has no known bound: an event that decides the return and happens in none or a handful of the episodes
        is missed.
    standard_error
        Of the mean, from the spread of the episodes; it knows nothing of events that did not happen. None for one
        episode.
    least, most
        No path of the policy, however improbable, returns less or more; infinite where no bound is known.
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
    stopped: Stopped
    interval: IntervalKind
    least: float
    most: float
    standard_error: float | None

    @property
    def agrees(self) -> bool:
        """Whether the exact return lies in the interval, up to rounding."""
        sizes = (self.least, self.most, self.mean, self.exact)
        rounding = ROUNDING * max(abs(size) for size in sizes if math.isfinite(size))
        return self.low - rounding <= self.exact <= self.high + rounding


def simulate(
    mdp: MDP,
    policy: ArrayLike | Acts,
    episodes: int = 10_000,
    seed: int = 0,
    horizon: int | None = None,
    confidence: float = 0.99,
    *,
    time_limit: float | None = 60.0,
    watch: Watch | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Simulation:
    """Play episodes of a policy and give the confidence interval of its return, with the exact return beside it.

    A time step earns the expected reward of its choice, as the model holds no other. Ctrl-C ends the play; what was
    played until then is the answer.

    Parameters
    ----------
    policy
        A `Solution`, a `TreePolicy`, a `Tree` or one action per state.
    episodes, seed
        How many; the same seed plays the same ones, up to where the time limit cuts them.
    horizon
        The most time steps of an episode. If not given: discounted, where less than 1e-4 of the largest value is left;
        undiscounted, 1,000,000.
    confidence
        How often such an interval holds the return at least, if the model is played again and again (about so often
        where `Simulation.interval` is "normal").
    time_limit
        Wall-clock seconds after which all episodes that are still on are cut; None for no limit.
    watch
        Called at each time step with its number, the episodes that are on, their states and the rewards they get; once
        more for episodes that come where nothing is earned any more, with the reward nan.
    progress
        Called about ten times a second with the number of the time step and of the episodes that are on.
    """
    _check(episodes, seed, horizon, confidence, time_limit)
    worth = certified_return(mdp, policy)
    exact = worth.value if worth.error < math.inf else math.nan
    if exact == -math.inf and horizon is None:
        raise InvalidProblemError(
            "the policy may go on for ever and is worth -inf; pass a horizon to play its first time steps"
        )
    dice = policy_dice(mdp, policy)
    possible = return_range(dice, mdp.discount)
    values = certified_values(mdp, policy)
    met = values.value[dice.met & ~dice.over]
    most = _horizon(mdp.discount) if horizon is None else horizon
    play = _play(mdp, dice, episodes, np.random.default_rng(seed), most, time_limit, watch, progress)
    cut = len(play.on)
    low, high = play.earned.copy(), play.earned.copy()
    bias = 0.0
    if cut:
        weight = mdp.discount**play.time
        rest = [weight * (float(met.min()) - values.error), weight * (float(met.max()) + values.error)]
        low[play.on] = np.maximum(low[play.on] + rest[0], possible.least)
        high[play.on] = np.minimum(high[play.on] + rest[1], possible.most)
        bias = cut / episodes * max(map(abs, rest))
        if possible.two_valued:
            low[play.on], high[play.on] = possible.least, possible.most
    found = interval_of(low, high, possible, confidence)
    return Simulation(
        mean=math.fsum(play.earned) / episodes,
        low=found.low,
        high=found.high,
        exact=exact,
        episodes=episodes,
        steps=play.steps,
        cut=cut,
        horizon=most,
        bias=bias,
        confidence=confidence,
        seed=seed,
        stopped=play.stopped if cut else "",
        interval=found.kind,
        least=possible.least,
        most=possible.most,
        standard_error=None if episodes == 1 else float(play.earned.std(ddof=1)) / math.sqrt(episodes),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Play:
    """Where the episodes stand; a time step makes a new one, so that Ctrl-C never leaves half a step.

    Attributes
    ----------
    earned
        [episode] what it earned; of those that are `on`, only when the play has stopped.
    on, state, total
        The episodes that are on, the state of each, and what it has earned so far.
    time, steps
        Time steps of these, and of all episodes together.
    """

    earned: Floats
    on: Ints
    state: Ints
    total: Floats
    time: int = 0
    steps: int = 0
    stopped: Stopped = ""


def _play(
    mdp: MDP,
    dice: TransitionSampler,
    episodes: int,
    rng: np.random.Generator,
    horizon: int,
    time_limit: float | None,
    watch: Watch | None,
    progress: Callable[[int, int], Any] | None,
) -> _Play:
    """Play until all episodes have ended, or something else ends the play."""
    stopped: Stopped
    began, told, stopped = time.monotonic(), -math.inf, "horizon"
    at = _Play(np.zeros(episodes), np.arange(episodes), dice.first(rng, episodes), np.zeros(episodes))
    try:
        while True:
            at = _ended(at, dice.over[at.state], watch)
            if len(at.on) == 0 or at.time == horizon:
                break
            now = time.monotonic() - began
            if time_limit is not None and now >= time_limit:
                stopped = "time limit"
                break
            if progress is not None and now - told >= TOLD_EVERY:
                told = now
                progress(at.time, len(at.on))
            at = _step(at, mdp.discount, dice, rng, watch)
    except KeyboardInterrupt:
        stopped = "interrupted"
    at.earned[at.on] = at.total
    return replace(at, stopped=stopped)


def _step(
    at: _Play, discount: float, dice: TransitionSampler, rng: np.random.Generator, watch: Watch | None
) -> _Play:
    reward = dice.reward[at.state]
    if watch is not None:
        watch(at.time, at.on, at.state, reward)
    following = dice.next(rng, at.state)
    after = replace(
        at,
        state=following,
        total=at.total + discount**at.time * reward,
        time=at.time + 1,
        steps=at.steps + len(at.on),
    )
    return _ended(after, following < 0, None)


def _ended(at: _Play, over: np.ndarray, watch: Watch | None) -> _Play:
    """Note what these episodes earned and play the others on."""
    if not over.any():
        return at
    if watch is not None:
        watch(at.time, at.on[over], at.state[over], np.full(int(over.sum()), np.nan))
    at.earned[at.on[over]] = at.total[over]
    return replace(at, on=at.on[~over], state=at.state[~over], total=at.total[~over])


def _horizon(discount: float) -> int:
    if discount == 1:
        return LONGEST
    return 1 if discount == 0 else max(1, math.ceil(math.log(CUT) / math.log(discount)))


def _check(episodes: int, seed: int, horizon: int | None, confidence: float, time_limit: float | None) -> None:
    for name, value, least, most in (
        ("episodes", episodes, 1, MOST_EPISODES),
        ("seed", seed, 0, 2**63 - 1),
        ("horizon", 1 if horizon is None else horizon, 1, 2**63 - 1),
    ):
        if not isinstance(value, Integral) or isinstance(value, bool) or not least <= int(value) <= most:
            raise InvalidProblemError(f"{name} is {in_short(value)}; it must be a whole number, {least} to {most}")
    if not (isinstance(confidence, Real) and 0 < confidence < 1):
        raise InvalidProblemError(f"confidence is {confidence!r}; it must lie between 0 and 1, as in 0.99")
    if time_limit is not None and not _are_seconds(time_limit):
        raise InvalidProblemError(f"time_limit is {in_short(time_limit)}; it must be 0 or more seconds, or None")


def _are_seconds(value: Any) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and float(value) >= 0
    except OverflowError:
        return False
