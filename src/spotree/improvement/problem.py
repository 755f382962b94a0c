"""Problem of one improvement step: features, gains, size, frozen nodes, start."""

from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np

from spotree.common.arrays import Features, Floats, PerStateAction, SmallInts, first_inexact, frozen_array
from spotree.common.untrusted import in_short
from spotree.errors import InvalidProblemError
from spotree.trees.serialize import check_fit, check_range
from spotree.trees.tree import Tree

FREE = -2  # in Frozen.feature and Frozen.action: the engine may choose
LARGEST = 2**53  # depth or leaves that may be asked for, as files hold them
MOST_GAIN = 1e150  # what gains may add up to: there is room above for products
UNSPLIT = -1  # in Frozen.feature: the node does not split, every row goes right


@dataclass(frozen=True, slots=True, eq=False)
class Frozen:
    """What may not change, on the complete tree of the problem's depth (the paper's "fix").

    Nodes are numbered level by level: the children of inner node t are 2t + 1 (left) and 2t + 2 (right), the
    leaves follow the 2**depth - 1 inner nodes. A free node may also send all its rows left, or all of them right;
    below an unsplit node nothing splits: its rows end in the rightmost leaf below it.

    Attributes
    ----------
    feature
        [inner node] feature of a fixed split, `UNSPLIT` for a node fixed as unsplit, `FREE` otherwise.
    threshold
        [inner node] threshold of a fixed split, ignored elsewhere.
    action
        [leaf] the fixed action, `FREE` otherwise.
    """

    feature: SmallInts
    threshold: Floats
    action: SmallInts


@dataclass(frozen=True, slots=True, eq=False)
class TreeProblem:
    """Find the tree of a depth that maximises the sum of gain[row, action of the row's leaf] (eq:MILP1).

    Attributes
    ----------
    features
        [row, feature] finite numbers.
    gain
        [row, action] finite numbers (the paper's Phi_i * Q_ik).
    depth
        Most splits on a path.
    max_leaves
        Most leaves, or None for 2**depth.
    frozen
        Nodes that may not change, or None.
    """

    features: Features
    gain: PerStateAction
    depth: int
    max_leaves: int | None = None
    frozen: Frozen | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", _numbers("features", self.features))
        object.__setattr__(self, "gain", _numbers("gain", self.gain))
        features, gain = self.features, self.gain
        if features.ndim != 2 or gain.ndim != 2 or len(features) != len(gain):
            raise InvalidProblemError(
                f"features [row, feature] and gain [row, action] need as many rows; got shapes {features.shape}"
                f" and {gain.shape}"
            )
        if gain.shape[1] == 0:
            raise InvalidProblemError("gain has no column: a tree needs at least one action")
        for name, array in (("features", features), ("gain", gain)):
            if not np.isfinite(array).all():
                row, column = (int(k) for k in np.argwhere(~np.isfinite(array))[0])
                raise InvalidProblemError(
                    f"{name}[{row}, {column}] is {array[row, column]}: only finite numbers are allowed"
                )
        largest = max(float(gain.max(initial=0.0)), -float(gain.min(initial=0.0)))
        if largest * len(gain) > MOST_GAIN and np.abs(gain).max(axis=1) @ np.full(len(gain), 1 / MOST_GAIN) > 1:
            size = np.abs(gain).max(axis=1)  # joining rows does not raise the sum of these
            row = int(size.argmax())
            raise InvalidProblemError(
                f"gain[{row}, {int(np.abs(gain[row]).argmax())}] is {size[row]:.3g} in size, and the gains of all rows "
                f"may add up to more than {MOST_GAIN:g}; divide them by a constant"
            )
        whole_from(0, "depth", self.depth, LARGEST)
        if self.max_leaves is not None:
            whole_from(1, "max_leaves", self.max_leaves, LARGEST)
        if self.frozen is not None:
            object.__setattr__(self, "frozen", _checked(self.frozen, self.depth, features.shape[1], gain.shape[1]))

    def collected(self, tree: Tree) -> float:
        """The gain that a tree collects."""
        return float(self.gain[np.arange(len(self.gain)), tree.actions(self.features)].sum())


def _numbers(name: str, values: Any) -> Floats:
    """The values as a frozen array, if they are real numbers that float64 can hold."""
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return frozen_array(values, np.float64)
    try:
        array, inexact = np.asarray(values), first_inexact(values)
    except ValueError as error:
        raise InvalidProblemError(f"{name} is no array of numbers: {str(error).splitlines()[0]}") from None
    if inexact is not None:
        index, number = inexact
        raise InvalidProblemError(
            f"{name}{list(index)} is {number}, which float64 cannot hold; subtract an offset from the column"
        )
    if array.dtype.kind not in "biuf" and array.size:
        raise InvalidProblemError(f"{name} is no array of numbers: its entries are of type {array.dtype}")
    with np.errstate(over="ignore"):
        return frozen_array(array, np.float64)


