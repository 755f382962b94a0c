"""Bad input: each kind gives one line that names the offender, and nothing is written."""
# ruff: noqa: E501 (the tables have one case per line)

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from spotree.errors import SpotreeError
from spotree.mdp import ChoiceRows, build_mdp
from spotree.readers.npz import write_npz
from spotree.readers.read import read

Case = tuple[str, Callable[[], Any], str]  # what is wrong, the call, what the message must begin with or contain

EYE = np.eye(2)


def build(transitions: Any = (EYE, EYE), reward: Any = 0.0, discount: Any = 0.9, **more: Any) -> Callable[[], Any]:
    return lambda: build_mdp(transitions, reward, discount, **more)


def changed(array: np.ndarray, index: tuple[int, ...], value: float) -> np.ndarray:
    copy = array.astype(float)
    copy[index] = value
    return copy


def rows(**other: Any) -> ChoiceRows:
    """Two states, one action, each state to itself; with some of the arrays replaced."""
    sound: dict[str, Any] = {
        "state": np.array([0, 1]),
        "action": np.array([0, 0]),
        "row_start": np.array([0, 1, 2]),
        "target": np.array([0, 1]),
        "probability": np.array([1.0, 1.0]),
    }
    return ChoiceRows(**sound | other)


def npz(**other: Any) -> Callable[[], Any]:
    """Read a sound file in which some of the arrays are replaced."""

    def call() -> Any:
        write_npz(build_mdp([EYE, EYE], 0.0, 0.9), "model.npz")
        with np.load("model.npz") as archive:
            arrays = dict(archive)
        np.savez("model.npz", allow_pickle=True, **arrays | other)
        return lambda: read("model.npz")

    return call


def damaged(name: str, change: Callable[[bytes], bytes]) -> Callable[[], Any]:
    """Read a sound file whose bytes were changed."""

    def call() -> Any:
        write_npz(build_mdp([EYE, EYE], 0.0, 0.9), name)
        Path(name).write_bytes(change(Path(name).read_bytes()))
        return lambda: read(name)

    return call


TWO = np.array([EYE, EYE])
NAN, INF = float("nan"), float("inf")

