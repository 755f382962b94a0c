"""The native checker (checker/): certificates of proofs, verified on all cores by code of its own."""

from spotree.axes import Features, Floats, Ints, SmallInts

class Model:
    def __init__(
        self,
        *,
        choice_start: Ints,
        choice_of: SmallInts,
        row_start: Ints,
        target: SmallInts,
        probability: Floats,
        reward: Floats,
        initial: Floats,
        features: Features,
        discount: float,
        must_end: bool,
    ) -> None: ...

class Tree:
    def __init__(
        self, *, feature: SmallInts, threshold: Floats, left: SmallInts, right: SmallInts, action: SmallInts
    ) -> None: ...

class Header:
    def __init__(
        self,
        *,
        tree: Tree,
        depth: int,
        max_leaves: int,
        value: float,
        bound: float,
        margin: float,
        group_state: SmallInts,
        split_feature: SmallInts,
        split_threshold: Floats,
        symmetry_state: SmallInts,
        symmetry_action: SmallInts,
        symmetry_feature: SmallInts,
    ) -> None: ...

class Check:
    def __init__(
        self, *, model: Model, header: Header, words: SmallInts, numbers: Floats, threads: int
    ) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def done(self) -> int: ...
    def total(self) -> int: ...
    def verdict(self) -> tuple[str, float, float, float]: ...
