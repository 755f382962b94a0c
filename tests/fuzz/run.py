"""Fuzzing the readers: `make fuzz ARGS="--target umb --seconds 600"`.

A finding is a crash, more than 5 seconds, more memory than ten times the file (200 MB at least), an exception that is
not spotree's, or a message of more than one line. Findings stand in build/fuzz, each beside what was found.
"""

import argparse
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzz.mutate import mutated
from fuzz.targets import MAY_BE_LARGE, READ, seeds
from fuzz.worker import SECONDS

FLOOR_KILOBYTES = 200_000
TESTS = Path(__file__).parent.parent


@dataclass
class Tally:
    """What came of a run."""

    runs: int = 0
    read: int = 0
    large: int = 0
    messages: set[str] = field(default_factory=set)
    findings: dict[str, Path] = field(default_factory=dict)


class Worker:
    """A process that reads; a new one whenever it has died."""

    def __init__(self, target: str) -> None:
        path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.worker", target],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )

    def ask(self, path: Path) -> tuple[str, str, int]:
        """What the reader made of a file: kind, what it said, kilobytes."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], 10 * SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if line:
            kind, what, kilobytes = json.loads(line)
            return kind, what, kilobytes
        self.process.kill()
        code = self.process.wait()
        if not ready or code == -signal.SIGALRM:
            return "hang", f"more than {SECONDS} seconds", 0
        return "crash", signal.Signals(-code).name if code < 0 else f"exit code {code}", 0

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


def fuzz(target: str, folder: Path, seconds: float = 60, runs: int | None = None, seed: int = 0) -> Tally:
    """Read mutated files until the time is over or enough were read; equal seeds give equal files."""
    random, tally, good = Random(seed), Tally(), seeds(target)
    worker, end = Worker(target), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as here:
        path = Path(here) / f"model.{target}"
        for content in good:
            path.write_bytes(content)
            kind, what, _ = worker.ask(path)
            assert kind == "read", f"a sound file of kind {target} is not read: {kind}: {what}"
        while time.monotonic() < end and (runs is None or tally.runs < runs):
            content = mutated(random, good)
            path.write_bytes(content)
            kind, what, kilobytes = worker.ask(path)
            tally.runs += 1
            tally.read += kind == "read"
            if kind in ("crash", "hang"):
                worker.close()
                worker = Worker(target)
            if kind in ("read", "refused"):
                if kilobytes > max(FLOOR_KILOBYTES, len(content) // 100):
                    kind, what = "memory", f"{kilobytes // 1000} MB; {what}"
                elif "\n" in what:
                    kind = "lines"
                elif kind == "refused":
                    tally.messages.add(re.sub(r"\d+", "0", what.partition(": ")[2])[:60])
            if kind in ("hang", "memory") and target in MAY_BE_LARGE:
                tally.large += 1
            elif kind not in ("read", "refused"):
                _keep(tally, folder, target, kind, what, content)
    worker.close()
    return tally


def _keep(tally: Tally, folder: Path, target: str, kind: str, what: str, content: bytes) -> None:
    """Save the first file of each sort of finding."""
    sort = f"{kind}: {re.sub(r'[0-9]+', '0', what) if kind != 'exception' else what.split(': ')[0]}"
    if sort not in tally.findings:
        folder.mkdir(parents=True, exist_ok=True)
        tally.findings[sort] = folder / f"{target}-{kind}-{len(tally.findings)}.{target}"
        tally.findings[sort].write_bytes(content)
        tally.findings[sort].with_suffix(".txt").write_text(f"{kind}: {what}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", choices=[*READ, "all"], default="all")
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--folder", type=Path, default=TESTS.parent / "build" / "fuzz")
    asked = parser.parse_args()
    found = 0
    for target in READ if asked.target == "all" else [asked.target]:
        tally = fuzz(target, asked.folder, asked.seconds, seed=asked.seed)
        large = f", {tally.large} too large" if tally.large else ""
        print(
            f"{target}: {tally.runs:,} files, {tally.read:,} read, {len(tally.messages)} sorts of refusal{large},"
            f" {len(tally.findings)} findings (seed {asked.seed})",
            flush=True,
        )
        for sort, path in tally.findings.items():
            print(f"  {sort}\n    {path}", flush=True)
        found += len(tally.findings)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
