"""From what a file says to what is decided: rewards, goal, actions and features are chosen here."""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spotree.common.arrays import Floats, Ints
from spotree.common.untrusted import refuse_large_table
from spotree.errors import ReadError
from spotree.mdp import MDP, ChoiceRows, build_mdp
from spotree.mdp.check import negated
from spotree.mdp.model import Counts, Sense
from spotree.mdp.total_reward import refuse_endless
from spotree.readers.actions import drop, in_order, name_actions
from spotree.readers.explicit_model import ExplicitModel
from spotree.readers.expression import states_where
from spotree.readers.options import CONDITIONS, DEFAULT_DISCOUNT, DEFAULT_MISSING, REACH, STEPS, ReadOptions


def choose(
    model: ExplicitModel, options: ReadOptions, source: str, states: Mapping[str, NDArray[np.bool_]] | None = None
) -> MDP:
    """The MDP that the options pick out of a model; `mdp.notes` says what was picked.

    `states` are those of the options `goal` and `avoid` where the reader knows them; else their texts are read here.
    A model that spotree wrote (`extension` not empty) brings its own actions, features and rules along.
    """
    if not model.variables:
        raise ReadError(f"{source}: the states have no variables, and a tree needs features to split on")
    own: Mapping[str, Any] = model.extension
    notes: dict[str, str] = dict(own.get("notes", {}))
    goal, avoided = (_states(model, options, name, states or {}) for name in CONDITIONS)
    avoided = avoided & ~goal  # in A U B the goal B counts, whether A holds there or not
    if options.goal is not None:
        if not goal.any():
            raise ReadError(f"{source}: goal={options.goal!r} holds in no reachable state")
        notes["goal"] = f"{options.goal}: {_counted(goal)}, where the episode ends"
    if options.avoid is not None:
        notes["avoid"] = f"{options.avoid}: {_counted(avoided)}, where the episode ends with nothing more"
    over = goal | avoided
    reward, reward_on_goal, note = _reward(model, options, goal, source)
    if not own or options.reward is not None or options.sense == "min":
        notes["reward"] = note
    if own:
        action_of, names = model.kind_of, [kind.label for kind in model.kinds]
    else:
        action_of, names, notes["actions"] = name_actions(model, options.actions)
    refuse_large_table(source, model.num_states, len(names))
    stays, action_of, names = drop(action_of, names, options.drop_actions)
    rows, reward, ends = _rows(model, action_of, stays & ~over[model.state_of], reward)
    if not own:
        rows, names = _used(rows, names)
    pays = bool(reward.any())  # not only for the goal itself
    until_goal = options.goal is not None and pays
    costs = pays and (options.sense == "min" or not (reward > 0).any())
    if options.avoid is not None and ((reward < 0) if options.sense == "max" else (reward > 0)).any():
        raise ReadError(
            f"{source}: avoid={options.avoid!r}: an avoided state ends the episode, so with costs it would be cheaper "
            "to run into one than to go on; pass reward='reach' for the probability, or rewards that are not negative"
        )
    rows, reward, ends = _with_ends(rows, reward, ends, np.flatnonzero(over), reward_on_goal, len(names))
    features, feature_names, dropped = _features(model, source)
    if dropped:
        notes["columns that are no features"] = dropped
    if costs and not own and rows.num_choices < model.num_states * len(names):
        options.refuse_cheap_end(source)
    discount = options.discount_or(own.get("discount", DEFAULT_DISCOUNT))
    must_end = (until_goal and options.sense == "min") or bool(own.get("must_end", False))
    mdp = build_mdp(
        rows,
        negated(reward) if own.get("sense") == "min" else reward,  # as it was given before it was written
        discount,
        initial=own.get("initial", model.initial),
        features=features,
        feature_names=feature_names,
        action_names=names,
        missing=options.missing_or(own.get("missing", DEFAULT_MISSING)),
        missing_reward=options.missing_reward_or(own.get("missing_reward", -1.0)),
        ends=ends,
        forbidden=_forbidden(model, options, len(names)),
        state_number=own.get("state_number"),
        name=options.name or own.get("name") or Path(source).stem,
        notes=notes,
        must_end=must_end,
        sense=_sense(options, own),
    )
    if discount == 1 and until_goal and options.sense == "max":
        refuse_endless(
            mdp,
            mdp.reward_of_choice >= 0,
            f"without coming to the goal {options.goal!r}, so the largest expected reward until then is infinite; "
            "choose a discount below 1, another goal, or sense='min'",
        )
    if own:  # the file has one state more where rows end the episode
        return mdp
    return replace(mdp, in_file=Counts(model.num_states, model.num_choices, len(model.target)))


