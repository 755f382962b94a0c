"""Where a branch and bound stands, as its checkpoint says."""

import math
import os
from dataclasses import dataclass

import numpy as np

from spotree.checkpoint import ArrayClaim, Checkpoint, Layout, load_checkpoint
from spotree.common.arrays import Ints
from spotree.common.untrusted import ClaimError, number, optional, record, whole
from spotree.errors import InvalidProblemError, ReadError
from spotree.improvement.engines.rsbb.config import Ground
from spotree.improvement.problem import TreeProblem, check_start
from spotree.trees.serialize import claimed_tree, tree_entry, tree_lists
from spotree.trees.tree import Tree

VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class SavedRegions:
    """What is open, and what is known of the rest.

    Attributes
    ----------
    tree
        The best tree; every tree outside of the open regions collects at most as much, up to the gap.
    discarded
        No tree outside of the open regions loses less.
    """

    regions: Ints
    tree: Tree
    discarded: float
    expanded: int = 0

    def checkpoint(self, ground: Ground) -> Checkpoint:
        """It as a file holds it."""
        return Checkpoint(
            kind="rsbb",
            version=VERSION,
            model=ground.digest,
            model_name="an improvement step",
            depth=ground.depth,
            max_leaves=ground.max_leaves,
            settings={"gap": ground.gap_tolerance},
            state={
                "tree": tree_lists(self.tree),
                "discarded": self.discarded if math.isfinite(self.discarded) else None,
                "expanded": self.expanded,
            },
            arrays={"regions": self.regions},
        )


def load_regions(path: str | os.PathLike[str], ground: Ground, problem: TreeProblem) -> SavedRegions:
    """What the checkpoint of that step says; losses are computed anew, that no region is missing is believed."""
    found = load_checkpoint(path, _LAYOUT)
    found.refuse_other(
        path,
        model=ground.digest,
        depth=ground.depth,
        max_leaves=ground.max_leaves,
        settings={"gap": ground.gap_tolerance},
    )
    state = found.state
    try:
        tree = claimed_tree(state["tree"])
        check_start(problem, tree)
    except (ClaimError, InvalidProblemError) as error:
        raise ReadError(f"{path}: not a checkpoint, or a damaged one ({error})") from error
    discarded = math.inf if state["discarded"] is None else float(state["discarded"])
    return SavedRegions(np.ascontiguousarray(found.arrays["regions"]), tree, discarded, state["expanded"])


_STATE = {"tree": tree_entry, "discarded": optional(number()), "expanded": whole(0)}
_LAYOUT = Layout("rsbb", VERSION, record({"gap": number(0)}), record(_STATE), {"regions": ArrayClaim("<i8", 2)})
