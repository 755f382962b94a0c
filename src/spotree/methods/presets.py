"""SPOT as a method of `solve`: settings by name, and the paper's preset."""

from collections.abc import Callable
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.exploration import EXPLORATIONS
from spotree.methods.history import Progress
from spotree.methods.solution import Solution
from spotree.methods.spot import Spot, spot
from spotree.methods.start import Start
from spotree.methods.stop import Stop
from spotree.methods.weights import weighting
from spotree.step.engines import engine_named

PAPER_SECONDS, PAPER_ROUND_SECONDS = 3600.0, 300.0


def spot_settings(
    time_limit: float | None,
    *,
    preset: str | None = None,
    engine: str = "exact",
    weights: str = "uniform",
    exploration: str = "decaying",
    free_probability: float = 0.5,
    round_seconds: float = PAPER_ROUND_SECONDS,
    rounds: int | None = None,
    patience: int | None = None,
) -> Spot:
    """The parts of Algorithm 1, chosen by name.

    The defaults are the paper's: uniform weights, exploration 1 / round, half of the tree free, five minutes a round.
    `preset="paper"` adds its hour in all where there is no `time_limit`; a setting that is given as well wins.
    """
    if preset not in (None, "paper"):
        raise InvalidProblemError(f"preset {preset!r} is unknown; there is 'paper'")
    if exploration not in EXPLORATIONS:
        raise InvalidProblemError(
            f"exploration {exploration!r} is unknown; choose one of {', '.join(EXPLORATIONS)}"
        )
    if not 0 <= free_probability <= 1:
        raise InvalidProblemError(f"free_probability is {free_probability}; it must lie in [0, 1]")
    if not round_seconds >= 0:
        raise InvalidProblemError(f"round_seconds is {round_seconds}; it must be 0 or more")
    seconds = PAPER_SECONDS if preset == "paper" and time_limit is None else time_limit
    return Spot(
        engine=engine_named(engine),
        weigh=weighting(weights),
        exploration_rate=EXPLORATIONS[exploration],
        free_probability=free_probability,
        round_seconds=round_seconds,
        stop=Stop(seconds=seconds, rounds=rounds, patience=patience),
    )


def spot_for(
    mdp: MDP,
    depth: int,
    *,
    max_leaves: int | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Start | None = None,
    progress: Callable[[Progress], Any] | None = None,
    **settings: Any,
) -> Solution:
    """Algorithm 1 with the settings of `spot_settings`."""
    parts = spot_settings(time_limit, **settings)
    return spot(
        mdp, depth, parts, max_leaves=max_leaves, start=start, seed=seed, threads=threads, progress=progress
    )
