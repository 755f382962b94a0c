"""The data of a report: one JSON object from which the page, or anybody else's, is drawn (schema.json describes it)."""

from typing import Any

import numpy as np

import spotree
from spotree.mdp import MDP
from spotree.report.node_statistics import anatomy, report_nodes
from spotree.report.rules import rules
from spotree.report.states import find_grid, report_chain, report_states
from spotree.report.summary import exact, setup_words, short
from spotree.results.progress import Size
from spotree.results.provenance import check_model
from spotree.results.solution import Solution
from spotree.trees.text import size_text

FORMAT = "spotree-report"
VERSION = 1
MOST_VALUES = 64  # of a feature that are listed
MOST_DIFFERENCES = 200
MOST_HISTORY = 400


def report_data(solution: Solution, mdp: MDP) -> dict[str, Any]:
    """Everything the page shows of an answer on its model."""
    check_model(solution, mdp)
    parts = anatomy(mdp, solution)
    states, listed = report_states(mdp, parts)
    place = np.full(mdp.num_states, -1)
    place[listed] = np.arange(len(listed))
    worst = np.flatnonzero(parts.differs)
    worst = worst[np.argsort(-parts.loss[worst], kind="stable")]
    return {
        "format": FORMAT,
        "version": VERSION,
        "spotree": spotree.__version__,
        "title": f"{solution.model}: {size_text(parts.tree)}",
        "model": _model(mdp),
        "result": _result(solution),
        "tree": {"nodes": report_nodes(mdp, parts)},
        "rules": rules(parts.tree, mdp.feature_names, mdp.action_names),
        "states": states,
        "differences": [int(place[state]) for state in worst[:MOST_DIFFERENCES] if place[state] >= 0],
        "num_differences": len(worst),
        "chain": report_chain(mdp, parts, listed),
        "grid": find_grid(mdp) if states["complete"] else None,
        "history": _history(solution),
        "frontier": [_size(size) for size in solution.frontier] or None,
        "setup": [list(pair) for pair in setup_words(solution, mdp)],
    }


def _model(mdp: MDP) -> dict[str, Any]:
    return {
        "name": mdp.name,
        "states": mdp.num_states,
        "actions": list(mdp.action_names),
        "features": [
            _feature(name, column) for name, column in zip(mdp.feature_names, mdp.features.T, strict=True)
        ],
        "sense": mdp.sense,
        "discount": mdp.discount,
        "missing": mdp.missing,
        "missing_reward": mdp.missing_reward,
    }


def _feature(name: str, column: np.ndarray) -> dict[str, Any]:
    values = np.unique(column)
    whole = bool((values == np.round(values)).all())
    return {
        "name": name,
        "kind": "boolean" if whole and set(values) <= {0.0, 1.0} else "integer" if whole else "real",
        "min": exact(values[0]),
        "max": exact(values[-1]),
        "values": [exact(value) for value in values] if len(values) <= MOST_VALUES else None,
    }


def _result(solution: Solution) -> dict[str, Any]:
    figures = solution.figures
    numbers = {name: getattr(solution, name) for name in ("value", "bound", "optimum", "error", "seconds")}
    ratios = {"gap": figures.gap, "of_optimum": figures.of_optimum, "over_random": figures.over_random}
    return {name: None if number is None else exact(number) for name, number in (numbers | ratios).items()} | {
        "verdict": figures.verdict,
        "random": exact(solution.random_value),
        "status": solution.status.name,
        "status_text": str(solution.status),
        "proved": solution.proved_optimal,
        "trusted": solution.trusted,
        "method": solution.method,
        "seed": solution.seed,
        "depth": solution.depth,
        "max_leaves": solution.max_leaves,
        "leaves": solution.policy.num_leaves,
    }


def _history(solution: Solution) -> list[dict[str, Any]]:
    lines = solution.history
    kept = lines[:: max(1, -(-len(lines) // MOST_HISTORY))]
    return [
        {"seconds": short(line.seconds), "value": short(line.value), "bound": short(line.bound)} for line in kept
    ]


def _size(size: Size) -> dict[str, Any]:
    return {"leaves": size.leaves, "value": exact(size.value), "bound": exact(size.bound)}
