"""Speed-up of two workers over one worker, for the search, `rsbb` and the proof; one thread per worker.

python benchmarks/stress/scale.py [--seconds 60] [--repeats 3] [--only search rsbb proof] [--tcp]

Search: rounds per second (tiger_vs_antelope, D = 4, no proof). `rsbb`: nodes per second (the first step of
tiger_vs_antelope, D = 3, 1 % gap). Proof: seconds, nodes and answer of a proof that takes more than a minute on one
worker (tiger_vs_antelope, D = 2, symmetries off, from its best tree). The script also prints the time of one empty
task. Rates are over the whole call: they include the driver's start and all communication, but not the start of the
workers. Runs with one and with two workers alternate; the script prints the ratio of the medians. It also prints the
work per second of processor time of the workers, which is comparable on a loaded machine. Workers are those of
local:N; with --tcp they are processes started by dask's own commands. Needs two idle cores.
"""

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from spotree.api.certify import certify
from spotree.api.solve import solve
from spotree.cluster.dask import connect
from spotree.cluster.factory import crewed
from spotree.cluster.job_scheduler import JobScheduler
from spotree.evaluation import policy_value
from spotree.improvement.engines.rsbb import Rsbb
from spotree.improvement.improve import improve
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.search.gain import gain

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

from cluster.machines import Machines

MODEL = "tiger_vs_antelope"
START_SECONDS = 60.0  # until separate workers are connected
LONGEST = 600.0  # seconds of a proof
MEMORY = 6 * 2**30  # bytes for the open nodes of a worker: more than it makes in a minute


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
    return each, f"{each:,.4g} nodes/s, value {found.value:.6f}, bound {found.bound:.6f}"


def proof(crew: JobScheduler, seconds: float) -> tuple[float, str]:
    """Proofs per second, so that work which both workers do counts once."""
    mdp = load(MODEL)
    start = solve(mdp, 2, time_limit=None, max_rounds=4, threads=1, prove=False)
    use = ProofOptions(symmetries=False, levels=False)
    began = time.monotonic()
    found = certify(mdp, 2, start=start, search=0.0, threads=1, time_limit=LONGEST, cluster=crew, ingredients=use)
    took = time.monotonic() - began
    nodes = sum(share.work for share in crew.shares.values())
    answer = f"{found.value:.9f}" if found.proved_optimal else "not proved"
    return 1 / took, f"{took:.1f} s, {nodes:,} nodes at workers ({nodes / took:,.0f}/s), {answer}"


def processor_seconds(crew: JobScheduler) -> float:
    """Processor time of the workers so far."""
    for worker in crew.workers:
        crew.add(time.process_time, worker=worker)
    spent = 0.0
    while crew.under_way:
        spent += sum(job.answer for job in crew.wait(10.0))
    return spent


def task_seconds(count: int = 200) -> float:
    """Seconds of one empty task; tasks run one after the other."""
    with crewed("local:1") as crew:
        crew.add(abs, 1)
        crew.wait(10.0)
        began = time.monotonic()
        for _ in range(count):
            crew.add(abs, 1)
            crew.wait(10.0)
        return (time.monotonic() - began) / count


@contextlib.contextmanager
def separate_workers(count: int) -> Iterator[str]:
    """The address of a scheduler with `count` connected workers of one thread each, all separate processes."""
    with tempfile.TemporaryDirectory() as folder:
        machines = Machines(Path(folder), count)
        try:
            with connect(machines.address, START_SECONDS) as client:
                client.wait_for_workers(count, timeout=START_SECONDS)
            yield machines.address
        finally:
            machines.close()


@contextlib.contextmanager
def workers(count: int, tcp: bool) -> Iterator[JobScheduler]:
    """A job scheduler with `count` connected workers."""
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
    parser.add_argument("--seconds", type=float, default=60.0, help="of one run of the search or of rsbb")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[*RUNS], choices=[*RUNS])
    parser.add_argument("--tcp", action="store_true", help="workers started by dask's own commands")
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
