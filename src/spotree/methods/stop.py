"""When the outer loop ends."""

from dataclasses import dataclass

from spotree.methods.history import Progress
from spotree.step.limits import at_least


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends a run after so many seconds or rounds, or rounds without a new best; None means never."""

    seconds: float | None = 60.0
    rounds: int | None = None
    patience: int | None = 200

    def __post_init__(self) -> None:
        for name in ("seconds", "rounds", "patience"):
            at_least(0, name, getattr(self, name))

    def __call__(self, history: list[Progress], seconds: float) -> bool:
        """Whether the run should end now; the history has one line per round."""
        if self.seconds is not None and seconds >= self.seconds:
            return True
        if self.rounds is not None and len(history) >= self.rounds:
            return True
        if self.patience is None or len(history) <= self.patience:
            return False
        return history[-1].value <= history[-1 - self.patience].value
