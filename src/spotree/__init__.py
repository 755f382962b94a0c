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
    from spotree.methods.solution import Solution
    from spotree.methods.solve import solve
    from spotree.models import load
    from spotree.proof.certify import certify
    from spotree.readers.read import read
    from spotree.step.improve import improve
    from spotree.step.result import StepResult
    from spotree.tree.policy import TreePolicy
    from spotree.tree.tree import Tree
    from spotree.values.best import optimum
    from spotree.values.returns import evaluate, policy_value

_HOME = {
    "MDP": "spotree.mdp.model",
    "Solution": "spotree.methods.solution",
    "SpotreeError": "spotree.errors",
    "StepResult": "spotree.step.result",
    "Tree": "spotree.tree.tree",
    "TreePolicy": "spotree.tree.policy",
    "build_mdp": "spotree.mdp.build",
    "certify": "spotree.proof.certify",
    "errors": "",
    "evaluate": "spotree.values",
    "improve": "spotree.step.improve",
    "load": "spotree.models",
    "models": "",
    "optimum": "spotree.values",
    "policy_value": "spotree.values",
    "read": "spotree.readers.read",
    "solve": "spotree.methods.solve",
}

__all__ = [
    "MDP",
    "Solution",
    "SpotreeError",
    "StepResult",
    "Tree",
    "TreePolicy",
    "build_mdp",
    "certify",
    "errors",
    "evaluate",
    "improve",
    "load",
    "models",
    "optimum",
    "policy_value",
    "read",
    "solve",
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