def _states(
    model: ExplicitModel, options: ReadOptions, name: str, known: Mapping[str, NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """[state] whether the expression of the option holds; nowhere without one."""
    text = getattr(options, name)
    if name in known:
        return known[name]
    if text is None:
        return np.zeros(model.num_states, dtype=bool)
    return states_where(text, model.labels, model.variables, model.num_states, name)


def _counted(states: NDArray[np.bool_]) -> str:
    return "1 state" if states.sum() == 1 else f"{states.sum()} states"


def _reward(
    model: ExplicitModel, options: ReadOptions, goal: NDArray[np.bool_], source: str
) -> tuple[Floats, Floats, str]:
    """[choice] what it earns, [state] what a goal earns on arrival, and the names that were added up."""
    known = model.rewards
    asked = options.reward
    if asked is None and not known and options.goal is not None:
        asked = REACH
    if asked == REACH:
        if options.goal is None:
            raise ReadError(f"{source}: reward={REACH!r} pays 1 for reaching the goal; say which with goal=...")
        text = f"1 for reaching {options.goal}"
        return (
            np.zeros(model.num_choices),
            goal.astype(np.float64),
            text if options.sense == "max" else f"-({text})",
        )
    if asked is None:
        if len(known) != 1:
            listed = ", ".join(sorted(known)) or "none"
            raise ReadError(
                f"{source}: {len(known)} reward structures ({listed}); choose with reward=NAME, several names, "
                "'sum' for all, 'reach' (1 for the goal), 'steps', or a label, which pays 1 in its states"
            )
        asked = next(iter(known))
    names = sorted(known) if asked == "sum" else [asked] if isinstance(asked, str) else list(asked)
    earned, on_goal = [], np.zeros(model.num_states)
    for name in names:
        if name in known:
            earned.append(known[name].per_choice(model.state_of))
        elif name in model.labels:
            earned.append(model.labels[name][model.state_of].astype(np.float64))
            on_goal = on_goal + model.labels[name]
        elif name == STEPS:
            earned.append(np.ones(model.num_choices))
        else:
            raise ReadError(
                f"{source}: no reward structure or label {name!r}; rewards: {', '.join(sorted(known)) or 'none'}; "
                f"labels: {', '.join(sorted(model.labels))}"
            )
    text = " + ".join(names)
    total = reduce(np.add, earned) if earned else np.zeros(model.num_choices)
    return total, on_goal * goal, text if options.sense == "max" else f"-({text})"


def _sense(options: ReadOptions, own: Mapping[str, Any]) -> Sense:
    """A model of costs stays one, unless it is asked to minimise what it had negated already."""
    return "min" if (options.sense == "min") != (own.get("sense") == "min") else "max"


def _rows(
    model: ExplicitModel, action_of: Ints, keep: NDArray[np.bool_], reward: Floats
) -> tuple[ChoiceRows, Floats, Floats]:
    """One row per (state, action), its reward and its probability to end the episode.

    Several choices of a state under one action are averaged.
    """
    shape = (model.num_choices, model.num_states)
    matrix = sp.csr_matrix((model.probability, model.target, model.row_start), shape=shape)
    state, action = model.state_of, action_of
    ends = np.zeros(model.num_choices) if model.ends is None else model.ends
    if not keep.all():
        matrix, state, action, reward, ends = matrix[keep], state[keep], action[keep], reward[keep], ends[keep]
    order, fresh = in_order(state, action)
    if not fresh.all():
        group = np.cumsum(fresh) - 1
        weight = 1.0 / np.bincount(group)[group]
        average = sp.csr_matrix((weight, (group, order)), shape=(group[-1] + 1, len(order)))
        matrix, reward, ends = sp.csr_matrix(average @ matrix), average @ reward, average @ ends
        state, action = state[order][fresh], action[order][fresh]
    starts, targets = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    return ChoiceRows(state, action, starts, targets, matrix.data), reward, ends


def _forbidden(model: ExplicitModel, options: ReadOptions, num_actions: int) -> NDArray[np.bool_] | None:
    """[state, action] the pairs that a model of our own forbids."""
    pairs = model.extension.get("forbidden")
    if not pairs:
        return None
    if options.drop_actions or options.goal is not None or options.avoid is not None:
        raise ReadError(
            "the model forbids some actions: read the original with goal, avoid or drop_actions instead"
        )
    mask = np.zeros(model.num_states * num_actions, dtype=bool)
    if not isinstance(pairs, list) or any(type(p) is not int or not 0 <= p < mask.size for p in pairs):
        raise ReadError(f"the list of forbidden pairs does not hold numbers from 0 to {mask.size - 1}")
    mask[pairs] = True
    return mask.reshape(model.num_states, num_actions)


def _used(rows: ChoiceRows, names: list[str]) -> tuple[ChoiceRows, list[str]]:
    """Leave out the actions that no row has, such as those of goal states alone; where there is no row they stay."""
    used = (np.bincount(rows.action, minlength=len(names)) > 0) | (len(rows.action) == 0)
    action = (np.cumsum(used) - 1)[rows.action]
    return replace(rows, action=action), [name for name, seen in zip(names, used, strict=True) if seen]


def _with_ends(
    rows: ChoiceRows, reward: Floats, ends: Floats, over: Ints, reward_on_goal: Floats, num_actions: int
) -> tuple[ChoiceRows, Floats, Floats]:
    """The rows, and an empty one, which ends the episode, for every action of a state where it is over."""
    extra = len(over) * num_actions
    return (
        ChoiceRows(
            np.concatenate((rows.state, np.repeat(over, num_actions))),
            np.concatenate((rows.action, np.tile(np.arange(num_actions), len(over)))),
            np.concatenate((rows.row_start, np.full(extra, rows.row_start[-1]))),
            rows.target,
            rows.probability,
        ),
        np.concatenate((reward, np.repeat(reward_on_goal[over], num_actions))),
        np.concatenate((ends, np.ones(extra))),
    )


def _features(model: ExplicitModel, source: str) -> tuple[Floats, list[str], str]:
    """The columns a tree may split on, their names, and which were left out; a model of ours keeps them all."""
    left_out = dict(model.left_out)
    if not model.extension:
        left_out |= {name: "constant" for name, column in model.variables.items() if (column == column[0]).all()}
    names = [name for name in model.variables if name not in left_out]
    if not names:
        raise ReadError(f"{source}: every state variable is constant; a tree needs features to split on")
    text = ", ".join(f"{name} ({reason})" for name, reason in left_out.items())
    return np.column_stack([model.variables[name] for name in names]), names, text
