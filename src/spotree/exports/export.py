"""Exporting a tree: the one verb that looks a format up, makes it and writes it."""

import os
from importlib import import_module
from inspect import signature
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.exports.table import FORMATS, Format, format_of
from spotree.files import check_target, whole_file
from spotree.mdp.model import MDP
from spotree.methods.remembered import check_model, model_of
from spotree.methods.solution import Solution
from spotree.names import called
from spotree.tree.policy import TreePolicy
from spotree.tree.tree import Tree


def export(
    tree: Solution | TreePolicy | Tree,
    to: str | None = None,
    path: str | os.PathLike[str] | None = None,
    model: MDP | None = None,
    **options: Any,
) -> Any:
    """The tree in another format: as text, as bytes or as an object, and in a file if a path is given.

    Parameters
    ----------
    tree
        A solution, a policy, or a bare tree, whose names are then "feature 0", "action 0" and so on.
    to
        The format, one of `spotree export --list`; None takes the one that the ending of the path stands for.
    path
        A file to write, whole or not at all.
    model
        The model, for a format that needs it ("storm", "prism"); a solution remembers its own while that is held.
    options
        What the function of the format takes beside: "prism" the PRISM file as `source`, with `constants`, `reward`,
        `goal` and `actions` as for `read`; see `help(spotree.exports.prism.to_prism)`.

    Returns
    -------
    str, bytes or an object
        What the file holds, or would hold.

    Raises
    ------
    InvalidProblemError
        Where the format is unknown, the model is missing or not wanted, or the tree is too deep for the format.
    UnwrittenError
        Where the file cannot be written.

    Examples
    --------
    >>> spotree.export(solution, "c", "policy.c")
    """
    form = _format(to, path)
    if path is not None:
        if form.gives == "object":
            raise InvalidProblemError(
                f"format {form.module!r} is an object, not a file; drop path={os.fspath(path)!r}"
            )
        check_target(path)
    arguments = policy_of(tree), *_models(form, tree, model)
    made = _function(form)(*arguments, **_known(form, options))
    if path is not None:
        with whole_file(path) as stream:
            stream.write(made if isinstance(made, bytes) else made.encode())
    return made


def policy_of(tree: Solution | TreePolicy | Tree) -> TreePolicy:
    """The policy of whatever holds one; a bare tree gets names that are numbers."""
    if isinstance(tree, Solution):
        return tree.policy
    if isinstance(tree, TreePolicy):
        return tree
    if isinstance(tree, Tree):
        features, actions = int(tree.feature.max()) + 1, int(tree.action.max()) + 1
        return TreePolicy(
            tree,
            tuple(f"feature {number}" for number in range(features)),
            tuple(f"action {number}" for number in range(actions)),
        )
    raise InvalidProblemError(f"{type(tree).__name__} is no tree; give a Solution, a TreePolicy or a Tree")


def _format(to: str | None, path: str | os.PathLike[str] | None) -> Format:
    if to is None:
        if path is None:
            raise InvalidProblemError(f"no format is given; choose one of {', '.join(FORMATS)}")
        to = format_of(os.fspath(path))
        if to is None:
            raise InvalidProblemError(
                f"{os.fspath(path)}: the ending stands for no format; choose one of {', '.join(FORMATS)}"
            )
    return called("format", to, FORMATS)


def _models(form: Format, tree: Solution | TreePolicy | Tree, model: MDP | None) -> tuple[MDP, ...]:
    """What the function of a format takes after the policy."""
    if not form.needs_model:
        if model is not None:
            raise InvalidProblemError(f"format {form.module!r} says nothing of the model; drop it")
        return ()
    if model is not None:
        if isinstance(tree, Solution):
            check_model(tree, model)
        return (model,)
    if isinstance(tree, Solution):
        return (model_of(tree),)
    raise InvalidProblemError(f"format {form.module!r} needs the model as well: pass the MDP, read as for the run")


def _known(form: Format, options: dict[str, Any]) -> dict[str, Any]:
    taken = {
        name for name, one in signature(_function(form)).parameters.items() if name not in ("policy", "mdp", "tree")
    }
    for name in options:
        if name not in taken:
            listed = ", ".join(sorted(taken)) or "none"
            raise InvalidProblemError(f"format {form.module!r} has no option {name!r}; it has {listed}")
    return options


def _function(form: Format) -> Any:
    return getattr(import_module(f"spotree.exports.{form.module}"), form.function)
