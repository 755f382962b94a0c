"""One cell of a sweep: its run, local or remote, and its row in the table."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

from spotree.api.solve import solve
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.common.untrusted import number, one_of, optional, record, text, truth, whole
from spotree.errors import ReadError, SpotreeError
from spotree.mdp.model import MDP, Sense, fingerprint
from spotree.models import load, names
from spotree.readers.read import UNDERSTOOD, is_unknown, read
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.sweeps.plan import Key

STOPPED: set[str] = set()  # sweeps of this process whose running cells are to end


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a cell ended: with a solution, or with an error in words."""

    solution: Solution | None
    error: str
    seconds: float

    @property
    def interrupted(self) -> bool:
        return self.solution is not None and self.solution.status is SolveStatus.INTERRUPTED


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of the table; the numbers are None where the cell failed, which `error` then says.

    Values are returns: negated costs where `sense` is "min".
    """

    model: str
    depth: int | None
    seed: int
    value: float | None = None
    bound: float | None = None
    gap: float | None = None
    optimum: float | None = None
    leaves: int | None = None
    proved: bool = False
    seconds: float = 0.0
    status: str = ""
    sense: Sense = "max"
    error: str = ""

    @property
    def key(self) -> Key:
        return Key(self.model, self.depth, self.seed)

    @property
    def failed(self) -> bool:
        return self.value is None


def run_cell(
    mdp: MDP, asked: Mapping[str, Any], sweep: str = "", tell: Callable[[Progress], Any] | None = None
) -> Outcome:
    """Run one cell; what goes wrong in it is its outcome. Ctrl-C gives an outcome that is `interrupted`."""
    began = time.perf_counter()

    def look(line: Progress) -> None:
        if sweep in STOPPED:
            raise KeyboardInterrupt
        if tell is not None:
            tell(line)

    try:
        found = solve(mdp, progress=look, **asked)
    except Exception as error:  # one cell that fails does not end the others
        said = shown(str(error), LONGEST_LINE)
        return Outcome(None, f"{type(error).__name__}: {said}", time.perf_counter() - began)
    found = replace(found, policy=replace(found.policy, states=None))  # a table as large as the model, once a cell
    return Outcome(found, "", time.perf_counter() - began)


def cell_of(key: Key, outcome: Outcome) -> Cell:
    """What the table says about an outcome."""
    found = outcome.solution
    if found is None:
        return Cell(key.model, key.depth, key.seed, seconds=outcome.seconds, status="failed", error=outcome.error)
    return Cell(
        key.model,
        key.depth,
        key.seed,
        found.value,
        found.bound,
        found.figures.gap,
        found.optimum,
        found.policy.num_leaves,
        found.proved_optimal,
        outcome.seconds,
        found.status.name,
        found.sense,
    )


def claimed_cell(entry: Mapping[str, Any]) -> Cell:
    """The cell of an entry that passed its check."""
    return Cell(**{f.name: entry[f.name] for f in fields(Cell)})


cell_entry = record(
    {
        "model": text(4096),
        "depth": optional(whole(0)),
        "seed": whole(0),
        "value": optional(number()),
        "bound": optional(number()),
        "gap": optional(number(0)),
        "optimum": optional(number()),
        "leaves": optional(whole(1)),
        "proved": truth,
        "seconds": number(0),
        "status": text(200),
        "sense": one_of("max", "min"),
        "error": text(10_000),
    }
)


CHANGEABLE = ("discount", "missing", "missing_reward")  # of a shipped model


class Models:
    """One model at a time, by what it is called.

    `seen` are the fingerprints of models that were opened before: a sweep goes on with the same models only.
    """

    def __init__(self, handed: Mapping[str, MDP], reading: Mapping[str, Any], seen: dict[str, str]) -> None:
        self.handed, self.reading, self.seen = handed, reading, seen
        self._last: tuple[str, MDP | Outcome] | None = None

    def of(self, key: Key) -> MDP | Outcome:
        """The model of a cell; a cell whose model cannot be read has failed."""
        if self._last is None or self._last[0] != key.model:
            began = time.perf_counter()
            try:
                found: MDP | Outcome = self.open(key.model)
            except (SpotreeError, OSError, MemoryError) as error:
                if key.model in self.seen:  # it could be read before: the sweep can go on once it can be again
                    raise
                said = f"{type(error).__name__}: {shown(str(error), LONGEST_LINE)}"
                found = Outcome(None, said, time.perf_counter() - began)
            self._last = (key.model, found)
        return self._last[1]

    def open(self, name: str) -> MDP:
        """Read it, and see that it is the same as before."""
        if self._last is not None and self._last[0] == name and isinstance(self._last[1], MDP):
            return self._last[1]
        mdp = self.handed.get(name) or open_model(name, self.reading)
        digest = fingerprint(mdp)
        if self.seen.setdefault(name, digest) != digest:
            raise ReadError(
                f"{shown(name, LONGEST_LINE)}: another model than when the sweep began; put the old one back, or start"
                " a new sweep"
            )
        self._last = (name, mdp)
        return mdp


def check_names(models: Iterable[str], handed: Collection[str], reading: Mapping[str, Any]) -> None:
    """Refuse, before any work, what can be no model, and options that a shipped one does not take."""
    for name in models:
        if name in handed:
            continue
        if name in names():
            if fixed := [option for option in reading if option not in CHANGEABLE]:
                raise ReadError(
                    f"{name} is a shipped model, which takes {', '.join(CHANGEABLE)} alone; drop {fixed[0]}"
                )
        elif is_unknown(name):
            near = get_close_matches(name, names(), n=1)
            guess = f"did you mean {near[0]}? " if near else ""
            raise ReadError(f"{shown(name, LONGEST_LINE)}: no shipped model has this name; {guess}{UNDERSTOOD}")


def open_model(name: str, reading: Mapping[str, Any]) -> MDP:
    """The shipped model of that name, or the model in that file."""
    return load(name, **reading) if name in names() else read(name, **reading)
