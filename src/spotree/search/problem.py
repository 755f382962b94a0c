"""One improvement step as a problem: features, gains, a depth, and what may not change."""

from dataclasses import dataclass

import numpy as np

from spotree.axes import Features, Floats, PerStateAction, SmallInts, frozen_array
from spotree.errors import InvalidProblemError

FREE = -2  # in Frozen.feature and Frozen.action: the engine may choose
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
        object.__setattr__(self, "features", frozen_array(self.features, np.float64))
        object.__setattr__(self, "gain", frozen_array(self.gain, np.float64))
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
        if not isinstance(self.depth, int | np.integer) or self.depth < 0:
            raise InvalidProblemError(f"depth is {self.depth}; it must be a whole number, 0 or more")
        if self.max_leaves is not None and self.max_leaves < 1:
            raise InvalidProblemError(f"max_leaves is {self.max_leaves}; it must be 1 or more")
        if self.frozen is not None:
            object.__setattr__(self, "frozen", _checked(self.frozen, self.depth, features.shape[1], gain.shape[1]))


def _checked(frozen: Frozen, depth: int, num_features: int, num_actions: int) -> Frozen:
    """The frozen nodes as arrays of the right type; what an engine could trip over is refused here, once."""
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
