"""HTML display of models and results in notebooks, without external resources, for light and dark themes."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.exports.drawings.svg import tree_svg
from spotree.mdp.model import MDP
from spotree.results.frontier import Frontier
from spotree.results.metrics import aim_text, number_text
from spotree.results.smallest import Smallest
from spotree.results.solution import Solution
from spotree.search.request import asked_text
from spotree.trees.policy import TreePolicy
from spotree.trees.text import leaves_text, size_text
from spotree.trees.tree import Tree

MOST_LEAVES = 256  # a larger tree is no drawing any more
MOST_NAMES = 12
COLOURS = {"best policy": "#2b7530", "bound": "#8c959f", "this tree": "#1f5fa8", "random": "#a84b12"}
LINE = "border-bottom:1px solid rgba(128,128,128,.3)"  # grey that shows on light and dark paper


def solution_html(solution: Solution) -> str:
    """The verdict, the figures as bars, the tree, and what was solved."""
    facts = [
        ("aim", aim_text(solution.sense, solution.notes)),
        ("tree", f"{size_text(solution.policy.tree)}; asked: {asked_text(solution.depth, solution.max_leaves)}"),
        ("discount", f"{solution.discount:g}"),
        ("missing actions", solution.missing),
        *([("note", text)] if (text := solution.lacking and solution.lacking.text(solution.missing)) else []),
        ("status", f"{solution.status} ({solution.method}, {solution.seconds:.1f} s)"),
        *([] if solution.trusted is None else [("bound", solution.figures.trust_words or "")]),
    ]
    figures = solution.figures
    title = f"{shown(solution.model)}: {size_text(solution.policy.tree)}"
    drawing = policy_svg(solution.policy) or f"<p>{escape(size_text(solution.policy.tree))}: too large to draw</p>"
    return _block(
        f"<b>{escape(title)}</b>",
        f'<p style="margin:.3em 0">{escape(figures.verdict)}</p>',
        bars_html(figures.marks, f"expected {figures.word}"),
        f'<div style="overflow-x:auto;margin:.6em 0">{drawing}</div>',
        facts_html(facts),
    )


def smallest_html(found: Smallest) -> str:
    """What was asked and what is proved, and the solution."""
    head = f"{found.words} ({found.gap_text}). Sought: {found.asked}."
    return _block(f'<p style="margin:.3em 0"><b>{escape(head)}</b></p>', solution_html(found.solution))


def frontier_html(found: Frontier) -> str:
    """The knee in words, the returns by leaves as bars, and the tree of the knee."""
    figures = found.knee.figures
    marks = [
        *((leaves_text(size.leaves), figures.shown(size.value)) for size in found.knee.frontier),
        ("best policy", figures.shown(found.knee.optimum)),
    ]
    drawing = policy_svg(found.knee.policy) or ""
    return _block(
        f"<b>{escape(shown(found.knee.model))}: value against leaves</b>",
        f'<p style="margin:.3em 0">{escape(found.words)}.</p>',
        bars_html(marks, f"expected {figures.word}"),
        f'<div style="overflow-x:auto;margin:.6em 0">{drawing}</div>',
    )


def mdp_html(mdp: MDP) -> str:
    """The sizes of a model and its names; nothing is computed for it."""
    return _block(
        f"<b>{escape(shown(mdp.name))}</b>",
        facts_html(
            [
                ("states", f"{mdp.num_states:,}"),
                ("choices", f"{mdp.num_choices:,} with {mdp.num_transitions:,} transitions"),
                ("actions", _listed(mdp.action_names)),
                ("features", _listed(mdp.feature_names)),
                ("discount", f"{mdp.discount:g}"),
                ("aim", aim_text(mdp.sense, mdp.notes)),
                ("missing actions", mdp.missing),
                *(
                    ("note", f"{name}: {note}")
                    for name, note in mdp.notes.items()
                    if name not in ("reward", "goal", "avoid")
                ),
            ]
        ),
    )


def policy_svg(policy: TreePolicy) -> str | None:
    """The drawing of a policy, None where it would be too large."""
    return None if policy.num_leaves > MOST_LEAVES else tree_svg(policy)


def bare_svg(tree: Tree) -> str | None:
    """The drawing of a tree without names: features and actions by number."""
    features, actions = int(tree.feature.max(initial=0)) + 1, int(tree.action.max(initial=0)) + 1
    names = tuple(f"feature {number}" for number in range(features))
    return policy_svg(TreePolicy(tree, names, tuple(f"action {number}" for number in range(actions))))


def bars_html(marks: Sequence[tuple[str, float]], what: str) -> str:
    """Bars that begin at 0, with names and numbers."""
    finite = [value for _, value in marks if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    rows = []
    for name, value in marks:
        bar = ""
        if math.isfinite(value) and high > low:
            start, end = (100 * (edge - low) / (high - low) for edge in sorted((0.0, value)))
            bar = (
                f'<div style="margin-left:{start:.2f}%;width:{end - start:.2f}%;height:.8em;border-radius:2px;'
                f'background:{COLOURS.get(name, "#5b4fc7")}"></div>'
            )
        rows.append(
            f'<tr style="background:none"><td style="text-align:left;white-space:nowrap;padding:.1em .8em .1em 0">'
            f'{escape(shown(name))}</td><td style="text-align:right;padding:.1em .8em .1em 0">'
            f'{escape(number_text(value))}</td><td style="width:100%;min-width:8em;padding:.1em 0">{bar}</td></tr>'
        )
    return (
        f'<table aria-label="{escape(what)}" style="border-collapse:collapse;width:100%;max-width:40em;margin:0">'
        f"{''.join(rows)}</table>"
    )


def facts_html(facts: Iterable[tuple[str, str]]) -> str:
    """Names and texts, one a row."""
    rows = (
        f'<tr style="background:none;{LINE}"><th scope="row" style="text-align:left;padding:.2em .8em .2em 0;'
        f'vertical-align:top;font-weight:normal;opacity:.75;white-space:nowrap">{escape(shown(name))}</th>'
        '<td style="text-align:left;padding:.2em 0;overflow-wrap:anywhere;white-space:normal">'
        f"{escape(shown(text, LONGEST_LINE))}</td></tr>"
        for name, text in facts
    )
    return f'<table style="border-collapse:collapse;max-width:60em;margin:0">{"".join(rows)}</table>'


def _block(*parts: str) -> str:
    return f'<div style="font-family:system-ui,sans-serif;font-size:13px;line-height:1.45">{"".join(parts)}</div>'


def _listed(names: Sequence[str]) -> str:
    first = ", ".join(shown(name) for name in islice(names, MOST_NAMES))
    more = len(names) - MOST_NAMES
    return f"{len(names)}: {first}" + (f" and {more} more" if more > 0 else "")
