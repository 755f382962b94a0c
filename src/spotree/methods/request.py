"""What may be asked of a search, checked before any work is done."""

from numbers import Integral, Real
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP


def check_size(mdp: Any, depth: Any, max_leaves: Any) -> None:
    """A model and a size of tree."""
    if not isinstance(mdp, MDP):
        given = f"{type(mdp).__name__} {mdp!r:.40}" if isinstance(mdp, str) else type(mdp).__name__
        raise InvalidProblemError(f"expected an MDP, got {given}; load(name), read(file) and build_mdp give one")
    _whole("depth", depth, 0)
    if max_leaves is not None:
        _whole("max_leaves", max_leaves, 1)


def check_limits(time_limit: Any, seed: Any, threads: Any) -> None:
    """How long, by which chance and on how many cores."""
    if time_limit is not None and (not isinstance(time_limit, Real) or not float(time_limit) >= 0):
        raise InvalidProblemError(f"time_limit is {time_limit!r}; it must be 0 or more seconds, or None")
    _whole("seed", seed, 0)
    if threads is not None:
        _whole("threads", threads, 1)


def _whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InvalidProblemError(f"{name} is {value!r}; it must be a whole number, {least} or more")
