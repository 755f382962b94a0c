"""The default search: whole trees, every candidate judged by its true return, by rounds of counted work."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.frame import Frame
from spotree.methods.history import Progress
from spotree.methods.ladder import Ladder, Neighbourhood
from spotree.methods.ranks import rank_features
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.start import Start, fitting_start


def neighbourhood(
    mdp: MDP,
    depth: int,
    *,
    max_leaves: int | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Start | None = None,
    progress: Callable[[Progress], Any] | None = None,
    max_rounds: int | None = None,
    settings: Neighbourhood = Neighbourhood(),  # noqa: B008 (frozen)
) -> Solution:
    """The best tree found in the time given. Ctrl-C ends the search early and keeps what was found.

    The same seed, number of threads and number of rounds give the same tree: the clock only decides after which
    round to stop. `max_rounds` stops earlier, for a repeatable run.
    """
    if time_limit is None and max_rounds is None:
        raise InvalidProblemError("the search never ends by itself: give a time_limit or max_rounds")
    given = None if start is None else fitting_start(start, mdp, depth, max_leaves)
    frame = Frame(mdp, depth, max_leaves, "neighbourhood", seed, time_limit)
    if frame.hurried:
        return frame.at_once(given)
    limit = np.inf if time_limit is None else time_limit - frame.reserve
    ladder = Ladder(frame, rank_features(mdp), threads or os.cpu_count() or 1, settings, limit)
    if given is not None:
        ladder.offer(given)
    history: list[Progress] = []
    bound = frame.ceiling
    status = SolveStatus.FINISHED
    try:
        while max_rounds is None or len(history) < max_rounds:
            left = limit - frame.seconds
            if history and left <= 0:
                status = SolveStatus.TIME_LIMIT
                break
            ladder.round(len(history), max(left, 0.0))
            if ladder.complete:
                bound = ladder.value
            history.append(Progress(frame.seconds, len(history) + 1, ladder.value, bound))
            if progress is not None:
                progress(history[-1])
            if ladder.complete or frame.closes(ladder.value, bound):
                break
    except KeyboardInterrupt:
        status = SolveStatus.INTERRUPTED
    return frame.solution(ladder.best(), status, _new_bests(history), bound)


def _new_bests(history: list[Progress]) -> list[Progress]:
    """The rounds that raised the best value, and the last one."""
    kept = [
        line
        for before, line in zip([None, *history], history, strict=False)
        if not before or line.value > before.value
    ]
    return kept if not history or kept[-1] is history[-1] else [*kept, history[-1]]
