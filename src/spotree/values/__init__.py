"""What a policy is worth."""

from spotree.values.action_values import action_values, choice_values
from spotree.values.certified import Certified
from spotree.values.chain import Policy, PolicyChain, policy_chain
from spotree.values.evaluate import (
    certified_return,
    certified_values,
    evaluate,
    expected_return,
    policy_value,
    random_return,
    return_at_sight,
)
from spotree.values.mixture import Mixture, mixture, uniform
from spotree.values.normalise import of_optimum, over_random
from spotree.values.occupancy import certified_occupancy, occupancy
from spotree.values.optimum import Optimum, optimum
from spotree.values.policy import Acts, actions_of

__all__ = [
    "Acts",
    "Certified",
    "Mixture",
    "Optimum",
    "Policy",
    "PolicyChain",
    "action_values",
    "actions_of",
    "certified_occupancy",
    "certified_return",
    "certified_values",
    "choice_values",
    "evaluate",
    "expected_return",
    "mixture",
    "occupancy",
    "of_optimum",
    "optimum",
    "over_random",
    "policy_chain",
    "policy_value",
    "random_return",
    "return_at_sight",
    "uniform",
]
