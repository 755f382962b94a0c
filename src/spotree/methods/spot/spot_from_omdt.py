"""SPOT+WS: OMDT for a while, then SPOT from the tree it found."""

import time
from dataclasses import dataclass, replace

from spotree.improvement.limits import at_least, left_of
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.methods.omdt.method import Omdt
from spotree.methods.spot.algorithm import Spot, iterate
from spotree.results.solution import Solution, SolveStatus
from spotree.search.request import Request

OMDT_SECONDS = 300.0  # the paper's


@dataclass(frozen=True, slots=True)
class SpotFromOmdt(Spot):
    """Algorithm 1 from OMDT's tree; OMDT's bound carries over, and a tree that it proves is the answer.

    Attributes
    ----------
    omdt_seconds
        The time that OMDT gets. If not given, or not less than the time limit of the whole run: a third of that, at
        most 5 minutes.
    engine, weights, exploration, free_probability, round_seconds, rounds, patience, seconds
        As in `Spot`.
    """

    omdt_seconds: float | None = None

    def __post_init__(self) -> None:
        Spot.__post_init__(self)
        at_least(0, "omdt_seconds", self.omdt_seconds)

    @property
    def name(self) -> str:
        return "spot+ws"

    def run(self, mdp: MDP, request: Request) -> Solution:
        started = time.perf_counter()
        limit = self.stop(request).seconds
        warm = Omdt().run(mdp, replace(request, time_limit=self._omdt_share(limit)))
        if warm.proved_optimal or warm.status is SolveStatus.INTERRUPTED:
            return replace(warm, method=self.name)
        spent = time.perf_counter() - started
        found = iterate(mdp, replace(request, time_limit=left_of(limit, spent), start=warm), self)
        later = tuple(replace(line, seconds=line.seconds + spent) for line in found.history)
        return replace(
            found,
            bound=max(min(found.bound, warm.bound), found.value),
            seconds=found.seconds + spent,
            history=warm.history + later,
        )

    def _omdt_share(self, limit: float | None) -> float:
        if limit is None:
            return OMDT_SECONDS if self.omdt_seconds is None else self.omdt_seconds
        if self.omdt_seconds is None or self.omdt_seconds >= limit:
            return min(OMDT_SECONDS, limit / 3)
        return self.omdt_seconds


PAPER = Spot(seconds=3600.0)  # uniform weights, exploration 1 / round, half of the tree free, five minutes a round
PAPER_WARM = SpotFromOmdt(seconds=3600.0, omdt_seconds=300.0)

PRESETS: dict[str, tuple[Method, ...]] = {"paper": (PAPER, PAPER_WARM)}
