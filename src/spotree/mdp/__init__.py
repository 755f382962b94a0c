"""The Markov decision process, `build_mdp`, and its reachable part."""

from spotree.mdp.build import build_mdp
from spotree.mdp.choices import ChoiceRows
from spotree.mdp.graph import reachable_part, reachable_states
from spotree.mdp.model import MDP, Missing

__all__ = ["MDP", "ChoiceRows", "Missing", "build_mdp", "reachable_part", "reachable_states"]
