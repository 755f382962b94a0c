"""Our returns beside dtPAYNT, run live, and beside what dtPAYNT and OMDT published.

python benchmarks/peers.py --setup                       install dtPAYNT beside (once, in .venv-paynt)
python benchmarks/peers.py --models blackjack --depths 2 our 60 s against dtPAYNT's 300 s, and the published returns
python benchmarks/peers.py --published                   only the published returns, D = 1 to 4; needs no dtPAYNT

Each cell is a return and, in brackets, its share of the optimum, J / J* (where returns are below 0, more than 1 is
worse). dtPAYNT's trees are re-evaluated by spotree. It runs without its extra uniformly random action; published
returns had it, so ours are found without and with it. docs/peers.md says how to read the table.
"""

import argparse
import math
import os
import platform
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import dtpaynt
from kept import keep
from published import FILES, PUBLISHED_AS, Published, load, published
from spotree.api.solve import solve
from spotree.evaluation import optimum, random_return
from spotree.evaluation.returns import of_optimum
from spotree.mdp import MDP
from spotree.mdp.transforms import with_random_action
from spotree.results.solution import Solution

LIVE = (
    *(name for name in PUBLISHED_AS if "-" not in name),
    "tiger_vs_antelope",
    "xor",
    "csma_2_2",
    "wlan0",
    "wlan1",
)


@dataclass(frozen=True, slots=True)
class Live:
    """dtPAYNT's run: its return by our evaluation, the figure it printed itself, and how it ended."""

    value: float | None
    claimed: float | None
    seconds: float
    ended: str
    version: str


@dataclass(frozen=True, slots=True)
class Cell:
    """Everything known about one model and depth; a tuple has one return per seed."""

    model: str
    depth: int
    optimum: float
    random: float
    ours: tuple[float, ...]
    ours_with_random: tuple[float, ...]
    live: Live | None
    published: Published | None

    @property
    def verdict(self) -> str:
        return "; ".join(filter(None, (self._against_live(), self._against_published()))) or "no peer"

    def _against_live(self) -> str:
        if self.live is None:
            return ""
        if self.live.value is None:
            return f"dtPAYNT {self.live.ended} without a tree"
        difference = statistics.median(self.ours) - self.live.value
        small = 1e-6 * (self.optimum - self.random)
        word = "equal to" if abs(difference) <= small else "above" if difference > 0 else "BELOW"
        return f"{word} dtPAYNT live ({self.live.ended}, {self.live.seconds:.0f} s)"

    def _against_published(self) -> str:
        if self.published is None:
            return ""
        if not self.published.same_model(self.optimum, self.random):
            return "published for another model of that name"
        value = statistics.median(self.ours)
        better = self.published.better(value, self.optimum, self.random)
        if not better:
            worse = self.published.worse(value, self.optimum, self.random)
            return "above both published" if len(worse) == 2 else "at least the best published"
        names = " and ".join(better)
        if not self.ours_with_random:
            return f"below published {names} (which may act at random)"
        with_random = statistics.median(self.ours_with_random)
        if not self.published.better(with_random, self.optimum, self.random):
            return f"below published {names} only for want of the random action: with it, reached"
        return f"BELOW published {names}, also with the random action: the search falls short"


def cells(options: argparse.Namespace) -> Iterator[Cell]:
    for model in options.models:
        mdp = load(model, options.cav25)
        best, random = optimum(mdp).value, random_return(mdp)
        for depth in options.depths:
            known = published(model, depth)
            found = [search(mdp, depth, seed, options) for seed in options.seeds]
            ours = tuple(solution.value for solution in found)
            missed = known is not None and bool(known.better(statistics.median(ours), best, random))
            more: tuple[float, ...] = ()
            if options.random_action == "always" or (options.random_action == "below" and missed):
                richer = with_random_action(mdp)  # every tree without the action is one with it
                starts = zip(options.seeds, found, strict=True)
                more = tuple(search(richer, depth, seed, options, start=start).value for seed, start in starts)
            live = None if options.published else beside(mdp, depth, options)
            yield Cell(model, depth, best, random, ours, more, live, known)


def search(mdp: MDP, depth: int, seed: int, options: argparse.Namespace, start: Solution | None = None) -> Solution:
    """What the default search finds in the time given."""
    return solve(mdp, depth, time_limit=options.time, seed=seed, threads=options.threads, start=start)


