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
from spotree.mdp import build_mdp
from spotree.mdp.random_action import RANDOM_ACTION, with_random_action
from spotree.read.drn_write import write_drn
from spotree.values import evaluate, optimum, random_return

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))
dtpaynt: Any = import_module("dtpaynt")
peers: Any = import_module("peers")
publications: Any = import_module("published")

needs_reference = pytest.mark.skipif(
    not publications.REFERENCE.is_dir(), reason="the reference results are not beside the project"
)
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


@pytest.mark.skipif(not dtpaynt.installed(), reason="dtPAYNT is not installed: benchmarks/peers.py --setup")
def test_dtpaynt_reads_what_we_write_and_answers_in_our_terms() -> None:
    run = dtpaynt.run(spotree.load("frozenlake_4x4"), depth=1, time_limit=60)
    assert run.value == pytest.approx(0.1103983, abs=1e-7)  # OMDT's published return at depth 1


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


@needs_reference
@pytest.mark.parametrize("model", ["frozenlake_8x8", "navigation_3d", "blackjack", "firewire-3", "maze-steps"])
def test_a_published_model_has_our_optimum_and_random_return(model: str) -> None:
    mdp = publications.load(model)
    found = publications.published(model, 3)
    assert found.same_model(optimum(mdp).value, random_return(mdp))


@needs_reference
def test_inventory_management_is_another_model_there() -> None:
    mdp = publications.load("inventory_management")
    assert not publications.published("inventory_management", 1).same_model(optimum(mdp).value, random_return(mdp))


@needs_reference
@pytest.mark.parametrize("model", ["firewire-3", "maze-steps"])
def test_our_random_action_is_the_one_in_the_published_files(model: str) -> None:
    theirs = spotree.read(publications.REFERENCE / publications.FILES[model])
    ours = with_random_action(publications.load(model))
    difference = theirs.transition_matrix(RANDOM_ACTION) - ours.transition_matrix(RANDOM_ACTION)
    # firewire-3 spells missing actions out, each the average of the others: that leaves the average as it is.
    assert abs(difference).max() < 1e-10  # as many digits as the files have


@needs_reference
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
