"""Small decision-tree policies for Markov decision processes, and how good they provably are.

mdp = spotree.load("tiger_vs_antelope")
solution = spotree.solve(mdp, depth=3, time_limit=10)
print(solution.policy, solution.value, solution.bound)

Importing this package does no work: each public name is looked up where it lives when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers, which take `X as X` for public
    from spotree import errors as errors
    from spotree import models as models
    from spotree import plot as plot
    from spotree.checkpoint.keeper import Keeper as Keeper
    from spotree.errors import SpotreeError as SpotreeError
    from spotree.exports.export import export as export
    from spotree.exports.json import read_tree as read_tree
    from spotree.imports.tree import import_tree as import_tree
    from spotree.mdp.build import build_mdp as build_mdp
    from spotree.mdp.model import MDP as MDP
    from spotree.methods.fewest import smallest as smallest
    from spotree.methods.frontier import Frontier as Frontier
    from spotree.methods.frontier import frontier as frontier
    from spotree.methods.history import Progress as Progress
    from spotree.methods.method import Method as Method
    from spotree.methods.neighbourhood import Neighbourhood as Neighbourhood
    from spotree.methods.omdt import Omdt as Omdt
    from spotree.methods.presets import PAPER as PAPER
    from spotree.methods.request import Request as Request
    from spotree.methods.simplify import simplify as simplify
    from spotree.methods.smallest import Smallest as Smallest
    from spotree.methods.solution import Solution as Solution
    from spotree.methods.solution import SolveStatus as SolveStatus
    from spotree.methods.solve import solve as solve
    from spotree.methods.spot import Spot as Spot
    from spotree.methods.viper import Viper as Viper
    from spotree.methods.warm_start import SpotFromOmdt as SpotFromOmdt
    from spotree.models import load as load
    from spotree.proof.certificate import Certificate as Certificate
    from spotree.proof.certify import certify as certify
    from spotree.proof.check import Verdict as Verdict
    from spotree.proof.checked import check as check
    from spotree.proof.ingredients import Ingredients as Ingredients
    from spotree.readers.drn_write import write_drn as write_drn
    from spotree.readers.npz import write_npz as write_npz
    from spotree.readers.read import read as read
    from spotree.readers.umb_write import write_umb as write_umb
    from spotree.step.best_tree import best_tree as best_tree
    from spotree.step.engine import Engine as Engine
    from spotree.step.exact.engine import Exact as Exact
    from spotree.step.exact.preparation import Preparation as Preparation
    from spotree.step.exhaustive import Exhaustive as Exhaustive
    from spotree.step.improve import improve as improve
    from spotree.step.limits import Limits as Limits
    from spotree.step.milp.engine import Milp as Milp
    from spotree.step.problem import Frozen as Frozen
    from spotree.step.problem import TreeProblem as TreeProblem
    from spotree.step.result import Status as Status
    from spotree.step.result import StepResult as StepResult
    from spotree.step.rsbb.engine import Rsbb as Rsbb
    from spotree.sweeps.sweep import Sweep as Sweep
    from spotree.sweeps.sweep import SweepProgress as SweepProgress
    from spotree.sweeps.sweep import sweep as sweep
    from spotree.tree.policy import TreePolicy as TreePolicy
    from spotree.tree.tree import Tree as Tree
    from spotree.values import action_values as action_values
    from spotree.values import evaluate as evaluate
    from spotree.values import optimum as optimum
    from spotree.values import policy_value as policy_value
    from spotree.values.simulate import Simulation as Simulation
    from spotree.values.simulate import simulate as simulate

_HOME = {
    "Certificate": "spotree.proof.certificate",
    "Engine": "spotree.step.engine",
    "Exact": "spotree.step.exact.engine",
    "Exhaustive": "spotree.step.exhaustive",
    "Frontier": "spotree.methods.frontier",
    "Frozen": "spotree.step.problem",
    "Ingredients": "spotree.proof.ingredients",
    "Keeper": "spotree.checkpoint.keeper",
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
    "Simulation": "spotree.values.simulate",
    "Smallest": "spotree.methods.smallest",
    "Solution": "spotree.methods.solution",
    "SolveStatus": "spotree.methods.solution",
    "Spot": "spotree.methods.spot",
    "SpotFromOmdt": "spotree.methods.warm_start",
    "SpotreeError": "spotree.errors",
    "Status": "spotree.step.result",
    "StepResult": "spotree.step.result",
    "Sweep": "spotree.sweeps.sweep",
    "SweepProgress": "spotree.sweeps.sweep",
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
    "export": "spotree.exports.export",
    "frontier": "spotree.methods.frontier",
    "import_tree": "spotree.imports.tree",
    "improve": "spotree.step.improve",
    "load": "spotree.models",
    "models": "",
    "optimum": "spotree.values",
    "plot": "",
    "policy_value": "spotree.values",
    "read": "spotree.readers.read",
    "read_tree": "spotree.exports.json",
    "simplify": "spotree.methods.simplify",
    "simulate": "spotree.values.simulate",
    "smallest": "spotree.methods.fewest",
    "solve": "spotree.methods.solve",
    "sweep": "spotree.sweeps.sweep",
    "write_drn": "spotree.readers.drn_write",
    "write_npz": "spotree.readers.npz",
    "write_umb": "spotree.readers.umb_write",
}

__all__ = sorted(_HOME, key=lambda name: (not name.isupper(), name))
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
