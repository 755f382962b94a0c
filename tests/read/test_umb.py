"""UMB: nothing is lost on the way out and back, Storm reads what we write, broken files say what is wrong."""

import io
import json
import tarfile
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spotree.errors import ReadError, SpotreeError
from spotree.mdp import MDP, Missing, build_mdp
from spotree.read.read import read
from spotree.read.umb_write import write_umb
from spotree.read.valuations import unpack


def some_mdp(missing: Missing = "random", ending: bool = True) -> MDP:
    """Twelve states, three actions, some missing; choices that end the episode, whole and broken features."""
    rng = np.random.default_rng(3)
    ends = np.where(rng.random((12, 3)) < 0.3, rng.random((12, 3)), 0.0) if ending else np.zeros((12, 3))
    transitions = rng.dirichlet(np.full(12, 0.2), (3, 12)) * (1 - ends.T[:, :, None])
    available = rng.random((12, 3)) < 0.6
    available[:, 1] = True
    features = np.column_stack(
        (rng.integers(-4, 4, 12), rng.normal(size=12), np.where(np.arange(12) < 6, -0.0, 1.0))
    )
    return build_mdp(
        transitions,
        np.where(rng.random((12, 3)) < 0.5, -0.0, rng.normal(size=(12, 3))),
        0.97,
        initial=rng.dirichlet(np.ones(12)),
        features=features,
        feature_names=["count", "Höhe", "a b"],
        action_names=["z", "↑", "a"],
        available=available,
        missing=missing,
        missing_reward=-1 / 3,
        ends=ends,
        state_number=rng.permutation(50)[:12],
        name="some",
        notes={"reward": "time"},
    )


