"""Exporting a tree: the one verb that looks a format up, makes it and writes it."""

import os
from importlib import import_module
from inspect import signature
from typing import Any

from spotree.common.atomic_file import check_target, whole_file
from spotree.common.lookup import called
from spotree.errors import InvalidProblemError
from spotree.evaluation.availability import lacking
from spotree.exports.registry import FORMATS, Format, format_of
from spotree.mdp.model import MDP
from spotree.results.provenance import check_model, model_of
from spotree.results.solution import Solution
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import Tree


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
        `goal`, `avoid` and `actions` as for `read`; see `help(spotree.exports.prism.export.to_prism)`.

    Where visited states do not offer the tree's action, a comment or a metadata entry of the file says so, except in
    "storm" and "sklearn", which have no place for it.

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
                f"format {form.name!r} is an object, not a file; drop path={os.fspath(path)!r}"
            )
        check_target(path)
    arguments = policy_of(tree), *_models(form, tree, model)
    remark = remark_on(tree, model)
    if remark and "remark" in _options(form):
        options = {"remark": remark} | options
    made = _function(form)(*arguments, **_known(form, options))
    if remark and form.remarked is not None:
        made = form.remarked.format(remark=remark, text=made)
    if path is not None:
        with whole_file(path) as stream:
            stream.write(made if isinstance(made, bytes) else made.encode())
    return made


def remark_on(tree: Solution | TreePolicy | Tree, model: MDP | None = None) -> str:
    """One line if visited states do not offer the tree's action, as far as that is known; else empty."""
    if isinstance(tree, Solution) and tree.lacking is not None:
        return tree.lacking.text(tree.missing)
    return "" if model is None else lacking(model, tree).text(model.missing)


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
            raise InvalidProblemError(f"format {form.name!r} says nothing of the model; drop it")
        return ()
    if model is not None:
        if isinstance(tree, Solution):
            check_model(tree, model)
        return (model,)
    if isinstance(tree, Solution):
        return (model_of(tree),)
    raise InvalidProblemError(f"format {form.name!r} needs the model as well: pass the MDP, read as for the run")


def _known(form: Format, options: dict[str, Any]) -> dict[str, Any]:
    taken = _options(form)
    for name in options:
        if name not in taken:
            listed = ", ".join(sorted(taken)) or "none"
            raise InvalidProblemError(f"format {form.name!r} has no option {name!r}; it has {listed}")
    return options


def _options(form: Format) -> set[str]:
    return {name for name in signature(_function(form)).parameters if name not in ("policy", "mdp", "tree")}


def _function(form: Format) -> Any:
    return getattr(import_module(f"spotree.exports.{form.module}"), form.function)
