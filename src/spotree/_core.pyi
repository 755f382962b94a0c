"""Types of the compiled core."""

from spotree.axes import Features, Floats, SmallInts

def route(
    feature: SmallInts, threshold: Floats, left: SmallInts, right: SmallInts, features: Features
) -> SmallInts: ...
