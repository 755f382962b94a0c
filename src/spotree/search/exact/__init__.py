"""Dynamic programming over sets of rows: the default engine."""

from spotree.search.exact.engine import Exact
from spotree.search.exact.preparation import Preparation

__all__ = ["Exact", "Preparation"]
