"""`spotree improve MODEL`: one improvement step, with proof."""

from dataclasses import replace
from pathlib import Path
from time import monotonic as clock
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.commands.solve import Depth, MaxLeaves, Threads
from spotree.cli.model_argument import with_model
from spotree.cli.options import (
    CheckpointEvery,
    CheckpointFile,
    ClusterName,
    engine_names,
    failure_of,
    keeper_for,
    on_cluster,
    say_checkpoint,
    show_shares,
)
from spotree.cli.output import AsJson, show_facts, show_json
from spotree.cli.solution_output import end_unwritten, exit_as
from spotree.common.sanitize import shown
from spotree.errors import InvalidProblemError

if TYPE_CHECKING:
    from spotree.mdp.model import MDP


@with_model
def improve(
    mdp: "MDP",
    depth: Depth = 3,
    engine: Annotated[
        str, typer.Option("--engine", "-e", help="exact, rsbb, milp or exhaustive.", autocompletion=engine_names)
    ] = "exact",
    policy: Annotated[
        str, typer.Option("--policy", help="Whose values count: `first` action, `random` or `optimal`.")
    ] = "first",
    weights: Annotated[
        str, typer.Option("--weights", help="How much states count: uniform, occupancy or softmax.")
    ] = "uniform",
    max_leaves: MaxLeaves = None,
    time_limit: Annotated[float | None, typer.Option("--time", "-t", help="Wall-clock seconds.", min=0.0)] = None,
    gap: Annotated[float, typer.Option("--gap", help="Stop within this relative gap.", min=0.0)] = 0.0,
    threads: Threads = None,
    cluster: ClusterName = None,
    checkpoint: CheckpointFile = None,
    checkpoint_every: CheckpointEvery = 30.0,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Go on from a checkpoint, taken on trust.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the best tree for the values of a policy: the step that SPOT repeats, solved once.

    The step maximises the sum over states of weight times action value under the policy's values.
    With `-e rsbb` it can run on many machines, and keep checkpoints.
    """
    from spotree.cli.progress_line import LiveLine
    from spotree.evaluation import expected_return, policy_value
    from spotree.improvement.engines.registry import as_engine
    from spotree.improvement.engines.rsbb import Rsbb
    from spotree.improvement.improve import improve as run
    from spotree.improvement.limits import left_of
    from spotree.methods.baselines import reference_policy
    from spotree.methods.spot.options import weighting
    from spotree.results.metrics import Figures, number_text, percent_text
    from spotree.search.gain import gain
    from spotree.trees.policy import TreePolicy

    acting = reference_policy(mdp, policy)
    gains = gain(mdp, policy_value(mdp, acting), weighting(weights)(mdp, acting))
    began = clock()
    keeper = keeper_for(checkpoint, checkpoint_every)
    with on_cluster(cluster, as_json) as scheduler, LiveLine(as_json, mdp.sense) as live:
        chosen = as_engine(engine)
        if scheduler is not None or keeper is not None or resume is not None:
            if not isinstance(chosen, Rsbb):
                raise InvalidProblemError(
                    f"engine {chosen.name!r} runs on one machine and keeps no checkpoints; rsbb does both"
                )
            chosen = replace(chosen, cluster=scheduler, checkpoint=keeper, resume=resume)
        if scheduler is not None:
            scheduler.listener = live.say
        step = run(
            mdp.features,
            gains,
            depth,
            engine=chosen,
            max_leaves=max_leaves,
            time_limit=left_of(time_limit, clock() - began),
            gap_tolerance=gap,
            threads=threads,
        )
    returns = expected_return(mdp, step.tree.actions(mdp.features))
    figures = Figures(optimum=step.bound, random=step.value, value=step.value, bound=step.bound, sense=mdp.sense)
    tree = str(TreePolicy(step.tree, mdp.feature_names, mdp.action_names))
    if as_json:
        show_json(
            "step",
            {
                "model": mdp.name,
                "engine": step.engine,
                "value": step.value,
                "bound": step.bound,
                "status": step.status.name,
                "seconds": step.seconds,
                "counts": dict(step.counts),
                "return": returns,
                "tree": tree.splitlines(),
                "weights": weights,
                "policy": policy,
                "gap": step.gap if step.gap <= 1 else None,
                "status_text": str(step.status),
                "trusted": step.trusted,
            },
        )
        end_unwritten(failure_of(keeper))
        exit_as(step)
        return
    apart = f"gap of {number_text(step.bound - step.value)}"  # where value and bound differ in sign
    gap_text = f"gap {percent_text(step.gap)}" if step.gap <= 1 else apart
    print(tree + "\n")
    show_facts(
        [
            ("step", f"{weights} weights at the {policy} policy's values"),
            ("value", f"{figures.shown(step.value):z.9g}{' of cost, weighted' if mdp.sense == 'min' else ''}"),
            ("bound", f"{figures.shown(step.bound):z.9g}   ({gap_text})"),
            ("status", f"{step.status} ({step.engine}, {step.seconds:.3f} s)"),
            *([("trusted", f"{shown(step.trusted)}, which was not checked")] if step.trusted is not None else []),
            ("counts", ", ".join(f"{count:,} {name}" for name, count in step.counts.items()) or "none"),
            (figures.word, f"{figures.text(returns)} of the tree as a policy"),
        ]
    )
    say_checkpoint(keeper, as_json)
    show_shares(scheduler)
    end_unwritten(failure_of(keeper))
    exit_as(step)
