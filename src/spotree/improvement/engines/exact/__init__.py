"""Dynamic programming over sets of rows: the default engine."""

from spotree.improvement.engines.exact.engine import Exact, Preparation

__all__ = ["Exact", "Preparation"]
