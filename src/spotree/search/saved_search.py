"""Checkpoint of a search."""

import math
import os
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from spotree.checkpoint import Checkpoint, Layout, load_checkpoint
from spotree.common.atomic_file import utf8_name
from spotree.common.untrusted import ClaimError, list_of, number, optional, record, text, whole
from spotree.errors import InvalidProblemError, ReadError
from spotree.mdp.model import MDP, fingerprint
from spotree.results.progress import Progress, claimed_line, line_entry
from spotree.trees.serialize import check_fit, check_range, claimed_tree, tree_entry, tree_lists
from spotree.trees.tree import Tree

VERSION = 1
MOST_NODES = 100_000  # of all trees beside the best: a checkpoint stays small


@dataclass(frozen=True, slots=True, eq=False)
class SavedSearch:
    """What a search has reached.

    Attributes
    ----------
    tree, value
        The best tree, and its return as the search saw it; -inf where no feasible one was found.
    bound
        No tree of the size returns more, as far as was proved.
    rounds, seconds
        Of all runs so far.
    seed, runs
        The seed, and how many runs there were: each draws from a stream of its own.
    others
        Further good trees, of other sizes.
    history
        The lines of all runs.
    path
        The file that it was read from.
    """

    tree: Tree
    value: float
    bound: float
    rounds: int
    seconds: float
    seed: int
    runs: int
    others: tuple[Tree, ...] = field(default=())
    history: tuple[Progress, ...] = field(default=())
    path: str = ""

    def checkpoint(self, name: str, model: str, depth: int, max_leaves: int | None) -> Checkpoint:
        """It as a file holds it, of the model with that name and fingerprint."""
        plain = {name: getattr(self, name) for name in ("value", "bound", "rounds", "seconds", "seed", "runs")}
        trees = {"tree": tree_lists(self.tree), "others": [tree_lists(tree) for tree in _few(self.others)]}
        return Checkpoint(
            kind="search",
            version=VERSION,
            model=model,
            model_name=name,
            depth=depth,
            max_leaves=max_leaves,
            settings={"method": "neighbourhood"},
            state=plain | trees | {"history": [asdict(line) for line in self.history]},
        )

    def stream(self, seed: int) -> int:
        """What the next run draws from, which does not repeat what the runs before did."""
        return int(np.random.SeedSequence([seed, self.runs]).generate_state(1, np.uint64)[0])


def load_search(path: str | os.PathLike[str], mdp: MDP, depth: int, max_leaves: int | None) -> SavedSearch:
    """What the checkpoint of a search for that model and size says."""
    found = load_checkpoint(path, _LAYOUT)
    found.refuse_other(path, model=fingerprint(mdp), depth=depth, max_leaves=max_leaves)
    state = found.state
    try:
        tree, *others = (claimed_tree(entry) for entry in [state["tree"], *state["others"]])
        for each in (tree, *others):
            check_range(each, mdp.num_features, mdp.num_actions)
        check_fit(tree, depth, max_leaves)
    except (ClaimError, InvalidProblemError) as error:
        raise ReadError(f"{path}: not a checkpoint, or a damaged one ({error})") from error
    return SavedSearch(
        tree,
        -math.inf if state["value"] is None else float(state["value"]),
        math.inf if state["bound"] is None else float(state["bound"]),
        state["rounds"],
        float(state["seconds"]),
        state["seed"],
        state["runs"],
        tuple(
            each for each in others if each.depth <= depth and each.num_leaves <= (max_leaves or each.num_leaves)
        ),
        tuple(map(claimed_line, state["history"])),
        utf8_name(path),
    )


def _few(trees: tuple[Tree, ...]) -> list[Tree]:
    """As many of the first ones as a small file holds."""
    sizes = np.cumsum([len(tree.feature) for tree in trees])
    return [tree for tree, size in zip(trees, sizes, strict=True) if size <= MOST_NODES]


_STATE: dict[str, Any] = {
    "tree": tree_entry,
    "value": optional(number()),
    "bound": optional(number()),
    "rounds": whole(0),
    "seconds": number(0),
    "seed": whole(0),
    "runs": whole(1),
    "others": list_of(tree_entry),
    "history": list_of(line_entry),
}
_LAYOUT = Layout("search", VERSION, record({"method": text()}), record(_STATE))
