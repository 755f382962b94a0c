"""Commands that take a tree: what they print, and that the parts add up to the whole."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from small_models import random_mdp
from spotree import MDP, Solution, Tree, TreePolicy, build_mdp, evaluate, load, simulate, solve
from spotree.cli.app import app
from spotree.cli.commands.diff import split_facts
from spotree.cli.commands.simulate import _verdict
from spotree.cli.trajectories import Trajectories
from spotree.trees.serialize import tree_lists
from spotree.trees.tree import leaf, make_tree


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def as_json(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return found


def random_tree(rng: np.random.Generator, mdp: MDP, depth: int) -> TreePolicy:
    """A complete tree with thresholds between values that occur."""
    parts: list[list[float]] = []

    def grow(left: int) -> int:
        here = len(parts)
        parts.append([-1, 0.0, -1, -1, int(rng.integers(mdp.num_actions))])
        if left:
            feature = int(rng.integers(mdp.num_features))
            threshold = float(rng.choice(mdp.features[:, feature])) + 0.5
            parts[here] = [feature, threshold, grow(left - 1), grow(left - 1), -1]
        return here

    grow(depth)
    columns = [list(column) for column in zip(*parts, strict=True)]
    return TreePolicy(make_tree(*columns), mdp.feature_names, mdp.action_names)


def write_tree(path: Path, policy: TreePolicy) -> Path:
    names = {"feature_names": list(policy.feature_names), "action_names": list(policy.action_names)}
    path.write_text(json.dumps({"format": "spotree-tree", "version": 1, "tree": tree_lists(policy.tree)} | names))
    return path


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good tree and a bad one."""
    folder = tmp_path_factory.mktemp("lake")
    mdp = load("frozenlake_4x4")
    for depth, name in ((2, "good.json"), (0, "bad.json")):
        solve(mdp, depth, max_rounds=2, threads=1, time_limit=5).save(folder / name)
    return folder


def test_show_prints_what_solve_printed(tmp_path: Path) -> None:
    printed = run("solve", "frozenlake_4x4", "-d", 1, "-t", 1, "-o", tmp_path / "run.json")
    assert run("show", tmp_path / "run.json") == printed[: printed.index("saved to")]
    assert as_json("show", tmp_path / "run.json") == json.loads((tmp_path / "run.json").read_text())


