"""Small decision-tree policies for Markov decision processes, and how good they provably are.

mdp = spotree.load("tiger_vs_antelope")
solution = spotree.solve(mdp, depth=3, time_limit=10)
print(solution.policy, solution.value, solution.bound)

Importing this package does no work: each public name is looked up where it lives when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spotree import errors, models
    from spotree.errors import SpotreeError
    from spotree.mdp.build import build_mdp
    from spotree.mdp.model import MDP
    from spotree.methods.history import Progress
    from spotree.methods.method import Method
    from spotree.methods.neighbourhood import Neighbourhood
    from spotree.methods.omdt import Omdt
    from spotree.methods.presets import PAPER
    from spotree.methods.request import Request
    from spotree.methods.solution import Solution, SolveStatus
    from spotree.methods.solve import solve
    from spotree.methods.spot import Spot
    from spotree.methods.viper import Viper
    from spotree.methods.warm_start import SpotFromOmdt
    from spotree.models import load
    from spotree.proof.certificate import Certificate
    from spotree.proof.certify import certify
    from spotree.proof.check import Verdict
    from spotree.proof.checked import check
    from spotree.proof.ingredients import Ingredients
    from spotree.readers.drn_write import write_drn
    from spotree.readers.npz import write_npz
    from spotree.readers.read import read
    from spotree.readers.umb_write import write_umb
    from spotree.step.best_tree import best_tree
    from spotree.step.engine import Engine
    from spotree.step.exact.engine import Exact
    from spotree.step.exact.preparation import Preparation
    from spotree.step.exhaustive import Exhaustive
    from spotree.step.improve import improve
    from spotree.step.limits import Limits
    from spotree.step.milp.engine import Milp
    from spotree.step.problem import Frozen, TreeProblem
    from spotree.step.result import Status, StepResult
    from spotree.step.rsbb.engine import Rsbb
    from spotree.tree.policy import TreePolicy
    from spotree.tree.tree import Tree
    from spotree.values import action_values, evaluate, optimum, policy_value

_HOME = {
    "Certificate": "spotree.proof.certificate",
    "Engine": "spotree.step.engine",
    "Exact": "spotree.step.exact.engine",
    "Exhaustive": "spotree.step.exhaustive",
    "Frozen": "spotree.step.problem",
    "Ingredients": "spotree.proof.ingredients",
    "Limits": "spotree.step.limits",
    "MDP": "spotree.mdp.model",
    "Method": "spotree.methods.method",
    "Milp": "spotree.step.milp.engine",
    "Neighbourhood": "spotree.methods.neighbourhood",
    "Omdt": "spotree.methods.omdt",
    "PAPER": "spotree.methods.presets",
    "Preparation": "spotree.step.exact.preparation",
    "Progress": "spotree.methods.history",
    "Request": "spotree.methods.request",
    "Rsbb": "spotree.step.rsbb.engine",
    "Solution": "spotree.methods.solution",
    "SolveStatus": "spotree.methods.solution",
    "Spot": "spotree.methods.spot",
    "SpotFromOmdt": "spotree.methods.warm_start",
    "SpotreeError": "spotree.errors",
    "Status": "spotree.step.result",
    "StepResult": "spotree.step.result",
    "Tree": "spotree.tree.tree",
    "TreePolicy": "spotree.tree.policy",
    "TreeProblem": "spotree.step.problem",
    "Verdict": "spotree.proof.check",
    "Viper": "spotree.methods.viper",
    "action_values": "spotree.values",
    "best_tree": "spotree.step.best_tree",
    "build_mdp": "spotree.mdp.build",
    "certify": "spotree.proof.certify",
    "check": "spotree.proof.checked",
    "errors": "",
    "evaluate": "spotree.values",
    "improve": "spotree.step.improve",
    "load": "spotree.models",
    "models": "",
    "optimum": "spotree.values",
    "policy_value": "spotree.values",
    "read": "spotree.readers.read",
    "solve": "spotree.methods.solve",
    "write_drn": "spotree.readers.drn_write",
    "write_npz": "spotree.readers.npz",
    "write_umb": "spotree.readers.umb_write",
}

__all__ = [
    "MDP",
    "PAPER",
    "Certificate",
    "Engine",
    "Exact",
    "Exhaustive",
    "Frozen",
    "Ingredients",
    "Limits",
    "Method",
    "Milp",
    "Neighbourhood",
    "Omdt",
    "Preparation",
    "Progress",
    "Request",
    "Rsbb",
    "Solution",
    "SolveStatus",
    "Spot",
    "SpotFromOmdt",
    "SpotreeError",
    "Status",
    "StepResult",
    "Tree",
    "TreePolicy",
    "TreeProblem",
    "Verdict",
    "Viper",
    "action_values",
    "best_tree",
    "build_mdp",
    "certify",
    "check",
    "errors",
    "evaluate",
    "improve",
    "load",
    "models",
    "optimum",
    "policy_value",
    "read",
    "solve",
    "write_drn",
    "write_npz",
    "write_umb",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'spotree' has no attribute {name!r}")
    home = _HOME[name]
    found = getattr(import_module(home), name) if home else import_module(f"spotree.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
