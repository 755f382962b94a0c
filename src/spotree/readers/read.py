"""Reading a model: a table of who reads what, and the one verb that looks it up."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from spotree.common.untrusted import regular_size
from spotree.errors import InfeasibleError, InvalidModelError, ReadError
from spotree.mdp import MDP, Missing, reachable_part
from spotree.mdp.model import Sense
from spotree.mdp.source import ModelSource, source_of
from spotree.mdp.transforms import unused_reward
from spotree.readers.drn import MODEL, write_drn
from spotree.readers.npz import write_npz
from spotree.readers.options import ActionMapping, Constant, ReadOptions
from spotree.readers.registry import READERS
from spotree.readers.umb.writer import write_umb

Reader: TypeAlias = Callable[[Any, ReadOptions], MDP]

# words in the names of rewards that are costs
COSTS = frozenset(("cost", "costs", "delay", "energy", "expense", "fuel", "loss", "losses", "penalty", "power"))
COSTS |= frozenset(("price", "step", "steps", "time", "times", "wait", "waiting"))
_ENV_ID = re.compile(r"([\w:.-]+/)?[\w:.-]+-v\d+")


def read(
    source: str | os.PathLike[str] | Any,
    *,
    constants: Mapping[str, Constant] | None = None,
    reward: str | Iterable[str] | None = None,
    sense: Sense = "max",
    goal: str | None = None,
    avoid: str | None = None,
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
        the goal and nothing else (None does so where a file has a goal but no rewards). "steps" pays 1 for every step
        before the goal, unless the file has a structure or label of that name, which then counts.
    sense
        "min" for costs: the rewards are negated, so that more is always better inside.
    goal
        A label or expression; its states become absorbing and earn nothing more. In a PRISM or JANI file it is any
        expression of PRISM over its labels (in double quotes), variables, constants and formulas. A name alone is a
        label if there is one.
    avoid
        A label or expression; in its states that are no goal the episode ends with nothing more, so that
        `goal="B", avoid="!(A)", reward="reach"` is about `A U B`. Refused with costs: to run into an avoided state
        would be cheaper than to go on.
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
        avoid=avoid,
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
        mdp = reachable_part(mdp) if reachable else mdp
        return replace(mdp, source=_origin(source, options), notes=_with_hint(mdp, options))
    except InvalidModelError as error:
        raise InvalidModelError(f"{_called(source)}: {error}{_goal_hint(source, options)}") from error
    except InfeasibleError as error:
        raise InfeasibleError(f"{_called(source)}: {error}{_goal_hint(source, options)}") from error
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


def _origin(source: Any, options: ReadOptions) -> ModelSource | None:
    """What it takes to read the model once more; None for an environment that was made by the caller."""
    if isinstance(source, str):
        return source_of("environment", source, options.given)
    if isinstance(source, Path):
        return source_of("file", str(source), options.given, source)
    return None


def _goal_hint(source: Any, options: ReadOptions) -> str:
    """The way out for a model without discount that does not end, where nobody said when it does."""
    takes_goal = isinstance(source, Path) and _suffix(source) != ".npz"
    if not takes_goal or options.discount != 1 or options.goal is not None:
        return ""
    return "; no goal is given: pass goal='LABEL' to say where the episode ends"


def _with_hint(mdp: MDP, options: ReadOptions) -> dict[str, str]:
    """The notes of a model; they ask whether its reward is a cost that should be minimised, where it looks like one.

    A reward looks like a cost if it is never negative and is called like one, or if every step towards a goal earns
    something: then the best policy avoids the goal.
    """
    notes = {name: text for name, text in mdp.notes.items() if name != "hint"}
    offered = (mdp.choice_action >= 0) & (np.diff(mdp.row_start) > 0)
    reward = mdp.reward_of_choice[offered]
    if options.sense == "max" == mdp.sense and len(reward) and reward.min() >= 0 and reward.max() > 0:
        called = notes.get("reward", "the reward")
        if COSTS & set(re.findall("[a-z]+", called.lower())):
            notes["hint"] = f"{called} is maximised; if it is a cost, pass sense='min'"
        elif options.goal is not None and reward.min() > 0:
            notes["hint"] = f"every step to the goal earns {called}; if that is a cost, pass sense='min'"
    return notes


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


ENDINGS = (".npz", ".umb", ".umb.gz", ".umb.xz", f"/{MODEL}")


def write(mdp: MDP, path: str | os.PathLike[str]) -> None:
    """Write .npz and .umb files, or the folder of a `model.drn`."""
    there = Path(path)
    match there.name.lower():
        case name if name.endswith(".npz"):
            write_npz(mdp, there)
        case name if name.endswith((".umb", ".umb.gz", ".umb.xz")):
            write_umb(mdp, there, name.rpartition(".")[2] if not name.endswith(".umb") else "")
        case name if name == MODEL:
            write_drn(mdp, there.parent)
        case name if name.endswith(".drn"):
            raise ReadError(f"{there}: a DRN model is a folder of several files; give FOLDER/{MODEL}")
        case _:
            raise ReadError(f"{there}: unknown kind of file; a model is saved as {', '.join(ENDINGS)}")