# fmt: off
ARRAYS: list[Case] = [
    ("rows that sum to 0.97", build(changed(TWO, (1, 0, 0), 0.97)), "state 0, action 'action_1': probabilities sum to 0.97"),
    ("rows that sum to 1.5", build(changed(TWO, (0, 1, 0), 0.5)), "state 1, action 'action_0': probabilities sum to 1.5"),
    ("a row of zeros", build(changed(TWO, (0, 1, 1), 0.0)), "state 1, action 'action_0': probabilities sum to 0, not 1"),
    ("NaN probability", build(changed(TWO, (1, 1, 0), NAN)), "state 1, action 'action_1': probability of next state 0 is nan"),
    ("infinite probability", build(changed(TWO, (0, 0, 1), INF)), "state 0, action 'action_0': probability of next state 1 is inf"),
    ("negative probability", build(changed(TWO, (0, 0, 1), -0.5)), "state 0, action 'action_0': probability of next state 1 is -0.5"),
    ("transitions of two axes", build(EYE), "transitions has shape (2, 2)"),
    ("transitions not square", build(np.ones((1, 2, 3)) / 3), "transitions has shape (1, 2, 3)"),
    ("no transitions at all", build([]), "transitions has shape (0,)"),
    ("ragged transitions", build([[[1.0], [0.5, 0.5]]]), "transitions is no array of numbers"),
    ("words for transitions", build([[["a"]]]), "transitions is no array of numbers"),
    ("one sparse matrix", build(sp.csr_matrix(EYE)), "transitions is a single sparse matrix"),
    ("sparse of two sizes", build([sp.eye(2), sp.eye(3)]), "transitions of action 1 has shape (3, 3), not (2, 2)"),
    ("NaN reward", build(reward=[[0, 0], [0, NAN]]), "state 1, action 'action_1': reward is nan"),
    ("infinite reward", build(reward=[[0, -INF], [0, 0]]), "state 0, action 'action_1': reward is -inf"),
    ("reward of a wrong shape", build(reward=np.zeros((3, 2))), "reward has shape (3, 2), not (2, 2)"),
    ("reward of other actions", build(reward=np.zeros((3, 2, 2))), "reward has 3 matrices of 2 states"),
    ("reward of a wrong length", build(reward=[1.0, 2.0, 3.0]), "reward has shape (3,), not (4,); it is [state], [state, action]"),
    ("discount 1.5", build(discount=1.5), "discount 1.5 is not in [0, 1]"),
    ("negative discount", build(discount=-0.1), "discount -0.1 is not in [0, 1]"),
    ("NaN discount", build(discount=NAN), "discount is nan; it must be one finite number"),
    ("a word for a discount", build(discount="high"), "discount is 'high'; it must be one finite number"),
    ("initial sums to 0.5", build(initial=[0.5, 0]), "initial probabilities sum to 0.5, not 1"),
    ("negative initial", build(initial=[1.5, -0.5]), "initial probability of state 1 is -0.5"),
    ("NaN initial", build(initial=[1.0, NAN]), "initial probability of state 1 is nan"),
    ("initial of a wrong length", build(initial=[1.0, 0, 0]), "initial has shape (3,), not (2,)"),
    ("no such initial state", build(initial=2), "initial state 2 does not exist"),
    ("infinite feature", build(features=[[0], [INF]], feature_names=["speed"]), "state 1, feature 'speed': value is inf"),
    ("NaN feature", build(features=[[NAN], [0]]), "state 0, feature 0: value is nan"),
    ("features of too few states", build(features=[[1.0]]), "features has shape (1, 1)"),
    ("features of one axis", build(features=[1.0, 2.0]), "features has shape (2,)"),
    ("too few feature names", build(features=np.ones((2, 2)), feature_names=["x"]), "1 feature names for 2 features"),
    ("a feature name twice", build(features=np.ones((2, 2)), feature_names=["x", "x"]), "feature name 'x' occurs 2 times"),
    ("an action name twice", build(action_names=["go", "go"]), "action name 'go' occurs 2 times"),
    ("too many action names", build(action_names=["a", "b", "c"]), "3 action names for 2 actions"),
    ("an empty action name", build(action_names=["go", ""]), "action name '' is no text"),
    ("names in one text", build(action_names="ab"), "action_names is the single text 'ab'"),
    ("a state without choice", build(available=[[1, 1], [0, 0]]), "state 1 has no choice"),
    ("available of a wrong shape", build(available=[[1, 1]]), "available has shape (1, 2), not (2, 2)"),
    ("unknown missing rule", build(missing="ignore"), "missing='ignore' is unknown"),
    ("a word for a missing reward", build(missing_reward="low"), "missing_reward is 'low'"),
    ("two discounts at once", build(discount=[0.9, 0.8]), "discount is [0.9, 0.8]; it must be one finite number"),
    ("infinite missing reward", build(missing_reward=-INF), "missing_reward is -inf"),
    ("ends above 1", build(ends=[[0, 0], [0, 1.5]]), "state 1, action 'action_1': ends is 1.5"),
    ("ends beside a full row", build(ends=[[0, 0], [0.5, 0]]), "probabilities sum to 1 and the episode ends with 0.5"),
    ("off by more than rounding", build(TWO * 0.99, normalise=True), "probabilities sum to 0.99, not 1"),
    ("transition_reward of a matrix", build(transition_reward=[1.0]), "transition_reward was given without ChoiceRows"),
]
CHOICE_ROWS: list[Case] = [
    ("a state without rows", build(rows(state=[0, 0])), "state 1 has no choice"),
    ("an action twice", build(rows(state=[0, 0], target=[0, 0])), "state 0, action 'action_0': more than one choice"),
    ("no such next state", build(rows(target=[0, 5]), features=[[0], [1]]), "transition 1: next state 5 does not exist"),
    ("no such state", build(rows(state=[0, 2]), initial=[1, 0]), "choice 1: state 2 does not exist"),
    ("no such action", build(rows(action=[0, 1]), action_names=["go"]), "choice 1: action 1 does not exist"),
    ("negative state", build(rows(state=[-1, 0])), "choice 0: state -1 does not exist"),
    ("row_start falls", build(rows(row_start=[0, 3, 2])), "row_start falls from 3 to 2 at choice 1"),
    ("row_start too short", build(rows(row_start=[0, 2])), "row_start has shape (2,), not (3,)"),
    ("row_start beyond the end", build(rows(row_start=[0, 1, 7])), "row_start runs from 0 to 7"),
    ("broken target", build(rows(target=[0, 0.5])), "target is no array of whole numbers"),
    ("probability too short", build(rows(probability=[1.0])), "probability has shape (1,), not (2,)"),
    ("reward too long", build(rows(), reward=[1.0, 2.0, 3.0]), "reward has shape (3,), not (2,)"),
    ("transition_reward too short", build(rows(), transition_reward=[1.0]), "transition_reward has shape (1,), not (2,)"),
    ("available beside rows", build(rows(), available=[[1], [1]]), "available was given with ChoiceRows"),
]
FILES: list[Case] = [
    ("missing file", lambda: lambda: read("none.npz"), "none.npz: there is no such file"),
    ("unknown suffix", lambda: lambda: read("model.docx"), "model.docx: unknown kind of file"),
    ("no suffix", lambda: lambda: read("model"), "model: unknown kind of file"),
    ("a directory", lambda: (Path("d.npz").mkdir(), lambda: read("d.npz"))[1], "d.npz: is a directory"),
    ("no source at all", lambda: lambda: read(42), "int is no source of a model"),
    ("empty file", damaged("e.npz", lambda content: b""), "e.npz: cannot read the array 'format'"),
    ("truncated file", damaged("t.npz", lambda content: content[: len(content) // 2]), "t.npz: cannot read"),
    ("a text file", damaged("t.npz", lambda content: b"state,action\n0,1\n"), "t.npz: cannot read"),
    ("a pickle", damaged("p.npz", lambda content: pickle.dumps({"state": 1})), "p.npz: cannot read"),
    ("a single array", lambda: (np.save("a.npy", EYE), Path("a.npy").rename("a.npz"), lambda: read("a.npz"))[2], "a.npz: cannot read"),
    ("a flipped bit", damaged("f.npz", lambda content: flip(content)), "f.npz: cannot read the array"),
    ("pickle inside npz", npz(target=np.array([{}, None])), "model.npz: cannot read the array 'target' (Object arrays"),
    ("another npz", npz(format="something else"), "model.npz: not a model of spotree"),
    ("wrong version", npz(version=99), "model.npz: version 99 of the schema"),
    ("words for numbers", npz(reward=np.array(["a"] * 4)), "model.npz: the array 'reward' holds <U1, not numbers"),
    ("numbers for names", npz(action_names=np.arange(2)), "model.npz: the array 'action_names' holds int64, not text"),
    ("two discounts", npz(discount=np.array([0.9, 0.8])), "model.npz: the array 'discount' has shape (2,)"),
    ("discount 1.5 in a file", npz(discount=1.5), "model.npz: discount 1.5 is not in [0, 1]"),
    ("unknown rule in a file", npz(missing="ignore"), "model.npz: missing='ignore' is unknown"),
    ("notes that are no JSON", npz(notes="{"), "model.npz: the array 'notes' is no JSON"),
    ("notes that are a list", npz(notes="[1]"), "model.npz: the array 'notes' holds list"),
    ("NaN in a file", npz(probability=np.array([1, 1, 1, NAN])), "model.npz: state 1, action 'action_1': probability"),
    ("wrong shape in a file", npz(features=np.ones(2)), "the array 'features' has shape (2,)"),
    ("names of a wrong shape", npz(action_names=np.array([["a", "b"]])), "model.npz: the array 'action_names' has shape (1, 2)"),
    ("an option without sense", lambda: (npz()(), lambda: read("model.npz", goal="done"))[1], "goal='done' means nothing"),
    ("unknown sense", lambda: lambda: read("model.npz", sense="best"), "sense='best' is unknown"),  # type: ignore[arg-type]
    ("unknown action mapping", lambda: lambda: read("model.npz", actions="all"), "actions='all' is unknown"),  # type: ignore[arg-type]
]
# fmt: on


def flip(content: bytes) -> bytes:
    """The file with one bit of its first array's data wrong."""
    at = content.index(b"format.npy") + 40
    return content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]


def complain(call: Callable[[], Any]) -> str:
    """The message of the complaint, which must leave the folder as it was."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    with pytest.raises(SpotreeError) as caught:
        call()
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before
    return str(caught.value)


def check_message(message: str, words: str) -> None:
    assert "\n" not in message
    assert words in message
    assert len(message) < 300


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("call", "words"), [case[1:] for case in ARRAYS], ids=[case[0] for case in ARRAYS])
def test_bad_arrays_get_one_line(call: Callable[[], Any], words: str) -> None:
    check_message(complain(call), words)


@pytest.mark.parametrize(
    ("call", "words"), [case[1:] for case in CHOICE_ROWS], ids=[case[0] for case in CHOICE_ROWS]
)
def test_bad_choice_rows_get_one_line(call: Callable[[], Any], words: str) -> None:
    check_message(complain(call), words)


@pytest.mark.parametrize(("prepare", "words"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_bad_files_get_one_line(prepare: Callable[[], Callable[[], Any]], words: str) -> None:
    check_message(complain(prepare()), words)


@pytest.mark.parametrize("length", range(0, 4000, 97))
def test_a_file_cut_at_any_length_is_refused(length: int) -> None:
    message = complain(damaged("cut.npz", lambda content: content[: min(length, len(content) - 1)])())
    check_message(message, "cut.npz: cannot read")


@pytest.mark.parametrize("seed", range(40))
def test_a_file_with_broken_bytes_is_refused_or_harmless(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def broken(content: bytes) -> bytes:
        changed = bytearray(content)
        for at in rng.integers(len(content), size=3):
            changed[at] = rng.integers(256)
        return bytes(changed)

    call = damaged("broken.npz", broken)()
    try:
        assert call().num_states == 2  # bytes that no reader looks at, such as dates
    except SpotreeError as error:
        check_message(str(error), "broken.npz: ")


def test_the_sound_twin_of_the_bad_files_is_read() -> None:
    assert npz()()().num_states == 2
    assert build()().num_choices == 4
    assert build(rows())().num_choices == 2


def test_all_kinds_are_different() -> None:
    kinds = [case[0] for case in ARRAYS + CHOICE_ROWS + FILES]
    assert len(set(kinds)) == len(kinds) >= 30
