"""SPOT+WS: OMDT for a while, then SPOT from the tree it found."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.history import Progress
from spotree.methods.omdt import omdt
from spotree.methods.presets import spot_settings
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.spot import spot
from spotree.methods.start import Start

PAPER_OMDT_SECONDS = 300.0


def spot_from_omdt(
    mdp: MDP,
    depth: int,
    *,
    max_leaves: int | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Start | None = None,
    progress: Callable[[Progress], Any] | None = None,
    omdt_seconds: float | None = None,
    **settings: Any,
) -> Solution:
    """Algorithm 1 from OMDT's tree.

    `omdt_seconds` is the time that OMDT gets: a third of `time_limit` if not given, 5 minutes without a limit or
    with `preset="paper"`. OMDT's bound carries over; a tree that it proves is the answer.
    """
    started = time.perf_counter()
    spot_settings(time_limit, **settings)  # refused before OMDT spends its time
    if omdt_seconds is not None and not omdt_seconds >= 0:
        raise InvalidProblemError(f"omdt_seconds is {omdt_seconds}; it must be 0 or more")
    if omdt_seconds is None:
        omdt_seconds = PAPER_OMDT_SECONDS
        if time_limit is not None and (settings.get("preset") != "paper" or time_limit <= PAPER_OMDT_SECONDS):
            omdt_seconds = min(PAPER_OMDT_SECONDS, time_limit / 3)
    warm = omdt(
        mdp,
        depth,
        max_leaves=max_leaves,
        time_limit=omdt_seconds,
        seed=seed,
        threads=threads,
        start=start,
        progress=progress,
    )
    if warm.proved_optimal or warm.status is SolveStatus.INTERRUPTED:
        return replace(warm, method="spot+ws")
    spent = time.perf_counter() - started
    left = None if time_limit is None else max(0.0, time_limit - spent)
    found = spot(
        mdp,
        depth,
        spot_settings(left, **settings),
        max_leaves=max_leaves,
        seed=seed,
        threads=threads,
        start=warm,
        progress=progress,
        method="spot+ws",
    )
    later = tuple(replace(line, seconds=line.seconds + spent) for line in found.history)
    return replace(
        found,
        bound=max(min(found.bound, warm.bound), found.value),
        seconds=found.seconds + spent,
        history=warm.history + later,
    )
