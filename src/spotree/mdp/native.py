"""The MDP as the compiled core sees it: the same arrays, no copies."""

from weakref import WeakKeyDictionary

from spotree import _core
from spotree.mdp.model import MDP

# By identity: a copy or a replaced MDP has its own.
_known: WeakKeyDictionary[MDP, _core.Model] = WeakKeyDictionary()


def core_model(mdp: MDP) -> _core.Model:
    """Made once for each MDP; it keeps the arrays alive, not the MDP."""
    model = _known.get(mdp)
    if model is None:
        model = _known[mdp] = _core.Model(
            choice_start=mdp.choice_start,
            choice_of=mdp.choice_of,
            row_start=mdp.row_start,
            target=mdp.target,
            probability=mdp.probability,
            reward=mdp.reward_of_choice,
            initial=mdp.initial,
            discount=mdp.discount,
        )
    return model
