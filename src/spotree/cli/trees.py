"""How a command gets a tree: from a file, matched with the model by names."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.tree.policy import TreePolicy

TreeFile = Annotated[Path, typer.Argument(help="A saved solution (`spotree solve --out`), or a tree as JSON.")]


def open_tree(path: Path, mdp: "MDP") -> "TreePolicy":
    """The policy in a file: a saved solution, or a tree with its names; refused where it does not fit the model."""
    from spotree.claims import json_bytes, regular_bytes
    from spotree.errors import InvalidProblemError, ReadError
    from spotree.methods.solution import LARGEST_FILE, Solution
    from spotree.tree.claim import FORMAT, claimed_policy

    try:
        claim = json_bytes(regular_bytes(path, LARGEST_FILE))
        named = claim.get("format") if isinstance(claim, dict) else None
        policy = claimed_policy(claim) if named == FORMAT else Solution.load(path).policy
        policy.tree_for(mdp.feature_names, mdp.action_names)
    except (ValueError, InvalidProblemError) as error:
        raise ReadError(f"{path}: {error}") from error
    return policy
