"""Proof over all trees: how far is a tree from the best possible one of its size?"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from spotree.certificates.certificate import Certificate, as_certified
from spotree.checkpoint import CheckpointWriter
from spotree.cluster.factory import Cluster, check_cluster, crewed
from spotree.common.atomic_file import check_target, utf8_name
from spotree.errors import InvalidProblemError
from spotree.improvement.limits import at_least, check_memory, real_from, started_threads
from spotree.mdp.model import MDP, fingerprint
from spotree.proof.attempt import half_of_memory
from spotree.proof.checkpoint.format import is_checkpoint, load_proof
from spotree.proof.checkpoint.writer import Keeping
from spotree.proof.distributed.pool import Spreading
from spotree.proof.driver import Run
from spotree.proof.incumbent import Incumbent
from spotree.proof.options import ProofOptions
from spotree.proof.problem import TOLERANCE, make_problem
from spotree.proof.recorder import Recorder
from spotree.results.progress import Progress
from spotree.results.provenance import remember
from spotree.results.solution import Solution
from spotree.search.first_tree import Start, fitting_start
from spotree.search.request import check_limits, check_size

LEAST_TOLERANCE = 1e-12
SEARCH_SHARE, LONGEST_SEARCH = 0.1, 60.0  # of the time limit, in seconds: for all searches where nothing is said
OPENING_ROUNDS = (
    2  # of the search before the first attempt, where there is no tree: a proof is faster from a good one
)


def certify(
    mdp: MDP,
    depth: int,
    *,
    start: Start | None = None,
    max_leaves: int | None = None,
    time_limit: float = 600.0,
    memory_limit: int | None = None,
    threads: int | None = None,
    certificate: str | Path | None = None,
    checkpoint: str | Path | CheckpointWriter | None = None,
    resume: str | Path | None = None,
    cluster: "Cluster | None" = None,
    progress: Callable[[Progress], Any] | None = None,
    tolerance: float = TOLERANCE,
    search: float | None = None,
    ingredients: ProofOptions = ProofOptions(),  # noqa: B008 (frozen)
) -> Solution:
    """The best tree of a size with a proof, or, when the time is up, the best found with a bound on all others.

    Parameters
    ----------
    depth, max_leaves
        The size of tree: most splits on a path, and most leaves in all (None for 2**depth).
    start
        A tree to begin with, matched with the model by names (a bare `Tree`: by position). Without one, a short search
        finds it.
    time_limit, memory_limit
        Wall-clock seconds; bytes that open regions may take (half of the machine's memory if not given).
        A limit of 0 seconds gives the cheapest bound: the optimum over all policies.
    threads
        All cores if not given; one of them begins with rule "tree", the others with "state".
    certificate
        Where to write the proof, for `spotree check`. When the time is up it proves the bound that was reached.
        If it cannot be written, the `UnwrittenError` at the end has the solution as its `result`.
    checkpoint
        Where to keep the proof as far as it has come, every 30 seconds and at the end, for `resume`; a
        `CheckpointWriter` says another period. A file that is there already is replaced only if it is the one resumed.
        If it cannot be written the run goes on, with a warning.
    resume
        The checkpoint of a run with the same model, size and tolerance: both rules go on where it was written, and so
        do levels. Or the certificate of a stopped run on the same model and size: its open regions are taken up again
        by rule "state", and a new certificate holds the old proof too; one of a level has no open regions, and what
        follows are attempts below it. The model is put into its order of features and actions. Either file is taken on
        trust, its bound and removed actions as well: a solution that rests on it names the file as `trusted`, has the
        status TRUSTED where the proof is complete, and is proved once `check` accepts the new certificate. The time
        limit counts anew.
    cluster
        Workers that share the proof: "local:2", "threads:2", the address of a dask scheduler, a dask `Client` or an
        `Executor`. The proof begins here, and goes on alone where nobody answers.
    progress
        Called with a `Progress` now and then.
    tolerance
        A tree counts as better only if it is by more than this times max(|J*|, J* - J_random), with J* the return
        of the best policy and J_random that of the uniformly random one. Undiscounted: times the
        larger of |J*| and the spread of the rewards.
    search
        Seconds of the time limit that may go into looking for better trees beside the proof; a tenth, at most 60, if
        not given. As long as they are found it may be more, and where the model is too large for a proof the search
        has the rest of the time; 0 for no search at all.
    ingredients
        What the proof makes use of; for measurements.
    """
    check_size(mdp, depth, max_leaves)
    if time_limit is None:
        raise InvalidProblemError("time_limit is None: a proof may never end; give seconds")
    check_limits(time_limit, 0, threads)
    check_memory(memory_limit)
    at_least(0, "search", search, " seconds, or None")
    real_from(0, "tolerance", tolerance)
    if not LEAST_TOLERANCE <= tolerance < 1:
        raise InvalidProblemError(f"tolerance is {tolerance}; it must be between {LEAST_TOLERANCE:g} and 1")
    check_cluster(cluster)
    keeper = CheckpointWriter(checkpoint) if isinstance(checkpoint, str | Path) else checkpoint
    with ExitStack() as stack:
        if keeper is not None:
            stack.enter_context(keeper.opened(resume))
        saved = old = None
        source = "" if resume is None else utf8_name(resume)
        if resume is not None and is_checkpoint(resume):
            saved = load_proof(resume, mdp, depth, max_leaves, tolerance)
        elif resume is not None:
            old = Certificate.load(resume)
            mdp = as_certified(mdp, old)
        if certificate is not None:
            check_target(certificate)
        wanted = ingredients.symmetries and "tree" in ingredients.rules
        listed = _symmetries(mdp, old, wanted) if saved is None else saved.symmetries
        problem = make_problem(mdp, depth, max_leaves, time_limit, tolerance, listed)
        budget = min(LONGEST_SEARCH, SEARCH_SHARE * time_limit) if search is None else min(search, time_limit)
        recorder = Recorder(problem, certificate, progress)
        run = Run(
            problem,
            Incumbent(problem, started_threads(threads)),
            recorder,
            ingredients if old is None or old.header["rule"] == "level" else replace(ingredients, levels=False),
            half_of_memory() if memory_limit is None else memory_limit,
            budget,
            keeping=None if keeper is None else Keeping(keeper, tolerance),
            spreading=None if cluster is None else Spreading(stack.enter_context(crewed(cluster))),
        )
        if start is not None:
            run.incumbent.offer(fitting_start(start, mdp, depth, max_leaves))
        if old is not None:
            run.resume(old, source)
        elif saved is not None:
            run.take_up(saved, source)
        elif start is None and budget > 0:
            run.search(budget, OPENING_ROUNDS)
        try:
            return remember(run.prove(), mdp)
        finally:
            recorder.drop()


def _symmetries(mdp: MDP, old: Certificate | None, wanted: bool) -> bool | dict[str, Any]:
    """A proof goes on with the symmetries that it began with: its root has removed actions with their images."""
    if old is None or old.header["fingerprint"] != fingerprint(mdp):
        return wanted
    return old.header
