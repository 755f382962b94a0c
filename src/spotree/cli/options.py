"""Options that several commands share: certificates, checkpoints, clusters."""

import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.output import check_writable, show_table
from spotree.cli.stdio import complain
from spotree.common.atomic_file import UnwrittenError, check_target
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import SpotreeError

if TYPE_CHECKING:
    from spotree.checkpoint import CheckpointWriter

if TYPE_CHECKING:
    from spotree.cluster.job_scheduler import JobScheduler


def model_names(incomplete: str) -> list[str]:
    """Shipped models, and the files and folders that spotree may find one in."""
    from spotree.models import names
    from spotree.readers.registry import READERS

    return [*_beginning(incomplete, names()), *_paths(incomplete, tuple(READERS))]


def method_names(incomplete: str) -> list[str]:
    from spotree.methods.registry import METHODS

    return _beginning(incomplete, METHODS)


def engine_names(incomplete: str) -> list[str]:
    from spotree.improvement.engines.registry import ENGINES

    return _beginning(incomplete, ENGINES)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _paths(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    folder, _, start = incomplete.rpartition("/")
    prefix = incomplete[: len(incomplete) - len(start)]
    try:
        found = sorted(Path(folder or prefix or ".").iterdir())
    except OSError:
        return []
    return [
        f"{prefix}{path.name}{'/' * path.is_dir()}"
        for path in found
        if path.name.startswith(start) and (path.name.endswith(endings) or (path.is_dir() and path.name[0] != "."))
    ]


CertificateFile = Annotated[
    Path | None, typer.Option("--certificate", "-c", help="Write the proof, for `spotree check`.")
]


def check_files(out: Path | None, certificate: Path | None) -> "Target":
    """Refuse files that cannot be written, or one file for both, before any work is done; where the proof goes."""
    solution_file, proof_file = check_writable(out), check_writable(certificate, "--certificate")
    if proof_file is not None and proof_file == solution_file:
        raise SpotreeError(
            f"--out and --certificate are the same file, {shown(str(out), LONGEST_LINE)}; give each its own"
        )
    return Target(certificate)


class Target:
    """Where a proof is to go, and what was there before."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.before = path, _stamp(path)

    def say(self, as_json: bool) -> None:
        """Where the proof is and how to check it, or that there is none."""
        if self.path is None or as_json:
            return
        name = shown(shlex.quote(str(self.path)), LONGEST_LINE)
        if _stamp(self.path) == self.before:
            print(f"no certificate: the time was up before a proof could begin; {name} is as it was")
        else:
            print(f"certificate in {name}; to check it: spotree check {name} MODEL")


def _stamp(path: Path | None) -> tuple[int, int] | None:
    """Tells a file from one that takes its place."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_mtime_ns)


CheckpointFile = Annotated[
    Path | None, typer.Option("--checkpoint", help="Keep what is found in this file, for --resume.")
]
CheckpointEvery = Annotated[
    float, typer.Option("--checkpoint-every", help="Seconds between two checkpoints.", min=0.0)
]


def keeper_for(checkpoint: Path | None, every: float, *others: Path | None) -> "CheckpointWriter | None":
    """Who writes the checkpoints; refuses a file that cannot be written, or that something else goes to."""
    from spotree.checkpoint import CheckpointWriter

    if checkpoint is None:
        return None
    try:
        final = check_target(checkpoint)
        for other in others:
            if final is not None and other is not None and check_target(other) == final:
                raise SpotreeError(
                    f"--checkpoint and another option name the same file, {shown(str(checkpoint), LONGEST_LINE)};"
                    " give each its own"
                )
    except UnwrittenError as error:
        raise SpotreeError(f"--checkpoint {error}") from error
    return CheckpointWriter(checkpoint, every, tell=complain)


def failure_of(keeper: "CheckpointWriter | None") -> list[SpotreeError]:
    """Why the last checkpoint is not there, to be said at the end."""
    return [] if keeper is None or keeper.failure is None else [keeper.failure]


def say_checkpoint(keeper: "CheckpointWriter | None", as_json: bool) -> None:
    """Where the checkpoint is."""
    if as_json:
        return
    if keeper is not None and keeper.written:
        name = shown(shlex.quote(str(keeper.path)), LONGEST_LINE)
        print(f"checkpoint in {name}; to go on from it: --checkpoint {name} --resume {name}")


ClusterName = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Many machines: local:N for N processes here, tcp:// or tls://HOST:PORT for a dask scheduler.",
    ),
]


@contextmanager
def on_cluster(name: str | None, quiet: bool) -> Iterator["JobScheduler | None"]:
    """The workers that are meant, if any; on a terminal it says where dask shows what they do."""
    if name is None:
        yield None
        return
    from spotree.cluster.factory import crewed

    with crewed(name) as scheduler:
        if scheduler.executor.dashboard and sys.stderr.isatty() and not quiet:
            complain(f"{name}: dask shows its workers at {scheduler.executor.dashboard}")
        yield scheduler


def cluster_text(scheduler: "JobScheduler | None", left: float | None) -> str:
    """How a cluster is doing, for the live line."""
    if scheduler is None:
        return ""
    ahead = "" if left is None else f"  {max(left, 0.0):.0f} s left"
    return f"  {len(scheduler.known_workers)} workers  {scheduler.rate:.3g} {scheduler.unit}/s{ahead}"


def show_shares(scheduler: "JobScheduler | None") -> None:
    """The table of who did what."""
    if scheduler is None or not scheduler.shares:
        return
    all_seconds = max(time.monotonic() - scheduler.began, 1e-9)
    print()
    show_table(
        ["worker", "tasks", scheduler.unit, "busy s", "busy", "lost"],
        [
            [
                share.worker,
                f"{share.jobs:,}",
                f"{share.work:,}",
                f"{share.seconds:.1f}",
                f"{min(share.seconds / all_seconds, 1.0):.0%}",
                f"{share.lost:,}",
            ]
            for share in sorted(scheduler.shares.values(), key=lambda share: share.worker)
        ],
    )
