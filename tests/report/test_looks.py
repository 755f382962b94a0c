"""How the page looks: nothing is cut, nothing overlaps, nothing a name says is done, everything can be read."""

from pathlib import Path

import pytest

EVERY = ["tictactoe", "deep", "tiger", "lake", "leaf", "stock", "xor", "hostile", "costs"]
SIZES = [(1440, 900), (390, 844)]
MEASURE = (Path(__file__).parent / "measure.js").read_text()


def measured(reader, what: str) -> list:
    return reader.ask(f"{MEASURE}\nreturn {what}();")


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_wider_than_the_window_and_no_text_is_cut_or_meets_another(
    reader, name: str, width: int, height: int
) -> None:
    reader.open(name, width, height)
    assert measured(reader, "too_wide") == []
    assert measured(reader, "wrong_texts") == []
    if name == "deep":
        reader.one("#unfold").click()
        assert measured(reader, "wrong_texts") == []
    if name in ("hostile", "tictactoe"):
        reader.ask("document.querySelector('#panel button.rule').click()")
        assert measured(reader, "too_wide") == []
        reader.ask("document.querySelector('#differences tbody tr').click()")
        assert measured(reader, "too_wide") == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["tictactoe", "stock"])
def test_all_text_stands_out_from_what_is_behind_it(reader, name: str, dark: bool) -> None:
    reader.open(name, dark=dark)
    assert (
        reader.ask("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    ) is not dark
    assert measured(reader, "too_pale") == []


def test_the_first_answer_and_the_whole_tree_are_seen_without_scrolling(reader) -> None:
    reader.open("tictactoe")
    bottoms = (
        "return [...document.querySelectorAll('#verdict, #scale, #tree .node')]"
        ".map(e => e.getBoundingClientRect().bottom)"
    )
    low = max(reader.ask(bottoms))
    assert low <= 900


def test_hostile_names_are_shown_and_nothing_of_them_is_done(reader) -> None:
    case = reader.open("hostile")
    assert reader.ask("return document.querySelectorAll('script').length") == 2
    assert reader.ask("return document.querySelectorAll('img, b, iframe').length") == 0
    assert reader.ask("return document.title").startswith("</title><script>alert(4)</script>\\u202e")
    every = reader.ask(
        "return document.body.innerText + [...document.querySelectorAll('svg text')].map(t => t.textContent).join()"
    )
    assert not set(every) & {"\x1b", "\x00", "\u202e", "\u2028"}
    assert "<script>alert(1)</script>" in every
    assert "\\u{1b}[31mred\\u{1b}[0m" in every
    for script in ("#panel button.rule", "#differences tbody tr", "#play-step"):
        reader.ask("document.querySelector(arguments[0]).click()", script)
    assert reader.ask("return document.querySelectorAll('script, img').length") == 2
    assert case.solution.policy.num_leaves > 1


def test_names_that_run_from_right_to_left_turn_nothing_else_round(reader) -> None:
    case = reader.open("hostile")
    legend = reader.ask("return document.querySelector('#legend').textContent")
    assert "\u2068توقف\u2069" in legend
    assert "عدد العناصر في الصف" in case.mdp.feature_names
    assert "\u2068عدد العناصر في الصف\u2069" in reader.ask("return document.querySelector('#try-form').textContent")


def test_more_actions_than_colours_leave_the_tree_s_own_distinct(reader) -> None:
    case = reader.open("stock")
    used = {node["action"] for node in case.data["tree"]["nodes"] if node["action"] is not None}
    fills = """return [...document.querySelectorAll('#tree .leaf')].map(leaf =>
        [leaf.querySelectorAll('text')[1].textContent, leaf.querySelectorAll('rect')[1].getAttribute('fill')])"""
    colours = dict(reader.ask(fills))
    assert len(colours) == len(used) == len(set(colours.values()))


def test_print_shows_the_rules_and_the_tree_on_white_paper_even_from_a_dark_screen(reader) -> None:
    reader.open("tictactoe", dark=True)
    reader.media("print", dark=True)
    assert reader.ask("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert reader.one("#tree svg").is_displayed()
    assert reader.one("#panel button.rule").is_displayed()
    assert not reader.one("#try").is_displayed()
    assert reader.ask("const p = document.getElementById('panel'); return p.scrollHeight - p.clientHeight") <= 2
