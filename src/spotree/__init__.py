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
    from spotree.api.certify import certify as certify
    from spotree.api.check import check as check
    from spotree.api.frontier import frontier as frontier
    from spotree.api.simplify import simplify as simplify
    from spotree.api.smallest import smallest as smallest
    from spotree.api.solve import solve as solve
    from spotree.certificates.certificate import Certificate as Certificate
    from spotree.certificates.verify import Verdict as Verdict
    from spotree.checkpoint.writer import CheckpointWriter as CheckpointWriter
    from spotree.errors import SpotreeError as SpotreeError
    from spotree.evaluation import action_values as action_values
    from spotree.evaluation import evaluate as evaluate
    from spotree.evaluation import optimum as optimum
    from spotree.evaluation import policy_value as policy_value
    from spotree.evaluation.simulate import Simulation as Simulation
    from spotree.evaluation.simulate import simulate as simulate
    from spotree.exports.export import export as export
    from spotree.exports.json import read_tree as read_tree
    from spotree.imports.import_tree import import_tree as import_tree
    from spotree.improvement.engine import Engine as Engine
    from spotree.improvement.engine import best_tree as best_tree
    from spotree.improvement.engines.exact import Exact as Exact
    from spotree.improvement.engines.exact import Preparation as Preparation
    from spotree.improvement.engines.exhaustive import Exhaustive as Exhaustive
    from spotree.improvement.engines.milp.engine import Milp as Milp
    from spotree.improvement.engines.rsbb.engine import Rsbb as Rsbb
    from spotree.improvement.improve import improve as improve
    from spotree.improvement.limits import Limits as Limits
    from spotree.improvement.problem import Frozen as Frozen
    from spotree.improvement.problem import TreeProblem as TreeProblem
    from spotree.improvement.result import Status as Status
    from spotree.improvement.result import StepResult as StepResult
    from spotree.mdp.build import build_mdp as build_mdp
    from spotree.mdp.model import MDP as MDP
    from spotree.methods.method import Method as Method
    from spotree.methods.neighbourhood import Neighbourhood as Neighbourhood
    from spotree.methods.omdt.method import Omdt as Omdt
    from spotree.methods.spot.algorithm import Spot as Spot
    from spotree.methods.spot.spot_from_omdt import PAPER as PAPER
    from spotree.methods.spot.spot_from_omdt import SpotFromOmdt as SpotFromOmdt
    from spotree.methods.viper import Viper as Viper
    from spotree.models import load as load
    from spotree.proof.options import ProofOptions as ProofOptions
    from spotree.readers.drn import write_drn as write_drn
    from spotree.readers.npz import write_npz as write_npz
    from spotree.readers.read import read as read
    from spotree.readers.umb.writer import write_umb as write_umb
    from spotree.results.frontier import Frontier as Frontier
    from spotree.results.progress import Progress as Progress
    from spotree.results.smallest import Smallest as Smallest
    from spotree.results.solution import Solution as Solution
    from spotree.results.solution import SolveStatus as SolveStatus
    from spotree.search.request import Request as Request
    from spotree.sweeps.sweep import Sweep as Sweep
    from spotree.sweeps.sweep import SweepProgress as SweepProgress
    from spotree.sweeps.sweep import sweep as sweep
    from spotree.trees.policy import TreePolicy as TreePolicy
    from spotree.trees.tree import Tree as Tree

_HOME = {
    "Certificate": "spotree.certificates.certificate",
    "CheckpointWriter": "spotree.checkpoint.writer",
    "Engine": "spotree.improvement.engine",
    "Exact": "spotree.improvement.engines.exact",
    "Exhaustive": "spotree.improvement.engines.exhaustive",
    "Frontier": "spotree.results.frontier",
    "Frozen": "spotree.improvement.problem",
    "Limits": "spotree.improvement.limits",
    "MDP": "spotree.mdp.model",
    "Method": "spotree.methods.method",
    "Milp": "spotree.improvement.engines.milp.engine",
    "Neighbourhood": "spotree.methods.neighbourhood",
    "Omdt": "spotree.methods.omdt.method",
    "PAPER": "spotree.methods.spot.spot_from_omdt",
    "Preparation": "spotree.improvement.engines.exact",
    "Progress": "spotree.results.progress",
    "ProofOptions": "spotree.proof.options",
    "Request": "spotree.search.request",
    "Rsbb": "spotree.improvement.engines.rsbb.engine",
    "Simulation": "spotree.evaluation.simulate",
    "Smallest": "spotree.results.smallest",
    "Solution": "spotree.results.solution",
    "SolveStatus": "spotree.results.solution",
    "Spot": "spotree.methods.spot.algorithm",
    "SpotFromOmdt": "spotree.methods.spot.spot_from_omdt",
    "SpotreeError": "spotree.errors",
    "Status": "spotree.improvement.result",
    "StepResult": "spotree.improvement.result",
    "Sweep": "spotree.sweeps.sweep",
    "SweepProgress": "spotree.sweeps.sweep",
    "Tree": "spotree.trees.tree",
    "TreePolicy": "spotree.trees.policy",
    "TreeProblem": "spotree.improvement.problem",
    "Verdict": "spotree.certificates.verify",
    "Viper": "spotree.methods.viper",
    "action_values": "spotree.evaluation",
    "best_tree": "spotree.improvement.engine",
    "build_mdp": "spotree.mdp.build",
    "certify": "spotree.api.certify",
    "check": "spotree.api.check",
    "errors": "",
    "evaluate": "spotree.evaluation",
    "export": "spotree.exports.export",
    "frontier": "spotree.api.frontier",
    "import_tree": "spotree.imports.import_tree",
    "improve": "spotree.improvement.improve",
    "load": "spotree.models",
    "models": "",
    "optimum": "spotree.evaluation",
    "plot": "",
    "policy_value": "spotree.evaluation",
    "read": "spotree.readers.read",
    "read_tree": "spotree.exports.json",
    "simplify": "spotree.api.simplify",
    "simulate": "spotree.evaluation.simulate",
    "smallest": "spotree.api.smallest",
    "solve": "spotree.api.solve",
    "sweep": "spotree.sweeps.sweep",
    "write_drn": "spotree.readers.drn",
    "write_npz": "spotree.readers.npz",
    "write_umb": "spotree.readers.umb.writer",
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
