"""`spotree simulate MODEL TREE`: play episodes and see whether they earn what the tree is said to be worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.model import with_model
from spotree.cli.output import AsJson, check_writable, show_facts, show_json
from spotree.cli.trees import TreeFile, open_tree
from spotree.shown import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.values.simulate import Simulation


@with_model
def simulate(
    mdp: "MDP",
    tree: TreeFile,
    episodes: Annotated[int, typer.Option("--episodes", "-n", help="How many to play.", min=2)] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed plays the same episodes.", min=0)] = 0,
    horizon: Annotated[
        int | None, typer.Option("--horizon", help="Most time steps of an episode (as many as matter).", min=1)
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the interval.")] = 0.99,
    trajectories: Annotated[
        Path | None, typer.Option("--trajectories", help="Write every time step to a CSV file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play episodes at random and show their mean return with a confidence interval, beside the exact return.

    A time step earns the expected reward of its choice. The CSV file has the columns episode, step, state, the
    features, action and reward; action and reward are empty where nothing is earned any more.

    Example: spotree solve frozenlake_4x4 --depth 2 --out run.json && spotree simulate frozenlake_4x4 run.json -n 1000
    """
    from dataclasses import asdict

    from spotree.cli.trajectories import Trajectories
    from spotree.values.simulate import simulate as run

    check_writable(trajectories, "--trajectories")
    policy = open_tree(tree, mdp)
    log = None if trajectories is None else Trajectories(mdp, policy)
    found = run(mdp, policy, episodes, seed, horizon, confidence, watch=None if log is None else log.watch)
    if log is not None and trajectories is not None:
        log.write(trajectories)
    if as_json:
        show_json("simulation", {"model": mdp.name, "sense": mdp.sense} | asdict(found) | {"agrees": found.agrees})
        return
    _show(mdp, found)
    if trajectories is not None:
        print(f"trajectories in {shown(str(trajectories), LONGEST_LINE)}")


def _show(mdp: "MDP", found: "Simulation") -> None:
    sign, what = (-1.0, "cost") if mdp.sense == "min" else (1.0, "return")
    low, high = sorted((sign * found.low, sign * found.high))
    share = f"{found.confidence:.4%}".rstrip("0%").rstrip(".") + " %"
    cut = f"; {found.cut:,} broken off after {found.horizon:,} time steps" if found.cut else ""
    show_facts(
        [
            ("model", f"{shown(mdp.name)} (discount {mdp.discount:g}, missing actions: {mdp.missing})"),
            ("episodes", f"{found.episodes:,} with {found.steps:,} time steps, seed {found.seed}"),
            ("ended", f"{found.episodes - found.cut:,}{cut}"),
            (f"mean {what}", f"{sign * found.mean:.6f}"),
            ("interval", f"{low:.6f} to {high:.6f}   ({share}; {_bias(found)})"),
            (f"exact {what}", f"{sign * found.exact:.6f}   ({_verdict(found, share)})"),
        ]
    )


def _bias(found: "Simulation") -> str:
    if found.bias == 0:
        return "nothing was cut off"
    return f"{found.bias:.1e} on both sides for what was cut off"


def _verdict(found: "Simulation", share: str) -> str:
    return "inside" if found.agrees else f"outside, which happens with {share} now and then: try another seed"
