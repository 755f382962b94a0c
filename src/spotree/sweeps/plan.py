"""What a sweep is to run: the cells of its table."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import product
from typing import Any

from spotree.claims import anything, list_of, named, number, optional, record, text, whole
from spotree.errors import InvalidProblemError

MOST_CELLS = 1_000_000


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """One cell: the model as it was called, the depth (None for any) and the seed."""

    model: str
    depth: int | None
    seed: int

    def __str__(self) -> str:
        size = "" if self.depth is None else f", depth {self.depth}"
        return f"{self.model}{size}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Models, sizes and seeds, and how each cell is run; plain values.

    Attributes
    ----------
    models
        What the models are called: shipped names, files, or the names of models that were handed over.
    method
        Its name, or how a value of it is written.
    settings, reading
        Of the method, and options for reading files.
    """

    models: tuple[str, ...]
    depths: tuple[int | None, ...]
    seeds: tuple[int, ...]
    max_leaves: int | None = None
    method: str = "neighbourhood"
    time_limit: float | None = 60.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind, given in (("model", self.models), ("depth", self.depths), ("seed", self.seeds)):
            if not given:
                raise InvalidProblemError(f"a sweep needs at least one {kind}")
            if len(set(given)) < len(given):
                again = next(each for place, each in enumerate(given) if each in given[:place])
                raise InvalidProblemError(f"{kind} {again!r} is there twice; name each once")
        if (number_of := len(self.models) * len(self.depths) * len(self.seeds)) > MOST_CELLS:
            raise InvalidProblemError(f"{number_of:,} cells; a sweep has at most {MOST_CELLS:,}")

    @property
    def keys(self) -> list[Key]:
        """All cells, in the order of the table."""
        return [Key(*each) for each in product(self.models, self.depths, self.seeds)]

    @property
    def plain(self) -> dict[str, Any]:
        """As a file holds it; what JSON cannot say is written as Python would."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self), default=repr))
        return found

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.plain, sort_keys=True).encode()).hexdigest()


def claimed_plan(entry: Mapping[str, Any]) -> Plan:
    """The plan of an entry that passed its check."""
    known = {f.name: entry[f.name] for f in fields(Plan)}
    return Plan(**known | {name: tuple(known[name]) for name in ("models", "depths", "seeds")})


plan_entry = record(
    {
        "models": list_of(text(4096), least=1),
        "depths": list_of(optional(whole(0)), least=1),
        "seeds": list_of(whole(0), least=1),
        "max_leaves": optional(whole(1)),
        "method": text(),
        "time_limit": optional(number(0)),
        "settings": named(anything),
        "reading": named(anything),
    }
)
