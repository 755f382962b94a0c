"""Episodes as a CSV file: one line for each time step, episode by episode; no name in it can forge a formula."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spotree.common.atomic_file import whole_file
from spotree.common.sanitize import spreadsheet_cell
from spotree.errors import SpotreeError
from spotree.evaluation import actions_of

if TYPE_CHECKING:
    from spotree.common.arrays import Floats, Ints
    from spotree.evaluation import Acts
    from spotree.mdp.model import MDP

MOST_LINES = 20_000_000
_AT_ONCE = 100_000


class Trajectories:
    """Collects the time steps of a simulation and writes them."""

    def __init__(self, mdp: "MDP", policy: "Acts") -> None:
        self.mdp, self.action = mdp, actions_of(mdp, policy)
        self.seen: list[tuple[Ints, Ints, Ints, Floats]] = []
        self.lines = 0

    def watch(self, time: int, episodes: "Ints", states: "Ints", rewards: "Floats") -> None:
        """Take one time step of all episodes that are on."""
        self.lines += len(episodes)
        if self.lines > MOST_LINES:
            raise SpotreeError(
                f"--trajectories: more than {MOST_LINES:,} time steps; play fewer --episodes, or set a --horizon"
            )
        self.seen.append((episodes, np.full(len(episodes), time), states, rewards))

    def write(self, path: Path) -> None:
        """Write the file: whole or not at all."""
        with whole_file(path) as stream:
            text = io.TextIOWrapper(stream, "utf-8", newline="", write_through=True)
            table = csv.writer(text)
            names = map(spreadsheet_cell, self.mdp.feature_names)
            table.writerow(["episode", "step", "state", *names, "action", "reward"])
            table.writerows(self._rows())
            text.detach()

    def _rows(self) -> Iterator[list[object]]:
        if not self.seen:  # stopped before the first time step
            return
        episode, time, state, reward = (np.concatenate(part) for part in zip(*self.seen, strict=True))
        order = np.lexsort((time, episode))
        names = [spreadsheet_cell(name) for name in self.mdp.action_names]
        whole = (self.mdp.features == np.rint(self.mdp.features)).all(axis=0)
        for start in range(0, len(order), _AT_ONCE):
            for line in order[start : start + _AT_ONCE].tolist():
                here = int(state[line])
                values = [int(v) if w else float(v) for v, w in zip(self.mdp.features[here], whole, strict=True)]
                over = bool(np.isnan(reward[line]))
                done = ["", ""] if over else [names[self.action[here]], float(reward[line])]
                yield [int(episode[line]), int(time[line]), int(self.mdp.state_number[here]), *values, *done]
