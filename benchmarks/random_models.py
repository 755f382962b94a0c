"""Is every claim about random small models true, and every honest certificate accepted?

python benchmarks/random_models.py [--count 10000] [--seed 0] [--processes 2] [--out FILE]

Model number k of a seed is always the same, whoever draws it: `--first K --count 1` repeats one. Each goes through
`certify` with rules, ingredients and threads drawn at random; a quarter of the runs is stopped early (by time, by
memory, by Ctrl-C); where rounding asks for a larger tolerance, that is given. Both checkers see every certificate.
The truth is the best return of all trees: each is evaluated, and those at the top (20 at most) once more with
fractions. With `--out` finished numbers are kept, and the same call goes on there.
A certificate is rejected if neither checker accepts it: what the native one rejects, `spotree check` gives to the
plain one. All that is rejected, and every claim that is false, is printed with its number; the exit code is then 1.
"""

import argparse
import json
import multiprocessing
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kept import ROOT, keep

sys.path.append(str(ROOT / "tests"))

from oracles.drawn_models import FAMILIES, Drawn, drawn
from oracles.equal_actions import with_equal_actions
from oracles.true_claims import best_by_floats_first, false_claims
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import Verdict, check
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.mdp.model import MDP
from spotree.proof.options import RULES, ProofOptions
from spotree.results.progress import Progress

EQUAL = 5  # every so many models have actions that are missing or do what others do
STOPPERS = ("memory_limit", "progress")
PATIENCE = 0.5  # seconds: a check of these models takes a thousandth
STOPS = ("no time", "time", "memory", "Ctrl-C")
FIELDS = (
    "models", "larger tolerance", "proved", "stopped", "infeasible", "refused", "certificates",
    "native gave up", "plain rejects", "rejected", "claims false"
)  # fmt: skip
WORDS = re.compile(r"-?\d[\d.e+-]*")  # numbers, in a sentence
NAMED = re.compile(r"a tolerance of (\S+) or more")


def interrupt(_: Progress) -> None:
    raise KeyboardInterrupt


def settings(rng: np.random.Generator) -> dict[str, Any]:
    """How `certify` is called; `stop` says what is to break it off, if anything."""
    rules = [RULES[:1], RULES[1:], RULES][int(rng.integers(3))]
    off = {
        name: False
        for name in ("regret", "floors", "filter", "solo", "symmetries", "levels")
        if rng.random() < 0.15
    }
    use = ProofOptions(
        rules=rules, before_floors=float(rng.choice([0.0, 0.4])), listed=int(rng.choice([0, 10**6])), **off
    )
    given: dict[str, Any] = {
        "ingredients": use,
        "threads": int(rng.integers(1, 3)),
        "search": 0.0 if rng.random() < 0.8 else 0.05,
        "time_limit": 20.0,
    }
    stop = str(rng.choice(STOPS)) if rng.random() < 0.25 else ""
    if stop == "no time":
        given["time_limit"] = 0.0
    elif stop == "time":
        given["time_limit"] = 10.0 ** rng.uniform(-4, -2)
    elif stop == "memory":
        given["memory_limit"] = 1
    elif stop:
        given["progress"] = interrupt
    return given


def native_verdict(mdp: MDP, certificate: Certificate) -> Verdict:
    """That of the native checker, which may try for seconds close to discount 1 before it gives up."""
    end = time.process_time() + PATIENCE

    def look(_done: int, _total: int) -> None:
        if time.process_time() > end:
            raise TimeoutError(f"not done after {PATIENCE} s of computing")

    try:
        return check(mdp, certificate, look, threads=2)
    except TimeoutError as error:
        return Verdict(False, str(error))


