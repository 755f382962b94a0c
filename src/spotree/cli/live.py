"""The line that shows how a long search is doing."""

import shutil
import sys
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.methods.history import Progress


class LiveLine:
    """Rewrites one line of standard error; silent where that is not a terminal or `quiet` is asked for."""

    def __init__(self, mdp: "MDP", quiet: bool = False) -> None:
        self.mdp = mdp
        self.active = sys.stderr.isatty() and not quiet
        self.width = 0

    def __enter__(self) -> "LiveLine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.width:
            with suppress(OSError):
                print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)

    def show(self, progress: "Progress") -> None:
        """Show one moment of the run."""
        if not self.active:
            return
        scale = max(abs(progress.value), abs(progress.bound))
        gap = (progress.bound - progress.value) / scale if scale > 0 else 0.0
        text = (
            f"{progress.seconds:6.1f} s  round {progress.round}  return {progress.value:.6f}"
            f"  bound {progress.bound:.6f}  gap {gap:.2%}"
        )[: shutil.get_terminal_size().columns - 1]  # a line that wraps cannot be rewritten
        try:
            print("\r" + text.ljust(self.width), end="", file=sys.stderr, flush=True)
        except OSError:  # the terminal is gone; the search goes on
            self.active, text = False, ""
        self.width = max(self.width, len(text))
