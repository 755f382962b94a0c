"""Evaluation of policies: values, occupancy, optimum, simulation."""

from spotree.evaluation.chain import Policy as Policy
from spotree.evaluation.chain import PolicyChain as PolicyChain
from spotree.evaluation.chain import policy_chain as policy_chain
from spotree.evaluation.error_bounds import Certified as Certified
from spotree.evaluation.optimal import Optimum as Optimum
from spotree.evaluation.optimal import optimum as optimum
from spotree.evaluation.policy import Acts as Acts
from spotree.evaluation.policy import Mixture as Mixture
from spotree.evaluation.policy import actions_of as actions_of
from spotree.evaluation.policy import mixture as mixture
from spotree.evaluation.policy import uniform as uniform
from spotree.evaluation.policy_difference import Difference as Difference
from spotree.evaluation.policy_difference import difference as difference
from spotree.evaluation.q_values import action_values as action_values
from spotree.evaluation.q_values import choice_values as choice_values
from spotree.evaluation.returns import certified_return as certified_return
from spotree.evaluation.returns import certified_values as certified_values
from spotree.evaluation.returns import evaluate as evaluate
from spotree.evaluation.returns import expected_return as expected_return
from spotree.evaluation.returns import of_optimum as of_optimum
from spotree.evaluation.returns import over_random as over_random
from spotree.evaluation.returns import policy_value as policy_value
from spotree.evaluation.returns import random_return as random_return
from spotree.evaluation.returns import return_at_sight as return_at_sight
from spotree.evaluation.state_occupancy import certified_occupancy as certified_occupancy
from spotree.evaluation.state_occupancy import occupancy as occupancy
