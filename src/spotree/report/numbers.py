"""Numbers for a page: short, and never one that JSON cannot say."""

import math
from collections.abc import Iterable


def exact(number: float) -> float | None:
    """All digits: for what is compared, as a feature with a threshold."""
    value = float(number)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def short(number: float) -> float | None:
    """Seven digits, which is more than a page shows; None for what is not finite."""
    value = exact(number)
    return value if value is None or isinstance(value, int) else exact(float(f"{value:.7g}"))


def shorts(numbers: Iterable[float]) -> list[float | None]:
    return [short(number) for number in numbers]
