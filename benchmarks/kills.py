"""Kills at random instants of a job that keeps checkpoints: each is resumed, and nothing but a period may be lost.

One run without a kill says what the job finds. Then the same job is killed (kill -9) at a random instant and resumed
for the time that was left. The table says what the checkpoint held and how old it was; `worse` counts runs that ended
with less than the run without a kill, or with less than their own checkpoint.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import spotree
from spotree.methods.saved_search import load_search
from spotree.proof.problem import TOLERANCE
from spotree.proof.saved_proof import load_proof

SLACK = 2.0  # seconds that a write may come late: rounds end first, and machines are busy
EQUAL = 1e-9  # relative


@dataclass(frozen=True)
class Search:
    """`spotree solve` on one model; `more` are further options of the command line."""

    model: str = "tiger_vs_antelope"
    depth: int = 3
    threads: int = 2
    more: tuple[str, ...] = ("--no-prove",)  # a proof that closes would end the job early

    def command(self, seconds: float, every: float, file: Path, resumed: bool) -> list[str]:
        size = ["--depth", str(self.depth), "--threads", str(self.threads), "--time", f"{max(seconds, 0.1):.2f}"]
        keep = ["--checkpoint", str(file), "--checkpoint-every", str(every), *(["--resume", str(file)] * resumed)]
        return [sys.executable, "-m", "spotree", "solve", self.model, *size, *keep, *self.more, "--json"]

    def saved(self, file: Path) -> tuple[float, float]:
        """Seconds and value in the checkpoint."""
        there = load_search(file, spotree.load(self.model), self.depth, None)
        return there.seconds, there.value


@dataclass(frozen=True)
class Proof(Search):
    """`spotree certify` on one model: it ends when the proof does, and must end with the same answer."""

    model: str = "system_administrator_1"
    depth: int = 2
    more: tuple[str, ...] = ()

    def command(self, seconds: float, every: float, file: Path, resumed: bool) -> list[str]:
        known = super().command(max(seconds, 600.0), every, file, resumed)  # a proof is not cut short
        return ["certify" if word == "solve" else word for word in known]

    def saved(self, file: Path) -> tuple[float, float]:
        mdp = spotree.load(self.model)
        there = load_proof(file, mdp, self.depth, None, TOLERANCE)
        return there.seconds, spotree.evaluate(mdp, there.tree) if there.found else float("-inf")


@dataclass(frozen=True)
class Trial:
    """One kill; seconds are those of the job."""

    killed: float
    saved: float
    lost: float
    saved_value: float
    value: float

    def worse(self, undisturbed: float) -> bool:
        slack = EQUAL * max(1.0, abs(undisturbed))
        return self.value < max(undisturbed, self.saved_value) - slack


def answer(command: Sequence[str]) -> float:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    if "certify" in command and not found["proved_optimal"]:
        sys.exit(f"not proved: {' '.join(command)}")
    return float(found["value"])


def trial(job: Search, seconds: float, every: float, instant: float) -> Trial:
    """Start the job, kill it at that instant, and resume it for the time that is left."""
    with tempfile.TemporaryDirectory() as folder:
        file, began = Path(folder) / "run.ckpt", time.time()
        with subprocess.Popen(
            job.command(seconds, every, file, False), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            while not file.exists() and process.poll() is None:  # python itself begins
                time.sleep(0.02)
            first = time.time()
            time.sleep(instant)
            process.kill()
        now = time.time()
        saved, value = job.saved(file)
        lost = now - max(file.stat().st_mtime, first)
        end = answer(job.command(seconds - saved, every, file, True))
        return Trial(now - began, saved, lost, value, end)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between checkpoints")
    parser.add_argument("--job", choices=("search", "proof"), default="search")
    parser.add_argument("--model", help="tiger_vs_antelope, or system_administrator_1 for a proof")
    parser.add_argument("--depth", type=int, help="3, or 2 for a proof")
    parser.add_argument("--cluster", help="as for the command line, such as local:2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    kind = Search if given.job == "search" else Proof
    on = ("--cluster", given.cluster) if given.cluster else ()
    job = kind(given.model or kind.model, given.depth or kind.depth, given.threads, kind.more + on)
    with tempfile.TemporaryDirectory() as folder:
        undisturbed = answer(job.command(given.seconds, given.every, Path(folder) / "run.ckpt", False))
    print(f"{job.model}, depth {job.depth}, {given.seconds:g} s, every {given.every:g} s: {undisturbed:.9g}\n")
    print(f"{'kill':>4}  {'killed at':>9}  {'saved at':>8}  {'lost':>6}  {'saved':>14}  {'at the end':>14}  worse")
    chance = random.Random(given.seed)
    worse = late = 0
    for number in range(given.kills):
        found = trial(job, given.seconds, given.every, chance.uniform(0.0, given.seconds - 2.0))
        worse += found.worse(undisturbed)
        late += found.lost > given.every + SLACK
        print(
            f"{number + 1:4}  {found.killed:8.1f}s  {found.saved:7.1f}s  {found.lost:5.1f}s  {found.saved_value:14.9g}"
            f"  {found.value:14.9g}  {'yes' if found.worse(undisturbed) else 'no'}",
            flush=True,
        )
    print(f"\n{given.kills} kills: {worse} ended worse, {late} lost more than a period")
    sys.exit(worse + late > 0)


if __name__ == "__main__":
    main()
