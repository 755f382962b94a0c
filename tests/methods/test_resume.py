"""A search that goes on from its checkpoint: never worse, not the same again, and only the same run."""

import json
import math
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spotree
from spotree import CheckpointWriter, load, solve
from spotree.errors import InvalidProblemError, ReadError, SpotreeError
from spotree.search.saved_search import SavedSearch, load_search

QUICK: dict[str, Any] = {"max_rounds": 2, "threads": 1, "time_limit": None, "round_work": 2_000_000}


def edited(path: Path, **state: Any) -> Path:
    """The checkpoint with entries of its state changed."""
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
    header["state"] |= state
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
    return path


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("frozenlake_4x4", {"depth": 2}),  # complete trees
        ("frozenlake_4x4", {"depth": 6}),  # both searches in turn
        ("frozenlake_4x4", {"max_leaves": 9}),  # trees of any shape
        ("frozenlake_4x4", {"depth": 0}),
        ("frozenlake_8x8", {"depth": 3, "max_leaves": 5}),
    ],
)
def test_a_resumed_search_is_never_worse_and_counts_on(tmp_path: Path, model: str, size: dict[str, int]) -> None:
    mdp, path = load(model), tmp_path / "run.ckpt"
    first = solve(mdp, **size, **QUICK, checkpoint=path, seed=1)
    with zipfile.ZipFile(path) as archive:
        kept = json.loads(archive.read("header.json"))["state"]["seconds"]
    second = solve(mdp, **size, **QUICK | {"max_rounds": 1}, checkpoint=path, resume=path, seed=1)
    assert second.value >= first.value
    assert second.bound <= first.bound
    assert 0 < kept < second.seconds
    assert [line.round for line in second.history][-1] >= first.history[-1].round
    assert second.history[0] == first.history[0]
    third = solve(mdp, **size, **QUICK | {"time_limit": 0.0}, resume=path)
    assert third.value >= second.value
    assert path.exists()


def test_what_is_kept_is_what_was_found(tmp_path: Path) -> None:
    mdp, path = load("frozenlake_4x4"), tmp_path / "run.ckpt"
    found = solve(mdp, 3, **QUICK, checkpoint=path, seed=5)
    saved = load_search(path, mdp, 3, None)
    assert spotree.evaluate(mdp, saved.tree) == pytest.approx(found.value)
    assert (saved.seed, saved.runs, saved.rounds) == (5, 1, 2)
    assert saved.bound == pytest.approx(found.bound)
    assert saved.others  # the best of the shallow trees


def test_each_run_draws_from_a_stream_of_its_own() -> None:
    def saved(runs: int) -> SavedSearch:
        return SavedSearch(spotree.Tree.__new__(spotree.Tree), 0.0, 0.0, 0, 0.0, 3, runs)

    streams = {saved(runs).stream(seed) for runs in range(1, 20) for seed in range(20)}
    assert len(streams) == 19 * 20
    assert not streams & set(range(20))


def test_a_proof_is_not_made_again(tmp_path: Path) -> None:
    mdp, path = load("frozenlake_4x4"), tmp_path / "run.ckpt"
    first = solve(mdp, 2, time_limit=20, threads=1, checkpoint=path)
    assert first.proved_optimal
    again = solve(mdp, 2, time_limit=20, threads=1, resume=path)
    assert again.proved_optimal
    assert again.history[-1].round == first.history[-1].round + 1


def test_other_models_and_sizes_are_refused(tmp_path: Path) -> None:
    mdp, path = load("xor"), tmp_path / "run.ckpt"
    solve(mdp, 1, **QUICK, checkpoint=path)
    with pytest.raises(ReadError, match="of another model"):
        solve(load("xor", discount=0.5), 1, **QUICK, resume=path)
    with pytest.raises(ReadError, match="for depth 1, not depth 2"):
        solve(mdp, 2, **QUICK, resume=path)
    with pytest.raises(ReadError, match="there is no such file"):
        solve(mdp, 1, **QUICK, resume=tmp_path / "none.ckpt", checkpoint=tmp_path / "none.ckpt")
    with pytest.raises(SpotreeError, match=r"there is a file already, a checkpoint \(search, xor, depth 1\)"):
        solve(mdp, 1, **QUICK, checkpoint=path)
    assert [found.name for found in tmp_path.iterdir()] == ["run.ckpt"]


