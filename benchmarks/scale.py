"""How much faster two workers are than one: search, branch and bound and proof, one thread each.

python benchmarks/scale.py [--seconds 60] [--repeats 3] [--only search rsbb proof] [--tcp]

Rounds per second of the islands (tiger_vs_antelope, D = 4, no proof) and regions per second of `rsbb` (the first step
of tiger_vs_antelope, D = 3, 1 % gap), as the workers count them, over the whole call with workers that are there: the
first moments, which the driver spends alone, and every exchange are part of it. Seconds of a proof that takes more
than a minute on one worker (tiger_vs_antelope, D = 2, symmetries off), from its best tree, with the regions that it
needed and its answer; also what one empty task costs. One worker and two take turns; the ratio of the medians is
printed. Beside it stands the work per second of the workers' own processor time: on a machine that does other things
too, twice the ratio of these says what two idle cores would do, if nobody waited. Workers are those of local:N, or
with --tcp processes that dask's own commands start. Needs two idle cores.
"""

import argparse
import contextlib
import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np

from separate_workers import separate_workers
from spotree.api.certify import certify
from spotree.api.solve import solve
from spotree.cluster.factory import crewed
from spotree.cluster.job_scheduler import JobScheduler
from spotree.evaluation import policy_value
from spotree.improvement.engines.rsbb import Rsbb
from spotree.improvement.improve import improve
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.search.gain import gain

MODEL = "tiger_vs_antelope"
LONGEST = 600.0  # seconds of a proof
MEMORY = 6 * 2**30  # bytes of a worker's regions: more than it makes in a minute


def rate(crew: JobScheduler, began: float) -> float:
    return sum(share.work for share in crew.shares.values()) / (time.monotonic() - began)


def search(crew: JobScheduler, seconds: float) -> tuple[float, str]:
    began = time.monotonic()
    found = solve(load(MODEL), 4, time_limit=seconds, prove=False, cluster=crew)
    each = rate(crew, began)
    return each, f"{each:,.4g} rounds/s, value {found.value:.6f}"


def rsbb(crew: JobScheduler, seconds: float) -> tuple[float, str]:
    mdp = load(MODEL)
    first = np.zeros(mdp.num_states, np.int32)
    gains = gain(mdp, policy_value(mdp, first), np.ones(mdp.num_states))
    began = time.monotonic()
    found = improve(mdp.features, gains, 3, Rsbb(cluster=crew), seconds, gap_tolerance=0.01, memory_limit=MEMORY)
    each = rate(crew, began)
    return each, f"{each:,.4g} regions/s, value {found.value:.6f}, bound {found.bound:.6f}"


def proof(crew: JobScheduler, seconds: float) -> tuple[float, str]:
    """Proofs per second: whatever two workers do twice counts once."""
    mdp = load(MODEL)
    start = solve(mdp, 2, time_limit=None, max_rounds=4, threads=1, prove=False)
    use = ProofOptions(symmetries=False, levels=False)
    began = time.monotonic()
    found = certify(mdp, 2, start=start, search=0.0, threads=1, time_limit=LONGEST, cluster=crew, ingredients=use)
    took = time.monotonic() - began
    regions = sum(share.work for share in crew.shares.values())
    answer = f"{found.value:.9f}" if found.proved_optimal else "not proved"
    return 1 / took, f"{took:.1f} s, {regions:,} regions at workers ({regions / took:,.0f}/s), {answer}"


def processor_seconds(crew: JobScheduler) -> float:
    """What the workers have spent so far."""
    for worker in crew.workers:
        crew.add(time.process_time, worker=worker)
    spent = 0.0
    while crew.under_way:
        spent += sum(job.answer for job in crew.wait(10.0))
    return spent


def task_seconds(count: int = 200) -> float:
    """What one empty task costs, one after the other."""
    with crewed("local:1") as crew:
        crew.add(abs, 1)
        crew.wait(10.0)
        began = time.monotonic()
        for _ in range(count):
            crew.add(abs, 1)
            crew.wait(10.0)
        return (time.monotonic() - began) / count


@contextlib.contextmanager
def workers(count: int, tcp: bool) -> Iterator[JobScheduler]:
    """A crew of so many workers that are there."""
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(separate_workers(count)) if tcp else f"local:{count}"
        yield stack.enter_context(crewed(name))


RUNS: dict[str, Callable[[JobScheduler, float], tuple[float, str]]] = {
    "search": search,
    "rsbb": rsbb,
    "proof": proof,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="of a search or of rsbb")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[*RUNS], choices=[*RUNS])
    parser.add_argument("--tcp", action="store_true", help="workers that dask's own commands start")
    args = parser.parse_args()
    kind = "workers over TCP" if args.tcp else "local"
    print(f"an empty task: {1000 * task_seconds():.1f} ms", flush=True)
    for name in args.only:
        rates: dict[int, list[float]] = {1: [], 2: []}
        for count in (1, 2) * args.repeats:
            with workers(count, args.tcp) as crew:
                before = processor_seconds(crew)
                each, said = RUNS[name](crew, args.seconds)
                spent = processor_seconds(crew) - before
            rates[count].append(each)
            work = sum(share.work for share in crew.shares.values()) / spent
            print(f"{name}, {kind}, {count}: {said}; {spent:.1f} s of processors, {work:,.4g} in each", flush=True)
        ratio = statistics.median(rates[2]) / statistics.median(rates[1])
        print(f"{name}, {kind}: two workers do {ratio:.2f} times what one does", flush=True)


if __name__ == "__main__":
    main()
