"""How a solution is handed over: saved and printed, and neither is lost when the other fails."""

import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.output import show_facts, show_json
from spotree.cli.streams import complain
from spotree.errors import SpotreeError
from spotree.files import UnwrittenError
from spotree.shown import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.methods.figures import Figures
    from spotree.methods.frontier import Frontier
    from spotree.methods.smallest import Smallest
    from spotree.methods.solution import Solution
    from spotree.step.result import StepResult


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
) -> None:
    """Save the solution, then print it (by `tell`, where it is part of a larger answer; the flag asks for JSON).

    What could not be written is said at the end, whatever happens.
    """
    failed = list(failures)
    command = shlex.join(["spotree", *sys.argv[1:]])
    solution = replace(solution, notes={**solution.notes, "command": command})
    try:
        if out is not None:
            try:
                solution.save(out)
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
    from spotree.methods.figures import aim_text
    from spotree.methods.request import asked_text
    from spotree.tree.text import size_text

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
            ("bound", f"{figures.text(solution.bound)}   ({figures.bound_words})"),
            *(
                [("error", f"{solution.error:.1e} at most in each of these numbers")]
                if solution.error > 5e-7
                else []
            ),
            ("status", f"{solution.status}{of_size} ({solution.method}, {solution.seconds:.1f} s)"),
        ]
    )
    print()
    show_bars(figures)


def ratios(figures: "Figures") -> list[tuple[str, str]]:
    """What the tree is worth, and that beside the best and the random policy where a ratio means something."""
    best, random = figures.text(figures.optimum), figures.text(figures.random)
    facts = [] if figures.value is None else [(figures.word, figures.text(figures.value))]
    if figures.of_optimum is not None:
        facts.append(("of optimum", f"{figures.of_optimum:.6f}   (optimum {best})"))
    elif figures.beside_best is not None:
        facts.append(("from best", f"{figures.beside_best}   (optimum {best})"))
    if figures.over_random is not None:
        facts.append(("over random", f"{figures.over_random:.6f}   (random {random})"))
    return facts
