"""The line that shows how a long search is doing."""

import shutil
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from spotree.cli.options import cluster_text
from spotree.cli.stdio import before_a_line

if TYPE_CHECKING:
    from spotree.cluster.job_scheduler import JobScheduler
    from spotree.mdp.model import Sense
    from spotree.results.progress import Progress


class LiveLine:
    """Rewrites one line of standard error; silent where that is not a terminal or `quiet` is asked for."""

    def __init__(
        self,
        quiet: bool = False,
        sense: "Sense" = "max",
        scheduler: "JobScheduler | None" = None,
        time_limit: float | None = None,
    ) -> None:
        self.active = sys.stderr.isatty() and not quiet
        self.width, self.counted = 0, 0.0
        self.sense, self.scheduler = sense, scheduler
        self.end = None if time_limit is None else time.monotonic() + time_limit

    def __enter__(self) -> "LiveLine":
        before_a_line.append(self.erase)
        return self

    def __exit__(self, *unused: object) -> None:
        before_a_line.remove(self.erase)
        with suppress(OSError):
            self.erase()

    def erase(self) -> None:
        """Clear the line."""
        if self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)

    def show(self, progress: "Progress") -> None:
        """Show one moment of a search."""
        from spotree.results.metrics import Figures

        best, tree = progress.bound, progress.value
        seen = Figures(optimum=best, random=tree, value=tree, bound=best, sense=self.sense)
        size = "" if progress.leaves is None else f"leaves {progress.leaves}  "
        self.say(
            f"{progress.seconds:6.1f} s  round {progress.round}  {size}{seen.word} {seen.text(tree)}"
            f"  bound {seen.text(best)}  {seen.gap_text}{cluster_text(self.scheduler, self.left)}"
        )

    @property
    def left(self) -> float | None:
        """Seconds until the time is up."""
        return None if self.end is None else self.end - time.monotonic()

    def count(self, done: int, total: int) -> None:
        """Show how far a check is, now and then."""
        if (now := time.monotonic()) - self.counted >= 0.1:
            self.counted = now
            self.say(f"checked {done:,} of {total:,} regions")

    def say(self, text: str) -> None:
        """Put this text in place of the last one."""
        if not self.active:
            return
        text = text[: shutil.get_terminal_size().columns - 1]  # a line that wraps cannot be rewritten
        try:
            print("\r" + text.ljust(self.width), end="", file=sys.stderr, flush=True)
        except OSError:  # the terminal is gone; the search goes on
            self.active, text = False, ""
        self.width = max(self.width, len(text))
