"""JANI documents as Storm takes them: sums of decimals made exact, variables of an automaton made global."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from spotree.common.untrusted import ClaimError, json_bytes, regular_bytes
from spotree.errors import ReadError
from spotree.readers.options import CONDITIONS, ReadOptions

ROUNDING = 1e-9  # how far a sum of probabilities may be off 1


def jani_document(path: Path) -> Any:
    """What the file says, as JSON."""
    try:
        return json_bytes(regular_bytes(path))
    except ClaimError as error:
        raise ReadError(f"{path}: {error}") from None


def parse_jani(path: Path, options: ReadOptions) -> Callable[..., Any]:
    """A function that has Storm parse the file, if wanted with exact sums.

    Properties of JANI speak of global variables alone; those of an automaton that a goal names are made global.
    """
    texts = [getattr(options, name) or "" for name in CONDITIONS]
    named = {word for text in texts for word in re.findall(r"\w+", text)}

    def parse(stormpy: Any, exact: bool = False) -> Any:
        if not (exact or named):
            return stormpy.parse_jani_model(str(path))[0]
        document = jani_document(path)
        if not isinstance(document, dict):
            return stormpy.parse_jani_model(str(path))[0]  # says what is wrong
        changed = _with_globals(document, named)
        if exact:
            _make_sums_exact(document)
        if exact or changed:
            return stormpy.parse_jani_model_from_string(json.dumps(document))[0]
        return stormpy.parse_jani_model(str(path))[0]

    return parse


def _with_globals(document: Any, named: set[str]) -> bool:
    """Move the variables of automata that are named, and whose names are not taken, to those of the model."""
    parts = [document, *(document.get("automata") or ())]
    count = Counter(entry["name"] for part in parts for entry in part.get("variables", ()))
    moved = []
    for part in parts[1:]:
        own = part.get("variables", ())
        moving = [entry for entry in own if entry["name"] in named and count[entry["name"]] == 1]
        part["variables"] = [entry for entry in own if entry not in moving]
        moved += moving
    document["variables"] = [*document.get("variables", ()), *moved]
    return bool(moved)


def _make_sums_exact(document: Any) -> None:
    """Divide the probabilities of an edge by their sum, if they are decimals that sum to 1 up to rounding."""
    for automaton in document["automata"]:
        for edge in automaton["edges"]:
            given = [end.get("probability", {}).get("exp", 1) for end in edge["destinations"]]
            if not all(type(number) in (int, float) and math.isfinite(number) for number in given):
                continue
            total = sum((Fraction(repr(number)) for number in given), Fraction(0))
            if total != 1 and abs(total - 1) <= ROUNDING:
                for end, number in zip(edge["destinations"], given, strict=True):
                    end["probability"] = {"exp": {"op": "/", "left": number, "right": _added(given)}}


def _added(numbers: list[float]) -> Any:
    """The sum as an expression."""
    total: Any = numbers[0]
    for number in numbers[1:]:
        total = {"op": "+", "left": total, "right": number}
    return total
