"""Which model an answer was found on, for as long as somebody holds that model."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP

if TYPE_CHECKING:
    from spotree.methods.solution import Solution

_model_of: "WeakKeyDictionary[Solution, ref[MDP]]" = WeakKeyDictionary()


def remember(solution: "Solution", mdp: MDP) -> "Solution":
    """The solution, which can be asked for its model from now on; neither keeps the other alive."""
    _model_of[solution] = ref(mdp)
    return solution


def model_of(solution: "Solution", mdp: MDP | None = None) -> MDP:
    """The model given, or the one that the solution was found on."""
    found = mdp if mdp is not None else _model_of.get(solution, lambda: None)()
    if found is None:
        raise InvalidProblemError(
            f"the model of this solution ({solution.model}) is not at hand: pass the MDP as well, read as for the run"
        )
    return found
