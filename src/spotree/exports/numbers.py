"""Thresholds as text that reads back as the very same number."""

from decimal import Decimal


def exact_text(value: float) -> str:
    """The shortest decimal that reads back as the value, without a needless `.0`; `inf` and `-inf` for those."""
    return repr(float(value)).removesuffix(".0")


def is_decimal(value: float) -> bool:
    """Whether the shortest decimal is the value itself, and not only nearest to it."""
    return Decimal(repr(float(value))) == Decimal(float(value))
