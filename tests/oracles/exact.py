"""The return of a policy in exact rational arithmetic, by Storm: discounting is a sink that takes what is left."""

from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np

from spotree.common.arrays import ActionOf, Floats
from spotree.mdp import MDP


def exact_values(mdp: MDP, actions: ActionOf, folder: Path) -> Floats:
    """[state] the expected discounted return of the model's numbers as they are, rounded only at the very end."""
    import stormpy

    rows = mdp.choice_of[np.arange(mdp.num_states), actions]
    discount, sink = Fraction(mdp.discount), mdp.num_states
    size = mdp.num_states + 1
    text = [f"@type: DTMC\n@parameters\n\n@reward_models\nr\n@nr_states\n{size}\n@nr_choices\n{size}\n@model"]
    for state, row in enumerate(rows):
        text.append(
            f"state {state} [{Fraction(mdp.reward_of_choice[row])}]{' init' if state == 0 else ''}\n\taction 0"
        )
        rest = Fraction(1)
        for entry in range(mdp.row_start[row], mdp.row_start[row + 1]):
            probability = discount * Fraction(mdp.probability[entry])
            rest -= probability
            text.append(f"\t\t{mdp.target[entry]} : {probability}")
        text.append(f"\t\t{sink} : {rest}")
    text.append(f"state {sink} [0] sink\n\taction 0\n\t\t{sink} : 1\n")
    path = folder / "chain.drn"
    path.write_text("\n".join(text))
    chain = stormpy.build_model_from_drn[stormpy.Rational](str(path))
    (property_,) = stormpy.parse_properties('R{"r"}=? [F "sink"]')
    result = stormpy.model_checking(chain, property_)
    values = [str(result.get_value(state)).partition("/") for state in range(mdp.num_states)]
    with localcontext(prec=40):
        return np.array([float(Decimal(above) / Decimal(below or 1)) for above, _, below in values])
