"""The public surface is a list, and importing it costs nothing."""

import subprocess
import sys

import spotree

PUBLIC = [
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


def test_the_public_names_are_these_and_each_resolves() -> None:
    assert spotree.__all__ == PUBLIC == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(spotree, name) is not None
    assert dir(spotree) == sorted([*PUBLIC, "__version__"])


def test_functions_keep_their_names_when_packages_of_the_same_name_are_imported() -> None:
    code = "import spotree, spotree.solve.solution, spotree.read.options; assert callable(spotree.read)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_spotree_imports_nothing_heavy() -> None:
    code = (
        "import sys, spotree, spotree.cli.app; print([m for m in ('numpy', 'scipy', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