@pytest.mark.parametrize("method", ["spot", "omdt", "viper", "spot+ws"])
@pytest.mark.parametrize("option", ["checkpoint", "resume"])
def test_a_method_without_checkpoints_says_so(method: str, option: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidProblemError, match=f"method '{method.replace('+', '.')}' keeps no checkpoints"):
        solve(load("xor"), 1, method=method, **{option: tmp_path / "run.ckpt"})


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (
            {"tree": {"feature": [9, -1, -1], "threshold": [0, 0, 0], "left": [1, -1, -1], "right": [2, -1, -1]}},
            "action",
        ),
        ({"tree": 3}, "state/tree"),
        ({"rounds": -1}, "state/rounds"),
        ({"seconds": "long"}, "state/seconds"),
        ({"runs": 0}, "state/runs"),
        ({"seed": 1.5}, "state/seed"),
        ({"bound": "high"}, "state/bound"),
        ({"value": []}, "state/value"),
        ({"history": [{"seconds": 0}]}, "round"),
        ({"others": {}}, "state/others"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, state: dict[str, Any], said: str) -> None:
    mdp, path = load("xor"), tmp_path / "run.ckpt"
    solve(mdp, 1, **QUICK, checkpoint=path)
    with pytest.raises(ReadError, match=f"damaged one .*{said}"):
        solve(mdp, 1, **QUICK, resume=edited(path, **state))


@pytest.mark.parametrize(("feature", "action"), [(99, 0), (0, 99)])
def test_a_tree_of_another_model_never_reaches_the_core(tmp_path: Path, feature: int, action: int) -> None:
    mdp, path = load("xor"), tmp_path / "run.ckpt"
    solve(mdp, 1, **QUICK, checkpoint=path)
    tree = {
        "feature": [feature, -1, -1],
        "threshold": [0.5, 0, 0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "action": [-1, action, 0],
    }
    with pytest.raises(ReadError, match="of another model"):
        solve(mdp, 1, **QUICK, resume=edited(path, tree=tree))
    with pytest.raises(ReadError, match="of another model"):
        solve(mdp, 1, **QUICK, resume=edited(path, others=[tree]))


def test_a_bound_below_a_tree_is_not_believed(tmp_path: Path) -> None:
    mdp, path = load("frozenlake_4x4"), tmp_path / "run.ckpt"
    first = solve(mdp, 2, **QUICK, checkpoint=path)
    edited(path, bound=first.value - 0.1)
    with pytest.warns(UserWarning, match="bound is below the return of a tree"):
        second = solve(mdp, 2, **QUICK, resume=path)
    assert second.bound > second.value
    assert not second.proved_optimal


def test_a_certificate_proves_what_a_checkpoint_only_says(tmp_path: Path) -> None:
    mdp, path, proof = load("frozenlake_4x4"), tmp_path / "run.ckpt", tmp_path / "run.cert"
    solve(mdp, 2, time_limit=20, threads=1, checkpoint=path)
    again = solve(mdp, 2, time_limit=20, threads=1, resume=path, certificate=proof)
    assert again.proved_optimal
    verdict = spotree.check(proof, mdp)
    assert verdict.bound == pytest.approx(again.bound)


def test_a_start_and_a_checkpoint_give_the_better_of_both(tmp_path: Path) -> None:
    mdp, path = load("frozenlake_4x4"), tmp_path / "run.ckpt"
    good = solve(mdp, 2, time_limit=10, threads=1)
    bad = solve(mdp, 2, max_rounds=0, threads=1, time_limit=None, checkpoint=path)
    assert bad.value < good.value
    assert solve(mdp, 2, max_rounds=0, threads=1, start=good, resume=path).value == good.value


def test_the_run_outlives_a_checkpoint_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    told: list[str] = []
    keeper = CheckpointWriter(folder / "run.ckpt", every=0, tell=told.append)

    def pull_away(_: Any) -> None:
        for file in folder.iterdir() if folder.exists() else ():
            file.unlink()
        if folder.exists():
            folder.rmdir()

    found = solve(load("frozenlake_4x4"), 2, **QUICK, checkpoint=keeper, progress=pull_away)
    assert math.isfinite(found.value)
    assert keeper.failure is not None
    assert len(told) == 1


def test_ctrl_c_before_the_first_round_still_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from spotree.methods import neighbourhood

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(neighbourhood, "searcher", interrupted)
    found = solve(load("xor"), 1, time_limit=60)
    assert found.status is spotree.SolveStatus.INTERRUPTED
    assert found.value <= found.bound


def test_a_run_in_another_thread_keeps_checkpoints_too(tmp_path: Path) -> None:
    mdp, path = load("xor"), tmp_path / "run.ckpt"
    thread = threading.Thread(target=lambda: solve(mdp, 1, **QUICK, checkpoint=path, seed=np.int64(4)))
    thread.start()
    thread.join()
    assert load_search(path, mdp, 1, None).seed == 4
