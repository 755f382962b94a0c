"""Dynamic programming over sets of rows: the default engine."""

from spotree.step.exact.engine import Exact
from spotree.step.exact.preparation import Preparation

__all__ = ["Exact", "Preparation"]
