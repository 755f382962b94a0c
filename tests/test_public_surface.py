"""The public surface is a list, and importing it costs nothing."""

import importlib
import subprocess
import sys
from pathlib import Path

import spotree

SOURCE = Path(spotree.__file__).parent

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


MODULES = [
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if path.name != "__main__.py"
]


def test_every_module_can_be_imported_both_ways() -> None:
    """`import a.b.c as m` looks c up as an attribute of a.b: a function of that name would hide the module."""
    for name in MODULES:
        there: dict[str, object] = {}
        exec(f"import {name} as module", there)
        assert there["module"] is importlib.import_module(name), name
        assert there["module"].__name__ == name  # type: ignore[attr-defined]


def test_no_package_has_the_name_of_a_public_function() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert not packages & {name for name in PUBLIC if callable(getattr(spotree, name))}


def test_importing_spotree_imports_nothing_heavy() -> None:
    code = (
        "import sys, spotree, spotree.cli.app; print([m for m in ('numpy', 'scipy', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
