"""Undiscounted models: the part in which every state has a policy of finite value, or why there is none."""

from dataclasses import replace

import numpy as np

from spotree.errors import InfeasibleError, InvalidModelError
from spotree.mdp.graph import (
    EndComponents,
    Set,
    end_components,
    part_of,
    reachable_part,
    reachable_states,
    surely_stopping,
)
from spotree.mdp.model import MDP


def idle_components(mdp: MDP) -> EndComponents:
    """Where going on for ever is worth 0: end components without reward; none if the episode must end."""
    free = np.zeros(len(mdp.choice_action), dtype=bool) if mdp.must_end else mdp.reward_of_choice == 0
    return end_components(mdp, free)


def finite_part(mdp: MDP) -> MDP:
    """The model without the states from which every policy is worth -inf and the choices that may lead there.

    Such a choice is forbidden, as with `missing="forbid"`. States that no policy reaches are left out if one of them
    could be worth +inf. What is left has finite values: no policy is worth +inf, and some policy of every state is not
    worth -inf. If the episode must end, that is the uniformly random one, unless only a missing action ends it.
    """
    mdp = _without_endless_gains(mdp)
    kept, allowed = surely_stopping(mdp, idle_components(mdp).component_of >= 0)
    lost = np.flatnonzero(~kept & (mdp.initial > 0))
    if len(lost):
        what = "surely ends the episode" if mdp.must_end else "has a finite total reward"
        raise InfeasibleError(
            f"initial state {mdp.state_number[lost[0]]}: no policy {what} from there, so every value is -inf; "
            "choose another goal, or a discount below 1"
        )
    if kept.all() and allowed.all():
        return mdp
    dropped = int((~allowed & kept[mdp.state_of_choice]).sum())
    note = f"{int((~kept).sum())} states of value -inf left out, {dropped} choices that may lead there forbidden"
    return replace(part_of(mdp, kept, allowed), notes={**mdp.notes, "undiscounted": note})


def refuse_endless(mdp: MDP, choices: Set, why: str) -> None:
    """Complain if a policy can go on for ever by these choices, from an initial state on."""
    found = end_components(mdp, choices & reachable_states(mdp)[mdp.state_of_choice])
    if found.inside.any():
        state = mdp.state_number[mdp.state_of_choice[int(found.inside.argmax())]]
        raise InvalidModelError(f"state {state}: a policy can go on from there for ever {why}")


def _without_endless_gains(mdp: MDP) -> MDP:
    """What is earned inside an end component can be earned again and again: refused, or left out if out of reach."""
    reachable = reachable_states(mdp)
    inside = end_components(mdp, np.ones(len(mdp.choice_action), dtype=bool)).inside
    again = inside & (mdp.reward_of_choice > 0)
    if not again.any():
        return mdp
    again &= reachable[mdp.state_of_choice]
    if again.any():
        choice = int(again.argmax())
        state = mdp.state_number[mdp.state_of_choice[choice]]
        action = mdp.choice_action[choice]
        name = f"action {mdp.action_names[action]!r}" if action >= 0 else "a missing action"
        earned = f"reward {mdp.reward_of_choice[choice]:g}"
        if mdp.sense == "min":
            earned = f"cost {-mdp.reward_of_choice[choice]:g}"
        raise InvalidModelError(
            f"state {state}, {name}: {earned} can be had again and again for ever, "
            "so the total may be infinite; pass a discount below 1, or a goal that ends the episode"
        )
    note = f"{int((~reachable).sum())} states left out that no policy reaches: the total may be infinite there"
    return replace(reachable_part(mdp), notes={**mdp.notes, "unreachable": note})