def test_show_refuses_what_is_no_solution(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{}")
    from spotree.errors import ReadError

    with pytest.raises(ReadError, match="not a solution file"):
        run("show", tmp_path / "no.json")


def test_evaluate_says_the_exact_return_and_how_good_it_is(lake: Path) -> None:
    facts = as_json("evaluate", "frozenlake_4x4", lake / "good.json")
    solution = Solution.load(lake / "good.json")
    assert facts["value"] == pytest.approx(solution.value, abs=1e-12)
    assert facts["of_optimum"] == pytest.approx(solution.of_optimum)
    assert facts["over_random"] == pytest.approx(solution.over_random)
    assert 0 < facts["error"] < 1e-10
    assert facts["lacking_states"] == 0
    text = run("evaluate", "frozenlake_4x4", lake / "good.json")
    assert f"{solution.value:.6f}" in text
    assert "the same under every rule" in text


def test_evaluate_shows_every_rule_where_the_tree_takes_actions_that_are_not_there(tmp_path: Path) -> None:
    mdp = random_mdp(np.random.default_rng(5), 8, 3, offered=0.5, missing="end")
    mdp.save(tmp_path / "model.npz")
    path = write_tree(tmp_path / "tree.json", TreePolicy(leaf(1), mdp.feature_names, mdp.action_names))
    facts = as_json("evaluate", tmp_path / "model.npz", path)
    assert facts["lacking_states"] == int((~mdp.available[:, 1]).sum()) > 0
    from spotree import read

    for rule in ("random", "end", "stay"):
        other = evaluate(read(tmp_path / "model.npz", missing=rule), leaf(1))
        assert facts["rules"][rule]["value"] == pytest.approx(other, abs=1e-12)
    assert facts["rules"]["forbid"]["value"] is None
    assert facts["rules"]["forbid"]["feasible"] is False
    text = run("evaluate", tmp_path / "model.npz", path)
    assert "if forbid" in text
    assert "infeasible" in text
    one = as_json("evaluate", tmp_path / "model.npz", path, "--missing-rule", "stay")
    assert set(one["rules"]) == {"end", "stay"}
    forbidden = as_json("evaluate", tmp_path / "model.npz", path, "--missing", "forbid")
    assert (forbidden["value"], forbidden["lacking_states"] > 0) == (None, True)
    assert forbidden["rules"]["stay"]["value"] == pytest.approx(facts["rules"]["stay"]["value"])


def test_evaluate_reads_an_undiscounted_model_anew_for_another_rule(tmp_path: Path) -> None:
    """With "random" the trap is left out and the way there forbidden; with "stay" no tree gets out of the start."""
    available = np.array([[True, False], [True, True]])
    moves = np.array([[[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]]])
    rewards = [[1.0, 0.0], [0.0, 0.0]]
    mdp = build_mdp(moves, rewards, 1.0, 0, available=available, undiscounted=True)
    mdp.save(tmp_path / "model.npz")
    path = write_tree(tmp_path / "tree.json", TreePolicy(leaf(1), mdp.feature_names, mdp.action_names))
    facts = as_json("evaluate", tmp_path / "model.npz", path)
    assert {rule: told["value"] for rule, told in facts["rules"].items()} == {
        "random": 1.0,
        "end": -1.0,
        "stay": 0.0,
        "forbid": None,
    }


def test_simulate_shows_an_interval_beside_the_exact_return(lake: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    command = ("simulate", "frozenlake_4x4", lake / "good.json", "-n", 200, "--trajectories", out)
    facts = as_json(*command)
    assert facts["low"] <= facts["exact"] <= facts["high"]
    assert facts["agrees"] is True
    text = run(*command)
    assert "inside" in text
    assert f"{facts['mean']:.6f}" in text
    rows = list(csv.DictReader(out.open(newline="")))
    assert list(rows[0]) == ["episode", "step", "state", "X", "Y", "action", "reward"]
    assert [int(row["episode"]) for row in rows] == sorted(int(row["episode"]) for row in rows)
    played = [row for row in rows if row["action"]]
    assert len(played) == facts["steps"]
    earned = sum(0.99 ** int(row["step"]) * float(row["reward"]) for row in played)
    assert earned / 200 == pytest.approx(facts["mean"])
    policy = Solution.load(lake / "good.json").policy
    assert all(policy({"X": float(row["X"]), "Y": float(row["Y"])}) == row["action"] for row in played)


def test_diff_shows_where_trees_differ_and_what_it_costs(lake: Path) -> None:
    facts = as_json("diff", "frozenlake_4x4", lake / "bad.json", lake / "good.json")
    assert facts["difference"] > 0
    assert sum(row["adds"] for row in facts["states"]) == pytest.approx(facts["difference"], abs=1e-9)
    sizes = [abs(row["adds"]) for row in facts["states"]]
    assert sizes == sorted(sizes, reverse=True)
    text = run("diff", "frozenlake_4x4", lake / "bad.json", lake / "good.json", "--rows", 1)
    assert f"{facts['difference']:+.9f}, second less first" in text
    assert f"{facts['sum_of_states']:+.9f}, by visits" in text
    assert "more:" in text
    same = as_json("diff", "frozenlake_4x4", lake / "good.json", lake / "good.json")
    assert (same["difference"], same["states"]) == (0, [])


def pairs() -> list[tuple[str, MDP]]:
    undiscounted = load("frozenlake_4x4", discount=1)
    names = ("blackjack", "inventory_management", "tiger_vs_antelope", "tictactoe_vs_random")
    return [*((name, load(name)) for name in names), ("frozenlake_4x4 undiscounted", undiscounted)]


@pytest.mark.parametrize(("name", "mdp"), pairs(), ids=lambda part: part if isinstance(part, str) else "")
def test_the_costs_of_the_states_sum_to_the_difference_of_the_returns(name: str, mdp: MDP) -> None:
    rng = np.random.default_rng(2)
    for _ in range(3):
        first, second = random_tree(rng, mdp, 2), random_tree(rng, mdp, 3)
        facts = split_facts(mdp, first, second)
        whole = evaluate(mdp, second) - evaluate(mdp, first)
        assert facts["difference"] == whole
        assert abs(facts["sum_of_states"] - whole) <= 1e-9
        assert abs(sum(row["adds"] for row in facts["states"]) - whole) <= 1e-9


def test_a_difference_is_split_by_the_other_tree_where_the_first_comes_too_far() -> None:
    """In state 1, where only the first tree comes, the second one would pay for ever."""
    moves = np.zeros((2, 3, 3))
    moves[0] = [[0, 1, 0], [0, 0, 1], [0, 0, 1]]
    moves[1] = [[0, 0, 1], [0, 1, 0], [0, 0, 1]]
    mdp = build_mdp(moves, [[-1.0, -3.0], [-1.0, -1.0], [0.0, 0.0]], 1.0, 0, undiscounted=True)
    go, jump = (TreePolicy(leaf(action), mdp.feature_names, mdp.action_names) for action in (0, 1))
    facts = split_facts(mdp, go, jump)
    assert (facts["first"]["value"], facts["second"]["value"]) == (-2.0, -3.0)
    assert (facts["visits_of"], facts["sum_of_states"]) == ("second", -1.0)


@pytest.mark.parametrize("command", ["evaluate", "simulate"])
def test_a_tree_of_another_model_is_refused_with_its_file(command: str, lake: Path) -> None:
    from spotree.errors import ReadError

    with pytest.raises(ReadError, match=r"good\.json: feature 'X' of the policy is none of the model's"):
        run(command, "blackjack", lake / "good.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tree": {}}, "'feature' is missing"),
        ({"feature_names": []}, "node 0 of the tree has feature 1, but there are 0 feature_names"),
        ({"format": "spotree-report"}, "not a tree file"),
    ],
)
def test_a_broken_tree_file_is_refused_with_its_entry(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    from spotree.errors import ReadError

    mdp = load("frozenlake_4x4")
    path = write_tree(tmp_path / "tree.json", random_tree(np.random.default_rng(0), mdp, 1))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ReadError, match=words) as caught:
        run("evaluate", "frozenlake_4x4", path)
    assert str(caught.value).startswith(f"{path}: ")


