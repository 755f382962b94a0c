"""From a model to a tree policy: one call, whatever the method."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, cast

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.solve.history import Progress
from spotree.solve.request import check_limits, check_size
from spotree.solve.solution import Solution
from spotree.tree.policy import TreePolicy
from spotree.tree.tree import Tree

# Methods by name, each "module:function". Baselines stand above this layer, so they are looked up when asked for.
METHODS = {
    "neighbourhood": "spotree.solve.neighbourhood:neighbourhood",
    "spot": "spotree.solve.presets:spot_for",
    "spot+ws": "spotree.baselines.warm_start:spot_from_omdt",
    "omdt": "spotree.baselines.omdt:omdt",
    "viper": "spotree.baselines.viper:viper",
}


class Method(Protocol):
    """A way to a tree policy; takes what it understands and refuses the rest."""

    def __call__(
        self,
        mdp: MDP,
        depth: int,
        *,
        max_leaves: int | None,
        time_limit: float | None,
        seed: int,
        threads: int | None,
        start: Tree | None,
        progress: Callable[[Progress], Any] | None,
        **settings: Any,
    ) -> Solution: ...


def solve(
    mdp: MDP,
    depth: int,
    *,
    max_leaves: int | None = None,
    method: str = "neighbourhood",
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Solution | TreePolicy | Tree | None = None,
    progress: Callable[[Progress], Any] | None = None,
    **settings: Any,
) -> Solution:
    """The best tree policy that a method finds in the time given.

    Parameters
    ----------
    depth, max_leaves
        The size of tree: most splits on a path, and most leaves in all.
    method
        "neighbourhood" (searches by true return), "spot" (the paper's Algorithm 1), "spot+ws" (the same from
        a start of OMDT), "omdt" (one mixed-integer program), "viper" (imitation of the best policy).
    time_limit
        Wall-clock seconds.
    seed
        The same seed and number of threads give the same rounds; the time limit decides after which round to stop.
    threads
        All cores if not given.
    start
        A tree to begin with; the answer is never worse.
    progress
        Called with a `Progress` now and then.
    settings
        What only this method knows, such as `engine="rsbb"` for "spot".
    """
    if method not in METHODS:
        raise InvalidProblemError(f"method {method!r} is unknown; choose one of {', '.join(METHODS)}")
    check_size(mdp, depth, max_leaves)
    check_limits(time_limit, seed, threads)
    module, function = METHODS[method].split(":")
    run = cast(Method, getattr(import_module(module), function))
    _check_settings(method, run, settings)
    return run(
        mdp,
        depth,
        max_leaves=max_leaves,
        time_limit=time_limit,
        seed=seed,
        threads=threads,
        start=_tree_of(start),
        progress=progress,
        **settings,
    )


def _check_settings(method: str, run: Method, settings: dict[str, Any]) -> None:
    """Refuse what the method does not know, unless it hands its settings on."""
    known = inspect.signature(run).parameters
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in known.values()):
        return
    own = [name for name in known if name not in inspect.signature(solve).parameters]
    for name in settings:
        if name not in known:
            raise InvalidProblemError(
                f"method {method!r} has no setting {name!r}; it has {', '.join(own) or 'none of its own'}"
            )


def _tree_of(start: Solution | TreePolicy | Tree | None) -> Tree | None:
    if isinstance(start, Solution):
        return start.policy.tree
    if isinstance(start, TreePolicy):
        return start.tree
    if start is not None and not isinstance(start, Tree):
        raise InvalidProblemError(
            f"start is of type {type(start).__name__}; give a Solution (Solution.load reads a saved one) or a tree"
        )
    return start
