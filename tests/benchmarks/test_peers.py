"""The comparison with peers: what is read from dtPAYNT's output, and how a return stands to the published ones."""

import json
import sys
from argparse import Namespace
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spotree
from spotree.evaluation import evaluate, optimum, random_return
from spotree.mdp import build_mdp
from spotree.mdp.transforms import with_random_action
from spotree.readers.drn import write_drn

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))
dtpaynt: Any = import_module("dtpaynt")
peers: Any = import_module("peers")
publications: Any = import_module("published")

returns: Any = import_module("returns")
LOG = """
2026-01-01 10:00:00,000 - cli.py:191 - This is Paynt version 0.5.0.
2026-01-01 10:00:01,000 - synthesizer.py:190 - printing synthesized assignment below:
2026-01-01 10:00:01,000 - synthesizer.py:191 - A_0=Down
2026-01-01 10:00:02,000 - synthesizer.py:190 - printing synthesized assignment below:
2026-01-01 10:00:02,000 - synthesizer.py:191 - V_0=X, X_0=0, Y_0=0, V_1=Y, X_1=0, Y_1=1, A_2=Left, A_3=Up, \
V_4=Y, X_4=2, Y_4=2, A_5=Down, A_6=Right
2026-01-01 10:00:03,000 - statistic.py:181 - > progress 3.7%, elapsed 3 s, estimated 81 s, opt = 0.3652
"""


def test_an_assignment_of_dtpaynt_is_a_tree_in_preorder(tmp_path: Path) -> None:
    written = write_drn(spotree.load("frozenlake_4x4"), tmp_path)
    tree = dtpaynt.tree_of("V_0=Y, X_0=3, Y_0=1, A_1=Up, V_2=X, X_2=0, Y_2=2, A_3=__random__, A_4=Left", written)
    assert tree.feature.tolist() == [1, -1, 0, -1, -1]
    assert tree.threshold[[0, 2]].tolist() == [1.5, 0.5]
    assert tree.action.tolist() == [-1, 3, -1, 4, 0]  # Left, Down, Right, Up, and the random one last


def test_bounds_of_ranks_become_thresholds_between_the_values(tmp_path: Path) -> None:
    mdp = build_mdp([np.eye(3)] * 2, 0.0, 0.9, initial=0, features=[[0.1], [-2.5], [0.3]])
    tree = dtpaynt.tree_of("V_0=feature_0, feature_0_0=1, A_1=action_0, A_2=action_1", write_drn(mdp, tmp_path))
    assert tree.threshold[0] == pytest.approx(0.2)  # the two lowest of -2.5, 0.1, 0.3 are below


def test_the_tree_printed_last_is_evaluated_by_us(tmp_path: Path) -> None:
    mdp = spotree.load("frozenlake_4x4")
    run = dtpaynt.parse(mdp, write_drn(mdp, tmp_path), LOG, 0, 3.0)
    assert run.value == pytest.approx(evaluate(mdp, run.tree), rel=1e-12)
    assert run.value == pytest.approx(0.3651665, abs=1e-7)  # OMDT's published return at depth 2
    assert (run.ended, run.version, run.best) == ("finished", "0.5.0", run.value)


def test_what_a_killed_run_claims_counts_for_it(tmp_path: Path) -> None:
    mdp = spotree.load("frozenlake_4x4")
    written = replace(write_drn(mdp, tmp_path), scale=0.5)  # as if a fresh initial state had halved all returns
    run = dtpaynt.parse(mdp, written, LOG, None, 3.0)
    assert run.ended == "killed"
    assert run.claimed == run.best == 0.3652 / 0.5


def test_a_run_that_prints_nothing_has_no_value(tmp_path: Path) -> None:
    mdp = spotree.load("frozenlake_4x4")
    run = dtpaynt.parse(mdp, write_drn(mdp, tmp_path), "Traceback: no such thing", 1, 1.0)
    assert (run.tree, run.best, run.ended) == (None, None, "failed")


