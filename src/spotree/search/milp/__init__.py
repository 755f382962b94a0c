"""The paper's program, solved by a foreign solver."""

from spotree.search.milp.engine import Milp

__all__ = ["Milp"]