def whole_from(least: int, name: str, value: Any, most: int | None = None) -> None:
    """Refuse what is no whole number, a smaller one, or a larger one than `most`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InvalidProblemError(f"{name} is {in_short(value)}; it must be a whole number, {least} or more")
    if most is not None and int(value) > most:
        raise InvalidProblemError(f"{name} is {in_short(value)}; it must be a whole number, {least} to {most}")


def too_few_leaves(problem: TreeProblem) -> InvalidProblemError:
    """For an engine that finds no tree at all: only frozen splits can be the reason."""
    return InvalidProblemError(
        f"max_leaves is {problem.max_leaves}, but the frozen splits alone make more leaves; raise it"
    )


def _checked(frozen: Frozen, depth: int, num_features: int, num_actions: int) -> Frozen:
    """The frozen nodes as arrays of the right type; what an engine could trip over is refused here, once."""
    if not isinstance(frozen, Frozen):
        raise InvalidProblemError(f"frozen is of type {type(frozen).__name__}; give a Frozen of three arrays")
    inner = 2**depth - 1
    arrays = []
    for name, size, kinds in (("feature", inner, "iu"), ("threshold", inner, "iuf"), ("action", inner + 1, "iu")):
        array = np.asarray(getattr(frozen, name))
        if array.shape != (size,):
            raise InvalidProblemError(
                f"frozen describes {len(np.atleast_1d(frozen.feature))} inner nodes,"
                f" {len(np.atleast_1d(frozen.threshold))} thresholds and {len(np.atleast_1d(frozen.action))} leaves;"
                f" a tree of depth {depth} has {inner}, {inner} and {inner + 1}"
            )
        if array.dtype.kind not in kinds and size:
            kind = "numbers" if "f" in kinds else "whole numbers"
            raise InvalidProblemError(f"frozen {name} is of type {array.dtype}; it must hold {kind}")
        arrays.append(array)
    feature, threshold, action = arrays
    for node in np.flatnonzero((feature < FREE) | (feature >= num_features)):
        raise InvalidProblemError(
            f"frozen feature of node {node} is {feature[node]}; features are 0 to {num_features - 1}, or UNSPLIT"
            f" ({UNSPLIT}) or FREE ({FREE})"
        )
    for node in np.flatnonzero((feature >= 0) & ~np.isfinite(threshold)):
        raise InvalidProblemError(f"frozen threshold of node {node} is {threshold[node]}; it must be finite")
    for leaf in np.flatnonzero((action != FREE) & ((action < 0) | (action >= num_actions))):
        raise InvalidProblemError(
            f"frozen action of leaf {leaf} is {action[leaf]}; actions are 0 to {num_actions - 1}, or FREE ({FREE})"
        )
    return Frozen(
        frozen_array(feature, np.int32),
        frozen_array(np.where(feature >= 0, threshold, 0.0), np.float64),
        frozen_array(action, np.int32),
    )


def check_start(problem: TreeProblem, start: Tree | None) -> None:
    """Refuse a start that is not a tree of the problem."""
    if start is None:
        return
    if not isinstance(start, Tree):
        raise InvalidProblemError(f"start is of type {type(start).__name__}; give a Tree, such as `policy.tree`")
    check_range(start, problem.features.shape[1], problem.gain.shape[1], "start")
    check_fit(start, problem.depth, problem.max_leaves)
    if problem.frozen is not None and not respects(problem.frozen, start):
        raise InvalidProblemError("start differs from the frozen nodes; freeze nodes of the start itself")


def respects(frozen: Frozen, tree: Tree) -> bool:
    """Whether a tree agrees with every frozen node that its rows can reach, an early leaf being an unsplit node."""
    inner = len(frozen.feature)

    @cache
    def agrees(node: int, at: int) -> bool:
        if at >= inner:
            fixed = int(frozen.action[at - inner])
            return bool(tree.feature[node] < 0 and fixed in (FREE, tree.action[node]))
        fixed = int(frozen.feature[at])
        if tree.feature[node] < 0:
            if fixed == UNSPLIT:
                while at < inner:
                    at = 2 * at + 2
                return agrees(node, at)
            return fixed == FREE and (agrees(node, 2 * at + 2) or agrees(node, 2 * at + 1))
        if fixed == UNSPLIT:
            return False
        same = (fixed, float(frozen.threshold[at])) == (tree.feature[node], float(tree.threshold[node]))
        if (fixed == FREE or same) and (
            agrees(int(tree.left[node]), 2 * at + 1) and agrees(int(tree.right[node]), 2 * at + 2)
        ):
            return True
        return fixed == FREE and (agrees(node, 2 * at + 1) or agrees(node, 2 * at + 2))  # all rows one way

    return agrees(0, 0)
