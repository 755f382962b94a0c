"""Plan of a sweep: cells, their order, and the arguments that make them."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from spotree.common.untrusted import anything, in_short, list_of, named, number, optional, record, text, whole
from spotree.errors import InvalidProblemError
from spotree.improvement.problem import LARGEST, whole_from
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.methods.registry import METHODS, chosen
from spotree.search.request import check_limits

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


NOT_SAID = "(not said)"  # a model's name where a resumed sweep is to know it
DEPTHS, SECONDS = (1, 2, 3), 60.0


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A plan, the method as a value, the models that were handed over, and what of it somebody said."""

    plan: Plan
    method: str | Method
    handed: tuple[MDP, ...]
    said: frozenset[str]


def make_plan(
    models: Iterable[str | Path | MDP],
    depths: Iterable[int] | None,
    seeds: int | Iterable[int] | None,
    max_leaves: int | None,
    method: str | Method | None,
    time_limit: float | None,
    threads: int | None,
    settings: Mapping[str, Any],
    reading: Mapping[str, Any] | None,
    resumed: bool,
) -> Asked:
    """The plan, each of its parts checked; what nobody said has its default."""
    if isinstance(models, str | Path | MDP):
        models = [models]
    listed = list(models)
    for model in listed:
        if not isinstance(model, str | Path | MDP):
            raise InvalidProblemError(f"a model is of type {type(model).__name__}; give names, files or MDPs")
    handed = tuple(model for model in listed if isinstance(model, MDP))
    named = tuple(model.name if isinstance(model, MDP) else os.fspath(model) for model in listed)
    sizes = None if depths is None else tuple([depths] if isinstance(depths, int) else depths)
    for size in sizes or ():
        whole_from(0, "depth", size, LARGEST)
    if max_leaves is not None:
        whole_from(1, "max_leaves", max_leaves, LARGEST)
    if isinstance(seeds, int):
        whole_from(1, "seeds", seeds, MOST_CELLS)
        seeds = range(seeds)
    chances = None if seeds is None else tuple(seeds)
    for seed in chances or ():
        check_limits(time_limit, seed, None)
    check_limits(time_limit, 0, threads)
    way = "neighbourhood" if method is None else method
    chosen(way, settings)
    said = {
        "models": named,
        "depths": sizes,
        "seeds": chances,
        "max_leaves": max_leaves,
        "method": method,
        "time_limit": time_limit,
        "settings": settings,
        "reading": reading,
    }
    plan = Plan(
        named or ((NOT_SAID,) if resumed else ()),
        (DEPTHS if max_leaves is None else (None,)) if sizes is None else sizes,
        (0,) if chances is None else chances,
        max_leaves,
        way if isinstance(way, str) else repr(way),
        SECONDS if time_limit is None else float(time_limit),
        dict(settings),
        dict(reading or {}),
    )
    return Asked(plan, way, handed, frozenset(name for name, value in said.items() if value not in (None, (), {})))


def agreed(given: Asked, there: Plan, out: object, resume: str | Path) -> Asked:
    """What goes on: the plan of the folder, which must hold what was said again."""
    if out is not None and Path(str(out)) != Path(resume):
        raise InvalidProblemError(
            "a sweep goes on in its own folder: give resume alone, or out and resume the same"
        )
    mine, before = given.plan.plain, there.plain
    for part in fields(Plan):
        if part.name in given.said and mine[part.name] != before[part.name]:
            raise InvalidProblemError(
                f"{resume}: a sweep with {part.name} {in_short(before[part.name])}, not {in_short(mine[part.name])};"
                " resume it with what it began with, or start a new one"
            )
    method: str | Method = given.method if "method" in given.said else there.method
    if isinstance(method, str) and method not in METHODS:
        raise InvalidProblemError(f"{resume}: a sweep with method {in_short(method)}; give that method again")
    if "settings" in given.said:
        there = replace(there, settings=given.plan.settings)  # as values, not as they are written
    else:
        chosen(method, there.settings)
    return Asked(there, method, given.handed, given.said)