def outcome(case: Drawn, given: dict[str, Any], path: Path) -> dict[str, Any]:
    """What came of one model: an ending, and all that is wrong."""
    mdp, size = case.mdp, {"depth": case.depth, "max_leaves": case.max_leaves}
    best = best_by_floats_first(mdp, **size)
    try:
        solution = certify(mdp, **size, certificate=path, **given)
    except InfeasibleError:
        hurried = given["time_limit"] < 1 or not given.keys().isdisjoint(STOPPERS)  # may have found no tree yet
        return {"ending": "infeasible", "false": [] if hurried or best == -np.inf else [f"infeasible: {best}"]}
    except InvalidProblemError as error:
        named = NAMED.search(str(error))
        if named is None or "tolerance" in given:
            return {"ending": "refused", "why": WORDS.sub("...", str(error)), "false": []}
        return {"larger": True} | outcome(case, given | {"tolerance": 1.1 * float(named[1])}, path)
    found = {"ending": "proved" if solution.proved_optimal else "stopped", "certificate": False}
    verdicts = []
    if path.exists():
        found["certificate"] = True
        certificate = Certificate.load(path)
        verdicts = [native_verdict(mdp, certificate), check(mdp, certificate, plain=True)]
        path.unlink()
        found |= {
            "native": verdicts[0].reason,
            "plain": verdicts[1].reason,
            "accepted": [v.accepted for v in verdicts],
        }
    found["false"] = false_claims(mdp, solution, [v for v in verdicts if v.accepted], best)
    return found


def one(number: tuple[int, int]) -> dict[str, Any]:
    """Model `number[1]` of seed `number[0]`."""
    rng = np.random.default_rng(number)
    case = with_equal_actions(rng) if number[1] % EQUAL == EQUAL - 1 else None
    while case is None:
        case = drawn(rng)
    given = settings(rng)
    told = {"number": number[1], "family": case.family, "rewards": case.rewards, "discount": case.mdp.discount}
    with tempfile.TemporaryDirectory() as folder:
        try:
            return told | outcome(case, given, Path(folder) / "run.cert")
        except Exception as error:  # a crash is a finding as well
            return told | {"ending": "crashed", "false": [f"{type(error).__name__}: {error}"]}


def rejections(row: dict[str, Any]) -> list[str]:
    """What the checkers have against the certificate."""
    both = zip(("native", "plain"), row.get("accepted", ()), strict=False)
    return [f"{name}: {row[name]}" for name, accepted in both if not accepted]


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Counts by family and discount."""
    yield "| kind | discount | " + " | ".join(FIELDS) + " |"
    yield "|---" * (len(FIELDS) + 2) + "|"
    discounts = sorted({r["discount"] for r in rows})
    kinds = [(family, discount) for family in (*FAMILIES, "equal actions") for discount in discounts]
    for family, discount in [*kinds, ("all", None)]:
        mine = [r for r in rows if discount is None or (r["family"], r["discount"]) == (family, discount)]
        if mine:
            ended = Counter(r["ending"] for r in mine)
            counts = {
                "models": len(mine),
                "larger tolerance": sum(r.get("larger", False) for r in mine),
                **ended,
                "certificates": sum(r.get("certificate", False) for r in mine),
                "native gave up": sum(r.get("accepted") == [False, True] for r in mine),
                "plain rejects": sum(r.get("accepted") == [True, False] for r in mine),
                "rejected": sum(r.get("accepted") == [False, False] for r in mine),
                "claims false": sum(bool(r["false"]) for r in mine),
            }
            shown = "" if discount is None else f"{discount:.7g}"
            yield f"| {family} | {shown} | " + " | ".join(f"{counts.get(name, 0):,}" for name in FIELDS) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="keep the outcomes here, and go on from what it holds")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    if given.out is not None and given.out.exists():
        old = json.loads(given.out.read_text())
        if old["seed"] != given.seed:
            sys.exit(f"{given.out} holds seed {old['seed']}, not {given.seed}; name another file")
        rows = old["rows"]
    done = {row["number"] for row in rows}
    todo = [(given.seed, k) for k in range(given.first, given.first + given.count) if k not in done]
    with multiprocessing.Pool(given.processes) as pool:
        for row in pool.imap_unordered(one, todo, chunksize=5):
            rows.append(row)
            for wrong in [*row["false"], *rejections(row)]:
                print(f"seed {given.seed}, number {row['number']}, {row['ending']}: {wrong}", flush=True)
            if given.out is not None and len(rows) % 500 == 0:
                keep(given.out, seed=given.seed, rows=rows)
    if given.out is not None:
        keep(given.out, seed=given.seed, rows=rows)
    print("\n".join(table(rows)))
    for why, count in Counter(row["why"] for row in rows if row["ending"] == "refused").items():
        print(f"refused {count:,} times: {why}")
    sys.exit(any(row["false"] or row.get("accepted") == [False, False] for row in rows))


if __name__ == "__main__":
    main()
