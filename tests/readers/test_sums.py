"""Probabilities that sum to one only up to rounding are read; what is wrong beside is refused as ever."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.readers.corpus.jani import automaton, edge, ite, model, op, paid, to, truth, whole

import spotree
from spotree.errors import SpotreeError

stormpy = pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")
SIXTH = 0.16666666666666666


def decimal(hundredths: int) -> str:
    return f"0.{hundredths:02d}"


def pairs_in_prism() -> str:
    commands = "\n".join(
        f"  [go] x={k} -> {decimal(k)}:(x'={k + 1})&(b'=true) + {decimal(100 - k)}:(x'={k + 1})&(b'=false);"
        for k in range(1, 100)
    )
    variables = "  x : [1..100] init 1;\n  b : bool init false;\n"
    module = f"module m\n{variables}{commands}\n  [end] x=100 -> true;\nendmodule\n"
    return f'mdp\n{module}rewards "hits"\n  b & x<100 : 1;\nendrewards\n'


def pairs_in_jani() -> str:
    edges = [
        edge(
            "go",
            op("=", "x", k),
            to(float(decimal(k)), x=k + 1, b=True),
            to(float(decimal(100 - k)), x=k + 1, b=False),
        )
        for k in range(1, 100)
    ]
    location = {"name": "l", "transient-values": [{"ref": "hits", "value": ite("b", 1, 0)}]}
    end = edge("end", op("=", "x", 100), to())
    return model(
        [whole("x", 1, 100, 1), truth("b"), paid("hits")],
        [automaton("m", [*edges, end], locations=[location])],
        features=["derived-operators", "state-exit-rewards"],
    )


@pytest.mark.parametrize("suffix", ["prism", "jani"])
def test_all_pairs_of_hundredths_are_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{suffix}"
    path.write_text(pairs_in_prism() if suffix == "prism" else pairs_in_jani())
    mdp = spotree.read(path, reward="hits", goal="x=100", discount=1)
    assert mdp.num_states == 1 + 2 * 99
    assert mdp.feature_names == ("b", "x")
    assert spotree.optimum(mdp).value == pytest.approx(sum(range(1, 99)) / 100, rel=1e-12)


PROGRAM = """mdp
module m
  x : [0..5] init 0;
  y : [0..1] init 0;
  [a] x<5 -> 0.8:(x'=x+1) + 0.1:(x'=x) + 0.1:(x'=0);
  [b] x=4 -> {update};
  [c] x=5 -> true;
endmodule
"""


def program_in_jani(*ends: Any) -> str:
    edges = [
        edge("a", op("<", "x", 5), to(0.6, x=op("+", "x", 1)), to(0.3), to(0.1, x=0)),
        edge("b", op("=", "x", 4), *ends),
        edge("c", op("=", "x", 5), to()),
    ]
    return model([whole("x", 0, 5), whole("y", 0, 1)], [automaton("m", edges)])


WRONG = {
    "an update beyond its range": ("(x'=13)", [to(x=13)], "out-of-bounds value (13) for the variable 'x'"),
    "one that would wrap around": ("(x'=8)", [to(x=8)], "out-of-bounds value (8) for the variable 'x'"),
    "one below its range": ("(y'=y-1)", [to(y=op("-", "y", 1))], "out-of-bounds value (-1) for the variable 'y'"),
    "a sum of 0.75": ("0.5:true + 0.25:(x'=0)", [to(0.5), to(0.25, x=0)], "sum to "),
    "a sum of 1.0000001": ("0.5:true + 0.5000001:(x'=0)", [to(0.5), to(0.5000001, x=0)], "sum"),
    "a sum of 0.9999999": ("0.5:true + 0.4999999:(x'=0)", [to(0.5), to(0.4999999, x=0)], "sum"),
}


@pytest.mark.parametrize("suffix", ["prism", "jani"])
@pytest.mark.parametrize(("update", "ends", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_beside_a_rounded_sum_is_refused(
    update: str, ends: list[Any], words: str, suffix: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"program.{suffix}"
    path.write_text(PROGRAM.format(update=update) if suffix == "prism" else program_in_jani(*ends))
    with pytest.raises(SpotreeError) as caught:
        spotree.read(path, goal="x=5", reward="reach")
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_an_update_out_of_range_beside_decimals_that_are_no_fractions_names_its_state(tmp_path: Path) -> None:
    path = tmp_path / "program.prism"
    six = " + ".join([f"{SIXTH}:(x'=x+1)"] + [f"{SIXTH}:(x'=0)"] * 5)
    path.write_text(PROGRAM.format(update="(x'=9)").replace("0.8:(x'=x+1) + 0.1:(x'=x) + 0.1:(x'=0)", six))
    with pytest.raises(SpotreeError, match=r"out-of-bounds value of a variable, in the state x=4$"):
        spotree.read(path, goal="x=5", reward="reach")


def test_the_model_is_the_same_as_with_fractions(tmp_path: Path) -> None:
    odd, fractions = tmp_path / "odd.prism", tmp_path / "fractions.prism"
    odd.write_text(PROGRAM.format(update="(y'=1)"))
    fractions.write_text(PROGRAM.format(update="(y'=1)").replace("0.1:(x'=x) + 0.1:", "0.125:(x'=x) + 0.075:"))
    one, other = (spotree.read(path, goal="x=5", reward="reach", discount=1) for path in (odd, fractions))
    assert one.feature_names == other.feature_names
    assert one.action_names == other.action_names
    assert one.features.tolist() == other.features.tolist()
    assert one.target.tolist() == other.target.tolist()
    assert one.notes == other.notes


def test_conflicting_writes_of_jani_are_still_refused(tmp_path: Path) -> None:
    ends = (to(0.6, x=1), to(0.3, x=0), to(0.1, x=2))
    text = model(
        [whole("x", 0, 2)],
        [automaton("one", [edge("t", True, *ends)]), automaton("two", [edge("t", True, to(x=2))])],
        syncs=[{"synchronise": ["t", "t"], "result": "t"}],
    )
    (tmp_path / "both.jani").write_text(text)
    assert json.loads(text)["type"] == "mdp"
    with pytest.raises(SpotreeError, match=r"both\.jani: .*variable 'x'"):
        spotree.read(tmp_path / "both.jani", goal="x=2", reward="reach")
