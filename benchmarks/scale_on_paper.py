"""A hundred machines on paper: messages, bytes and idle share from constants measured on one machine.

python benchmarks/scale_on_paper.py [--measure] [--workers 2 10 100 1000] [--network-mb 100]

One driver hands a task to each worker and takes its answer; handling both costs the driver some of its one thread's
time and the network their bytes, and a worker waits a while between two tasks when nobody else is in the way. Waiting
for the driver is that of a queue with one server and a finite number of customers (machine repair), tasks of
exponential length. The constants are those of `scale_constants.py` as the page shows them, or with --measure as they
are now.
"""

import argparse
from collections.abc import Sequence

from scale_constants import Kind, measured

BETWEEN, EMPTY = 0.0117, 0.0052  # seconds between two tasks of a worker; the driver's for an empty one
KINDS = (
    Kind("search (islands)", 1.7, 2.5e3, 6.3e-3, 231e3),
    Kind("rsbb (parts)", 1.4, 1624e3, 13.8e-3, 21e3),
    Kind("proof (pieces)", 0.84, 104e3, 10.1e-3, 244e3),
)
SHOWN = 1e7  # bytes per second of all workers, the most: what parts of `rsbb` hold, so that it is not lost
LONG = 5.0  # seconds of a task of a proof that has run for a minute


def with_long_tasks(kinds: Sequence[Kind], empty: float) -> list[Kind]:
    """Also the longest tasks of a proof."""
    *others, proof = kinds
    times = LONG / proof.seconds  # what is written and read grows with the time
    longer = Kind(
        "proof, long tasks", LONG, times * proof.bytes, empty + times * (proof.driver - empty), proof.once
    )
    return [*others, proof, longer]


def all_shown(rsbb: Kind, workers: int) -> Kind:
    """`rsbb` where so many workers show as much of what they hold as they may."""
    shown = SHOWN / workers * rsbb.seconds
    return Kind("rsbb, all shown", rsbb.seconds, rsbb.bytes + shown, rsbb.driver, rsbb.once)


def idle_share(workers: int, seconds: float, service: float, latency: float) -> float:
    """Of the workers' time: mean value analysis of a closed queue with one server."""
    queue = 0.0
    throughput = 0.0
    for n in range(1, workers + 1):
        wait = service * (1 + queue)
        throughput = n / (seconds + latency + wait)
        queue = throughput * wait
    return 1 - throughput * seconds / workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 10, 100, 1000])
    parser.add_argument(
        "--measure", action="store_true", help="measure the constants now: a minute, two idle cores"
    )
    parser.add_argument("--network-mb", type=float, default=100.0, help="MB/s; an assumption")
    args = parser.parse_args()
    between, empty, kinds = measured(15.0) if args.measure else (BETWEEN, EMPTY, KINDS)
    print(f"between two tasks of a worker: {1000 * between:.1f} ms\n")
    print("| work | a task | kB a task | driver ms a task | kB once |\n|---|---|---|---|---|")
    kinds = with_long_tasks(kinds, empty)
    for kind in kinds:
        print(
            f"| {kind.name} | {kind.seconds:.2g} s | {kind.bytes / 1e3:,.0f} | {1e3 * kind.driver:.1f} |"
            f" {kind.once / 1e3:,.0f} |"
        )
    print("\n| work | workers | messages/s | MB/s | driver busy | idle share | models sent in |")
    print("|---|---|---|---|---|---|---|")
    rsbb = kinds[1]
    rows = [[(kind, workers) for workers in args.workers] for kind in kinds]
    rows.insert(2, [(all_shown(rsbb, workers), workers) for workers in args.workers])
    for kind, workers in (pair for row in rows for pair in row):
        service = kind.driver + kind.bytes / (args.network_mb * 1e6)
        idle = idle_share(workers, kind.seconds, service, between)
        tasks = workers * (1 - idle) / kind.seconds
        sent = workers * kind.once / (args.network_mb * 1e6)
        print(
            f"| {kind.name} | {workers} | {2 * tasks:.0f} | {tasks * kind.bytes / 1e6:.3g} |"
            f" {min(tasks * service, 1):.0%} | {idle:.1%} | {sent:.2g} s |"
        )


if __name__ == "__main__":
    main()
