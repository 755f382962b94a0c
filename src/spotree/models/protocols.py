"""The paper's communication protocols, from PRISM files of our own, in two set-ups.

"goal"
    Until the goal, as fast as possible: csma earns 1 on delivering all messages, firewire and wlan pay for time; an
    action that is not available acts as a random one that is.
"paper"
    What reproduces the digits of the SPOT paper for csma and firewire: maximise the sum of the file's rewards for
    ever; an action that is not available ends the episode with reward -1. (No set-up is known to reproduce the
    paper's digits for wlan; it gets the same rule.)

`reading` stands for `discount`, `missing` and `missing_reward`, which replace those of the set-up.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from spotree.errors import ReadError
from spotree.mdp.model import MDP
from spotree.readers.options import ActionMapping, ReadOptions
from spotree.readers.storm.reader import read_prism

Setup: TypeAlias = Literal["goal", "paper"]

_PAPER = ReadOptions(reward="sum", missing="end", discount=0.99)
_EACH_STATION = "// each station"


class Source(NamedTuple):
    """A PRISM text, and how it is read."""

    text: str
    options: ReadOptions


def csma(
    backoff_limit: int = 2,
    setup: Setup = "goal",
    *,
    stations: int = 2,
    actions: ActionMapping = "labels",
    **reading: Any,
) -> MDP:
    """CSMA/CD: stations share a bus and back off when they collide; 1,038 states at limit 2, 7,958 at 4."""
    return _read(csma_source(backoff_limit, setup, stations=stations, actions=actions), reading)


def csma_source(
    backoff_limit: int = 2, setup: Setup = "goal", *, stations: int = 2, actions: ActionMapping = "labels"
) -> Source:
    _within("backoff_limit", backoff_limit, 1, 4)
    _within("stations", stations, 2, 9)
    goal = ReadOptions(reward="all_delivered", goal="all_delivered", missing="random", discount=0.99)
    text = _with_stations(_text("csma"), stations)
    return _source(f"csma_{stations}_{backoff_limit}", text, goal, setup, actions, backoff_limit=backoff_limit)


def firewire(delay: int = 3, setup: Setup = "goal", *, actions: ActionMapping = "labels", **reading: Any) -> MDP:
    """Root contention in FireWire: two nodes settle who leads; 4,093 states at a wire's delay of 3."""
    return _read(firewire_source(delay, setup, actions=actions), reading)


def firewire_source(delay: int = 3, setup: Setup = "goal", *, actions: ActionMapping = "labels") -> Source:
    _within("delay", delay, 1, 100)
    goal = ReadOptions(reward="time", sense="min", goal="done", missing="random", discount=0.99)
    return _source("firewire", _text("firewire"), goal, setup, actions, delay=delay)


def wlan(
    max_backoff: int = 0,
    setup: Setup = "goal",
    *,
    max_collisions: int = 0,
    actions: ActionMapping = "labels",
    **reading: Any,
) -> MDP:
    """Wireless LAN: two stations avoid collisions by waiting; 2,954 states at limit 0, 8,625 at 1, 345,000 at 4."""
    return _read(wlan_source(max_backoff, setup, max_collisions=max_collisions, actions=actions), reading)


def wlan_source(
    max_backoff: int = 0, setup: Setup = "goal", *, max_collisions: int = 0, actions: ActionMapping = "labels"
) -> Source:
    _within("max_backoff", max_backoff, 0, 4)
    _within("max_collisions", max_collisions, 0, 100)
    goal = ReadOptions(reward="time", sense="min", goal="all_sent", missing="random", discount=0.99)
    constants = {"max_backoff": max_backoff, "max_collisions": max_collisions}
    return _source(f"wlan{max_backoff}", _text("wlan"), goal, setup, actions, **constants)


def _source(
    name: str, text: str, goal: ReadOptions, setup: Setup, actions: ActionMapping, **constants: int
) -> Source:
    if setup not in get_args(Setup):
        raise ReadError(f"setup={setup!r} is unknown; choose one of {', '.join(map(repr, get_args(Setup)))}")
    options = goal if setup == "goal" else _PAPER
    full_name = name if setup == "goal" else f"{name}_paper"
    return Source(text, replace(options, constants=constants, actions=actions, name=full_name))


def _read(source: Source, reading: Mapping[str, Any]) -> MDP:
    with tempfile.TemporaryDirectory() as folder:
        name = str(source.options.name)
        path = Path(folder) / f"{name.removesuffix('_paper')}.prism"
        path.write_text(source.text)
        asked = {key: value for key, value in reading.items() if value is not None}
        try:
            return read_prism(path, replace(source.options, **asked))
        except ReadError as error:  # about what was asked for: nobody knows the file
            raise ReadError(str(error).replace(str(path), name)) from error


def _text(name: str) -> str:
    return (files("spotree.models") / f"{name}.prism").read_text()


def _with_stations(text: str, stations: int) -> str:
    """A model of two stations becomes one of several: lines marked so are repeated, 2 turned into the number."""
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if line.endswith(_EACH_STATION):
            lines += [_renumbered(line, station) for station in range(3, stations + 1)]
    return "\n".join(lines)


def _renumbered(line: str, station: int) -> str:
    for word in ("station", "clock", "slots", "collisions", "send", "busy", "end"):
        line = line.replace(f"{word}2", f"{word}{station}")
    return line


def _within(name: str, value: int, lowest: int, highest: int) -> None:
    if not lowest <= value <= highest:
        raise ReadError(f"{name}={value} is out of range; the model is written for {lowest} to {highest}")
