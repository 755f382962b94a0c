"""Output of a solution: saved and printed; a failure of one does not lose the other."""

import math
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.output import show_facts, show_json
from spotree.cli.stdio import complain
from spotree.common.atomic_file import UnwrittenError, utf8_name
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import SpotreeError

if TYPE_CHECKING:
    from spotree.improvement.result import StepResult
    from spotree.results.frontier import Frontier
    from spotree.results.metrics import Figures
    from spotree.results.smallest import Smallest
    from spotree.results.solution import Solution


NOT_PROVED, INTERRUPTED = 10, 130  # exit codes
OnlyProved = Annotated[
    bool, typer.Option("--exit-code", help="Exit with 10 if the tree is not proved to be the best of its size.")
]


def hand_over(
    solution: "Solution",
    out: Path | None,
    as_json: bool,
    failures: Iterable[SpotreeError] = (),
    tell: "Callable[[Solution, bool], None] | None" = None,
    save: "Callable[[Solution, Path], None] | None" = None,
) -> None:
    """Save the solution, then print it: by `save` and `tell` (the flag asks for JSON), where it is part of an answer.

    What could not be written is said at the end, whatever happens.
    """
    failed = list(failures)
    command = utf8_name(shlex.join(["spotree", *sys.argv[1:]]))
    solution = replace(solution, notes={**solution.notes, "command": command})
    try:
        if out is not None:
            try:
                solution.save(out) if save is None else save(solution, out)
            except UnwrittenError as error:
                failed.append(error)
        (tell or _tell)(solution, as_json)
        if out is not None and not failed and not as_json:
            print(f"saved to {shown(str(out), LONGEST_LINE)}")
    except BaseException:
        _complain(failed)
        raise
    end_unwritten(failed)


def end_unwritten(failures: list[SpotreeError]) -> None:
    """Say what could not be written, and end the command with 3 if there is something."""
    _complain(failures)
    if failures:
        raise typer.Exit(3)


def _complain(failures: list[SpotreeError]) -> None:
    for failure in failures:
        complain(failure)


def _tell(solution: "Solution", as_json: bool) -> None:
    if as_json:
        show_json("solution", solution.document())
    else:
        show_solution(solution)


def exit_as(answer: "Solution | Smallest | Frontier | StepResult", only_proved: bool = False) -> None:
    """End a command as its answer says: 130 if it was interrupted, 10 if it had to be proved and is not."""
    if answer.status.name == "INTERRUPTED":
        raise typer.Exit(INTERRUPTED)
    if only_proved and answer.status.name != "OPTIMAL":
        raise typer.Exit(NOT_PROVED)


def show_solution(solution: "Solution") -> None:
    """Print the tree, the facts about it, and its figures side by side."""
    from spotree.cli.bars import show_bars
    from spotree.results.metrics import aim_text
    from spotree.search.request import asked_text
    from spotree.trees.text import size_text

    print(solution.policy)
    print()
    figures, notes = solution.figures, solution.notes
    asked = "" if "sought" in notes else f"; asked: {asked_text(solution.depth, solution.max_leaves)}"
    of_size = " for its size" if "sought" in notes and solution.proved_optimal else ""  # not the smallest, perhaps
    show_facts(
        [
            (
                "model",
                f"{shown(solution.model)} (discount {solution.discount:g}, missing actions: {solution.missing})",
            ),
            ("aim", aim_text(solution.sense, solution.notes)),
            *((name, notes[name]) for name in ("sought", "found") if name in notes),
            ("tree", f"{size_text(solution.policy.tree)}{asked}"),
            *ratios(figures),
            *reservations(solution),
            ("bound", f"{figures.text(solution.bound)}   ({figures.bound_words})"),
            *(
                [("error", f"{solution.error:.1e} at most in each of these numbers")]
                if solution.error > 5e-7
                else []
            ),
            ("status", f"{solution.status}{of_size} ({solution.method}, {solution.seconds:.1f} s)"),
            *([("trusted", trust_text(solution.trusted))] if solution.trusted is not None else []),
        ]
    )
    print()
    show_bars(figures)


def trust_text(path: str) -> str:
    """What a bound from a file that was resumed is worth, and how to make it a proof."""
    return (
        f"{shown(path)}, whose bound and proof were not checked (the tree was evaluated anew);"
        " to have them proved: --certificate, then `spotree check`"
    )


def reservations(solution: "Solution") -> list[tuple[str, str]]:
    """What the return alone does not tell: how many steps the tree takes, and the actions it takes that are missing."""
    from spotree.results.metrics import number_text

    facts = []
    if solution.steps is not None:
        facts.append(("steps", f"{number_text(solution.steps)} expected until nothing is left to earn"))
    elif solution.discount == 1 and not solution.error < math.inf:
        facts.append(("steps", "too many for float64 to tell"))
    if text := solution.lacking and solution.lacking.text(solution.missing):
        facts.append(("missing", text))
    return facts


def ratios(figures: "Figures") -> list[tuple[str, str]]:
    """What the tree is worth, and that beside the best and the random policy where a ratio means something."""
    best, random = figures.text(figures.optimum), figures.text(figures.random)
    facts = [] if figures.value is None else [(figures.word, figures.text(figures.value))]
    if figures.of_optimum is not None:
        facts.append(("of optimum", f"{figures.of_optimum:.6f}   (optimum {best})"))
    elif figures.beside_best is not None:
        facts.append(("from best", f"{figures.beside_best}   (optimum {best})"))
    if figures.random_is_best:
        facts.append(("random", f"{random}: the random policy is as good as the best one"))
    if figures.over_random is not None:
        facts.append(("over random", f"{figures.over_random:z.6f}   (random {random})"))
    return facts
