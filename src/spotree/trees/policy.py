"""A tree that knows what its features and actions are called: the policy a person is handed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from spotree.common.arrays import ActionOf, Features, frozen_array
from spotree.common.lookup import listed, places
from spotree.errors import InvalidProblemError
from spotree.trees.inputs import NumberedStates, row_of, table_of, whole_number
from spotree.trees.serialize import check_range
from spotree.trees.text import Explanation, explained, tree_text
from spotree.trees.tree import Tree, route


@dataclass(frozen=True, slots=True, eq=False)
class TreePolicy:
    """A decision-tree policy: called with a state it names the action, `predict` decides for tables, `str()` reads.

    Where it meets a model it is matched by the names of features and actions, in whatever order the model has them.
    `states` are those of the model that it was found on, by number; a policy from a file has none, until `for_model`.
    """

    tree: Tree
    feature_names: tuple[str, ...]
    action_names: tuple[str, ...]
    states: NumberedStates | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for kind, names in (("feature", self.feature_names), ("action", self.action_names)):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise InvalidProblemError(f"{kind} name {twice!r} occurs more than once; names must be different")
        check_range(self.tree, len(self.feature_names), len(self.action_names))

    @property
    def depth(self) -> int:
        return self.tree.depth

    @property
    def num_leaves(self) -> int:
        return self.tree.num_leaves

    def actions(self, features: Features) -> ActionOf:
        """The action for each row of `features` [state, feature], whose columns are in the order of `feature_names`."""
        return self.tree.action[route(self.tree, features, self.feature_names)]

    def predict(self, given: Any) -> Any:
        """The numbers of the actions, as scikit-learn and stable-baselines call it; `action_names[number]` is the name.

        Parameters
        ----------
        given
            An array [row, feature]: the answer is an array, one number a row. One row [feature]: the answer is one
            NumPy integer, which an environment's `step` takes as it is (stable-baselines returns a pair instead, its
            second part the state of a recurrent policy). A data frame: columns are matched by their names.
        """
        table, one = table_of(given, self.feature_names)
        actions = self.actions(table)
        return actions[0] if one else actions

    def act(self, observation: Any) -> int:
        """The number of the action for what an environment gives; `env.step` takes it.

        Parameters
        ----------
        observation
            The number of a state (a whole number), as gymnasium's tabular environments give it; or the features of the
            state: an array or a tuple in the order of `feature_names`, or {feature: value}.

        Examples
        --------
        >>> observation, reward, terminated, truncated, info = env.step(policy.act(observation))
        """
        number = whole_number(observation)
        if number is not None and self.states is not None:
            observation = self.states.row(number)
        elif number is not None:
            if self.feature_names != ("state",):
                raise InvalidProblemError(
                    f"the policy does not know the features of state {number}: call policy = policy.for_model(mdp) once"
                    f" with the model, or pass the features ({listed(self.feature_names)})"
                )
            observation = [number]
        return self.explain(observation).action_number

    def for_model(self, mdp: Any) -> "TreePolicy":
        """The policy with the features and actions of this MDP in their order; `act` then takes its state numbers."""
        tree = self.tree_for(mdp.feature_names, mdp.action_names)
        return TreePolicy(tree, mdp.feature_names, mdp.action_names, NumberedStates(mdp.state_number, mdp.features))

    def __call__(self, state: Any) -> str:
        """The name of the action in one state: a row of numbers, or {feature: value}."""
        return self.explain(state).action

    def explain(self, state: Any) -> Explanation:
        """The questions on the way of one state (a row of numbers, or {feature: value}), and the action."""
        row = row_of(state, self.feature_names)
        return explained(self.tree, row, self.feature_names, self.action_names)

    def tree_for(self, feature_names: Sequence[str], action_names: Sequence[str]) -> Tree:
        """The tree with its features and actions numbered as in these names, which must be the policy's own."""
        if tuple(feature_names) == self.feature_names and tuple(action_names) == self.action_names:
            return self.tree
        feature = places("feature", self.feature_names, feature_names, "the policy")
        action = places("action", self.action_names, action_names, "the policy")
        tree, inner = self.tree, self.tree.feature >= 0
        return replace(
            tree,
            feature=frozen_array(np.where(inner, feature[tree.feature], -1), np.int32),
            action=frozen_array(np.where(inner, -1, action[tree.action]), np.int32),
        )

    def _repr_svg_(self) -> str | None:
        from spotree.exports.notebook import policy_svg

        return policy_svg(self)

    def __str__(self) -> str:
        return tree_text(self.tree, self.feature_names, self.action_names)

    def to(
        self, format: str | None = None, path: str | PathLike[str] | None = None, model: Any = None, **options: Any
    ) -> Any:
        """The policy in another format, as `spotree.export` makes it."""
        from spotree.exports.export import export

        return export(self, format, path, model, **options)

    def to_c(self, path: str | PathLike[str] | None = None) -> str:
        """A C99 function and an enum of the actions."""
        return str(self.to("c", path))

    def to_dot(self, path: str | PathLike[str] | None = None) -> str:
        """A graph for Graphviz."""
        return str(self.to("dot", path))

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """A document that `load` reads back."""
        return str(self.to("json", path))

    def to_onnx(self, path: str | PathLike[str] | None = None) -> bytes:
        """A model for ONNX runtimes."""
        return bytes(self.to("onnx", path))

    def to_python(self, path: str | PathLike[str] | None = None) -> str:
        """A Python function without imports."""
        return str(self.to("python", path))

    def to_sklearn(self) -> Any:
        """A fitted DecisionTreeClassifier."""
        return self.to("sklearn")

    def to_svg(self, path: str | PathLike[str] | None = None) -> str:
        """A drawing."""
        return str(self.to("svg", path))

    @staticmethod
    def load(path: str | PathLike[str]) -> "TreePolicy":
        """The policy in a file that `to_json` wrote, or in a saved solution."""
        from spotree.exports.json import read_tree

        return read_tree(path)
