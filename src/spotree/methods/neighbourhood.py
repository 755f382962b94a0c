"""The default search: whole trees, every candidate judged by its true return, by rounds of counted work."""

import warnings
from dataclasses import dataclass

import numpy as np

from spotree.common.signals import held_interrupts
from spotree.errors import ClusterError, InvalidProblemError
from spotree.improvement.limits import at_least, started_threads
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.search.depth_search import Pace
from spotree.search.first_tree import first_tree
from spotree.search.islands.driver import Islands
from spotree.search.request import Prover, Request
from spotree.search.run_context import RunContext
from spotree.search.search_session import SearchSession, better_start
from spotree.search.select_search import Searcher, searcher
from spotree.trees.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood(Pace, Method):
    """The default method: a search over whole trees, every candidate judged by its true return (docs/the-search.md).

    The same seed, number of threads and number of rounds give the same tree: the clock only decides after which
    round to stop. Ctrl-C ends the search early and keeps what was found.

    Attributes
    ----------
    max_rounds
        Stop after so many rounds, for a repeatable run; None for no such limit.
    round_work
        Counted operations of one thread between two exchanges of the best tree (about 0.2 s).
    climb
        Up to this depth the search first looks for shallower trees, from a single leaf upwards.
    shallow_every
        Every how many rounds one is spent on trees one level less deep, whose best is a start for the others.
    enumerate_work
        Where trying every tree takes about so many operations or less, each round also tries some of them; after the
        last one the best tree is proved.
    """

    max_rounds: int | None = None

    def __post_init__(self) -> None:
        at_least(0, "max_rounds", self.max_rounds, ", or None")

    @property
    def name(self) -> str:
        return "neighbourhood"

    def run(self, mdp: MDP, request: Request) -> Solution:
        if request.time_limit is None and self.max_rounds is None:
            raise InvalidProblemError("the search never ends by itself: give a time_limit or max_rounds")
        return _search(mdp, request, self)


def _search(mdp: MDP, request: Request, settings: Neighbourhood) -> Solution:
    given, time_limit, saved = request.start_tree(mdp), request.time_limit, request.saved
    frame = RunContext(mdp, request.depth, request.max_leaves, settings.name, request.seed, time_limit)
    if saved is not None:
        frame.stream = saved.stream(int(request.seed))
        given = better_start(frame, given, saved)
    course = SearchSession(frame, request)
    if frame.interrupted:
        return course.whole(frame.at_once(given))
    threads = started_threads(request.threads)
    counted = time_limit is None or settings.max_rounds is not None  # a proof would make the clock count
    first: Tree | None = None  # what a search on a large model starts from
    prover: Prover = Prover()
    search: Searcher | Islands | None = None

    def meanwhile(line: Progress) -> None:
        course.meanwhile(line)
        if isinstance(search, Islands):
            search.meanwhile()

    try:
        try:
            if frame.hurried or frame.large:
                first = first_tree(frame, given)
            limit = np.inf if time_limit is None else time_limit - frame.reserve
            if frame.hurried and frame.seconds + frame.reserve >= limit:
                return course.whole(frame.solution(first or frame.usual, SolveStatus.NO_ROUND))
            if not (counted or frame.hurried) and request.prover is not None:
                prover = request.prover(frame, threads, meanwhile)
            if request.scheduler is None:
                search = searcher(frame, threads, settings, limit, first)
            else:
                search = Islands(frame, request.scheduler, request.threads or 1, settings, limit, counted)
            for tree in () if saved is None else saved.others:
                search.recall(tree)
            if given is not None:
                search.offer(given)
            elif first is not None and request.scheduler is not None:
                search.offer(first)
        except KeyboardInterrupt:  # before the first round
            frame.interrupted = True
            return course.whole(frame.at_once(first or given))
        return _rounds(course, search, prover, limit, settings.max_rounds, first)
    finally:
        prover.drop()
        if isinstance(search, Islands):
            search.drop()


def _rounds(
    course: SearchSession,
    search: Searcher | Islands,
    prover: Prover,
    limit: float,
    max_rounds: int | None,
    first: Tree | None,
) -> Solution:
    """Round after round, with the prover's turns between them; the answer is not below the first tree."""
    frame, course.search = course.frame, search
    status = SolveStatus.FINISHED
    try:
        while max_rounds is None or course.rounds < max_rounds:
            left = limit - frame.seconds
            if course.rounds and left <= 0:
                status = SolveStatus.TIME_LIMIT if course.rounds > 1 or not frame.large else SolveStatus.NO_ROUND
                if isinstance(search, Islands) and not search.heard:
                    warnings.warn(
                        "no worker answered within the time: the tree was found without them", stacklevel=2
                    )
                break
            search.round(course.rounds, max(left, 0.0))
            if search.complete:
                course.prove(search.value)
            course.add(search.value)
            if search.complete or course.closed(prover.within) or prover.turn(search):
                break
            course.prove(prover.bound)
    except KeyboardInterrupt:
        status = SolveStatus.INTERRUPTED
    except ClusterError as error:  # what was found until then is here
        warnings.warn(str(error), stacklevel=2)
        status = SolveStatus.LOST
    with held_interrupts():  # the answer is there
        course.prove(prover.bound)
        course.end(search.value)
        best = search.best()
        if first is not None and frame.return_of(first) > frame.return_of(best):
            best = first
        solution = frame.solution(best, status, course.history, course.proved, prover.within)
        prover.keep(solution)
        return course.whole(solution, prover.within)
