"""How the page looks: nothing is cut, nothing overlaps, nothing a name says is done, everything can be read."""

import pytest

EVERY = ["tictactoe", "deep", "tiger", "lake", "leaf", "stock", "xor", "hostile"]
SIZES = [(1440, 900), (390, 844)]

BEYOND = """
const wide = [];
for (const element of document.querySelectorAll("body *")) {
  if (element.closest(".scroll, .canvas, svg, .fields, [hidden], .skip")) continue;
  const box = element.getBoundingClientRect();
  if (box.width && (box.right > innerWidth + 1 || box.left < -1)) wide.push(element.outerHTML.slice(0, 120));
}
return [document.documentElement.scrollWidth - innerWidth, wide];
"""

# Boxes of text are as tall as the font's line; signs fill its middle.
TEXTS = """
const inside = (text, card) => text.left >= card.left - 1 && text.right <= card.right + 1 && text.top >= card.top - 2 && text.bottom <= card.bottom + 2;
const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0;
const box = (element) => { const b = element.getBoundingClientRect(); return { left: b.left, right: b.right, top: b.top + b.height * 0.2, bottom: b.bottom - b.height * 0.2, said: element.textContent }; };
const wrong = [];
for (const svg of document.querySelectorAll("svg")) {
  const texts = [...svg.querySelectorAll("text")].map(box), cards = [...svg.querySelectorAll(".node > .card")].map(box);
  texts.forEach((a, k) => texts.slice(k + 1).forEach((b) => { if (meet(a, b)) wrong.push(["texts meet", a.said, b.said]); }));
  for (const node of svg.querySelectorAll(".node")) {
    const card = box(node.querySelector(".card")), own = [...node.querySelectorAll("text")];
    Object.assign(card, { top: node.querySelector(".card").getBoundingClientRect().top, bottom: node.querySelector(".card").getBoundingClientRect().bottom });
    for (const text of own.map(box)) if (!inside(text, card)) wrong.push(["leaves its card", text.said]);
  }
  for (const label of [...svg.querySelectorAll(":scope > text")].map(box)) if (cards.some((card) => meet(label, card))) wrong.push(["on a card", label.said]);
  cards.forEach((a, k) => cards.slice(k + 1).forEach((b) => { if (meet(a, b)) wrong.push(["cards meet", a.said, b.said]); }));
}
return wrong;
"""

CONTRAST = """
const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => channel(c / 255)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
const behind = (element) => { for (let e = element; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } };
const pale = [];
for (const element of document.querySelectorAll("h1, h2, p, dt, dd, label, button:enabled, td, th, .chip, .label, .value, summary, li")) {
  if (element.closest("[hidden]") || !element.textContent.trim()) continue;
  const found = ratio(getComputedStyle(element).color, behind(element));
  if (found < 4.5) pale.push([found, element.outerHTML.slice(0, 100)]);
}
return pale;
"""


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_wider_than_the_window_and_no_text_is_cut_or_meets_another(
    reader, name: str, width: int, height: int
) -> None:
    reader.open(name, width, height)
    assert reader.ask(BEYOND) == [0, []]
    assert reader.ask(TEXTS) == []
    if name == "deep":
        reader.one("#unfold").click()
        assert reader.ask(TEXTS) == []
    if name in ("hostile", "tictactoe"):
        reader.ask("document.querySelector('#panel button.rule').click()")
        assert reader.ask(BEYOND) == [0, []]
        reader.ask("document.querySelector('#differences tbody tr').click()")
        assert reader.ask(BEYOND) == [0, []]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["tictactoe", "stock"])
def test_all_text_stands_out_from_what_is_behind_it(reader, name: str, dark: bool) -> None:
    reader.open(name, dark=dark)
    assert (
        reader.ask("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    ) is not dark
    assert reader.ask(CONTRAST) == []


def test_the_first_answer_and_the_whole_tree_are_seen_without_scrolling(reader) -> None:
    reader.open("tictactoe")
    low = reader.ask(
        "return Math.max(...[...document.querySelectorAll('#verdict, #scale, #tree .node')].map(e => e.getBoundingClientRect().bottom))"
    )
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
    fills = "return [...document.querySelectorAll('#tree .leaf')].map(n => [n.querySelectorAll('text')[1].textContent, n.querySelectorAll('rect')[1].getAttribute('fill')])"
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