def differences(one: MDP, other: MDP) -> list[str]:
    """The fields in which two models differ in a single bit."""

    def bits(value: Any) -> Any:
        return (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value

    return [name for name in MDP.__slots__ if bits(getattr(one, name)) != bits(getattr(other, name))]


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
@pytest.mark.parametrize("ending", [True, False])
def test_what_is_written_is_read_bit_for_bit(tmp_path: Path, missing: Missing, ending: bool) -> None:
    mdp = some_mdp(missing, ending)
    write_umb(mdp, tmp_path / "model.umb")
    assert differences(mdp, read(tmp_path / "model.umb")) == []


@pytest.mark.parametrize("compression", ["gz", "xz"])
def test_compressed_files_hold_the_same_model(tmp_path: Path, compression: str) -> None:
    mdp = some_mdp()
    write_umb(mdp, tmp_path / "model.umb", compression)
    assert differences(mdp, read(tmp_path / "model.umb")) == []


def test_options_count_more_than_what_the_file_says(tmp_path: Path) -> None:
    write_umb(some_mdp(), tmp_path / "model.umb")
    mdp = read(tmp_path / "model.umb", discount=0.5, missing="stay", sense="min", drop_actions=["a"])
    assert (mdp.discount, mdp.missing, mdp.action_names) == (0.5, "stay", ("z", "↑"))
    assert mdp.notes["reward"] == "-(reward)"
    choice = some_mdp().choice_of[4, 1]
    assert mdp.reward[4, 1] == -some_mdp().reward_of_choice[choice]


@pytest.mark.parametrize("ending", [True, False])
def test_storm_reads_what_we_write(tmp_path: Path, ending: bool) -> None:
    stormpy = pytest.importorskip("stormpy")
    mdp = some_mdp(ending=ending)
    write_umb(mdp, tmp_path / "model.umb")
    model = stormpy.build_model_from_umb(str(tmp_path / "model.umb"))
    assert model.nr_states == mdp.num_states + ending  # one sink for the ends of episodes
    assert model.nr_choices == mdp.num_choices + ending
    assert set(model.choice_labeling.get_labels()) == set(mdp.action_names)
    rewards = list(model.reward_models["reward"].state_action_rewards)[: mdp.num_choices]
    assert rewards == mdp.reward_of_choice[mdp.choice_action >= 0].tolist()


def test_a_file_that_storm_has_rewritten_is_still_the_same_decision_process(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    mdp = some_mdp(ending=False)
    write_umb(mdp, tmp_path / "ours.umb")
    model = stormpy.build_model_from_umb(str(tmp_path / "ours.umb"))
    stormpy.io.export_to_umb(model, str(tmp_path / "theirs.umb"))
    again = read(tmp_path / "theirs.umb", discount=mdp.discount)
    assert sorted(again.action_names) == sorted(mdp.action_names)
    for name in mdp.action_names:
        mine, theirs = mdp.action_names.index(name), again.action_names.index(name)
        assert again.available[:, theirs].tolist() == mdp.available[:, mine].tolist()
        np.testing.assert_allclose(again.transition_matrix(theirs).toarray(), mdp.transition_matrix(mine).toarray())
        np.testing.assert_allclose(again.reward[:, theirs], mdp.reward[:, mine], atol=1e-15)


def test_bit_packed_records_come_apart() -> None:
    # from the lowest bit up: bool 1, uint(3) 5 with offset 2, one bit of padding, int(4) -3, double 0.75, 7 bits
    bits = "1" + "101" + "0" + "1011" + f"{np.float64(0.75).view(np.uint64):064b}"[::-1] + "0" * 7
    record = np.packbits([int(bit) for bit in bits], bitorder="little")
    entries = [
        {"name": "flag", "type": {"type": "bool"}},
        {"name": "level", "type": {"type": "uint", "size": 3}, "offset": 2},
        {"padding": 1},
        {"name": "depth", "type": {"type": "int", "size": 4}},
        {"name": "share", "type": {"type": "double"}},
        {"padding": 7},
    ]
    columns, left_out = unpack(np.vstack((record, record)), entries)
    assert {name: column.tolist() for name, column in columns.items()} == {
        "flag": [1, 1],
        "level": [7, 7],  # 5 + 2
        "depth": [-3, -3],
        "share": [0.75, 0.75],
    }
    assert left_out == {}


Members = dict[str, bytes]


@cache
def good_members() -> Members:
    with tempfile.TemporaryDirectory() as folder:
        write_umb(some_mdp(), Path(folder) / "model.umb")
        with tarfile.open(Path(folder) / "model.umb") as tar:
            return {entry.name: tar.extractfile(entry).read() for entry in tar}  # type: ignore[union-attr]


def rewritten(tmp_path: Path, change: Callable[[Members, dict[str, Any]], None]) -> Path:
    """A good file, taken apart, changed and packed again."""
    path, members = tmp_path / "model.umb", dict(good_members())
    index = json.loads(members["index.json"])
    change(members, index)
    if "index.json" in members and members["index.json"][:1] == b"{":
        members["index.json"] = json.dumps(index).encode()
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def without_extension(members: Members, index: dict[str, Any]) -> None:
    del index["file-data"]["parameters"]


def test_repeated_branches_are_added_up(tmp_path: Path) -> None:
    def split_the_first_branch(members: Members, index: dict[str, Any]) -> None:
        starts = np.frombuffer(members["choice-to-branches.bin"], "<u8").copy()
        starts[1:] += 1
        target = np.frombuffer(members["branch-to-target.bin"], "<u8")
        probability = np.frombuffer(members["branch-to-probability.bin"], "<f8")
        half = probability[0] / 2
        members["choice-to-branches.bin"] = starts.tobytes()
        members["branch-to-target.bin"] = np.insert(target, 0, target[0]).tobytes()
        members["branch-to-probability.bin"] = np.concatenate(([half, half], probability[1:])).tobytes()
        index["transition-system"]["#branches"] += 1

    assert differences(some_mdp(), read(rewritten(tmp_path, split_the_first_branch))) == []


def test_without_a_probability_every_branch_is_certain(tmp_path: Path) -> None:
    def one_branch_per_choice(members: Members, index: dict[str, Any]) -> None:
        system = index["transition-system"]
        del (
            members["branch-to-probability.bin"],
            system["branch-probability-type"],
            members["choice-to-branches.bin"],
        )
        system["#branches"] = system["#choices"]
        members["branch-to-target.bin"] = np.zeros(system["#choices"], "<u8").tobytes()
        index["file-data"]["parameters"]["spotree"]["sink"] = False

    mdp = read(rewritten(tmp_path, one_branch_per_choice))
    assert (mdp.transition_matrix("↑").toarray()[:, 0] == 1).all()


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
