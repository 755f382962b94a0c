"""`spotree certify MODEL`: how far is a tree from the best possible one of its size?"""

from pathlib import Path
from time import monotonic as clock
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.commands.solve import Depth, MaxLeaves, Out, Seconds, Start, Threads
from spotree.cli.model_argument import with_model
from spotree.cli.options import (
    CertificateFile,
    CheckpointEvery,
    CheckpointFile,
    ClusterName,
    check_files,
    failure_of,
    keeper_for,
    on_cluster,
    say_checkpoint,
    show_shares,
)
from spotree.cli.output import AsJson
from spotree.cli.solution_output import OnlyProved, exit_as, hand_over
from spotree.common.atomic_file import UnwrittenError
from spotree.errors import SpotreeError

if TYPE_CHECKING:
    from spotree.mdp.model import MDP


@with_model
def certify(
    mdp: "MDP",
    depth: Depth = 3,
    time_limit: Seconds = 600.0,
    max_leaves: MaxLeaves = None,
    threads: Threads = None,
    start: Start = None,
    certificate: CertificateFile = None,
    checkpoint: CheckpointFile = None,
    checkpoint_every: CheckpointEvery = 30.0,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume", help="Go on from a checkpoint or a certificate, taken on trust; --time counts anew."
        ),
    ] = None,
    cluster: ClusterName = None,
    levels: Annotated[
        bool,
        typer.Option(help="Late in an open proof, prove levels above the tree."),
    ] = True,
    memory: Annotated[
        float | None, typer.Option("--memory", help="Gigabytes that open regions may take.", min=0.001, max=1e9)
    ] = None,
    only_proved: OnlyProved = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Prove that no tree of the size does better, or say by how much one could.

    Shows the best tree found, its return, and a bound that no tree of the size exceeds: "proved optimal" if they meet.
    When the time is up, or at Ctrl-C, the tree and the bound reached so far are shown, and the certificate proves that
    bound. To go on later, run with --checkpoint run.ckpt; after a stop or a crash the same with --resume run.ckpt.

    Example: spotree certify traffic_intersection -d 3 -c run.cert && spotree check run.cert traffic_intersection
    """
    from spotree.api.certify import certify as run
    from spotree.cli.progress_line import LiveLine
    from spotree.improvement.limits import left_of
    from spotree.proof.options import ProofOptions
    from spotree.results.solution import Solution

    target = check_files(out, certificate)
    keeper = keeper_for(checkpoint, checkpoint_every, out, certificate)
    unwritten: list[SpotreeError] = []
    began = clock()
    try:
        with (
            on_cluster(cluster, as_json) as scheduler,
            LiveLine(as_json, mdp.sense, scheduler, left_of(time_limit, clock() - began)) as live,
        ):
            solution = run(
                mdp,
                depth,
                max_leaves=max_leaves,
                time_limit=max(0.0, time_limit - (clock() - began)),
                memory_limit=None if memory is None else int(memory * 1e9),
                threads=threads,
                start=None if start is None else Solution.load(start),
                certificate=certificate,
                checkpoint=keeper,
                resume=resume,
                cluster=scheduler,
                progress=live.show,
                ingredients=ProofOptions(levels=levels),
            )
    except UnwrittenError as error:
        if not isinstance(error.result, Solution):
            raise
        solution, unwritten = error.result, [error]
    hand_over(solution, out, as_json, [*unwritten, *failure_of(keeper)])
    target.say(as_json)
    say_checkpoint(keeper, as_json)
    if not as_json:
        show_shares(scheduler)
    exit_as(solution, only_proved)
