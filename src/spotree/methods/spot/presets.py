"""Settings with a name, as values that `dataclasses.replace` can change."""

from spotree.methods.method import Method
from spotree.methods.spot.algorithm import Spot
from spotree.methods.spot.spot_from_omdt import SpotFromOmdt

PAPER = Spot(seconds=3600.0)  # uniform weights, exploration 1 / round, half of the tree free, five minutes a round
PAPER_WARM = SpotFromOmdt(seconds=3600.0, omdt_seconds=300.0)

PRESETS: dict[str, tuple[Method, ...]] = {"paper": (PAPER, PAPER_WARM)}
