"""`spotree solve MODEL`: the best tree policy in the time given."""

from pathlib import Path
from time import monotonic as clock
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.model_argument import with_model
from spotree.cli.options import (
    CertificateFile,
    CheckpointEvery,
    CheckpointFile,
    ClusterName,
    check_files,
    engine_names,
    failure_of,
    keeper_for,
    method_names,
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

Depth = Annotated[int, typer.Option("--depth", "-d", help="Most splits on a path.", min=0)]
Seconds = Annotated[float, typer.Option("--time", "-t", help="Wall-clock seconds.", min=0.0)]
FreeDepth = Annotated[
    int | None, typer.Option("--depth", "-d", help="Most splits on a path; any if not given.", min=0)
]
MaxLeaves = Annotated[int | None, typer.Option("--max-leaves", help="Most leaves (2^depth if not given).", min=1)]
Seed = Annotated[int, typer.Option("--seed", help="The same seed and threads make the same rounds.")]
Threads = Annotated[int | None, typer.Option("--threads", help="All cores if not given.", min=1)]
Start = Annotated[Path | None, typer.Option("--start", help="Begin with the tree of a saved solution.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Save the solution as JSON.")]


@with_model
def solve(
    mdp: "MDP",
    depth: Annotated[
        int | None,
        typer.Option("--depth", "-d", help="Most splits on a path: 3, or any with --max-leaves alone.", min=0),
    ] = None,
    time_limit: Seconds = 60.0,
    method: Annotated[
        str,
        typer.Option(
            "--method", "-m", help="neighbourhood, spot, spot+ws, omdt or viper.", autocompletion=method_names
        ),
    ] = "neighbourhood",
    max_leaves: MaxLeaves = None,
    seed: Seed = 0,
    threads: Threads = None,
    start: Start = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            "-e",
            help="What solves the steps of `-m spot`: exact, rsbb, milp or exhaustive.",
            autocompletion=engine_names,
        ),
    ] = None,
    preset: Annotated[str | None, typer.Option("--preset", help="`paper`: SPOT's settings in the paper.")] = None,
    prove: Annotated[
        bool, typer.Option(help="Prove beside the search that no tree is better, while that pays (default method).")
    ] = True,
    certificate: CertificateFile = None,
    checkpoint: CheckpointFile = None,
    checkpoint_every: CheckpointEvery = 30.0,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="Go on from a checkpoint, taken on trust; --time counts anew."),
    ] = None,
    cluster: ClusterName = None,
    only_proved: OnlyProved = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Find a decision-tree policy, show it, its return and what no tree of its size can exceed.

    The size is a depth, a number of leaves (then of any shape), or both. A proof that no tree of the size is better
    takes a small part of the time, more where it is about to close, and ends the run when it does. Ctrl-C stops the
    search and shows the best tree found so far.

    A long run: spotree solve MODEL --time 36000 --checkpoint run.ckpt; after a crash the same with --resume run.ckpt.
    """
    from spotree.api.solve import solve as run
    from spotree.cli.progress_line import LiveLine
    from spotree.improvement.limits import left_of
    from spotree.results.solution import Solution

    target = check_files(out, certificate)
    keeper = keeper_for(checkpoint, checkpoint_every, out, certificate)
    depth = 3 if depth is None and max_leaves is None else depth
    given: dict[str, Any] = {"preset": preset, "engine": engine}
    settings = {name: value for name, value in given.items() if value is not None}
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
                method=method,
                time_limit=left_of(time_limit, clock() - began),
                seed=seed,
                threads=threads,
                start=None if start is None else Solution.load(start),
                progress=live.show,
                prove=prove,
                certificate=certificate,
                checkpoint=keeper,
                resume=resume,
                cluster=scheduler,
                **settings,
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