STAND_IN = """#!{python}
import sys
from pathlib import Path

options = sys.argv[1:]
folder = Path(options[2])
after = dict(zip(options, options[1:]))
assert options[:2] == ["-m", "paynt"] and "--no-add-dont-care-action" in options and after["--timeout"] == "60"
assert (folder / after["--sketch"]).read_text().count("action Left") == 16
assert "Cdiscount=0.99" in (folder / after["--props"]).read_text()
assert (folder / "state-valuations.json").stat().st_size > 0
print("1 - cli.py:1 - This is Paynt version 9.8.7.")
if after["--tree-depth"] == "1":
    print("1 - synthesizer.py:1 - printing synthesized assignment below:")
    print("1 - synthesizer.py:2 - V_0=X, X_0=0, Y_0=0, A_1=Left, A_2=Right")
    print("1 - statistic.py:1 - optimum: 0.11")
else:
    sys.exit("no such depth")
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in dtPAYNT's place that checks what it is given and answers in its words."""
    program = tmp_path / "bin" / "python"
    program.parent.mkdir()
    program.write_text(STAND_IN.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setattr(dtpaynt, "ENVIRONMENT", tmp_path)


@pytest.mark.usefixtures("stand_in")
def test_dtpaynt_is_handed_the_model_and_its_answer_is_read_in_our_terms() -> None:
    mdp = spotree.load("frozenlake_4x4")
    run = dtpaynt.run(mdp, depth=1, time_limit=60)
    assert (run.ended, run.version, run.claimed) == ("finished", "9.8.7", 0.11), run.log
    assert run.tree.feature.tolist() == [0, -1, -1]
    assert run.value == pytest.approx(evaluate(mdp, run.tree), rel=1e-12)


@pytest.mark.usefixtures("stand_in")
def test_a_dtpaynt_that_breaks_off_has_failed() -> None:
    run = dtpaynt.run(spotree.load("frozenlake_4x4"), depth=2, time_limit=60)
    assert (run.ended, run.value, run.log.strip().splitlines()[-1]) == ("failed", None, "no such depth")


PUBLISHED = publications.Published(optimum=10.0, random=0.0, dtpaynt=8.0, omdt=7.5)


@pytest.mark.parametrize(
    ("ours", "with_random", "verdict"),
    [
        (9.0, (), "above both published"),
        (8.0, (), "at least the best published"),
        (7.99996, (), "at least the best published"),  # dtPAYNT's four decimals may hide 0.00005
        (7.9, (8.1,), "below published dtpaynt only for want of the random action: with it, reached"),
        (7.4, (7.9,), "BELOW published dtpaynt and omdt, also with the random action: the search falls short"),
        (7.9, (), "below published dtpaynt (which may act at random)"),
    ],
)
def test_a_verdict_says_why_a_published_return_is_missed(
    ours: float, with_random: tuple[float, ...], verdict: str
) -> None:
    assert peers.Cell("m", 2, 10.0, 0.0, (ours,), with_random, None, PUBLISHED).verdict == verdict


def test_a_model_with_another_optimum_is_not_compared() -> None:
    assert peers.Cell("m", 2, 11.0, 0.0, (5.0,), (), None, PUBLISHED).verdict == (
        "published for another model of that name"
    )


@pytest.mark.parametrize(
    ("theirs", "verdict"),
    [
        (4.0, "above dtPAYNT live (killed, 330 s)"),
        (5.0, "equal to dtPAYNT live (killed, 330 s)"),
        (6.0, "BELOW dtPAYNT live (killed, 330 s)"),
        (None, "dtPAYNT killed without a tree"),
    ],
)
def test_a_verdict_on_a_live_run_compares_evaluated_trees(theirs: float | None, verdict: str) -> None:
    live = peers.Live(value=theirs, claimed=None, seconds=330.0, ended="killed", version="0.5.0")
    assert peers.Cell("m", 2, 10.0, 0.0, (5.0,), (), live, None).verdict == verdict


def test_the_table_shows_returns_with_their_share_of_the_optimum() -> None:
    cell = peers.Cell("m", 2, 10.0, 0.0, (9.0, 5.0, 8.5), (), None, PUBLISHED)
    assert peers.line(cell) == (
        "| m | 2 | 8.5 (0.8500) | - | - | 8 (0.8000) | 7.5 (0.7500) | above both published |"  # the median
    )


def test_results_carry_the_commit_and_every_cell(tmp_path: Path) -> None:
    options = Namespace(time=60.0, paynt_time=300, published=True, seeds=[0])
    peers.save(
        tmp_path / "new" / "peers.json", [peers.Cell("m", 2, 10.0, 0.0, (9.0,), (), None, PUBLISHED)], options
    )
    document = json.loads((tmp_path / "new" / "peers.json").read_text())
    assert document["date"]
    assert "commit" in document
    assert document["cells"][0]["ours"] == [9.0]
    assert document["cells"][0]["published"]["omdt"] == 7.5
    assert document["cells"][0]["verdict"] == "above both published"


@pytest.mark.parametrize("model", ["frozenlake_8x8", "navigation_3d", "blackjack", "csma_2_4", "firewire"])
def test_a_published_model_has_our_optimum_and_random_return(model: str) -> None:
    mdp = publications.load(model)
    found = publications.published(model, 3)
    assert found.same_model(optimum(mdp).value, random_return(mdp))


def test_inventory_management_is_another_model_there() -> None:
    mdp = publications.load("inventory_management")
    assert not publications.published("inventory_management", 1).same_model(optimum(mdp).value, random_return(mdp))


def test_a_model_of_the_comparison_is_read_without_its_random_action(tmp_path: Path) -> None:
    mdp = spotree.load("frozenlake_4x4")
    path = tmp_path / publications.FILES["maze-steps"]
    write_drn(with_random_action(mdp), path.parent)
    (path.parent / "model.drn").rename(path)
    found = publications.load("maze-steps", tmp_path)
    assert (found.name, sorted(found.action_names)) == ("maze-steps", sorted(mdp.action_names))
    assert optimum(found).value == pytest.approx(optimum(mdp).value, rel=1e-9)


def test_a_model_that_does_not_ship_is_asked_for() -> None:
    with pytest.raises(SystemExit, match="maze-steps does not ship; say with --cav25 in which folder steps/"):
        publications.load("maze-steps")


def test_every_model_of_the_comparison_has_its_published_returns() -> None:
    for model in publications.PUBLISHED_AS:
        assert all(publications.published(model, depth) is not None for depth in range(1, 9))
    assert publications.published("xor", 1) is None


def test_the_papers_table_has_both_depths_of_every_model_that_it_is_compared_in() -> None:
    best, spot = returns.paper_values("neighbourhood"), returns.paper_values("spot")
    assert set(best) == set(spot) == {(name, depth) for name in returns.PAPER.values() for depth in (3, 4)}
    assert (best["tiger_vs_ant", 3], spot["firewire", 4]) == (0.84102, 0.63699)


@pytest.mark.parametrize("model", ["navigation_3d", "system_administrator_tree", "tictactoe_vs_random"])
def test_no_tree_of_depth_1_reaches_the_published_return_without_the_random_action(model: str) -> None:
    mdp = publications.load(model)
    cuts = [(j, (a + b) / 2) for j, c in enumerate(mdp.features.T) for a, b in pairwise(np.unique(c))]
    actions = range(mdp.num_actions)
    best = max(
        evaluate(mdp, np.where(mdp.features[:, feature] < cut, left, right))
        for feature, cut in cuts
        for left in actions
        for right in actions
    )
    assert publications.published(model, 1).better(best, optimum(mdp).value, random_return(mdp))
