"""`spotree simplify [MODEL] TREE`: a smaller tree that is as good."""

from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.commands.smallest import OnlySmallest, hand_over_smallest
from spotree.cli.commands.solve import Out, Seconds, Seed, Threads
from spotree.cli.output import AsJson, check_writable
from spotree.cli.run_argument import TreeFile, open_tree, with_trees

if TYPE_CHECKING:
    from spotree.mdp.model import MDP


@with_trees
def simplify(
    mdp: "MDP",
    tree: TreeFile,
    tolerance: Annotated[
        float,
        typer.Option("--within", "-w", help="How much less than TREE is good enough: 0.01 is 1 % of it.", min=0.0),
    ] = 0.0,
    time_limit: Seconds = 10.0,
    seed: Seed = 0,
    threads: Threads = None,
    only_smallest: OnlySmallest = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Find a smaller tree that returns as much as a given one, wherever that comes from.

    The answer has never more leaves than TREE and never returns less than asked; it may act otherwise than TREE, and
    better. `spotree diff` says where two trees differ.

    Example: spotree solve frozenlake_4x4 -d 4 -t 2 -o run.json && spotree simplify run.json -t 2
    """
    from spotree.api.simplify import simplify as run
    from spotree.cli.progress_line import LiveLine

    check_writable(out)
    policy = open_tree(tree, mdp)
    with LiveLine(quiet=as_json, sense=mdp.sense) as live:
        found = run(mdp, policy, tolerance, time_limit=time_limit, seed=seed, threads=threads, progress=live.show)
    hand_over_smallest(found, out, as_json, only_smallest)
