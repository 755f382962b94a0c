"""The data of a report are what the published schema says, and say what the tree does."""

import json
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

import spotree
from spotree.report.data import report_data
from spotree.report.page import page
from spotree.results.progress import Size

MODELS = {
    "frozenlake_4x4": 2,
    "tiger_vs_antelope": 2,
    "tictactoe_vs_random": 2,
    "inventory_management": 1,
    "xor": 1,
}


@pytest.fixture(scope="module", params=MODELS)
def case(request) -> tuple[spotree.MDP, spotree.Solution, dict]:
    mdp = spotree.load(request.param)
    solution = spotree.solve(mdp, MODELS[request.param], max_rounds=1, threads=1, time_limit=5)
    return mdp, solution, report_data(solution, mdp)


def test_the_data_are_what_the_schema_says(case) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((files("spotree.report") / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(case[2])), schema)


def test_the_nodes_are_the_tree(case) -> None:
    mdp, solution, data = case
    nodes = data["tree"]["nodes"]

    def action(features: np.ndarray) -> int:
        node = nodes[0]
        while node["action"] is None:
            node = nodes[node["left"] if features[node["feature"]] < node["threshold"] else node["right"]]
        return node["action"]

    assert [action(row) for row in mdp.features] == solution.actions(mdp.features).tolist()
    assert nodes[0]["loss"] == pytest.approx(solution.optimum - solution.value, rel=1e-6, abs=1e-9)
    assert nodes[0]["states"] == mdp.num_states


def test_the_features_of_the_states_keep_every_digit_so_that_they_fall_on_their_side_of_a_threshold(case) -> None:
    mdp, _, data = case
    row_of = {number: row for row, number in enumerate(mdp.state_number.tolist())}
    rows = [row_of[number] for number in data["states"]["number"]]
    assert data["states"]["features"] == mdp.features[rows].tolist()


def test_an_episode_played_from_the_data_returns_what_the_tree_returns(case) -> None:
    mdp, solution, data = case
    chain, size = data["chain"], len(data["states"]["number"])
    if mdp.name == "xor":
        assert chain == {"reason": "the 200 states that the tree comes to have too many transitions"}
        return
    moves, reward, start = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for place, follows in chain["steps"].items():
        reward[int(place)] = chain["rewards"][place]
        for to, chance in follows:
            moves[int(place), to] += chance
    for place, chance in chain["initial"]:
        start[place] = chance
    value = np.linalg.solve(np.eye(size) - mdp.discount * moves, reward)
    assert start @ value == pytest.approx(solution.value, rel=1e-4)


def test_another_model_is_refused(case) -> None:
    mdp, solution, _ = case
    other = spotree.build_mdp(
        [mdp.transition_matrix(a) for a in range(mdp.num_actions)],
        mdp.reward * 2,
        mdp.discount,
        initial=mdp.initial,
        features=mdp.features,
        feature_names=mdp.feature_names,
        action_names=mdp.action_names,
    )
    with pytest.raises(spotree.SpotreeError, match="give the model that was solved"):
        report_data(solution, other)


def test_the_page_stands_alone_and_no_name_ends_its_data(case) -> None:
    text = page(case[2] | {"title": "</script><script>alert(1)</script>"})
    assert text.count("</script>") == 2
    assert "alert(1)</script>" not in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


def test_a_ratio_that_means_nothing_is_not_in_the_data_and_the_verdict_is_that_of_the_figures(case) -> None:
    mdp, solution, data = case
    assert data["result"]["verdict"] == solution.figures.verdict
    near_zero = replace(solution, optimum=0.0, bound=max(0.0, solution.value))
    seen = report_data(near_zero, mdp)["result"]
    assert seen["of_optimum"] is None
    assert "best policy" not in seen["verdict"]


def test_a_frontier_is_in_the_data_where_one_is_given(case) -> None:
    mdp, solution, data = case
    assert data["frontier"] is None
    sizes = (Size(2, solution.value - 1, solution.bound), Size(4, solution.value, solution.bound))
    given = report_data(replace(solution, frontier=sizes), mdp)
    assert [point["leaves"] for point in given["frontier"]] == [2, 4]
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(given, json.loads((files("spotree.report") / "schema.json").read_text()))