def beside(mdp: MDP, depth: int, options: argparse.Namespace) -> Live:
    run = dtpaynt.run(mdp, depth, options.paynt_time, options.paynt_random)
    if run.ended == "failed":
        print(f"dtPAYNT failed on {mdp.name}: {run.log.strip().splitlines()[-1]}")
    return Live(run.best, run.claimed, run.seconds, run.ended, run.version)


HEAD = ("model", "D", "ours", "with random", "dtPAYNT live", "dtPAYNT published", "OMDT published", "verdict")


def line(cell: Cell) -> str:
    """One line of the Markdown table."""

    def show(value: float | None, best: float = cell.optimum) -> str:
        return "-" if value is None else f"{value:.6g} ({of_optimum(value, best):.4f})"

    there = cell.published
    scale = cell.optimum if there is None or there.same_model(cell.optimum, cell.random) else there.optimum
    columns = (
        cell.model,
        str(cell.depth),
        show(statistics.median(cell.ours)),
        show(statistics.median(cell.ours_with_random) if cell.ours_with_random else None),
        show(cell.live.value if cell.live else None),
        show(there.dtpaynt if there else None, scale),
        show(there.omdt if there else None, scale),
        cell.verdict,
    )
    return f"| {' | '.join(columns)} |"


def save(path: Path, found: list[Cell], options: argparse.Namespace) -> None:
    """All cells so far, with the date, the commit and the settings."""
    keep(
        path,
        machine=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        seconds={"ours": options.time, "dtpaynt": None if options.published else options.paynt_time},
        seeds=options.seeds,
        cells=[asdict(cell) | {"verdict": cell.verdict} for cell in found],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setup", action="store_true", help="install dtPAYNT into .venv-paynt first")
    parser.add_argument("--published", action="store_true", help="compare with the published returns only")
    parser.add_argument("--models", nargs="+", default=None, metavar="MODEL")
    parser.add_argument("--depths", nargs="+", type=int, default=[1, 2, 3, 4], metavar="D")
    parser.add_argument("--time", type=float, default=60.0, help="our seconds per cell, seed and variant")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0], help="the median of them is shown")
    parser.add_argument("--threads", type=int, default=None, help="all cores if not given")
    parser.add_argument("--paynt-time", type=int, default=300, help="dtPAYNT's --timeout, seconds per cell")
    parser.add_argument("--paynt-random", action="store_true", help="leave dtPAYNT its random action")
    parser.add_argument(
        "--random-action",
        choices=("always", "below", "never"),
        default=None,
        help="when ours are also found with a random action (below: only where a published return is missed)",
    )
    parser.add_argument("--cav25", type=Path, default=None, help=f"folder with the files of {' and '.join(FILES)}")
    parser.add_argument("--out", type=Path, default=None, help="JSON file, rewritten after every cell")
    options = parser.parse_args()
    if options.setup:
        dtpaynt.install()
        if options.models is None and not options.published:
            print("dtPAYNT is installed")
            return
    if not options.published and not dtpaynt.installed():
        parser.error("dtPAYNT is not installed; run with --setup first, or with --published to do without")
    shipped = [model for model in PUBLISHED_AS if options.cav25 is not None or model not in FILES]
    options.models = options.models or (shipped if options.published else LIVE)
    options.random_action = options.random_action or ("always" if options.published else "below")
    options.out = options.out or Path("results") / f"peers-{'published' if options.published else 'live'}.json"

    print(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|")
    found: list[Cell] = []
    for cell in cells(options):
        found.append(cell)
        print(line(cell), flush=True)
        save(options.out, found, options)
    summary(found)
    print(f"results: {options.out}")


def summary(found: list[Cell]) -> None:
    """How many cells fall below a peer, and which."""
    below = [cell for cell in found if "BELOW" in cell.verdict]
    explained = [cell for cell in found if "for want of" in cell.verdict]
    print(f"\n{len(found)} cells; below only for want of the random action: {len(explained)}; below: {len(below)}")
    for cell in below:
        print(f"  {cell.model}, depth {cell.depth}: {cell.verdict}")
    short = [cell for cell in found if not math.isclose(max(cell.ours), min(cell.ours), rel_tol=1e-9)]
    for cell in short:
        print(f"  {cell.model}, depth {cell.depth}: seeds differ, {min(cell.ours):.6g} to {max(cell.ours):.6g}")


if __name__ == "__main__":
    main()
