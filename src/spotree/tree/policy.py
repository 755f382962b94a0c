"""A tree that knows what its features and actions are called: the policy a person is handed."""

from dataclasses import dataclass

from spotree.axes import ActionOf, Features
from spotree.tree.route import route
from spotree.tree.text import tree_text
from spotree.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class TreePolicy:
    """A decision-tree policy: `actions(features)` decides, `str()` reads."""

    tree: Tree
    feature_names: tuple[str, ...]
    action_names: tuple[str, ...]

    @property
    def depth(self) -> int:
        return self.tree.depth

    @property
    def num_leaves(self) -> int:
        return self.tree.num_leaves

    def actions(self, features: Features) -> ActionOf:
        """The action for each row of `features` [state, feature]."""
        return self.tree.action[route(self.tree, features, self.feature_names)]

    def __str__(self) -> str:
        return tree_text(self.tree, self.feature_names, self.action_names)
