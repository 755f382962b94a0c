"""Types of the compiled core."""

from spotree.axes import Features, Floats, Ints, PerState, SmallInts

def route(
    *, feature: SmallInts, threshold: Floats, left: SmallInts, right: SmallInts, features: Features
) -> SmallInts: ...

class Ranks:
    def __init__(self, features: Features, seconds: float = -1.0) -> None: ...
    @property
    def finished(self) -> bool: ...
    @property
    def values(self) -> list[Floats]: ...
    @property
    def rank(self) -> SmallInts: ...
    @property
    def group_of(self) -> SmallInts: ...
    @property
    def first(self) -> SmallInts: ...

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
        initial: PerState,
        discount: float,
    ) -> None: ...

def merge_equal_choices(model: Model) -> SmallInts: ...

class Stop:
    def __init__(self, seconds: float = -1.0) -> None: ...
    def check(self) -> bool: ...
    @property
    def raised(self) -> bool: ...

class ChainSolver:
    def __init__(
        self,
        *,
        row_start: Ints,
        row_of: SmallInts | None,
        target: SmallInts,
        probability: Floats,
        discount: float,
        roots: SmallInts | None,
        dense: int = 24,
        sparse: int = 20000,
        stop: Stop | None = None,
    ) -> None: ...
    def solve(self, right: PerState, stop: Stop | None = None) -> tuple[PerState, float]: ...
    def solve_transposed(self, right: PerState, stop: Stop | None = None) -> tuple[PerState, float]: ...
    @property
    def states(self) -> SmallInts: ...
    @property
    def num_components(self) -> int: ...
    @property
    def largest_component(self) -> int: ...
    @property
    def num_iterated(self) -> int: ...

def reachable(
    *, row_start: Ints, row_of: SmallInts, target: SmallInts, probability: Floats, roots: SmallInts
) -> SmallInts: ...
def endless(
    *, row_start: Ints, row_of: SmallInts, target: SmallInts, probability: Floats, roots: SmallInts | None
) -> SmallInts: ...
def backup(model: Model, value: PerState) -> Floats: ...
def sweep(model: Model, value: PerState, sweeps: int, stop: Stop | None = None) -> PerState: ...
def most_missed(model: Model, value: PerState) -> float: ...

class ExactWorkspace:
    def __init__(self) -> None: ...

class ExactStart:
    def __init__(
        self, *, feature: SmallInts, threshold: Floats, left: SmallInts, right: SmallInts, action: SmallInts
    ) -> None: ...

class ExactFrozen:
    def __init__(self, *, feature: SmallInts, threshold: Floats, action: SmallInts) -> None: ...

class ExactSettings:
    def __init__(
        self,
        *,
        depth: int,
        max_leaves: int,
        threads: int,
        seconds: float,
        memory: int,
        gap_tolerance: float,
        cache: bool,
        interval_bound: bool,
        share_small: bool,
        kernel: int,
    ) -> None: ...

