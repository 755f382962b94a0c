"""Values of policies against Storm's exact rational arithmetic: the discount becomes a way into a sink."""

from fractions import Fraction

import numpy as np
import pytest

from spotree.evaluation import certified_values, optimum
from spotree.models import load

stormpy = pytest.importorskip("stormpy")


def written(mdp, rows, discount):
    """The chain of a policy as DRN text in fractions; `sink` is where the discount sends what it takes."""
    sink = mdp.num_states
    lines = ["@type: DTMC", "@parameters", "", "@reward_models", "reward", "@nr_states", str(sink + 1), "@model"]
    for state, row in enumerate(rows):
        reward = Fraction(float(mdp.reward_of_choice[row]))
        lines += [f"state {state} [{reward}]{' init' if mdp.initial[state] > 0 else ''}", "\taction 0 [0]"]
        left = Fraction(1)
        for entry in range(mdp.row_start[row], mdp.row_start[row + 1]):
            step = discount * Fraction(float(mdp.probability[entry]))
            left -= step
            lines.append(f"\t\t{mdp.target[entry]} : {step}")
        lines.append(f"\t\t{sink} : {left}")
    lines += [f"state {sink} [0] sink", "\taction 0 [0]", f"\t\t{sink} : 1"]
    return "\n".join(lines) + "\n"


def exact_values(path):
    model = stormpy.build_model_from_drn[stormpy.Rational](str(path))
    (formula,) = stormpy.parse_properties('R{"reward"}=? [F "sink"]')
    result = stormpy.model_checking(model, formula)
    return [Fraction(str(result.get_value(state))) for state in range(model.nr_states - 1)]


@pytest.mark.parametrize("name", ["csma_2_2", "wlan0"])
@pytest.mark.parametrize("policy", ["optimal", "arbitrary"])
def test_values_agree_with_storm(name, policy, tmp_path):
    mdp = load(name)
    rng = np.random.default_rng(0)
    actions = optimum(mdp).actions if policy == "optimal" else rng.integers(0, mdp.num_actions, mdp.num_states)
    path = tmp_path / "chain.drn"
    path.write_text(written(mdp, mdp.choice_of[range(mdp.num_states), actions], Fraction(99, 100)))
    truth = exact_values(path)
    found = certified_values(mdp, actions)
    for exact, computed in zip(truth, found.value.tolist(), strict=True):
        assert abs(exact - Fraction(computed)) <= 1e-12 * abs(exact)
    assert found.relative <= 1e-12
