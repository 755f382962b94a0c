"""From a model to a tree policy: one call, whatever the method."""

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spotree.checkpoint import CheckpointWriter
from spotree.cluster.factory import Cluster, check_cluster, crewed
from spotree.common.atomic_file import check_target
from spotree.errors import InvalidProblemError
from spotree.improvement.limits import left_of
from spotree.mdp.model import MDP
from spotree.methods.fewer_steps import reserve, with_steps
from spotree.methods.method import Method
from spotree.methods.neighbourhood import Neighbourhood
from spotree.methods.registry import chosen
from spotree.results.progress import Progress
from spotree.results.provenance import remember
from spotree.results.solution import Solution
from spotree.search.first_tree import Start
from spotree.search.request import Request, check_size, depth_of
from spotree.search.saved_search import load_search

if TYPE_CHECKING:
    from spotree.search.request import MakeProver


def solve(
    mdp: MDP,
    depth: int | None = None,
    *,
    max_leaves: int | None = None,
    method: str | Method = "neighbourhood",
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Start | None = None,
    progress: Callable[[Progress], Any] | None = None,
    prove: bool = True,
    certificate: str | Path | None = None,
    checkpoint: str | Path | CheckpointWriter | None = None,
    resume: str | Path | None = None,
    cluster: Cluster | None = None,
    **settings: Any,
) -> Solution:
    """The best tree policy that a method finds in the time given.

    Parameters
    ----------
    depth, max_leaves
        The size of tree: most splits on a path, and most leaves in all; give one of them or both. Without a depth
        trees of any shape are sought.
    method
        A name, or a value that says more, such as `Spot(engine=Rsbb(seed=1))`:

        "neighbourhood" or `Neighbourhood()`
            Searches whole trees by their true return; the default. Undiscounted, of two trees that return as much as
            the best policy it prefers the one with fewer expected steps.
        "spot" or `Spot()`
            The paper's Algorithm 1; its settings are the paper's, `preset="paper"` adds its hour.
        "spot+ws" or `SpotFromOmdt()`
            The same from a start of OMDT.
        "omdt" or `Omdt()`
            One mixed-integer program.
        "viper" or `Viper()`
            Imitation of the best policy.
    time_limit
        Wall-clock seconds.
    seed
        The same seed and number of threads give the same rounds, up to trees that a proof hands to the search; the
        time limit decides after which round to stop.
    threads
        All cores if not given; no more than four are started for each core.
    start
        A tree to begin with; the answer is never worse. A `Solution` or `TreePolicy` is matched with the model by the
        names of its features and actions; a bare `Tree` has none and is taken by position. One that is larger than
        asked, even without the splits that part no states, is refused.
    progress
        Called with a `Progress` now and then.
    prove
        Let the default method also prove that no tree of the size is better, for as long as that pays: a small part of
        the time, and more where the proof is about to close; then the run ends. It is not tried where `max_rounds`
        counts the work, nor where the model is too large. False for the search alone.
    certificate
        Where to write the proof, for `spotree check`, as `certify` does.
    checkpoint
        Where to keep what the default method has found, every 30 seconds and at the end, for `resume`; a
        `CheckpointWriter` says another period. A file that is there already is replaced only if it is the one resumed.
        If it cannot be written the run goes on, with a warning.
    resume
        The checkpoint of a run on the same model for the same size, to go on from: the answer is never worse than its
        tree. The time limit counts anew, seconds, rounds and history go on, and chance draws what it has not drawn
        before. The file's bound is taken on trust, unless a certificate is asked for: a solution that
        rests on it names the file as `trusted`, and is not `proved_optimal`.
    cluster
        Many machines for the default method (docs/scale.md): "local:4" for four processes here, the address of a dask
        scheduler, or a dask `Client`. Each worker then searches on `threads` cores, 1 if not given, and they exchange
        their best tree. With `max_rounds` the same seed and number of workers give the same answer, as long as no
        worker is lost.
    settings
        Shorthand for settings of the method: `solve(mdp, 3, method="spot", engine="rsbb", rounds=10)` is
        `solve(mdp, 3, method=Spot(engine="rsbb", rounds=10))`. One that the method does not have is refused.

        neighbourhood
            max_rounds, round_work, climb, shallow_every, enumerate_work
        spot
            preset, engine, weights, exploration, free_probability, round_seconds, rounds, patience, seconds
        spot+ws
            omdt_seconds, and those of spot
        omdt
            solver, tolerance
        viper
            rounds, samples

        What each means stands in the help of its class, as in `help(spotree.Spot)`.

    Returns
    -------
    Solution
        The policy, its value, and a bound on the value of every tree of that size.

    Raises
    ------
    InvalidProblemError
        Where the request makes no sense.
    InfeasibleError
        Where no tree was found that avoids forbidden actions or has a finite total reward.

    Examples
    --------
    >>> mdp = spotree.load("frozenlake_4x4")
    >>> spotree.solve(mdp, depth=2, method="spot", rounds=5, time_limit=10).policy.depth
    2
    """
    way = chosen(method, settings)
    levels = depth_of(depth, max_leaves)
    check_size(mdp, levels, max_leaves)
    make_prover = _prover(way, prove, certificate)
    if (checkpoint or resume) is not None and not isinstance(way, Neighbourhood):
        raise InvalidProblemError(
            f"method {way.name!r} keeps no checkpoints; the default method does, and start=solution begins with a tree"
        )
    if cluster is not None and not isinstance(way, Neighbourhood):
        raise InvalidProblemError(
            f"method {way.name!r} runs on one machine; the default method runs on a cluster, and so does the engine"
            " Rsbb(cluster=...)"
        )
    check_cluster(cluster)
    began = time.perf_counter()
    keeper = CheckpointWriter(checkpoint) if isinstance(checkpoint, str | Path) else checkpoint
    with (
        nullcontext() if keeper is None else keeper.opened(resume),
        nullcontext() if cluster is None else crewed(cluster) as scheduler,
    ):
        saved = None if resume is None else load_search(resume, mdp, levels, max_leaves)
        if saved is not None and certificate is not None:
            saved = replace(saved, bound=math.inf)  # what is not in the certificate does not count
        asked = Request(
            depth=levels,
            max_leaves=max_leaves,
            time_limit=time_limit,
            seed=seed,
            threads=threads,
            start=start,
            progress=progress,
            prover=make_prover,
            keeper=keeper,
            saved=saved,
            scheduler=scheduler,
        )
        if scheduler is not None:  # the workers' start is part of the time
            asked = replace(asked, time_limit=left_of(time_limit, time.perf_counter() - began))
        again = mdp.discount == 1 and isinstance(way, Neighbourhood)  # other methods keep their own tree
        if again:
            asked = replace(asked, time_limit=left_of(asked.time_limit, reserve(asked.time_limit)))
        found = way.run(mdp, asked)
    if mdp.discount == 1:
        left = left_of(time_limit, time.perf_counter() - began)
        found = with_steps(mdp, found, replace(asked, time_limit=left) if again else None)
    return remember(found, mdp)


def _prover(way: Method, prove: bool, certificate: str | Path | None) -> "MakeProver | None":
    """What proves beside the search; refuses a certificate that nobody would write."""
    from spotree.proof.concurrent_prover import ConcurrentProver

    if certificate is not None:
        if not (prove and isinstance(way, Neighbourhood) and way.max_rounds is None):
            raise InvalidProblemError(
                "there is no proof to write: a certificate needs prove=True, the default method and no max_rounds;"
                " certify(mdp, depth, start=solution, certificate=...) proves any tree"
            )
        check_target(certificate)
    if not prove:
        return None
    return lambda frame, threads, tell: ConcurrentProver(frame, threads, certificate, tell)
