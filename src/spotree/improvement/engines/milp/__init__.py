"""The paper's program, solved by a foreign solver."""

from spotree.improvement.engines.milp.engine import Milp

__all__ = ["Milp"]