class ExactOutcome:
    @property
    def feature(self) -> SmallInts: ...
    @property
    def threshold(self) -> Floats: ...
    @property
    def left(self) -> SmallInts: ...
    @property
    def right(self) -> SmallInts: ...
    @property
    def action(self) -> SmallInts: ...
    @property
    def reason(self) -> int: ...
    @property
    def begun(self) -> bool: ...
    @property
    def used_gap(self) -> bool: ...
    @property
    def best_gain(self) -> float: ...
    @property
    def loss(self) -> float: ...
    @property
    def lower(self) -> float: ...
    @property
    def dropped_spread(self) -> float: ...
    @property
    def rows(self) -> int: ...
    @property
    def splits(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def kernels(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def hits(self) -> int: ...
    @property
    def entries(self) -> int: ...

def exact_solve(
    ranks: Ranks,
    workspace: ExactWorkspace,
    gain: Floats,
    settings: ExactSettings,
    *,
    start: ExactStart | None,
    frozen: ExactFrozen | None,
) -> ExactOutcome: ...

class TreeSearch:
    def __init__(
        self,
        *,
        model: Model,
        choice_of: SmallInts,
        group_of: SmallInts,
        rank: SmallInts,
        num_values: SmallInts,
        optimal_value: PerState,
        optimal_weight: PerState,
        random_weight: PerState,
        optimum: float,
        random_return: float,
        depth: int,
        max_leaves: int,
        seed: int,
        threads: int,
        must_end: bool = False,
    ) -> None: ...
    def round(self, work: int, seconds: float) -> None: ...
    def enumerate(self, work: int, seconds: float) -> bool: ...
    @property
    def positions(self) -> float: ...
    def offer(self, feature: SmallInts, cut: SmallInts, action: SmallInts, seconds: float = 1e9) -> None: ...
    def expected_return(
        self, feature: SmallInts, cut: SmallInts, action: SmallInts, reject_below: float
    ) -> float: ...
    def probe(self, count: int, seed: int, early: bool) -> int: ...
    @property
    def tree(self) -> tuple[SmallInts, SmallInts, SmallInts]: ...
    @property
    def value(self) -> float: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def work(self) -> int: ...

class LeafSearch:
    def __init__(
        self,
        *,
        model: Model,
        choice_of: SmallInts,
        group_of: SmallInts,
        rank: SmallInts,
        num_values: SmallInts,
        optimal_value: PerState,
        span: float,
        unit: float,
        max_leaves: int,
        max_depth: int,
        seed: int,
        threads: int,
        must_end: bool = False,
        stop: Stop | None = None,
    ) -> None: ...
    def aim(self, targets: Floats, focus: int) -> None: ...
    def round(self, work: int, seconds: float) -> None: ...
    def offer(self, feature: SmallInts, cut: SmallInts, right: SmallInts) -> None: ...
    def least_leaves(self, work: int, seconds: float) -> float: ...
    @property
    def archive(self) -> list[tuple[float, SmallInts, SmallInts, SmallInts]]: ...
    @property
    def num_states(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def work(self) -> int: ...

class RsbbStep:
    def __init__(
        self,
        *,
        rank: SmallInts,
        loss: Floats,
        values: SmallInts,
        scaled: Floats,
        position: Floats,
        frozen_feature: SmallInts,
        frozen_cut: SmallInts,
        frozen_action: SmallInts,
        depth: int,
        max_leaves: int,
    ) -> None: ...

class RsbbSettings:
    def __init__(
        self,
        *,
        settled: bool,
        group: bool,
        snap: bool,
        primal: bool,
        actions: bool,
        seed: int,
        threads: int,
        seconds: float,
        bytes: float,
        best_gain: float,
        gap_tolerance: float,
        resolution: float,
        start_loss: float,
    ) -> None: ...

class RsbbOutcome:
    @property
    def feature(self) -> SmallInts: ...
    @property
    def cut(self) -> SmallInts: ...
    @property
    def action(self) -> SmallInts: ...
    @property
    def feasible(self) -> bool: ...
    @property
    def reason(self) -> int: ...
    @property
    def least_loss(self) -> float: ...
    @property
    def expanded(self) -> int: ...
    @property
    def bounded(self) -> int: ...
    @property
    def discarded(self) -> int: ...
    @property
    def largest_frontier(self) -> int: ...
    @property
    def candidates(self) -> int: ...

def rsbb(step: RsbbStep, settings: RsbbSettings) -> RsbbOutcome: ...

class ProofModel:
    def __init__(
        self,
        *,
        model: Model,
        choice_of: SmallInts,
        group_of: SmallInts,
        rank: SmallInts,
        split_feature: SmallInts,
        split_cut: SmallInts,
        symmetry_group: SmallInts,
        symmetry_action: SmallInts,
        depth: int,
        max_leaves: int,
        must_end: bool,
    ) -> None: ...
    def builds(self) -> int: ...

class Proof:
    def __init__(self, model: ProofModel, tolerance: float) -> None: ...
    def start(
        self,
        *,
        seconds: float,
        threads: int,
        state_rule: bool,
        tree_rule: bool,
        regret: bool,
        floors: bool,
        filter: bool,
        solo: bool,
        journal: bool,
        keep_left: bool,
        before_floors: float,
        memory_limit: int,
        listed: int,
        most_regions: int = 0,
    ) -> None: ...
    def resume(self, words: SmallInts, numbers: Floats, bound: float) -> None: ...
    def reopen(
        self, *, words: SmallInts, numbers: Floats, next: int, left_words: SmallInts, left_numbers: Floats
    ) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def offer(
        self, value: float, *, split: SmallInts, left: SmallInts, right: SmallInts, action: SmallInts
    ) -> None: ...
    def value(self) -> float: ...
    def bound(self) -> float: ...
    def certified(self) -> float: ...
    def regions(self) -> int: ...
    def share(self) -> float: ...
    def tell_share(self, done: float) -> None: ...
    def winner(self) -> int: ...
    def ending(self) -> int: ...
    def tree(self) -> tuple[SmallInts, SmallInts, SmallInts, SmallInts]: ...
    def drain(self, by_tree: bool) -> tuple[int, SmallInts, Floats]: ...
    def snapshot(
        self, for_good: bool = False
    ) -> (
        tuple[tuple[int, SmallInts, Floats], tuple[int, SmallInts, Floats], tuple[SmallInts, Floats], int] | None
    ): ...
