"""A bound that a resumed run takes from a file is never shown as proved."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from command_line import spotree as in_process
from spotree import Solution, SolveStatus, certify, load, solve
from spotree.cli.app import app
from spotree.mdp.model import fingerprint
from spotree.proof.checkpoint.format import load_proof
from spotree.proof.options import ProofOptions
from spotree.report.data import report_data
from spotree.search.saved_search import load_search

MODEL = "tiger_vs_antelope"
SEARCH: dict[str, Any] = {"max_rounds": 1, "threads": 1, "time_limit": None, "round_work": 200_000}
PROOF: dict[str, Any] = {"search": 0.0, "threads": 1, "ingredients": ProofOptions(levels=False)}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def searched(path: Path, above: float) -> Solution:
    """A search of depth 3 whose checkpoint claims a bound that is so far above its tree."""
    mdp = load(MODEL)
    found = solve(mdp, 3, **SEARCH, checkpoint=path)
    saved = replace(load_search(path, mdp, 3, None), bound=found.value + above)
    saved.checkpoint(mdp.name, fingerprint(mdp), 3, None).save(path)
    return found


def proof_claims(path: Path, model: str, depth: int, bound: float) -> None:
    """Change the bound that the checkpoint of a proof claims."""
    mdp = load(model)
    saved = replace(load_proof(path, mdp, depth, None, 1e-7), bound=bound)
    saved.checkpoint(mdp, fingerprint(mdp), depth, None).save(path)


@pytest.mark.parametrize("above", [0.0, 0.01], ids=["it meets the bound", "it does not"])
def test_every_output_names_the_file_that_the_bound_was_taken_from(tmp_path: Path, above: float) -> None:
    path, out = tmp_path / "run.ckpt", tmp_path / "run.json"
    searched(path, above)
    found = solve(load(MODEL), 3, **SEARCH | {"max_rounds": 0 if above else 1}, prove=False, resume=path)
    assert found.trusted == str(path)
    assert not found.proved_optimal
    assert found.status is (SolveStatus.FINISHED if above else SolveStatus.TRUSTED)
    found.save(out)
    again = Solution.load(out)
    assert (again.trusted, again.status) == (str(path), found.status)
    data = report_data(again, load(MODEL))
    words = "taken on trust from"
    shown = {
        "repr": repr(again),
        "notebook": again._repr_html_(),
        "show": run("show", out).output,
        "report": json.dumps(data),
    }
    for name, text in shown.items():
        assert words in text, name
        assert "run.ckpt" in text, name
        assert "proved optimal" not in text, name
    assert data["result"]["trusted"] == str(path)
    assert data["result"]["proved"] is False
    assert "if " in data["result"]["verdict"]
    assert "which was not checked" in data["result"]["verdict"]
    assert json.loads(out.read_text())["proved_optimal"] is False


def test_exit_code_10_for_an_optimum_on_trust(tmp_path: Path) -> None:
    path, out = tmp_path / "run.ckpt", tmp_path / "run.json"
    searched(path, 0.0)
    asked = ("solve", MODEL, "-d", 3, "-t", 20, "--threads", 1, "--no-prove", "--resume", path, "--exit-code")
    done = run(*asked, "--out", out)
    assert done.exit_code == 10, done.output
    assert "optimal if the file that the run was resumed from is right, which was not checked" in done.stdout
    assert "--certificate" in done.stdout
    assert Solution.load(out).trusted == str(path)
    document = json.loads(run(*asked, "--json").stdout)
    assert (document["status"], document["proved_optimal"], document["trusted"]) == ("TRUSTED", False, str(path))


def test_a_bound_that_the_run_proves_itself_is_not_on_trust(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    mdp = load("frozenlake_4x4")
    first = solve(mdp, 1, time_limit=20, threads=1, checkpoint=path)
    assert first.proved_optimal
    again = run("solve", "frozenlake_4x4", "-d", 1, "-t", 20, "--threads", 1, "--resume", path, "--exit-code")
    assert again.exit_code == 0, again.output
    assert "trust" not in again.output


def test_a_bound_below_a_tree_is_dropped_in_one_line_and_not_called_trusted(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    searched(path, -0.1)
    asked = ["solve", MODEL, "-d", "3", "-t", "1", "--threads", "1", "--no-prove", "--resume", str(path)]
    done = in_process(*asked)
    assert done.returncode == 0
    assert done.stderr == "spotree: the checkpoint's bound is below the return of a tree: it is not used\n"
    assert "trust" not in done.stdout


def test_a_resumed_proof_that_closes_is_trusted_until_its_certificate_is_checked(tmp_path: Path) -> None:
    path, proof, model = tmp_path / "run.ckpt", tmp_path / "run.cert", "traffic_intersection"
    mdp = load(model)
    first = certify(mdp, 2, time_limit=60, checkpoint=path, **PROOF)
    assert (first.proved_optimal, first.trusted) == (True, None)
    asked = ("certify", model, "-d", 2, "-t", 60, "--resume", path, "--certificate", proof, "--exit-code")
    done = run(*asked)
    assert done.exit_code == 10, done.output
    assert "taken on trust from" in done.stdout
    assert run("check", proof, model).exit_code == 0


def test_what_rests_on_the_regions_of_a_resumed_certificate_is_on_trust(tmp_path: Path) -> None:
    old, mdp = tmp_path / "old.cert", load("frozenlake_4x4")
    asked: dict[str, Any] = PROOF | {"ingredients": ProofOptions(rules=("state",), levels=False), "time_limit": 60}
    assert certify(mdp, 2, certificate=old, **asked).proved_optimal
    again = certify(mdp, 2, resume=old, **asked)
    assert (again.trusted, again.status) == (str(old), SolveStatus.TRUSTED)


def test_a_proof_whose_file_is_contradicted_by_a_tree_does_without_the_file(tmp_path: Path) -> None:
    path, mdp = tmp_path / "run.ckpt", load("traffic_intersection")
    first = certify(mdp, 2, time_limit=60, checkpoint=path, **PROOF)
    proof_claims(path, mdp.name, 2, first.value - 0.1)
    with pytest.warns(UserWarning, match=r"run\.ckpt is wrong: a tree returns"):
        again = certify(mdp, 2, time_limit=60, resume=path, **PROOF)
    assert again.trusted is None
    assert again.proved_optimal  # by this run alone
    assert again.bound >= again.value
    assert all(line.bound >= first.value - 1e-6 for line in again.history)


@pytest.mark.parametrize(("status", "trusted"), [("OPTIMAL", "run.ckpt"), ("TRUSTED", None)])
def test_a_saved_solution_cannot_be_proved_and_trusted(tmp_path: Path, status: str, trusted: str | None) -> None:
    from spotree.errors import ReadError

    out = tmp_path / "run.json"
    solve(load("xor"), 1, **SEARCH).save(out)
    out.write_text(json.dumps(json.loads(out.read_text()) | {"status": status, "trusted": trusted}))
    with pytest.raises(ReadError, match=f"status is '{status}', but trusted is"):
        Solution.load(out)


def test_a_resumed_step_is_not_called_proved(tmp_path: Path) -> None:
    path = tmp_path / "step.ckpt"
    asked = ("improve", "xor", "-d", 1, "-e", "rsbb", "--threads", 1)
    assert "proved optimal" in run(*asked, "--checkpoint", path).stdout
    again = run(*asked, "--resume", path)
    assert again.exit_code == 0, again.output
    assert "proved optimal" not in again.stdout
    assert "step.ckpt, which was not checked" in again.stdout
    document = json.loads(run(*asked, "--resume", path, "--json").stdout)
    assert (document["status"], document["trusted"]) == ("TRUSTED", str(path))


def test_a_run_resumed_from_a_file_whose_name_is_no_utf8_can_be_loaded(tmp_path: Path) -> None:
    path, out = tmp_path / os.fsdecode(b"a\xff.ckpt"), tmp_path / "run.json"
    searched(path, 0.0)
    found = solve(load(MODEL), 3, **SEARCH, prove=False, resume=path)
    found.save(out)
    assert Solution.load(out).trusted == f"{tmp_path}/a\\xff.ckpt"
