"""The public surface is a list, and importing it costs nothing."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import spotree

SOURCE = Path(spotree.__file__).parent

PUBLIC = [
    "MDP",
    "PAPER",
    "Certificate",
    "CheckpointWriter",
    "Engine",
    "Exact",
    "Exhaustive",
    "Frontier",
    "Frozen",
    "Limits",
    "Method",
    "Milp",
    "Neighbourhood",
    "Omdt",
    "Preparation",
    "Progress",
    "ProofOptions",
    "Request",
    "Rsbb",
    "Simulation",
    "Smallest",
    "Solution",
    "SolveStatus",
    "Spot",
    "SpotFromOmdt",
    "SpotreeError",
    "Status",
    "StepResult",
    "Sweep",
    "SweepProgress",
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
    "export",
    "frontier",
    "import_tree",
    "improve",
    "load",
    "models",
    "optimum",
    "plot",
    "policy_value",
    "read",
    "read_tree",
    "simplify",
    "simulate",
    "smallest",
    "solve",
    "sweep",
    "write_drn",
    "write_npz",
    "write_umb",
]


def test_the_public_names_are_these_and_each_resolves() -> None:
    assert spotree.__all__ == PUBLIC == sorted(PUBLIC, key=lambda name: (not name.isupper(), name))
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


KINDS = {
    node.name
    for path in SOURCE.rglob("*.py")
    for node in ast.parse(path.read_text()).body
    if isinstance(node, ast.ClassDef)
}
VERBS = [
    "best_tree",
    "certify",
    "check",
    "export",
    "frontier",
    "import_tree",
    "improve",
    "load",
    "read",
    "read_tree",
    "simplify",
    "smallest",
    "solve",
    "sweep",
    "write_npz",
    "write_umb",
]


@pytest.mark.parametrize("name", VERBS)
def test_every_class_in_the_signature_of_a_verb_is_public(name: str) -> None:
    told = inspect.get_annotations(getattr(spotree, name)).values()
    assert set(re.findall(r"\w+", " ".join(map(str, told)))) & KINDS <= set(PUBLIC)


@pytest.mark.parametrize(
    "name", [*VERBS[:5], "import_tree", "improve", "read", "simplify", "simulate", "smallest", "solve", "sweep"]
)
def test_the_help_of_a_verb_says_what_each_of_its_parameters_means(name: str) -> None:
    verb = getattr(spotree, name)
    text = inspect.getdoc(verb) or ""
    assert "Parameters\n----------" in text
    lines = text.split("Parameters\n----------")[1].split("\n---")[0].splitlines()
    told = {word.strip() for line in lines if re.fullmatch(r"[a-z][\w, ]*", line) for word in line.split(",")}
    assert set(inspect.signature(verb).parameters) - {"mdp", "problem"} <= told


def test_the_help_of_solve_lists_the_settings_of_every_method() -> None:
    from spotree.methods.registry import METHODS, settings_of

    text = inspect.getdoc(spotree.solve) or ""
    for name, method in METHODS.items():
        listed = text.split(f"\n    {name}\n")[1].splitlines()[0].replace("and those of spot", "")
        own = {setting.strip() for setting in listed.split(",")} - {""}
        of_spot = set(settings_of(METHODS["spot"])) if name == "spot+ws" else set()
        assert own | of_spot == set(settings_of(method)), name
        for setting in settings_of(method):
            assert setting == "preset" or setting in (inspect.getdoc(type(method)) or ""), setting


def test_the_help_names_every_engine_and_every_method() -> None:
    from spotree.cli.commands.improve import improve as improve_command
    from spotree.cli.commands.solve import solve as solve_command
    from spotree.improvement.engines.registry import ENGINES
    from spotree.methods.registry import METHODS

    def help_of(command: object, option: str) -> str:
        return str(inspect.get_annotations(command)[option].__metadata__[0].help)  # type: ignore[arg-type]

    for name in ENGINES:
        assert f'"{name}"' in (inspect.getdoc(spotree.improve) or "")
        assert f'"{name}"' in (inspect.getdoc(spotree.Spot) or "")
        assert name in help_of(improve_command, "engine")
        assert name in help_of(solve_command, "engine")
    for name in METHODS:
        assert f'"{name}"' in (inspect.getdoc(spotree.solve) or "")
        assert name in help_of(solve_command, "method")
