"""What a policy is worth."""

from spotree.values.ahead import action_values, choice_values
from spotree.values.best import Optimum, optimum
from spotree.values.certified import Certified
from spotree.values.chain import Policy, PolicyChain, policy_chain
from spotree.values.difference import Difference, difference
from spotree.values.mixed import Mixture, mixture, uniform
from spotree.values.normalise import of_optimum, over_random
from spotree.values.policy import Acts, actions_of
from spotree.values.returns import (
    certified_return,
    certified_values,
    evaluate,
    expected_return,
    policy_value,
    random_return,
    return_at_sight,
)
from spotree.values.visits import certified_occupancy, occupancy

__all__ = [
    "Acts",
    "Certified",
    "Difference",
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
    "difference",
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
