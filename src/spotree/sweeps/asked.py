"""What is asked of a sweep, as a plan; and whether it is what a folder holds already."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from spotree.claims import in_short
from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.methods.named import METHODS, chosen
from spotree.methods.request import check_limits
from spotree.step.problem import whole_from
from spotree.sweeps.plan import Plan

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
        whole_from(0, "depth", size)
    if max_leaves is not None:
        whole_from(1, "max_leaves", max_leaves)
    if isinstance(seeds, int):
        whole_from(1, "seeds", seeds)
        seeds = range(seeds)
    chances = None if seeds is None else tuple(seeds)
    for seed in chances or ():
        check_limits(time_limit, seed, None)
    check_limits(time_limit, 0, None)
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
