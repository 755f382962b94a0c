"""Sets of states of a PRISM or JANI program, by expressions that Storm parses in the program's own language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.errors import ReadError
from spotree.readers.expression import no_such_label, no_such_name
from spotree.readers.options import CONDITIONS, ReadOptions
from spotree.readers.storm.program_text import with_brackets

BUILT_IN = ("init", "deadlock")  # labels that every model has, and no expression of the program
_TOKEN = re.compile(r'"(?P<label>[^"]*)"|(?P<equals>(?<![<>!=])==(?!>))')
_WORD = re.compile(r'"[^"]*"|[A-Za-z_]\w*')
_FUNCTIONS = frozenset({"true", "false", "min", "max", "floor", "ceil", "round", "pow", "mod", "log", "func"})
_OPERATORS = frozenset("FGIPRSUWX")  # of properties


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """An expression as Storm understands it.

    Attributes
    ----------
    formulas
        Storm's state formula, for every way in which the labels `init` and `deadlock`, as far as they are in the
        expression, can hold: no expression of a program has them, and properties rank operators differently.
    watched
        Properties that make Storm's builder label the states where the formulas hold. They are about the next
        state: from one about reaching states the builder would conclude that nothing beyond them matters.
    text
        The expression with formulas and constants filled in; None if it has such labels.
    namesake
        The condition of a variable or formula that is called as the label is which the expression names; else None.
    """

    option: str
    given: str
    formulas: tuple[tuple[Mapping[str, bool], Any], ...]
    watched: tuple[Any, ...]
    text: str | None
    namesake: "Condition | None" = None


def conditions_of(stormpy: Any, path: Path, program: Any, options: ReadOptions) -> dict[str, Condition]:
    """What the options say about states, for a program whose constants are filled in."""
    return {
        option: _condition(stormpy, path, program, option, text)
        for option in CONDITIONS
        if (text := getattr(options, option)) is not None
    }


def states_of(stormpy: Any, path: Path, built: Any, condition: Condition) -> NDArray[np.bool_]:
    """[state] whether the condition holds."""
    states = np.zeros(built.nr_states, dtype=bool)
    for case, formula in condition.formulas:
        result = stormpy.model_checking(built, formula, only_initial_states=False)
        here = _mask(built, result.get_truth_values_vector())
        for label, holds in case.items():
            here &= _mask(built, built.labeling.get_states(label)) == holds
        states |= here
    other = condition.namesake
    if other is not None and not np.array_equal(states, states_of(stormpy, path, built, other)):
        name = condition.given
        raise ReadError(
            f"{path}: {condition.option}={name!r}: {name} is a label and a variable or formula, and they hold in "
            f"different states; write '\"{name}\"' for the label, '({name})' for the other"
        )
    return states


def _mask(built: Any, states: Any) -> NDArray[np.bool_]:
    mask = np.zeros(built.nr_states, dtype=bool)
    mask[list(states)] = True
    return mask


def labels_of(program: Any) -> dict[str, str]:
    """The labels that a program declares, each with its expression; in JANI they are transient variables."""
    if hasattr(program, "modules"):
        return {label.name: str(label.expression) for label in program.labels}
    return {variable.name: variable.name for variable in program.global_variables if variable.is_transient}


def _condition(stormpy: Any, path: Path, program: Any, option: str, given: str) -> Condition:
    labels = labels_of(program)
    if given not in labels and given not in BUILT_IN:
        return _parsed(stormpy, path, program, labels, option, given, given)
    named = _parsed(stormpy, path, program, labels, option, given, f'"{given}"')
    try:
        other = _parsed(stormpy, path, program, labels, option, given, given)
    except ReadError:  # no variable or formula has the name of the label
        return named
    return replace(named, namesake=other)


def _parsed(
    stormpy: Any, path: Path, program: Any, labels: Mapping[str, str], option: str, given: str, text: str
) -> Condition:
    """The text, read by Storm; a label is replaced by its expression, which may stand where a label may not."""
    what = f"{path}: {option}={given!r}"
    if "[" in text:
        raise ReadError(f"{what} is a property; give the expression of its states alone")

    named = {label for label in re.findall(r'"([^"]*)"', text) if label not in labels}
    if wrong := sorted(named - set(BUILT_IN)):
        raise ReadError(no_such_label(what, wrong[0], (*labels, *BUILT_IN)))

    def formulas(case: Mapping[str, bool]) -> tuple[Any, Any]:
        values = {**labels, **{label: str(holds).lower() for label, holds in case.items()}}
        spelled = _TOKEN.sub(lambda token: "=" if token["label"] is None else f"({values[token['label']]})", text)
        # Storm calls the states of an expression by its text: `| false` tells a variable from a label of that name.
        spelled = f"(({with_brackets(spelled)}) | false)"
        try:
            (formula,) = _formulas(stormpy, spelled, program)
            (watched,) = _formulas(stormpy, f"Pmax=? [ X {spelled} ]", program)
        except (RuntimeError, ValueError) as error:
            raise ReadError(_refusal(what, text, program, labels, str(error))) from None
        return formula, watched

    cases = [dict(zip(sorted(named), holds, strict=True)) for holds in product((True, False), repeat=len(named))]
    parsed = [formulas(case) for case in cases]
    alone = re.fullmatch(r"\((.*) \| false\)", str(parsed[0][0]), re.DOTALL)
    return Condition(
        option,
        given,
        tuple((case, formula) for case, (formula, _) in zip(cases, parsed, strict=True)),
        tuple(watched for _, watched in parsed),
        None if named else alone[1] if alone else str(parsed[0][0]),
    )


def _formulas(stormpy: Any, text: str, program: Any) -> list[Any]:
    return [found.get_raw_formula() for found in stormpy.parse_properties(text, program)]


def _refusal(what: str, text: str, program: Any, labels: Mapping[str, str], message: str) -> str:
    """Why Storm does not read the text: a name that it does not know, or its own words."""
    variables = {variable.name for variable in program.expression_manager.get_variables()}
    formulas = (
        set(re.findall(r"^formula (\w+)", str(program), re.MULTILINE)) if hasattr(program, "modules") else set()
    )
    known = variables | formulas | _FUNCTIONS | _OPERATORS
    for word in _WORD.findall(text):
        if word[0] != '"' and word not in known:
            return no_such_name(what, word, (*labels, *BUILT_IN), variables | formulas)
    reason = re.sub(r"^\w+Exception: ", "", " ".join(message.split()))
    return f"{what} is neither a label nor an expression: {reason}"
