"""SPOT as a method of `solve`: settings by name, the paper's preset, and its warm start."""

from collections.abc import Callable
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.search.improve import engine_named
from spotree.solve.exploration import EXPLORATIONS
from spotree.solve.history import Progress
from spotree.solve.solution import Solution
from spotree.solve.spot import Spot, spot
from spotree.solve.stop import Stop
from spotree.solve.weights import weighting
from spotree.tree.tree import Tree

PAPER_SECONDS, PAPER_ROUND_SECONDS = 3600.0, 300.0


def spot_for(
    mdp: MDP,
    depth: int,
    *,
    max_leaves: int | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Tree | None = None,
    progress: Callable[[Progress], Any] | None = None,
    preset: str | None = None,
    engine: str = "exact",
    weights: str = "uniform",
    exploration: str = "decaying",
    free_probability: float = 0.5,
    round_seconds: float = PAPER_ROUND_SECONDS,
    rounds: int | None = None,
    patience: int | None = None,
) -> Solution:
    """Algorithm 1 with its parts chosen by name.

    `preset="paper"` stands for uniform weights, exploration 1 / round, half of the tree free, five minutes a round
    and 60 in all; a `time_limit` that is given as well shortens the whole.
    """
    if preset not in (None, "paper"):
        raise InvalidProblemError(f"preset {preset!r} is unknown; there is 'paper'")
    if exploration not in EXPLORATIONS:
        raise InvalidProblemError(
            f"exploration {exploration!r} is unknown; choose one of {', '.join(EXPLORATIONS)}"
        )
    if not 0 <= free_probability <= 1:
        raise InvalidProblemError(f"free_probability is {free_probability}; it must lie in [0, 1]")
    settings = Spot(
        engine=engine_named(engine),
        weigh=weighting(weights),
        exploration_rate=EXPLORATIONS[exploration],
        free_probability=free_probability,
        round_seconds=round_seconds,
        stop=Stop(seconds=time_limit, rounds=rounds, patience=patience),
    )
    if preset == "paper":
        seconds = PAPER_SECONDS if time_limit is None else min(time_limit, PAPER_SECONDS)
        settings = Spot(engine=settings.engine, stop=Stop(seconds=seconds, patience=None))
    return spot(
        mdp, depth, settings, max_leaves=max_leaves, start=start, seed=seed, threads=threads, progress=progress
    )
