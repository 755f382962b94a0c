"""Reading a model: a table of who reads what, and the one verb that looks it up."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from spotree.claims import regular_size
from spotree.errors import InvalidModelError, ReadError
from spotree.mdp import MDP, Missing, reachable_part
from spotree.mdp.model import Sense
from spotree.mdp.rebuild import unused_reward
from spotree.readers.options import ActionMapping, Constant, ReadOptions
from spotree.readers.suffixes import READERS

Reader: TypeAlias = Callable[[Any, ReadOptions], MDP]

_ENV_ID = re.compile(r"([\w:.-]+/)?[\w:.-]+-v\d+")


def read(
    source: str | os.PathLike[str] | Any,
    *,
    constants: Mapping[str, Constant] | None = None,
    reward: str | Iterable[str] | None = None,
    sense: Sense = "max",
    goal: str | None = None,
    discount: float | None = None,
    missing: Missing | None = None,
    missing_reward: float | None = None,
    actions: ActionMapping = "commands",
    drop_actions: Iterable[str] = (),
    env_kwargs: Mapping[str, Any] | None = None,
    reachable: bool = False,
    name: str | None = None,
) -> MDP:
    """The MDP in a file, a gymnasium environment, or the environment of an id such as "FrozenLake-v1".

    The ending of a file says who reads it: .prism, .nm, .pm, .sm, .jani and .drn (these with the extra `prism`), .umb
    and .npz. An option that means nothing for the source is refused, never dropped.

    Parameters
    ----------
    source
        A path, an environment, or the id of one.
    constants
        Values for the constants that a PRISM or JANI file leaves open, by name.
    reward
        Which reward structure counts: one name, several (added up), "sum" for all of them, None for the only one.
        A label may stand for a structure: it pays 1 in its states, and once in a goal. "reach" pays 1 for reaching
        the goal and nothing else (None does so where a file has a goal but no rewards).
    sense
        "min" for costs: the rewards are negated, so that more is always better inside.
    goal
        A label or expression; its states become absorbing and earn nothing more.
    discount
        None takes the source's own where it has one, else 0.99. With 1 and `reward="reach"` the value is the
        probability of reaching the goal; costs until a goal are -inf for a policy that does not surely reach it
        (docs/undiscounted.md).
    missing
        What an action does that is not available: "random" (as a uniformly random available one), "end" (the episode
        ends with `missing_reward`), "stay", "forbid". None takes the source's own rule, else "random".
    missing_reward
        What "end" pays, -1 if not given. With costs it must be given, as -1 may be better than to go on.
    actions
        "commands": labels, and every unlabelled command is an action; "labels": unlabelled commands share one.
    drop_actions
        Names of actions to leave out.
    env_kwargs
        What `gymnasium.make` is given beside the id of an environment: `{"map_name": "8x8", "is_slippery": False}`.
    reachable
        Leave out the states that no policy can reach; `mdp.state_number` keeps the numbers of the others.
    name
        What the model is called; None takes it from the source.

    Returns
    -------
    MDP
        Checked, with rewards to be maximised.

    Raises
    ------
    ReadError
        Where there is no such file, nobody reads its kind, an option is unknown, or its text makes no sense.
    InvalidModelError
        Where what was read is no MDP; the message names the first offender.

    Examples
    --------
    >>> mdp = spotree.read("firewire.prism", constants={"delay": 3}, reward="time", sense="min", goal="done")
    """
    options = ReadOptions(
        constants=dict(constants or {}),
        reward=reward if reward is None or isinstance(reward, str) else tuple(reward),
        sense=sense,
        goal=goal,
        discount=discount,
        missing=missing,
        missing_reward=missing_reward,
        actions=actions,
        drop_actions=(drop_actions,) if isinstance(drop_actions, str) else tuple(drop_actions),
        env_kwargs=dict(env_kwargs or {}),
        reachable=reachable,
        name=name,
    )
    reader, source = _reader(source)
    if not (isinstance(source, str) and reader.__name__ == "read_gymnasium"):
        options.refuse(_kind(source), "env_kwargs")
    try:
        mdp = reader(source, options)
        if missing_reward is not None and mdp.missing != "end":
            raise unused_reward(missing_reward, mdp.missing)
        return reachable_part(mdp) if reachable else mdp
    except InvalidModelError as error:
        raise InvalidModelError(f"{_called(source)}: {error}") from error
    except MemoryError as error:
        raise ReadError(f"{_called(source)}: the model does not fit into this machine's memory") from error
    except RecursionError as error:
        raise ReadError(f"{_called(source)}: its parts are too deep inside each other") from error


def _reader(source: Any) -> tuple[Reader, Any]:
    """Who reads this source, and what it is handed; complains if nobody does, or if there is no such file."""
    if hasattr(source, "unwrapped"):
        return _function("gymnasium", "read_gymnasium"), source
    if not isinstance(source, str | os.PathLike):
        raise ReadError(f"{type(source).__name__} is no source of a model; {UNDERSTOOD}")
    path = Path(source)
    if isinstance(source, str) and _ENV_ID.fullmatch(source) and not path.exists():
        return _function("gymnasium", "read_gymnasium"), source
    suffix = _suffix(path)
    if suffix is None:
        raise ReadError(f"{path}: unknown kind of file; {UNDERSTOOD}")
    regular_size(path)
    return _function(*READERS[suffix]), path


def is_unknown(source: str) -> bool:
    """Whether a text is neither a file, nor named like one that spotree reads, nor the id of an environment."""
    return not (Path(source).exists() or _ENV_ID.fullmatch(source) or _suffix(Path(source)))


def _suffix(path: Path) -> str | None:
    longest_first = sorted(READERS, key=len, reverse=True)
    return next((suffix for suffix in longest_first if path.name.lower().endswith(suffix)), None)


def _function(module: str, function: str) -> Reader:
    reader: Reader = getattr(import_module(f"spotree.readers.{module}"), function)
    return reader


def _kind(source: Any) -> str:
    return f"a {_suffix(source)} file" if isinstance(source, Path) else "an environment that is made already"


def _called(source: Any) -> str:
    return str(source) if isinstance(source, str | os.PathLike) else type(source.unwrapped).__name__


UNDERSTOOD = (
    f"spotree reads {', '.join(READERS)} files, gymnasium environments and their ids; "
    "arrays go to build_mdp, shipped names to load"
)
