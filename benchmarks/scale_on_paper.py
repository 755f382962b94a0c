"""A hundred machines on paper: messages, bytes and idle share from constants measured on one machine.

python benchmarks/scale_on_paper.py [--measure] [--workers 2 10 100 1000] [--network-mb 100]

One driver hands a task to each worker and takes its answer; handling both costs the driver some of its one thread's
time and the network their bytes, and a worker waits a while between two tasks when nobody else is in the way. Waiting
for the driver is that of a queue with one server and a finite number of customers (machine repair), tasks of
exponential length. The constants are those of `scale_constants.py` as the page shows them, or with --measure as they
are now.
"""

import argparse

from scale_constants import Kind, measured

BETWEEN = 0.013  # seconds between two tasks of a worker
KINDS = (
    Kind("search (islands)", 2.0, 6e3, 2e-3, 5e6),
    Kind("rsbb (parts)", 1.5, 2 * 256 * 264, 2e-3, 1e6),
    Kind("proof (pieces)", 5.0, 1e6, 10e-3, 5e6),
)
SHOWN = 2e6  # bytes per second, the most: what a part of `rsbb` holds, so that it is not lost with its worker


def with_all_shown(kinds: "tuple[Kind, ...] | list[Kind]") -> list[Kind]:
    """And `rsbb` where every worker shows as much of what it holds as it may."""
    rsbb = kinds[1]
    shown = Kind("rsbb, all shown", rsbb.seconds, rsbb.bytes + SHOWN * rsbb.seconds, rsbb.driver, rsbb.once)
    return [*kinds[:2], shown, *kinds[2:]]


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
    between, kinds = measured(15.0) if args.measure else (BETWEEN, KINDS)
    print(f"between two tasks of a worker: {1000 * between:.1f} ms\n")
    print("| work | a task | kB a task | driver ms a task | kB once |\n|---|---|---|---|---|")
    for kind in with_all_shown(kinds):
        print(
            f"| {kind.name} | {kind.seconds:.2g} s | {kind.bytes / 1e3:,.0f} | {1e3 * kind.driver:.1f} |"
            f" {kind.once / 1e3:,.0f} |"
        )
    print("\n| work | workers | messages/s | MB/s | driver busy | idle share | models sent in |")
    print("|---|---|---|---|---|---|---|")
    for kind in with_all_shown(kinds):
        for workers in args.workers:
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
