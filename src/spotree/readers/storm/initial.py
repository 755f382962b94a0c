"""Initial values of the variables of a PRISM or JANI program, checked against their ranges."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spotree.errors import ReadError
from spotree.readers.storm.program_text import jani_document


def check_initial(path: Path, program: Any) -> None:
    """Storm does not look whether a variable begins within its range."""
    for name, *expressions in _ranges(path, program):
        if any(expression.contains_variables() for expression in expressions):
            continue
        first, least, most = (expression.evaluate_as_int() for expression in expressions)
        if not least <= first <= most:
            raise ReadError(f"{path}: the variable {name!r} begins at {first}, out of its range [{least}..{most}]")


def _ranges(path: Path, program: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, initial value and both bounds of the integer variables that have all three, as expressions."""
    if hasattr(program, "modules"):
        own = [*program.global_integer_variables, *(v for m in program.modules for v in m.integer_variables)]
        unbounded = set(re.findall(r"^\s*(?:global )?(\w+): int\b", str(program), re.MULTILINE))
        for variable in [] if program.has_initial_states_expression else own:
            if variable.name in unbounded:  # to look at a bound that is not there would crash
                continue
            bounds = variable.lower_bound_expression, variable.upper_bound_expression
            if variable.initial_value_expression is not None and None not in bounds:
                yield variable.name, variable.initial_value_expression, *bounds
        return
    complete = _complete_ranges(path)
    for part in (program.global_variables, *(automaton.variables for automaton in program.automata)):
        for variable in part:
            if variable.name in complete:  # to look at a bound that is not there would crash
                yield variable.name, variable.init_expression, variable.type.lower_bound, variable.type.upper_bound


def _complete_ranges(path: Path) -> set[str]:
    """Integer variables that have an initial value and both bounds wherever a JANI file declares them."""
    document = jani_document(path)
    complete: dict[str, bool] = {}
    for part in (document, *document.get("automata", ())):
        for entry in part.get("variables", ()):
            kind = entry.get("type")
            whole = (
                isinstance(kind, dict)
                and kind.get("base") == "int"
                and {"lower-bound", "upper-bound"} <= kind.keys()
            )
            complete[entry["name"]] = complete.get(entry["name"], True) and whole and "initial-value" in entry
    return {name for name, all_three in complete.items() if all_three}