def test_costs_are_shown_as_costs(tmp_path: Path) -> None:
    mdp = build_mdp([[[1.0]], [[1.0]]], [[1.0, 2.0]], 0.5, sense="min")
    mdp.save(tmp_path / "model.npz")
    one, two = (
        write_tree(tmp_path / f"{action}.json", TreePolicy(tree, mdp.feature_names, mdp.action_names))
        for action, tree in enumerate[Tree]((leaf(0), leaf(1)))
    )
    assert "cost         2.000000" in run("evaluate", tmp_path / "model.npz", one)
    assert "exact cost  2.000000" in run("simulate", tmp_path / "model.npz", one, "-n", 10)
    assert "+2.000000000, second less first" in run("diff", tmp_path / "model.npz", one, two)


def test_names_in_trajectories_forge_no_formula_and_turn_no_text_around(tmp_path: Path) -> None:
    bomb, turned = "=cmd|' /C calc'!A0", "left\u202etfel"
    mdp = build_mdp([[[1.0]], [[1.0]]], 1.0, 0.9, feature_names=["@SUM(A1)"], action_names=[bomb, turned])
    for action in (0, 1):
        log = Trajectories(mdp, np.array([action]))
        simulate(mdp, np.array([action]), episodes=2, horizon=2, watch=log.watch)
        log.write(tmp_path / "steps.csv")
        head, first, *_ = csv.reader((tmp_path / "steps.csv").open(newline=""))
        assert head[3] == "'@SUM(A1)"
        assert first[4] == (f"'{bomb}", r"left\u202etfel")[action]


def test_simulate_says_how_many_episodes_the_time_limit_cut(lake: Path) -> None:
    text = run("simulate", "frozenlake_4x4", lake / "good.json", "-n", 20, "--time", 0)
    assert "ended         0; 20 cut: the time is up" in text


def test_simulate_never_advises_another_seed(lake: Path) -> None:
    mdp = load("frozenlake_4x4")
    found = simulate(mdp, Solution.load(lake / "good.json"), episodes=10)
    for kind in ("normal", "empirical Bernstein"):
        assert "seed" not in _verdict(replace(found, exact=99.0, interval=kind))
