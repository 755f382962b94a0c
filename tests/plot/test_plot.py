"""Pictures: each draws what it says into the Axes that it returns, costs as costs, names that fit."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import spotree
from spotree.cli.app import app
from spotree.errors import InvalidProblemError, MissingExtraError
from spotree.results.progress import Progress
from spotree.trees.layouts import Node, join, split

pyplot = pytest.importorskip("matplotlib.pyplot")
LONG = "the horizontal position of the wanderer on the $x_1$ axis, in millimetres from the left"


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


def policy(depth: int = 4) -> spotree.TreePolicy:
    def grown(depth: int, action: int = 0) -> Node:
        if depth == 0:
            return Node(action=action)
        return split(depth % 2, depth + 0.5, grown(depth - 1, action), grown(depth - 1, action + 2 ** (depth - 1)))

    return spotree.TreePolicy(join(grown(depth)), (LONG, "row"), tuple(f"{LONG} {n}" for n in range(2**depth)))


def solution(**changed: object) -> spotree.Solution:
    made = spotree.Solution(
        policy(2),
        value=-12.0,
        bound=-10.0,
        optimum=-9.0,
        random_value=-30.0,
        depth=2,
        status=spotree.SolveStatus.TIME_LIMIT,
        method="spot",
        seconds=3.0,
        sense="min",
        history=(Progress(0.0, 0, -np.inf, -9.0), Progress(1.0, 1, -20.0, -9.5)),
    )
    return replace(made, **changed)  # type: ignore[arg-type]


def words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_tree_is_drawn_with_names_that_stay_in_their_boxes() -> None:
    drawn = policy()
    ax = spotree.plot.tree(drawn)
    ax.figure.canvas.draw()
    leaves = drawn.num_leaves
    boxes = sorted((patch for patch in ax.patches), key=lambda patch: -patch.get_extents().width)
    assert len(boxes) == 2 * leaves - 1 + leaves  # leaves have a field for their letter
    right = ax.get_window_extent().x1
    fields = [patch.get_window_extent() for patch in ax.patches]
    for text in ax.texts:
        if text.get_text() not in ("yes", "no"):
            place = text.get_window_extent()
            assert place.x1 <= right
            assert any(field.x0 - 1 <= place.x0 and place.x1 <= field.x1 + 1 for field in fields), text.get_text()
    assert words(ax).count("yes") == words(ax).count("no") == leaves - 1


def test_no_two_texts_of_a_tree_overlap() -> None:
    ax = spotree.plot.tree(policy())
    ax.figure.canvas.draw()
    places = [text.get_window_extent() for text in ax.texts]
    for number, place in enumerate(places):
        assert not any(place.overlaps(other) for other in places[:number])


def test_a_tree_scales_into_the_axes_that_are_given() -> None:
    _, (small, _) = pyplot.subplots(1, 2)
    assert spotree.plot.tree(solution(), small) is small
    sizes = [text.get_fontsize() for text in small.texts]
    assert max(sizes) < max(text.get_fontsize() for text in spotree.plot.tree(solution()).texts)


def test_progress_shows_costs_and_bound_over_time_and_leaves_infinite_moments_out() -> None:
    ax = spotree.plot.progress(solution())
    lines = {line.get_label(): line for line in ax.lines}
    assert list(lines["this tree"].get_ydata()) == [20.0, 12.0]
    assert list(lines["bound"].get_ydata()) == [9.0, 9.5, 10.0]
    assert set(lines["best policy"].get_ydata()) == {9.0}
    assert "less is better" in ax.get_ylabel()
    spotree.plot.progress(solution(history=()))


def test_a_frontier_is_drawn_by_leaves_with_the_bounds_that_are_known() -> None:
    ax = spotree.plot.frontier([(4, 3.0, 5.0), (1, 1.0, None), (2, 2.0, 5.0)], optimum=6.0)
    found, bound, best = ax.lines
    assert list(found.get_xdata()) == [1, 2, 4]
    assert list(found.get_ydata()) == [1.0, 2.0, 3.0]
    assert list(bound.get_xdata()) == [2, 4]
    assert set(best.get_ydata()) == {6.0}
    costs = spotree.plot.frontier([(1, -3.0, None)], sense="min")
    assert list(costs.lines[0].get_ydata()) == [3.0]
    with pytest.raises(InvalidProblemError, match="no points"):
        spotree.plot.frontier([])
    trees = spotree.frontier(spotree.load("frozenlake_4x4"), 3, max_rounds=1, time_limit=10, threads=1)
    found, best = spotree.plot.frontier(trees).lines
    assert list(found.get_ydata()) == [point.value for point in trees.points]
    assert set(best.get_ydata()) == {trees.points[0].optimum}


def test_a_comparison_has_a_bar_for_each_and_marks_for_bound_best_and_random() -> None:
    ax = spotree.plot.comparison({LONG: solution(), "b": solution(value=-15.0, random_value=-np.inf)})
    assert [bar.get_width() for bar in ax.patches] == [12.0, 15.0]
    marks = {scatter.get_label(): scatter.get_offsets()[:, 0].tolist() for scatter in ax.collections}
    assert marks == {"bound": [10.0, 10.0], "best policy": [9.0, 9.0], "random": [30.0]}
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[1] == "b\n15.000000"
    assert len(names[0].splitlines()[0]) <= 32
    assert "$x" not in names[0].replace(r"\$x", "")
    with pytest.raises(InvalidProblemError, match="one sense"):
        spotree.plot.comparison([solution(), solution(sense="max")])
    with pytest.raises(InvalidProblemError, match="no solutions"):
        spotree.plot.comparison([])


def compare(*words: str):
    return CliRunner().invoke(app, ["compare", "frozenlake_4x4", "--depth", "1", "--methods", "viper", *words])


def test_compare_draws_its_methods(tmp_path: Path) -> None:
    picture = tmp_path / "both.png"
    assert compare("--time", "1", "--plot", str(picture)).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert not pyplot.get_fignums()


def test_compare_refuses_a_picture_that_nobody_can_draw_before_it_searches(tmp_path: Path) -> None:
    done = compare("--time", "600", "--plot", str(tmp_path / "both.docx"))
    assert done.exit_code != 0
    assert "must end in one of" in str(done.exception) + done.output


def test_without_matplotlib_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"spotree\[plot\]"):
        spotree.plot.tree(policy())
