"""What a person sees of a cluster: its option, its line, and who did what."""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.output import show_table
from spotree.cli.streams import complain

if TYPE_CHECKING:
    from spotree.cluster.crew import Crew

ClusterName = Annotated[
    str | None,
    typer.Option(
        "--cluster", help="Many machines: local:N for N processes here, or tcp://host:8786 for a dask one."
    ),
]


@contextmanager
def on_cluster(name: str | None, quiet: bool) -> Iterator["Crew | None"]:
    """The workers that are meant, if any; on a terminal it says where dask shows what they do."""
    if name is None:
        yield None
        return
    from spotree.cluster.open import crewed

    with warnings.catch_warnings(), crewed(name) as crew:
        warnings.showwarning = lambda message, *_: complain(message)
        if crew.executor.dashboard and sys.stderr.isatty() and not quiet:
            complain(f"{name}: dask shows its workers at {crew.executor.dashboard}")
        yield crew


def cluster_text(crew: "Crew | None", left: float | None) -> str:
    """How a cluster is doing, for the live line."""
    if crew is None:
        return ""
    ahead = "" if left is None else f"  {max(left, 0.0):.0f} s left"
    return f"  {len(crew.known_workers)} workers  {crew.rate:.3g} {crew.unit}/s{ahead}"


def show_shares(crew: "Crew | None") -> None:
    """The table of who did what."""
    if crew is None or not crew.shares:
        return
    all_seconds = max(time.monotonic() - crew.began, 1e-9)
    print()
    show_table(
        ["worker", "tasks", crew.unit, "busy s", "busy", "lost"],
        [
            [
                share.worker,
                f"{share.jobs:,}",
                f"{share.work:,}",
                f"{share.seconds:.1f}",
                f"{min(share.seconds / all_seconds, 1.0):.0%}",
                f"{share.lost:,}",
            ]
            for share in sorted(crew.shares.values(), key=lambda share: share.worker)
        ],
    )
