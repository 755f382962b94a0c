"""How a command gets a tree: from a file, matched with the model by names."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.trees.policy import TreePolicy

TREE_HELP = "A saved solution (`spotree solve --out`), a tree as JSON, or a tree of dtControl."
TreeFile = Annotated[Path, typer.Argument(help=TREE_HELP)]


def open_tree(path: Path, mdp: "MDP") -> "TreePolicy":
    """The policy in a file; refused where it does not fit the model."""
    from spotree.imports.import_tree import import_tree

    return import_tree(path, mdp.feature_names, mdp.action_names)
