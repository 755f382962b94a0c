"""From a model to a tree policy: one call, whatever the method."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.history import Progress
from spotree.methods.request import check_limits, check_size
from spotree.methods.solution import Solution
from spotree.methods.start import Start

# Methods by name, each "module:function". Baselines stand above this layer, so they are looked up when asked for.
METHODS = {
    "neighbourhood": "spotree.methods.neighbourhood:neighbourhood",
    "spot": "spotree.methods.presets:spot_for",
    "spot+ws": "spotree.methods.warm_start:spot_from_omdt",
    "omdt": "spotree.methods.omdt:omdt",
    "viper": "spotree.methods.viper:viper",
}
# What takes the settings that a method hands on.
HANDS_ON = {
    "spot": "spotree.methods.presets:spot_settings",
    "spot+ws": "spotree.methods.presets:spot_settings",
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
        start: Start | None,
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
    start: Start | None = None,
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
        A tree to begin with; the answer is never worse. A `Solution` or `TreePolicy` is matched with the model by the
        names of its features and actions; a bare `Tree` has none and is taken by position. One that is larger than
        asked, even without the splits that part no states, is refused.
    progress
        Called with a `Progress` now and then.
    settings
        What only this method knows, such as `engine="rsbb"` for "spot".
    """
    if not isinstance(method, str) or method not in METHODS:
        raise InvalidProblemError(f"method {method!r} is unknown; choose one of {', '.join(METHODS)}")
    check_size(mdp, depth, max_leaves)
    check_limits(time_limit, seed, threads)
    _check_settings(method, settings)
    run: Method = _found(METHODS[method])
    return run(
        mdp,
        depth,
        max_leaves=max_leaves,
        time_limit=time_limit,
        seed=seed,
        threads=threads,
        start=start,
        progress=progress,
        **settings,
    )


def _check_settings(method: str, settings: dict[str, Any]) -> None:
    """Refuse what the method does not know; say who does."""
    own = _settings_of(method)
    for name in settings:
        if name not in own:
            others = [other for other in METHODS if name in _settings_of(other)]
            known = f"; {name!r} is a setting of {', '.join(others)}" if others else ""
            raise InvalidProblemError(
                f"method {method!r} has no setting {name!r}; it has {', '.join(own) or 'none of its own'}{known}"
            )


def _settings_of(method: str) -> list[str]:
    """The settings beyond those of every method: its own, and those that it hands on."""
    takers = [table[method] for table in (METHODS, HANDS_ON) if method in table]
    return [name for taker in takers for name in _named(_found(taker)) if name not in _named(solve)]


def _named(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is not inspect.Parameter.VAR_KEYWORD]


def _found(place: str) -> Callable[..., Any]:
    module, function = place.split(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
