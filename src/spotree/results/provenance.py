"""Weak map from a solution to the MDP that it was found on."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

from spotree.errors import InvalidProblemError
from spotree.evaluation import evaluate
from spotree.mdp.model import MDP

if TYPE_CHECKING:
    from spotree.results.solution import Solution

_model_of: "WeakKeyDictionary[Solution, ref[MDP]]" = WeakKeyDictionary()


def remember(solution: "Solution", mdp: MDP) -> "Solution":
    """The solution, which can be asked for its model from now on; neither keeps the other alive."""
    _model_of[solution] = ref(mdp)
    return solution


def model_of(solution: "Solution", mdp: MDP | None = None) -> MDP:
    """The model given, or the one that the solution was found on."""
    found = mdp if mdp is not None else _model_of.get(solution, lambda: None)()
    if found is None:
        how = "read as for the run" if solution.source is None else str(solution.source)
        raise InvalidProblemError(
            f"the model of this solution ({solution.model}) is not at hand: pass the MDP as well, {how}"
        )
    return found


def check_model(solution: "Solution", mdp: MDP) -> None:
    """Refuse a model on which the tree is worth something else than its solution says."""
    found = evaluate(mdp, solution)
    slack = 1e-6 * max(1.0, abs(found)) + solution.error
    if not abs(found - solution.value) <= slack:
        raise InvalidProblemError(
            f"the tree returns {found:.9g} on this model, but the run says {solution.value:.9g}: give the model"
            " that was solved, with the same reading options"
        )
