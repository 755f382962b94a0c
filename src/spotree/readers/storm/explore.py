"""Storm's exploration of a program, also where probabilities sum to one only up to rounding.

Storm's checks compare sums of doubles with exactly 1, so that 0.8 + 0.1 + 0.1 is refused. A file is explored with all
checks first; where they complain about a sum that is 1 up to rounding, it is explored once more:

PRISM  without the checks, but with a state for updates that leave a variable's range: if it is reached, the file is
       refused. `check_sums` looks at the sums, to 1e-9. That is as fast as with checks.
JANI   in rational numbers with all checks, about four times slower: Storm has no such state for JANI, where an update
       out of range would wrap around in silence. Decimals, as six times 0.16666666666666666, are divided by their sum.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spotree.errors import ReadError
from spotree.readers.explicit_model import ExplicitModel
from spotree.readers.storm.program_text import ROUNDING

OUT_OF_BOUNDS = "out_of_bounds"
OUT_OF_BOUNDS_BIT = "_OutOfBoundsBit"
_SUM = re.compile(r"do not s[uo]me? to one .*\(actually sum to ([^)]*)\)", re.DOTALL)  # Storm writes "some", too
Building = Callable[[Any], Any]  # from a program to the options of Storm's builder


def explore(
    stormpy: Any, path: Path, program: Any, building: Building, again: Callable[[], Any]
) -> tuple[Any, Any]:
    """The program and Storm's model of it; `again` gives a JANI model once more, its sums made exact."""
    try:
        return program, stormpy.build_model(program, options=building(program))
    except RuntimeError as error:
        if not _is_rounding(str(error)):
            raise
    in_prism = hasattr(program, "modules")
    if not in_prism or program.has_label(OUT_OF_BOUNDS):  # a name that Storm then keeps for itself
        program = program if in_prism else again()
        return program, stormpy.build_model[stormpy.Rational](program, options=building(program))
    options = building(program)
    options.set_exploration_checks(False)
    options.set_add_out_of_bounds_state(True)
    built = stormpy.build_model(program, options=options)
    if built.labeling.contains_label(OUT_OF_BOUNDS):
        try:  # in rational numbers and with checks, Storm names the variable and the value
            stormpy.build_model[stormpy.Rational](program, options=building(program))
        except RuntimeError as error:
            if "out-of-bounds" in str(error):
                raise
        where = _before(built)
        raise ReadError(f"{path}: an update leads to an out-of-bounds value of a variable, in the state {where}")
    return program, built


def check_sums(path: Path, model: ExplicitModel) -> None:
    """Complain about the first choice whose probabilities do not sum to 1 up to rounding."""
    choice = np.repeat(np.arange(model.num_choices), np.diff(model.row_start))
    total = np.bincount(choice, model.probability, model.num_choices)
    wrong = np.flatnonzero(~(np.abs(total - 1) <= ROUNDING))
    if len(wrong):
        state = model.state_of[wrong[0]]
        where = ", ".join(f"{name}={column[state]:g}" for name, column in model.variables.items())
        label, found = model.kinds[model.kind_of[wrong[0]]].label, total[wrong[0]]
        raise ReadError(f"{path}: in the state {where} the probabilities of [{label}] sum to {found:.10g}, not 1")


def _before(built: Any) -> str:
    """A state with a step out of bounds, in words."""
    (out,) = built.labeling.get_states(OUT_OF_BOUNDS)
    for state in built.states:
        if any(step.column == out for action in state.actions for step in action.transitions):
            words = str(built.state_valuations.to_string(state.id)).strip("[]").split("\t& ")
            return ", ".join(word for word in words if word and OUT_OF_BOUNDS_BIT not in word)
    return "that is initial"


def _is_rounding(message: str) -> bool:
    found = _SUM.search(message)
    try:
        return found is not None and abs(float(found[1]) - 1) <= ROUNDING
    except ValueError:
        return False
