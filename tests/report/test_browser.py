"""What a reader can do with the page: select, look up, play, sort, fold."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from spotree.results.progress import Size

ENTER, ESCAPE, LEFT, UP, RIGHT, DOWN = "\ue007", "\ue00c", "\ue012", "\ue013", "\ue014", "\ue015"


def path_of(case, row: np.ndarray) -> list[int]:
    """The nodes that a state passes."""
    tree = case.solution.policy.tree_for(case.mdp.feature_names, case.mdp.action_names)
    path = [0]
    while tree.feature[path[-1]] >= 0:
        split = path[-1]
        path.append(int((tree.left if row[tree.feature[split]] < tree.threshold[split] else tree.right)[split]))
    return path


@pytest.mark.slow
def test_a_page_below_one_megabyte_opens_within_a_second(reader) -> None:
    case = reader.open("tictactoe")
    assert case.path.stat().st_size < 1_000_000
    assert reader.ask("return document.documentElement.dataset.ready") == "yes"
    assert reader.ask("return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd") < 1000


def test_a_click_on_a_node_shows_its_rule_its_figures_and_its_states(reader) -> None:
    case = reader.open("tictactoe")
    for node in case.data["tree"]["nodes"][:: max(1, len(case.data["tree"]["nodes"]) // 5)]:
        reader.ask(
            "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))",
            reader.one(f"#node-{node['id']}"),
        )
        shown = reader.text("#panel")
        assert node["rule"] in shown
        assert f"{node['states']:,} state" in shown
        assert reader.lit()[-1] == node["id"]
    reader.one("#panel ul.states button").click()
    assert re.fullmatch(r"State \d+", reader.text("#panel-title"))


def test_a_click_on_a_rule_lights_its_leaf(reader) -> None:
    case = reader.open("tictactoe")
    rules = reader.all("#panel button.rule")
    assert len(rules) == case.solution.policy.num_leaves
    leaf = int(rules[-1].get_attribute("data-leaf"))
    rules[-1].click()
    assert reader.lit()[-1] == leaf


def test_the_tree_can_be_walked_by_keyboard(reader) -> None:
    case = reader.open("tictactoe")
    nodes = case.data["tree"]["nodes"]
    reader.ask("document.getElementById('node-0').focus()")
    for key, at in ((RIGHT, nodes[0]["left"]), (DOWN, nodes[0]["right"]), (UP, nodes[0]["left"])):
        reader.press(key)
        assert reader.ask("return document.activeElement.id") == f"node-{at}"
    reader.press(ENTER)
    assert reader.lit() == [0, nodes[0]["left"]]
    assert nodes[nodes[0]["left"]]["rule"] in reader.text("#panel")
    reader.press(LEFT)
    assert reader.ask("return document.activeElement.id") == "node-0"
    reader.press(ESCAPE)
    assert reader.lit() == []
    assert reader.text("#panel-title") == "The rules"


@pytest.mark.parametrize("name", ["tictactoe", "tiger", "xor"])
def test_a_state_looked_up_by_number_or_by_values_takes_the_path_of_the_policy(reader, name: str) -> None:
    case = reader.open(name)
    acts = case.solution.actions(case.mdp.features)
    on_page = case.data["states"]["number"]
    fill = """const fields = Object.entries(arguments[0]).map(([id, value]) => {
        const field = document.getElementById(id); field.value = value; return field; });
        fields[0].dispatchEvent(new Event('change'))"""
    clear = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))"
    for number in on_page[:: len(on_page) // 3]:
        (row,) = np.flatnonzero(case.mdp.state_number == number)
        values = case.data["states"]["features"][on_page.index(number)]
        for form in ({"try-state": str(number)}, {f"try-{f}": str(value) for f, value in enumerate(values)}):
            reader.ask(fill, form)
            assert reader.lit() == path_of(case, case.mdp.features[row])
            assert reader.text("#panel-title").startswith("State ")
            assert reader.text("#try-answer").endswith(case.mdp.action_names[acts[row]])
            reader.ask(clear)
            assert reader.lit() == []


def test_an_episode_can_be_stepped_run_and_begun_anew_and_its_rewards_add_up(reader) -> None:
    case = reader.open("tiger")
    for steps in range(1, 6):
        reader.one("#play-step").click()
        assert len(reader.all("#play-log li")) == steps
        if "ended" in reader.text("#play-now"):
            break
    reader.one("#play-reset").click()
    assert reader.all("#play-log li") == []
    reader.one("#play-run").click()
    reader.browser.implicitly_wait(3)
    assert len(reader.all("#play-log li:nth-child(4)")) == 1
    reader.browser.implicitly_wait(0)
    if reader.text("#play-run") == "Stop":
        reader.one("#play-run").click()
    log = reader.ask("return [...document.querySelectorAll('#play-log li')].map(line => line.textContent)")
    paid = [float(found[1]) if (found := re.search(r"reward ([-\d.e]+)$", line)) else 0.0 for line in log]
    total = sum(reward * case.mdp.discount**time for time, reward in enumerate(paid))
    said = re.search(r"return so far ([-\d.e]*\d)", reader.text("#play-now"))
    assert said is not None
    assert float(said[1]) == pytest.approx(total, abs=1e-5)


def test_where_an_episode_does_not_fit_the_page_says_so(reader) -> None:
    reader.open("xor")
    assert "too many transitions" in reader.text("#play-now")
    assert not reader.one("#play-step").is_enabled()


def test_the_table_of_differences_sorts_and_selects(reader) -> None:
    case = reader.open("tiger")

    def column(number: int) -> list[float]:
        cells = (
            "return [...document.querySelectorAll(`#differences tbody td:nth-child(${arguments[0]})`)]"
            ".map(cell => cell.textContent)"
        )
        return [float(text) for text in reader.ask(cells, number)]

    assert column(7) == sorted(column(7), reverse=True)
    for button, number in ((1, 5), (0, 1)):
        reader.all("#differences th button")[button].click()
        assert column(number) == sorted(column(number), reverse=True)
        reader.all("#differences th button")[button].click()
        assert column(number) == sorted(column(number))
    row = reader.one("#differences tbody tr")
    features = case.mdp.features[int(np.flatnonzero(case.mdp.state_number == int(column(1)[0]))[0])]
    row.click()
    assert reader.lit() == path_of(case, features)
    assert "lit" in reader.one("#differences tbody tr").get_attribute("class")


def test_a_selection_out_of_sight_is_told_at_the_foot_of_the_window(reader) -> None:
    reader.open("tiger", height=500)
    reader.ask("document.querySelector('#differences').scrollIntoView()")
    reader.one("#differences tbody tr").click()
    wait_until(reader, "return !document.getElementById('chosen').hidden")
    assert reader.text("#chosen").startswith("State ")
    reader.all("#chosen button")[0].click()
    wait_until(reader, "return document.getElementById('chosen').hidden")


def wait_until(reader, script: str) -> None:
    """Within a second or two."""
    reader.browser.execute_async_script(
        f"const done = arguments[0], asked = () => {{ {script} }}, start = performance.now();"
        "const look = () => (asked() || performance.now() - start > 2000 ? done() : setTimeout(look, 20)); look();"
    )
    assert reader.ask(script)


def test_the_slider_of_the_map_changes_its_cells(reader) -> None:
    case = reader.open("tiger")
    drawn = "return [...document.querySelectorAll('#map .cell')].map(c => c.getAttribute('aria-label'))"
    move = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
    acts = case.solution.actions(case.mdp.features)
    seen = set()
    for value in (0, 12, 24):
        reader.ask(move, reader.one("#map-slider"), value)
        cells = reader.ask(drawn)
        seen.add(json.dumps(cells))
        for cell in cells:
            values = [float(number) for number in re.findall(r"=\s(\d+)", cell)]
            (row,) = np.flatnonzero((case.mdp.features == values).all(axis=1))
            does = re.search(r": (no choice|\w+)", cell)
            assert does is not None
            assert does[1] in ("no choice", case.mdp.action_names[acts[row]])
    assert len(seen) == 3


def test_a_deep_tree_opens_folded_and_unfolds(reader) -> None:
    case = reader.open("deep")
    nodes = case.data["tree"]["nodes"]
    shown = {int(node.get_attribute("id")[5:]) for node in reader.all("#tree .node")}
    level = [0] * len(nodes)
    for node in nodes[1:]:
        level[node["id"]] = level[node["parent"]] + 1
    assert shown == {number for number, depth in enumerate(level) if depth <= 4}
    fold = reader.one("#tree .fold")
    reader.ask("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", fold)
    assert len(reader.all("#tree .node")) > len(shown)
    reader.one("#unfold").click()
    assert len(reader.all("#tree .node")) == len(nodes)


def test_what_is_selected_below_a_fold_unfolds_and_so_does_the_arrow_key(reader) -> None:
    case = reader.open("deep")
    nodes = case.data["tree"]["nodes"]
    hidden = [
        rule
        for rule in reader.all("#panel button.rule")
        if not reader.all(f"#node-{rule.get_attribute('data-leaf')}")
    ]
    leaf = int(hidden[0].get_attribute("data-leaf"))
    reader.ask("arguments[0].click()", hidden[0])
    assert reader.lit()[-1] == leaf
    (fold, *_) = [node for node in reader.all("#tree .node") if node.get_attribute("aria-expanded") == "false"]
    number = int(fold.get_attribute("id")[5:])
    reader.ask("arguments[0].focus()", fold)
    reader.press(RIGHT)
    assert reader.ask("return document.activeElement.id") == f"node-{number}"
    reader.press(RIGHT)
    assert reader.ask("return document.activeElement.id") == f"node-{nodes[number]['left']}"


def test_a_page_without_all_states_says_which_it_has(reader) -> None:
    case = reader.open("tictactoe")
    states = case.data["states"]
    assert not states["complete"]
    words = f"the {len(states['number']):,} most visited of {states['total']:,} are on this page"
    assert words in reader.text("#panel")
    assert words in reader.text("#differences")


def test_costs_are_shown_as_costs_and_unavailable_actions_are_warned_of(reader) -> None:
    case = reader.open("costs")
    said = re.match(r"An expected cost of ([\d.]+), ", reader.text("#verdict"))
    assert said is not None
    assert float(said[1]) == pytest.approx(-case.solution.value, rel=1e-5)
    assert "costs less than" in reader.text("#verdict") or "proved" in reader.text("#verdict")
    root = case.data["tree"]["nodes"][0]
    assert root["missing"] > 0
    assert f"In {root['missing']} visited states it asks for an action that is not available" in reader.text(
        "#verdict"
    )
    warned = reader.ask("return [...document.querySelectorAll('#tree .leaf')].map(leaf => leaf.textContent).join()")
    assert "⚠" in warned
    reader.one("#play-step").click()
    assert re.search(r"cost so far \d", reader.text("#play-now"))


def test_a_frontier_that_was_given_is_drawn_and_told(reader, tmp_path) -> None:
    case = reader.cases["tiger"]
    path = tmp_path / "frontier.html"
    value, bound = case.solution.value, case.solution.bound
    sizes = (Size(2, value / 2, bound), Size(16, value, bound))
    replace(case.solution, frontier=sizes).report(path, case.mdp)
    reader.browser.get(path.as_uri())
    assert "Return against number of leaves" in reader.text("#history")
    assert "2 leaves: " in reader.text("#history")
    assert len(reader.all("#history svg")[-1].find_elements("css selector", ".value-line, .bound-line")) == 2
