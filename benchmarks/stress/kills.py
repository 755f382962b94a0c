"""Kills (kill -9) at random instants of a run that writes checkpoints.

python benchmarks/stress/kills.py --kills 50 --cluster local:2 [--job proof]

A first run without kills gives the reference value. Then the script kills the driver or (on a cluster local:N) one of
the workers of the same job several times at random instants. After a kill of the driver it resumes the job for the
remaining time; after a kill of a worker the job must continue by itself. A proof must end with the same answer, and
`spotree check` must accept its certificate. Failures: a job that ends with a lower value than the reference run or
than its own checkpoints, an error, a worker that stays alive, and a kill that costs more than one checkpoint period.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from killed_job import Failed, Kill, Proof, Search, Story, run_through

SLACK = 2.0  # seconds that a write may come late: rounds end first, and machines are busy
START = 10.0  # seconds until the first checkpoint of a run: Python, workers, the first round
EQUAL = 1e-9  # relative


def pauses(chance: random.Random, kills: int, seconds: float) -> list[float]:
    """Between kills at random instants of a job."""
    instants = sorted(chance.uniform(0.0, seconds) for _ in range(kills))
    return [after - before for before, after in zip([0.0, *instants], instants, strict=False)]


def late(kill: Kill, every: float) -> bool:
    """Whether more than a period is lost."""
    return kill.lost > every + SLACK + START * kill.starting


def worse(story: Story, undisturbed: float) -> bool:
    """Whether a job ended with less than it should have."""
    return story.value < undisturbed - EQUAL * max(1.0, abs(undisturbed)) or not story.kept


def line(number: int, kill: Kill) -> str:
    """One kill for the table."""
    lost = "-" if kill.who == "worker" else f"{kill.lost:.1f}s"
    remark = "starting" * kill.starting + f"  {kill.left_behind} left behind" * (kill.left_behind > 0)
    return (
        f"{number:4}  {kill.who:>6}  {kill.at:6.1f}s  {kill.seconds:7.1f}s  {lost:>6}  {kill.value:14.9g}  {remark}"
    )


def show(job: Search, given: argparse.Namespace, say: Callable[[str], None]) -> int:
    """The table; how many things went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.time()
        alone = run_through(job, given.seconds, given.every, [], random.Random(), Path(folder) / "run.ckpt")
        took = time.time() - began
    say(f"{job.model}, depth {job.depth}, every {given.every:g} s; undisturbed: {alone.value:.9g} in {took:.0f} s")
    say(f"{'kill':>4}  {'who':>6}  {'at':>7}  {'saved at':>8}  {'lost':>6}  {'saved':>14}")
    chance, killed, wrong, jobs = random.Random(given.seed), 0, 0, 0
    while killed < given.kills:
        planned = pauses(chance, min(given.per_job, given.kills - killed), took - 2.0)
        jobs += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                story = run_through(job, given.seconds, given.every, planned, chance, Path(folder) / "run.ckpt")
            except Failed as failure:
                say(f"job {jobs}: {failure}")
                wrong, killed = wrong + 1, killed + len(planned)
                continue
        for kill in story.kills:
            killed += 1
            say(line(killed, kill))
        bad = worse(story, alone.value)
        wrong += bad + sum(late(kill, given.every) + (kill.left_behind > 0) for kill in story.kills)
        verdict = "WORSE" if bad else "no worse"
        say(f"job {jobs}: {story.value:.9g} after {story.seconds:.0f} s, {verdict} than {alone.value:.9g}")
    say(f"\n{killed} kills of {jobs} jobs: {wrong} things went wrong")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--per-job", type=int, default=5, help="kills of one job")
    parser.add_argument("--seconds", type=float, default=60.0, help="of a search; a proof takes what it takes")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between checkpoints")
    parser.add_argument("--job", choices=("search", "proof"), default="search")
    parser.add_argument("--model", help=f"{Search.model}, or {Proof.model} for a proof")
    parser.add_argument("--depth", type=int, help=f"{Search.depth}, or {Proof.depth} for a proof")
    parser.add_argument("--max-leaves", type=int)
    parser.add_argument("--cluster", help="as for the command line, such as local:2")
    parser.add_argument("--threads", type=int, help="2, or 1 on a cluster")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    kind = Search if given.job == "search" else Proof
    on = ("--cluster", given.cluster) if given.cluster else ()
    threads = given.threads or (1 if given.cluster else 2)
    job = kind(given.model or kind.model, given.depth or kind.depth, threads, kind.more + on, given.max_leaves)
    sys.exit(show(job, given, lambda text: print(text, flush=True)) > 0)


if __name__ == "__main__":
    main()
