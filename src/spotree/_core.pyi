"""Types of the compiled core."""

from typing import Any

from spotree.axes import Features, Floats, Ints, PerState, SmallInts

def route(
    feature: SmallInts, threshold: Floats, left: SmallInts, right: SmallInts, features: Features
) -> SmallInts: ...

class ChainSolver:
    def __init__(
        self,
        row_start: Ints,
        row_of: SmallInts | None,
        target: SmallInts,
        probability: Floats,
        discount: float,
        roots: SmallInts | None,
        dense: int = ...,
        sparse: int = ...,
    ) -> None: ...
    def solve(self, right: PerState) -> tuple[PerState, float]: ...
    def solve_transposed(self, right: PerState) -> tuple[PerState, float]: ...
    @property
    def states(self) -> SmallInts: ...
    @property
    def num_components(self) -> int: ...
    @property
    def largest_component(self) -> int: ...
    @property
    def num_iterated(self) -> int: ...

def reachable(
    row_start: Ints, row_of: SmallInts, target: SmallInts, probability: Floats, roots: SmallInts
) -> SmallInts: ...
def backup(
    row_start: Ints, target: SmallInts, probability: Floats, reward: Floats, value: PerState, discount: float
) -> Floats: ...
def sweep(
    choice_start: Ints,
    row_start: Ints,
    target: SmallInts,
    probability: Floats,
    reward: Floats,
    value: PerState,
    discount: float,
    sweeps: int,
) -> PerState: ...
def most_missed(
    choice_start: Ints,
    row_start: Ints,
    target: SmallInts,
    probability: Floats,
    reward: Floats,
    value: PerState,
    discount: float,
) -> float: ...

class ExactPreparation:
    def __init__(self, features: Features) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def groups(self) -> int: ...

class ExactWorkspace:
    def __init__(self) -> None: ...

class ExactStart:
    def __init__(
        self, feature: SmallInts, threshold: Floats, left: SmallInts, right: SmallInts, action: SmallInts
    ) -> None: ...

def exact_solve(
    preparation: ExactPreparation,
    workspace: ExactWorkspace,
    gain: Floats,
    depth: int,
    max_leaves: int,
    threads: int,
    seconds: float,
    memory: int,
    gap_tolerance: float,
    cache: bool,
    interval_bound: bool,
    kernel: int,
    start: ExactStart | None,
) -> dict[str, Any]: ...
