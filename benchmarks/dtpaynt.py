"""dtPAYNT, run as a program in an environment of its own; its trees are re-evaluated by spotree."""

import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from spotree.evaluation import evaluate
from spotree.mdp import MDP
from spotree.mdp.transforms import RANDOM_ACTION, with_random_action
from spotree.readers.drn import MODEL, PROPERTY, WrittenDrn, write_drn
from spotree.trees.layouts import Node, join
from spotree.trees.tree import Tree

ENVIRONMENT = Path(__file__).parents[1] / ".venv-paynt"
GRACE = 30.0  # seconds over its own time limit, then it is killed
_ASSIGNMENT = re.compile(r"printing synthesized assignment below:\s*\n.*? - \S+ - (.*)")
_VALUE = re.compile(r"(?:opt = |optimum: |the synthesized tree has value )(-?[\d.]+(?:e[+-]?\d+)?)")
_HOLE = re.compile(r"(\w+)_(\d+)=(-?\w+)")


@dataclass(frozen=True, slots=True, eq=False)
class PayntRun:
    """What dtPAYNT came to.

    Attributes
    ----------
    tree, value
        The last tree it printed, and its return by spotree; None if it printed none.
    claimed
        The best return it printed, up to its own precision; above `value` where it was stopped before it printed
        the tree.
    seconds
        Wall-clock time of the process, loading included.
    ended
        "finished", "time limit" (by itself), "killed" (`GRACE` after its limit) or "failed".
    """

    tree: Tree | None
    value: float | None
    claimed: float | None
    seconds: float
    ended: str
    version: str
    log: str

    @property
    def best(self) -> float | None:
        """Its tree re-evaluated, or its own figure where it was killed before printing a better tree."""
        if self.ended == "killed" and self.claimed is not None:
            return self.claimed if self.value is None else max(self.value, self.claimed)
        return self.value


def installed() -> bool:
    return any(ENVIRONMENT.glob("lib/python*/site-packages/paynt"))


def install() -> None:
    """A fresh environment beside ours: paynt pins a stormpy of its own."""
    subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    subprocess.run([_python(), "-m", "pip", "install", "--quiet", "paynt"], check=True)


def run(mdp: MDP, depth: int, time_limit: int, random_action: bool = False) -> PayntRun:
    """dtPAYNT's best tree up to a depth; its own extra random action is off unless asked for."""
    with tempfile.TemporaryDirectory() as folder:
        written = write_drn(mdp, folder)
        command = [_python(), "-m", "paynt", folder, "--sketch", MODEL, "--props", PROPERTY]
        command += ["--tree-depth", str(depth), "--tree-enumeration", "--timeout", str(time_limit)]
        command += [] if random_action else ["--no-add-dont-care-action"]
        began = time.perf_counter()
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            try:
                code = process.wait(time_limit + GRACE)
            except subprocess.TimeoutExpired:
                code = None
            finally:  # also when we are interrupted: nothing is left running
                process.kill()
                process.wait()
            seconds = time.perf_counter() - began
            output.seek(0)
            log = output.read()
    return parse(mdp, written, log, code, seconds)


def parse(mdp: MDP, written: WrittenDrn, log: str, code: int | None, seconds: float) -> PayntRun:
    """What the output of a run says; `code` is None if the run was killed."""
    assignments = _ASSIGNMENT.findall(log)
    tree = tree_of(assignments[-1], written) if assignments else None
    value = None if tree is None else evaluate(with_random_action(mdp), tree)
    claims = [float(figure) / written.scale for figure in _VALUE.findall(log)]
    limit = "time limit reached" in log
    ended = "killed" if code is None else "failed" if code else "time limit" if limit else "finished"
    version = re.search(r"Paynt version (\S+?)\.?\s", log)
    return PayntRun(tree, value, max(claims, default=None), seconds, ended, version[1] if version else "", log)


def tree_of(assignment: str, written: WrittenDrn) -> Tree:
    """The tree behind `V_0=x, x_0=3, y_0=1, A_1=left, A_2=right`.

    Nodes are numbered in preorder. An inner node k has a feature V_k and a bound for every feature, of which only
    that feature's counts: values up to it go to the next node. A leaf k has an action A_k.
    """
    reserved = {"V", "A"} & set(written.feature_names)
    if reserved:
        raise ValueError(f"feature {reserved.pop()!r} is called as dtPAYNT calls parts of a tree; rename it")
    holes = {(name, int(node)): value for name, node, value in _HOLE.findall(assignment)}
    actions = (*written.action_names, RANDOM_ACTION)
    next_node = iter(range(len(holes) + 1))

    def build() -> Node:
        node = next(next_node)
        if ("V", node) not in holes:
            return Node(action=actions.index(holes["A", node]))
        name = holes["V", node]
        feature = written.feature_names.index(name)
        threshold = written.threshold(feature, float(holes[name, node]))
        return Node(feature=feature, threshold=threshold, left=build(), right=build())

    return join(build())


def _python() -> Path:
    return ENVIRONMENT / "bin" / "python"
