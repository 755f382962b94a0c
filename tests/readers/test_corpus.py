"""Programs of every construct of PRISM and JANI are worth what Storm says, whose exact arithmetic is the judge."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.readers.corpus import jani, prism
from tests.readers.corpus.case import Case

import spotree
from spotree.errors import ReadError

stormpy = pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")


def program_of(path: Path, constants: dict[str, Any]) -> Any:
    program = (
        stormpy.parse_jani_model(str(path))[0]
        if path.suffix == ".jani"
        else stormpy.parse_prism_program(str(path), prism_compatibility=True)
    )
    given = ",".join(f"{name}={str(value).lower()}" for name, value in constants.items())
    return stormpy.instantiate_constants(program, given)[0]


def storms(path: Path, text: str, constants: dict[str, Any]) -> float:
    """Storm's value, the average over initial states."""
    program = program_of(path, constants)
    asked = stormpy.parse_properties(text, program)
    model = stormpy.build_model[stormpy.Rational](program, asked)
    result = stormpy.model_checking(model, asked[0])
    values = [Fraction(str(result.get_value(state))) for state in model.initial_states]
    return float(sum(values) / len(values))


def ours(path: Path, case: Case, options: dict[str, Any]) -> float:
    mdp = spotree.read(path, constants=case.constants, discount=1, missing="forbid", **options)
    best = spotree.optimum(mdp)
    assert best.error <= 1e-7 * max(1.0, abs(best.value))
    return best.value if options.get("sense") != "min" else 0.0 - best.value


CASES = {(".prism", name): case for name, case in prism.CASES.items()}
CASES |= {(".jani", name): case for name, case in jani.CASES.items()}


@pytest.mark.parametrize(
    ("suffix", "name", "number"),
    [(suffix, name, number) for (suffix, name), case in CASES.items() for number in range(len(case.questions))],
)
def test_a_program_is_worth_what_storm_says(suffix: str, name: str, number: int, tmp_path: Path) -> None:
    case = CASES[suffix, name]
    path, judged = tmp_path / f"program{suffix}", tmp_path / f"judged{suffix}"
    path.write_text(case.text)
    judged.write_text(case.for_storm or case.text)
    asked, options = case.questions[number]
    expected = storms(judged, asked, dict(case.constants))
    assert ours(path, case, dict(options)) == pytest.approx(expected, rel=1e-6, abs=1e-6), asked


@pytest.mark.parametrize("name", prism.REFUSED)
def test_what_storm_does_not_read_is_refused_by_name(name: str, tmp_path: Path) -> None:
    text, words = prism.REFUSED[name]
    path = tmp_path / "program.prism"
    path.write_text(text)
    with pytest.raises(ReadError) as caught:
        spotree.read(path, goal="x=2", reward="reach")
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_corpus_has_forty_programs() -> None:
    assert len(CASES) >= 40
