"""Small decision-tree policies for Markov decision processes, and how good they provably are.

mdp = spotree.load("tiger_vs_antelope")
solution = spotree.solve(mdp, depth=3, time_limit=10)
print(solution.policy, solution.value, solution.bound)

Importing this package does no work: each public name is looked up where it lives when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# These packages share their name with a public function. Python binds a package to its parent only once, so
# importing them here and freeing the names leaves room for the functions.
for _name in ("certify", "read", "solve"):
    import_module(f"spotree.{_name}")
    del globals()[_name]

if TYPE_CHECKING:
    from spotree import errors, models
    from spotree.certify.certify import certify
    from spotree.errors import SpotreeError
    from spotree.mdp.build import build_mdp
    from spotree.mdp.model import MDP
    from spotree.models import load
    from spotree.read.read import read
    from spotree.search.improve import improve
    from spotree.search.result import StepResult
    from spotree.solve.solution import Solution
    from spotree.solve.solve import solve
    from spotree.tree.policy import TreePolicy
    from spotree.tree.tree import Tree
    from spotree.values.evaluate import evaluate, policy_value
    from spotree.values.optimum import optimum

_HOME = {
    "MDP": "spotree.mdp.model",
    "Solution": "spotree.solve.solution",
    "SpotreeError": "spotree.errors",
    "StepResult": "spotree.search.result",
    "Tree": "spotree.tree.tree",
    "TreePolicy": "spotree.tree.policy",
    "build_mdp": "spotree.mdp.build",
    "certify": "spotree.certify.certify",
    "errors": "",
    "evaluate": "spotree.values",
    "improve": "spotree.search.improve",
    "load": "spotree.models",
    "models": "",
    "optimum": "spotree.values",
    "policy_value": "spotree.values",
    "read": "spotree.read.read",
    "solve": "spotree.solve.solve",
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
