"""The paper's reduced-space branch and bound (Algorithm 2)."""

from spotree.improvement.engines.rsbb.engine import Rsbb

__all__ = ["Rsbb"]
