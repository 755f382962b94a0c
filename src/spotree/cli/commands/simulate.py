"""`spotree simulate [MODEL] TREE`: play episodes and see whether they earn what the tree is said to be worth."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.output import AsJson, check_writable, show_facts, show_json
from spotree.cli.run_argument import TreeFile, open_tree, with_trees
from spotree.common.sanitize import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.evaluation.simulate import Simulation
    from spotree.mdp.model import MDP


@with_trees
def simulate(
    mdp: "MDP",
    tree: TreeFile,
    episodes: Annotated[int, typer.Option("--episodes", "-n", help="How many to play.", min=2)] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed plays the same episodes.", min=0)] = 0,
    horizon: Annotated[
        int | None, typer.Option("--horizon", help="Most time steps of an episode (as many as matter).", min=1)
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the interval.")] = 0.99,
    time_limit: Annotated[
        float, typer.Option("--time", "-t", help="Wall-clock seconds; episodes that are on then are cut.", min=0.0)
    ] = 60.0,
    trajectories: Annotated[
        Path | None, typer.Option("--trajectories", help="Write every time step to a CSV file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play episodes at random and show their mean return with a confidence interval, beside the exact return.

    A time step earns the expected reward of its choice. The interval holds at any probability where it is
    Clopper-Pearson or empirical Bernstein; where nothing bounds what an episode returns it is a normal approximation,
    which is said. Ctrl-C and the time limit show what was played until then.

    The CSV file has the columns episode, step, state, the features, action and reward; action and reward are empty
    where nothing is earned any more.

    Example: spotree solve frozenlake_4x4 --depth 2 --out run.json && spotree simulate run.json -n 1000
    """
    from dataclasses import asdict

    from spotree.cli.progress_line import LiveLine
    from spotree.cli.solution_output import INTERRUPTED
    from spotree.cli.trajectories import Trajectories
    from spotree.evaluation.simulate import simulate as run

    check_writable(trajectories, "--trajectories")
    policy = open_tree(tree, mdp)
    log = None if trajectories is None else Trajectories(mdp, policy)
    with LiveLine(as_json) as live:
        found = run(
            mdp,
            policy,
            episodes,
            seed,
            horizon,
            confidence,
            time_limit=time_limit,
            watch=None if log is None else log.watch,
            progress=lambda step, on: live.say(f"time step {step:,}: {on:,} of {episodes:,} episodes are on"),
        )
    if log is not None and trajectories is not None:
        log.write(trajectories)
    if as_json:
        show_json("simulation", {"model": mdp.name, "sense": mdp.sense} | asdict(found) | {"agrees": found.agrees})
    else:
        _show(mdp, found)
        if trajectories is not None:
            print(f"trajectories in {shown(str(trajectories), LONGEST_LINE)}")
    if found.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _show(mdp: "MDP", found: "Simulation") -> None:
    from spotree.results.metrics import number_text

    sign, what = (-1.0, "cost") if mdp.sense == "min" else (1.0, "return")
    low, high, least, most = (
        number_text(0.0 + sign * end)
        for pair in ((found.low, found.high), (found.least, found.most))
        for end in pair[:: int(sign)]
    )
    share = f"{found.confidence:.4%}".rstrip("0%").rstrip(".") + " %"
    facts = [
        ("model", f"{shown(mdp.name)} (discount {mdp.discount:g}, missing actions: {mdp.missing})"),
        ("episodes", f"{found.episodes:,} with {found.steps:,} time steps, seed {found.seed}"),
        ("ended", f"{found.episodes - found.cut:,}{_cut(found)}"),
        (f"mean {what}", f"{number_text(0.0 + sign * found.mean)}   (standard error {found.standard_error:.1e})"),
        ("interval", f"{low} to {high}   ({share}; {_bias(found)})"),
        ("rests on", _basis(found, what, least, most)),
        (f"exact {what}", f"{number_text(0.0 + sign * found.exact)}   ({_verdict(found)})"),
    ]
    show_facts(facts)


def _cut(found: "Simulation") -> str:
    if not found.cut:
        return ""
    if found.stopped == "horizon":
        return f"; {found.cut:,} cut after {found.horizon:,} time steps"
    return f"; {found.cut:,} cut: {'Ctrl-C' if found.stopped == 'interrupted' else 'the time is up'}"


def _bias(found: "Simulation") -> str:
    if found.bias == 0:
        return "nothing was cut off"
    if not math.isfinite(found.bias):
        return "the episodes that were cut count at their best and at their worst"
    return f"{found.bias:.1e} at most for what was cut off"


def _basis(found: "Simulation", what: str, least: str, most: str) -> str:
    if found.interval == "Clopper-Pearson":
        return f"Clopper-Pearson: an episode's {what} is {least} or {most}"
    if found.interval == "empirical Bernstein":
        return f"empirical Bernstein: an episode's {what} lies between {least} and {most}"
    return f"the normal approximation: nothing bounds an episode's {what}, so rare events may be missed"


def _verdict(found: "Simulation") -> str:
    if found.agrees:
        return "inside"
    if math.isnan(found.exact):
        return "the equations of this chain are singular in float64"
    if found.interval == "normal":
        return "outside: play more episodes, which make the approximation better"
    return f"outside, a chance of {1 - found.confidence:.2g} at most if the model, the solve and the play are right"
