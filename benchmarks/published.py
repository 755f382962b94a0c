"""Published returns of dtPAYNT and OMDT (20 minutes a cell), and how a return of ours stands to them."""

import csv
from dataclasses import dataclass
from pathlib import Path

import spotree
from spotree.mdp import MDP
from spotree.mdp.transforms import RANDOM_ACTION

FACTS = Path(__file__).parents[1] / "tests" / "facts"
# our name -> the name in the published table
PUBLISHED_AS = {
    **{
        name: name
        for name in (
            "blackjack",
            "frozenlake_4x4",
            "frozenlake_8x8",
            "frozenlake_12x12",
            "inventory_management",
            "system_administrator_1",
            "system_administrator_2",
            "system_administrator_tree",
            "tictactoe_vs_random",
            "traffic_intersection",
        )
    },
    "navigation_3d": "3d_navigation",
    "csma_2_4": "csma-2-4",
    "firewire": "firewire-3",
    "firewire-3": "firewire-3",
    "maze-steps": "maze-steps",
}
# models of that comparison that do not ship: where they stand in a folder with its files
FILES = {"firewire-3": "firewire-3/model-random-enabled.drn", "maze-steps": "steps/model-random.drn"}
PRINTED = 5e-5  # half a unit of the last digit that is printed for dtPAYNT
PROGRAM = 1e-6  # what a mixed-integer solver's tolerances do to OMDT's returns, relative to optimum less random


@dataclass(frozen=True, slots=True)
class Published:
    """One line of the table: the returns as printed there; None where there is none."""

    optimum: float
    random: float
    dtpaynt: float | None
    omdt: float | None

    def same_model(self, optimum: float, random: float) -> bool:
        """Whether best and random return agree with ours, up to its digits and an error of 0.1 %."""
        slack = PRINTED + 1e-3 * (optimum - random)
        return abs(self.optimum - optimum) <= slack and abs(self.random - random) <= slack

    def allowance(self, optimum: float, random: float) -> dict[str, float]:
        """How far each return may be off: dtPAYNT's iterated values as far as its optimum and random return are."""
        dtpaynt = PRINTED + max(abs(self.optimum - optimum), abs(self.random - random))
        return {"dtpaynt": dtpaynt, "omdt": PROGRAM * (optimum - random)}

    def better(self, value: float, optimum: float, random: float) -> list[str]:
        """Who is better than a return of ours, by more than the allowance."""
        slack = self.allowance(optimum, random)
        return [peer for peer, theirs in self.returns.items() if value < theirs - slack[peer]]

    def worse(self, value: float, optimum: float, random: float) -> list[str]:
        """Who is worse than a return of ours, by more than the allowance."""
        slack = self.allowance(optimum, random)
        return [peer for peer, theirs in self.returns.items() if value > theirs + slack[peer]]

    @property
    def returns(self) -> dict[str, float]:
        known = {"dtpaynt": self.dtpaynt, "omdt": self.omdt}
        return {peer: value for peer, value in known.items() if value is not None}


def published(model: str, depth: int) -> Published | None:
    """The published cell of a model of ours; None if it is not there."""
    with (FACTS / "cav25_results.csv").open() as stream:
        for line in csv.DictReader(stream):
            if line["mdp"] == PUBLISHED_AS.get(model) and int(line["max_depth"]) == depth:
                columns = ("optimal_return", "random_return", "dtpaynt_return", "omdt_return")
                optimum, random, dtpaynt, omdt = (float(line[name]) if line[name] else None for name in columns)
                assert optimum is not None
                assert random is not None
                return Published(optimum, random, dtpaynt, omdt)
    return None


def load(model: str, folder: Path | None = None) -> MDP:
    """A shipped model, or one of the comparison's own files in a folder, without its random action."""
    if model in FILES and folder is None:
        raise SystemExit(f"{model} does not ship; say with --cav25 in which folder {FILES[model]} is")
    if model in FILES and folder is not None:
        return spotree.read(folder / FILES[model], drop_actions=[RANDOM_ACTION], name=model)
    return spotree.load(model)
