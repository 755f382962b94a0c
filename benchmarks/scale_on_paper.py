"""A hundred machines on paper: messages, bytes and idle share from constants measured on one machine.

python benchmarks/scale_on_paper.py [--workers 2 10 100 1000] [--task-ms 5] [--driver-ms 2] [--network-mb 100]

One driver hands a task to each worker and takes its answer; handling both costs the driver `driver-ms` of its one
thread, and a worker waits `task-ms` between two tasks when nobody else is in the way. Waiting for the driver is that
of a queue with one server and a finite number of customers (machine repair), tasks of exponential length.
"""

import argparse
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of work: seconds of a task, bytes of a task and its answer, bytes sent once."""

    name: str
    seconds: float
    bytes: float
    once: float


KINDS = (
    Kind("search (islands)", 2.0, 6e3, 5e6),  # an order, a tree and a few others; a model
    Kind("rsbb (parts)", 1.5, 2 * 256 * 264, 1e6),  # 256 regions each way at depth 3; a step
    Kind("rsbb, all shown", 1.5, 2 * 256 * 264 + 2e6 * 1.5, 1e6),  # and 2 MB/s of what it holds, the most
)


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
    parser.add_argument("--task-ms", type=float, default=5.0)
    parser.add_argument("--driver-ms", type=float, default=2.0)
    parser.add_argument("--network-mb", type=float, default=100.0)
    args = parser.parse_args()
    print("| work | workers | messages/s | MB/s | driver busy | idle share | models sent in |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for workers in args.workers:
            service = args.driver_ms / 1e3 + kind.bytes / (args.network_mb * 1e6)
            idle = idle_share(workers, kind.seconds, service, args.task_ms / 1e3)
            tasks = workers * (1 - idle) / kind.seconds
            sent = workers * kind.once / (args.network_mb * 1e6)
            print(
                f"| {kind.name} | {workers} | {2 * tasks:.0f} | {tasks * kind.bytes / 1e6:.3g} |"
                f" {min(tasks * service, 1):.0%} | {idle:.1%} | {sent:.2g} s |"
            )


if __name__ == "__main__":
    main()
