"""Which claims about the trees of a model are false, held against returns without rounding."""

from fractions import Fraction

import numpy as np

from oracles import certify, undiscounted_trees
from oracles.fractions_of_trees import Exact, all_policies, exact_return
from spotree.certificates.verify import Verdict
from spotree.mdp.model import MDP
from spotree.results.solution import Solution, SolveStatus

CLOSED = (SolveStatus.OPTIMAL, SolveStatus.TRUSTED)  # a complete proof, of this run or with the file it resumed
CHECKED_SHARE = Fraction(1, 10)  # of the tolerance: so near the checkers know the tree's return
SLACK = 1e-6  # of the largest float return: what is as near to the best one is computed without rounding


def false_claims(mdp: MDP, solution: Solution, verdicts: list[Verdict], best: Exact) -> list[str]:
    """What is not true of the best tree's return and of the tree's own, in words.

    `certify` states the return of the model as it stands, checkers that with rows divided by their sums.
    """
    found = []
    action = solution.policy.tree.actions(mdp.features)
    own, as_it_stands = exact_return(mdp, action), exact_return(mdp, action, divided=False)
    apart = abs(own - as_it_stands)

    def claim(holds: bool, words: str) -> None:
        if not holds:
            found.append(f"{words}: best {float(best)!r}, own {float(own)!r}, {solution!r}, {verdicts!r}")

    margin = max((Fraction(v.tolerance) for v in verdicts), default=Fraction(0))
    claim(best <= Fraction(solution.bound) + apart + max(margin, Fraction(solution.error)), "bound of certify")
    claim(
        solution.status not in CLOSED or best <= own + apart + margin + 2 * Fraction(solution.error),
        "proved optimal",
    )
    claim(abs(as_it_stands - Fraction(solution.value)) <= Fraction(solution.error), "value of certify")
    for v in verdicts:
        name = "plain" if v.plain else "native"
        shown = max(Fraction(v.bound), Fraction(v.value)) + Fraction(v.tolerance)
        claim(best <= shown, f"bound of the {name} checker")
        claim(abs(own - Fraction(v.value)) <= CHECKED_SHARE * Fraction(v.tolerance), f"value of the {name} checker")
    return found


def best_by_floats_first(mdp: MDP, depth: int, max_leaves: int | None, most: int = 20) -> Exact:
    """The best return without rounding, among the policies that float64 puts near the top (at most so many)."""
    label = all_policies(mdp, depth, max_leaves)
    if mdp.discount < 1:
        rough = certify.returns(mdp, label)
    else:
        states = np.arange(mdp.num_states)
        rough = np.array([undiscounted_trees.start_return(mdp, mdp.choice_of[states, one]) for one in label])
    finite = np.abs(rough[np.isfinite(rough)])
    near = rough >= rough.max() - SLACK * finite.max(initial=0.0)
    top = np.flatnonzero(near)[np.argsort(-rough[near], kind="stable")][:most]
    return max(exact_return(mdp, label[k]) for k in top)
