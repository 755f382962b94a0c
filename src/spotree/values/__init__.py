"""What a policy is worth."""

from spotree.values.ahead import action_values as action_values
from spotree.values.ahead import choice_values as choice_values
from spotree.values.best import Optimum as Optimum
from spotree.values.best import optimum as optimum
from spotree.values.certified import Certified as Certified
from spotree.values.chain import Policy as Policy
from spotree.values.chain import PolicyChain as PolicyChain
from spotree.values.chain import policy_chain as policy_chain
from spotree.values.compared import Difference as Difference
from spotree.values.compared import difference as difference
from spotree.values.mixed import Mixture as Mixture
from spotree.values.mixed import mixture as mixture
from spotree.values.mixed import uniform as uniform
from spotree.values.normalise import of_optimum as of_optimum
from spotree.values.normalise import over_random as over_random
from spotree.values.policy import Acts as Acts
from spotree.values.policy import actions_of as actions_of
from spotree.values.returns import certified_return as certified_return
from spotree.values.returns import certified_values as certified_values
from spotree.values.returns import evaluate as evaluate
from spotree.values.returns import expected_return as expected_return
from spotree.values.returns import policy_value as policy_value
from spotree.values.returns import random_return as random_return
from spotree.values.returns import return_at_sight as return_at_sight
from spotree.values.visits import certified_occupancy as certified_occupancy
from spotree.values.visits import occupancy as occupancy
