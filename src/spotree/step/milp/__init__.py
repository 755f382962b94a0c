"""The paper's program, solved by a foreign solver."""

from spotree.step.milp.engine import Milp

__all__ = ["Milp"]
