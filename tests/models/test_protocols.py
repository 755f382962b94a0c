"""The protocols: our PRISM files mean what those of the benchmark suite mean, and are worth what is known of them."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facts.fingerprint import arrays_of, fingerprint, known
from facts.make_facts import PROTOCOLS, REWARDS, protocol
from oracles.exact import exact_values
from spotree.errors import ReadError
from spotree.evaluation import expected_return, optimum, policy_value, random_return
from spotree.models import load, protocols

stormpy = pytest.importorskip("stormpy")
SIZES = {  # states, choices and transitions of the benchmark suite's models
    "csma_2_2": (1038, 1054, 1282),
    "csma_2_4": (7958, 7988, 10594),
    "firewire": (4093, 5519, 5585),
    "wlan0": (2954, 3972, 5202),
    "wlan1": (8625, 11356, 16196),
}


def our_file(name: str) -> Path:
    return Path(str(files("spotree.models") / f"{name}.prism"))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_sizes_are_those_of_the_benchmark(name: str) -> None:
    file, constants, *_ = PROTOCOLS[name]
    program = stormpy.parse_prism_program(str(our_file(file)))
    text = ",".join(f"{constant}={value}" for constant, value in constants.items())
    program, _ = stormpy.instantiate_constants(program, text)
    model = stormpy.build_model(program)
    assert (model.nr_states, model.nr_choices, model.nr_transitions) == SIZES[name]


@pytest.mark.parametrize(("name", "reward"), [(name, r) for name in PROTOCOLS for r in REWARDS[PROTOCOLS[name][0]]])
def test_every_transition_and_reward_is_that_of_the_benchmark(name: str, reward: str) -> None:
    assert fingerprint(arrays_of(protocol(name, reward))).differences(known()[f"{name} {reward}"]) == []


# J* and the random return; a missing action acts as a random one of the labels that are offered
GOAL = {
    "csma_2_2": (0.401831, 0.393082),
    "csma_2_4": (0.391910, 0.385194),
    "firewire": (-70.04495, -76.33806),
    "wlan0": (-1163.70, -1481.64),
    "wlan1": (-1164.73, -1485.43),
}
# J* and the two values that constant policies have, as the paper prints them for csma_2_4 and firewire
PAPER = {
    "csma_2_2_paper": (81.61404, -1.2253e-2, -1.2130e-2),
    "csma_2_4_paper": (85.47576, -1.1699e-2, -1.1582e-2),
    "firewire_paper": (99.64781, -1.0035e-2, -9.9350e-3),
}


def digits(text: float) -> int:
    return len(repr(text).split("e")[0].lstrip("-").replace(".", "").lstrip("0"))


def agree(value: float, printed: float) -> bool:
    return float(f"{value:.{digits(printed) - 1}e}") == printed


@pytest.mark.parametrize("name", GOAL)
def test_the_goal_setup_is_worth_what_is_known(name: str) -> None:
    mdp = load(name)
    best, random = GOAL[name]
    assert mdp.missing == "random"
    assert optimum(mdp).value == pytest.approx(best, rel=1e-5)
    assert random_return(mdp) == pytest.approx(random, rel=1e-5)


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_setup_reproduces_its_digits(name: str) -> None:
    mdp = load(name)
    best, low, high = PAPER[name]
    value = optimum(mdp).value
    assert agree(value, best)
    ratios = sorted(
        {expected_return(mdp, np.full(mdp.num_states, a, np.int32)) / value for a in range(mdp.num_actions)}
    )
    assert agree(ratios[0], low)
    assert agree(ratios[-1], high)


@pytest.mark.parametrize(
    ("name", "actions", "features"),
    # the paper counts 8, 13 and 6 actions and 11, 10 and 13 features; constant columns are no features here
    [
        ("csma_2_2_paper", 9, 11),
        ("firewire_paper", 14, 10),
        ("firewire", 13, 10),
        ("wlan0", 6, 8),
        ("wlan1", 6, 12),
    ],
)
def test_actions_and_features_are_those_of_the_paper_but_for_what_never_varies(
    name: str, actions: int, features: int
) -> None:
    mdp = load(name)
    assert (mdp.num_actions, mdp.num_features) == (actions, features)


@pytest.mark.parametrize("name", ["csma_2_2_paper", "csma_2_2", "wlan0"])
def test_policy_values_are_storms_exact_ones(name: str, tmp_path: Path) -> None:
    mdp = load(name)
    rng = np.random.default_rng(7)
    actions = rng.integers(0, mdp.num_actions, mdp.num_states).astype(np.int32)
    if name == "csma_2_2_paper":  # a random policy ends at once; the best one goes on for ever
        actions = optimum(mdp).actions
    exact = exact_values(mdp, actions, tmp_path)
    value = policy_value(mdp, actions)
    assert np.abs(value - exact).max() <= 1e-12 * np.abs(exact).max()
    nonzero = exact != 0
    assert (np.abs(value - exact)[nonzero] <= 1e-12 * np.abs(exact)[nonzero]).all()


def test_three_stations_are_alike() -> None:
    mdp = protocols.csma(1, stations=3)
    delivered = [int((mdp.features[:, mdp.feature_names.index(f"station{i}")] == 4).sum()) for i in (1, 2, 3)]
    assert delivered[0] == delivered[1] == delivered[2] > 0
    assert {"send3", "busy3", "end3"} < set(mdp.action_names)
    done = np.flatnonzero((mdp.reward == 1).all(axis=1))
    columns = [mdp.feature_names.index(f"station{i}") for i in (1, 2, 3)]
    assert (mdp.features[done][:, columns] == 4).all()
    assert len(done) == int((mdp.features[:, columns] == 4).all(axis=1).sum())


def test_by_command_every_choice_of_the_file_is_an_action_of_its_own() -> None:
    labels, commands = protocols.wlan(0, "paper"), protocols.wlan(0, "paper", actions="commands")
    assert commands.num_choices == 3972
    assert labels.num_choices < commands.num_choices
    assert optimum(commands).value > optimum(labels).value  # an action by label cannot pick the better command


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: protocols.csma(5), "backoff_limit=5 is out of range; the model is written for 1 to 4"),
        (lambda: protocols.csma(2, stations=1), "stations=1 is out of range"),
        (lambda: protocols.wlan(-1), "max_backoff=-1 is out of range"),
        (lambda: protocols.firewire(0), "delay=0 is out of range"),
        (lambda: protocols.firewire(3, "papers"), "setup='papers' is unknown; choose one of 'goal', 'paper'"),
    ],
)
def test_a_size_out_of_range_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        call()
    assert message in str(caught.value)
