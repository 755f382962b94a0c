"""UMB: a broken file says what is wrong, in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.umb import Members, rewritten, some_mdp, without_extension
from spotree.errors import ReadError, SpotreeError
from spotree.mdp import MDP
from spotree.readers.read import read
from spotree.readers.umb.writer import write_umb


def entry(*path: str) -> Callable[[Any], Any]:
    def at(index: Any) -> Any:
        for key in path:
            index = index[key]
        return index

    return at


def setting(value: Any, *path: str) -> Callable[[Members, dict[str, Any]], None]:
    return lambda members, index: entry(*path[:-1])(index).__setitem__(path[-1], value)


def lost(*names: str) -> Callable[[Members, dict[str, Any]], None]:
    return lambda members, index: [members.pop(name) for name in names] and None


SYSTEM = "transition-system"
PROBABILITY = (SYSTEM, "branch-probability-type", "type")
REWARD = ("annotations", "rewards", "reward", "type", "type")
TARGETS, STARTS, CHANCES = "branch-to-target.bin", "state-to-choices.bin", "branch-to-probability.bin"


def padded(members: Members, index: dict[str, Any]) -> None:
    index["valuations"]["states"]["classes"][0]["variables"].append({"padding": 3})


BAD: dict[str, tuple[Callable[[Members, dict[str, Any]], Any], str]] = {
    "no index": (lost("index.json"), "index.json is missing"),
    "no targets": (lost(TARGETS), "branch-to-target.bin is missing"),
    "no probabilities": (lost(CHANCES), "branch-to-probability.bin is missing"),
    "no initial state": (lost("state-is-initial.bin"), "state-is-initial.bin is missing"),
    "no offsets": (lost(STARTS), "do not go one each to"),
    "no reward values": (lost("annotations/rewards/reward/choices/values.bin"), "values.bin is missing"),
    "no valuations": (lost("valuations/states/valuations.bin"), "valuations.bin is missing"),
    "index is no JSON": (lambda m, i: m.update({"index.json": b"hello"}), "index.json is not JSON"),
    "index is a list": (lambda m, i: m.update({"index.json": b"[]"}), "index.json holds list"),
    "no transition system": (lambda m, i: i.pop(SYSTEM), "malformed: 'transition-system'"),
    "no number of states": (lambda m, i: i[SYSTEM].pop("#states"), "malformed: '#states'"),
    "short array": (lambda m, i: m.update({TARGETS: b"1234"}), "has 4 bytes, not"),
    "target too high": (lambda m, i: m.update({TARGETS: m[TARGETS][:-8] + b"\xff" * 8}), "names a state beyond"),
    "falling offsets": (lambda m, i: m.update({STARTS: m[STARTS][::-1]}), "does not rise from 0"),
    "intervals": (setting("double-interval", *PROBABILITY), "'double-interval'; export the model"),
    "rationals": (setting("rational", *PROBABILITY), "type 'rational'; export the model"),
    "continuous time": (setting("stochastic", SYSTEM, "time"), "time is 'stochastic'; only discrete"),
    "a game": (setting(2, SYSTEM, "#players"), "a game of 2 players"),
    "partial observation": (setting(3, SYSTEM, "#observations"), "partially observable (3 observations)"),
    "version 2": (setting(2, "format-version"), "UMB version 2"),
    "rational rewards": (setting("rational", *REWARD), "rewards must be double"),
    "rows of 0": (lambda m, i: m.update({CHANCES: bytes(len(m[CHANCES]))}), "probabilities sum to 0"),
    "no features": (lambda m, i: (without_extension(m, i), i.pop("valuations")), "the states have no variables"),
    "half a byte of record": (padded, "no whole number of bytes"),
    "member outside": (lambda m, i: m.update({"../evil": b"1"}), "'../evil' points outside the archive"),
    "member at the root": (lambda m, i: m.update({"/etc/evil": b"1"}), "'/etc/evil' points outside the archive"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_a_broken_file_is_refused_in_one_line(tmp_path: Path, change: Any, message: str) -> None:
    path = rewritten(tmp_path, change)
    with pytest.raises(SpotreeError) as caught:
        read(path)
    assert message in str(caught.value)
    assert "model.umb" in str(caught.value)
    assert "\n" not in str(caught.value)


def places(index: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every entry of a JSON value, as the way to it."""
    items = index.items() if isinstance(index, dict) else enumerate(index) if isinstance(index, list) else ()
    return [place for key, value in items for place in [(*path, key), *places(value, (*path, key))]]


def test_whatever_stands_in_the_index_it_is_a_model_or_one_clear_line(tmp_path: Path) -> None:
    found: list[tuple[Any, ...]] = []
    rewritten(tmp_path, lambda members, index: found.extend(places(index)))
    assert len(found) > 50
    refused = []
    for place in found:
        for value in (None, -1, 10**18, "x", [[1]]):
            try:
                assert isinstance(read(rewritten(tmp_path, setting(value, *place))), MDP)
            except SpotreeError as error:
                refused.append(str(error))
    assert len(refused) > len(found)
    assert [message for message in refused if "\n" in message] == []


def test_whatever_byte_is_wrong_it_is_a_model_or_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "model.umb"
    write_umb(some_mdp(), path)
    good, rng = path.read_bytes(), np.random.default_rng(0)
    refused = []
    for _ in range(150):
        broken = bytearray(good)
        for place in rng.integers(0, len(good), 5):
            broken[place] = rng.integers(256)
        path.write_bytes(bytes(broken))
        try:
            assert isinstance(read(path), MDP)
        except SpotreeError as error:
            refused.append(str(error))
    assert len(refused) > 50
    assert [message for message in refused if "\n" in message] == []


@pytest.mark.parametrize("compression", ["", "gz", "xz"])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_file_cut_off_is_refused(tmp_path: Path, part: float, compression: str) -> None:
    path = tmp_path / "model.umb"
    write_umb(some_mdp(), path, compression)
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content.rstrip(b"\0")))])
    with pytest.raises(ReadError, match=r"model\.umb: "):
        read(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constants": {"N": 1}}, "constants={'N': 1} means nothing for a .umb file"),
        ({"reward": "energy"}, "no reward structure or label 'energy'; rewards: reward"),
        ({"goal": "count >"}, "goal='count >' is neither a label nor an expression"),
        ({"goal": "counts > 2"}, "'counts' is no label, variable or constant"),
        ({"goal": '"done"'}, "no label 'done'; known: init"),
        ({"goal": "count > 99"}, "goal='count > 99' holds in no reachable state"),
        ({"goal": "min(count, 2) = 2"}, "cannot read 'min(count, 2)'"),
        ({"drop_actions": ["b"]}, "there is no action 'b'; known: z, ↑, a"),
    ],
)
def test_options_that_do_not_fit_are_named(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    write_umb(some_mdp(), tmp_path / "model.umb")
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "model.umb", **options)
    assert message in str(caught.value)


def test_nothing_is_written_when_writing_fails(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="compression='zip' is unknown"):
        write_umb(some_mdp(), tmp_path / "model.umb", "zip")
    assert list(tmp_path.iterdir()) == []
