"""A fresh answer knows its model; one from a file asks for it."""

import gc
import pickle
from pathlib import Path

import pytest

import spotree
from spotree.errors import InvalidProblemError
from spotree.results.provenance import model_of


def test_a_fresh_solution_writes_its_report_and_one_from_a_file_asks_for_the_model(tmp_path: Path) -> None:
    mdp = spotree.load("frozenlake_4x4")
    solution = spotree.solve(mdp, 2, time_limit=2)
    solution.report(tmp_path / "fresh.html")
    solution.save(tmp_path / "run.json")
    loaded = spotree.Solution.load(tmp_path / "run.json")
    with pytest.raises(InvalidProblemError, match="pass the MDP as well"):
        loaded.report(tmp_path / "no.html")
    loaded.report(tmp_path / "again.html", mdp)
    assert "frozenlake_4x4" in (tmp_path / "again.html").read_text()
    assert not (tmp_path / "no.html").exists()


def test_a_solution_keeps_no_model_alive_and_can_be_pickled() -> None:
    mdp = spotree.load("frozenlake_4x4")
    solution = spotree.solve(mdp, 1, time_limit=2)
    assert model_of(solution) is mdp
    assert pickle.loads(pickle.dumps(solution)).value == solution.value
    del mdp
    gc.collect()
    with pytest.raises(InvalidProblemError, match="not at hand"):
        model_of(solution)
