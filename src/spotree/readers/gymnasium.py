"""Models inside gymnasium environments that publish their transition table `P`."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from spotree.common.arrays import Features
from spotree.errors import MissingExtraError, ReadError
from spotree.mdp import MDP, ChoiceRows, build_mdp
from spotree.readers.options import ReadOptions

Decoded: TypeAlias = tuple[Features, tuple[str, ...], tuple[str, ...]]  # features, feature names, action names


def read_gymnasium(source: Any, options: ReadOptions) -> MDP:
    """The MDP of an environment or of an environment's id, such as "FrozenLake-v1".

    A transition that the table marks as terminated ends the episode: nothing is earned after it. (Time limits are
    not part of the table.)
    """
    options.refuse("a gymnasium environment", "constants", "reward", "goal", "avoid", "actions", "drop_actions")
    env = _make(source, options.env_kwargs) if isinstance(source, str) else source
    inner = env.unwrapped
    name = options.name or (env.spec.id if getattr(env, "spec", None) is not None else type(inner).__name__)
    table = _table(inner, name)
    rows, reward, ends = _choices(table, name)
    features, feature_names, action_names = _decoded(inner, len(table), int(rows.action.max()) + 1)
    initial = getattr(inner, "initial_state_distrib", None)
    notes = {"source": f"gymnasium {name}"}
    if options.env_kwargs:
        notes["made with"] = ", ".join(f"{key}={value}" for key, value in options.env_kwargs.items())
    if initial is None:
        notes["initial"] = "uniform over all states (the environment does not say)"
    if options.sense == "min" and rows.num_choices < len(table) * len(action_names):
        options.refuse_cheap_end(name)
    return build_mdp(
        rows,
        reward,
        options.discount_or(),
        initial=initial,
        features=features,
        feature_names=feature_names,
        action_names=action_names,
        missing=options.missing_or(),
        missing_reward=options.missing_reward_or(),
        ends=ends,
        name=name,
        notes=notes,
        sense=options.sense,
    )


def _make(env_id: str, given: Mapping[str, Any]) -> Any:
    try:
        import gymnasium
    except ImportError as error:
        raise MissingExtraError("gymnasium", "gym", f"reading the environment {env_id!r}") from error
    if env_id not in gymnasium.registry and (newest := _newest(env_id, gymnasium.registry)) is not None:
        raise ReadError(f"{env_id}: the installed gymnasium has {newest} in its place; ask for {newest}")
    try:
        return gymnasium.make(env_id, **given)
    except (gymnasium.error.Error, ImportError) as error:
        raise ReadError(f"{env_id}: gymnasium cannot make it ({str(error).splitlines()[0]})") from error
    except Exception as error:  # whatever an environment does with keyword arguments that it does not like
        if not given:
            raise
        reason = f"{type(error).__name__}: {str(error).splitlines()[0]}" if str(error) else type(error).__name__
        raise ReadError(f"{env_id} cannot be made with env_kwargs={dict(given)!r} ({reason})") from error


def _newest(env_id: str, registered: Iterable[str]) -> str | None:
    """The id of the same environment with the largest version that is registered."""
    same = re.escape(re.sub(r"-v\d+$", "", env_id))
    versions = [int(found[1]) for other in registered if (found := re.fullmatch(rf"{same}-v(\d+)", other))]
    return re.sub(r"\d+$", str(max(versions)), env_id) if versions else None


def _table(inner: Any, name: str) -> dict[int, dict[int, list[tuple[float, int, float, bool]]]]:
    """P[state][action] = list of (probability, next state, reward, terminated)."""
    table = getattr(inner, "P", None)
    if not isinstance(table, dict) or not table:
        raise ReadError(
            f"{name}: the environment has no transition table P, so its model is unknown; count transitions between"
            " boxes of its observations and hand them to build_mdp (docs/gymnasium.md), or read a tabular one"
        )
    if getattr(inner, "fickle_passenger", False):
        raise ReadError(f"{name}: fickle_passenger=True is not in the table P; make the environment without it")
    if sorted(table) != list(range(len(table))):
        raise ReadError(f"{name}: the states of P are not numbered 0 to {len(table) - 1}")
    return table


def _choices(table: dict[int, Any], name: str) -> tuple[ChoiceRows, Any, Any]:
    """Choice rows, expected reward and probability to end of each."""
    keys = [(state, action) for state in range(len(table)) for action in sorted(table[state])]
    entries: list[tuple[int, float, int, float, bool]] = []
    for choice, (state, action) in enumerate(keys):
        try:
            entries.extend(
                (choice, float(p), int(to), float(r), bool(end)) for p, to, r, end in table[state][action]
            )
        except (TypeError, ValueError) as error:
            raise ReadError(
                f"{name}: P[{state}][{action}] is no list of (probability, next state, reward, terminated)"
            ) from error
    if not entries:
        raise ReadError(f"{name}: the table P holds no transition")
    choice_of, probability, target, reward, terminated = (np.array(column) for column in zip(*entries, strict=True))
    goes_on = ~terminated
    length = np.bincount(choice_of[goes_on], minlength=len(keys))
    state_of, action_of = np.array(keys).T
    rows = ChoiceRows(
        state_of, action_of, np.concatenate(([0], np.cumsum(length))), target[goes_on], probability[goes_on]
    )
    ends = np.bincount(choice_of[terminated], probability[terminated], len(keys))
    return rows, np.bincount(choice_of, probability * reward, len(keys)), ends


def _decoded(inner: Any, num_states: int, num_actions: int) -> Decoded:
    """Features that mean something where the environment is known, else the state's number."""
    for known in type(inner).__mro__:
        if known.__name__ in _GRIDS:
            shape, features, actions = _GRIDS[known.__name__]
            grid = np.unravel_index(np.arange(num_states), shape(inner))
            return np.column_stack(grid).astype(float), features, actions
    names = tuple(f"action_{action}" for action in range(num_actions))
    return np.arange(num_states, dtype=float)[:, None], ("state",), names


_TAXI = ("taxi_row", "taxi_col", "passenger", "destination")
# environments whose states are the places of a grid: its shape, the names of its axes, the names of the actions
_GRIDS: dict[str, tuple[Callable[[Any], tuple[int, ...]], tuple[str, ...], tuple[str, ...]]] = {
    "FrozenLakeEnv": (lambda env: (env.nrow, env.ncol), ("row", "col"), ("left", "down", "right", "up")),
    "CliffWalkingEnv": (lambda env: env.shape, ("row", "col"), ("up", "right", "down", "left")),
    "TaxiEnv": (lambda env: (5, 5, 5, 4), _TAXI, ("south", "north", "east", "west", "pickup", "dropoff")),
}
