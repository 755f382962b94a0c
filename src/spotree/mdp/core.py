"""The MDP as the compiled core sees it: the same arrays, no copies."""

from spotree import _core
from spotree.mdp.model import MDP


def core_model(mdp: MDP) -> _core.Model:
    """A view of the MDP's arrays that keeps them alive; it costs microseconds, so it is made anew for each use."""
    return _core.Model(
        choice_start=mdp.choice_start,
        choice_of=mdp.choice_of,
        row_start=mdp.row_start,
        target=mdp.target,
        probability=mdp.probability,
        reward=mdp.reward_of_choice,
        initial=mdp.initial,
        discount=mdp.discount,
    )
