"""What is fuzzed: for each kind of file who reads it, and sound files to begin with."""

import io
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from oracles.umb import some_mdp
from small_models import random_mdp

PRISM = """mdp
const int last = 4;
const double slip = 1/4;
global g : [0..2] init 1;
formula end = x=last;
module walker
  x : [0..last] init 0;
  happy : bool init true;
  [go] x<last -> 1-slip : (x'=x+1) + slip : (happy'=!happy);
  [back] x>0 & x<last -> (x'=x-1) & (g'=min(2, g+1));
  [] x=1 -> (x'=last);
  [] x=last -> true;
endmodule
module other
  y : [-1..1];
  [go] y<1 -> (y'=y+1);
  [go] y=1 -> (y'=-1);
endmodule
label "end" = end;
rewards "steps"
  true : 1;
  [go] x=1 : 2.5;
endrewards
"""
DTCONTROL = """{"actual_label": null, "children": [
  {"actual_label": ["a", "b"], "children": [], "split": null, "edge_label": "true"},
  {"actual_label": null, "edge_label": "false", "split": {"lhs": {"coeff": 1, "var": "y"}, "op": "<=", "rhs": "-1e3"},
   "children": [{"actual_label": ["2"], "children": [], "split": null},
                {"actual_label": ["b"], "children": [], "split": null}]}],
 "split": {"lhs": {"coeff": 1, "var": 0}, "op": "<=", "rhs": "2.5"}}
"""
DRN = """@type: MDP
@parameters

@reward_models
pay
@nr_states
3
@nr_choices
5
@model
state 0 [0] init
//[!up\t& x=-3]
\taction a [1]
\t\t0 : 0.5
\t\t1 : 0.5
\taction b [2]
\t\t2 : 1
state 1 [4]
//[up\t& x=2]
\taction a [0]
\t\t2 : 1
\taction c [0]
\t\t1 : 1
state 2 [0] sink
//[!up\t& x=7]
\taction a [0]
\t\t2 : 1
"""


def _read(path: Path) -> None:
    from spotree.readers.read import read

    read(path)


def _solution(path: Path) -> None:
    from spotree.results.solution import Solution

    loaded = Solution.load(path)
    str(loaded.policy), repr(loaded), loaded.gap, loaded.as_dict()


def _tree(path: Path) -> None:
    from spotree.exports.json import read_tree

    policy = read_tree(path)
    for to in ("text", "english", "json", "dot", "mermaid", "svg", "python", "c", "rust"):
        policy.to(to).encode()


def _certificate(path: Path) -> None:
    from spotree.certificates.certificate import Certificate
    from spotree.certificates.records import read_records

    certificate = Certificate.load(path)
    with suppress(ValueError):  # what the checker calls malformed
        read_records(certificate, 6)


def _foreign(path: Path) -> None:
    from spotree.imports.import_tree import import_tree

    str(import_tree(path, ("x", "y"), ("a", "b", "c")))


def _scheduler(path: Path) -> None:
    from spotree.imports.storm import read_scheduler

    read_scheduler(path, random_mdp(np.random.default_rng(0), 6, 2))


READ: dict[str, Callable[[Path], None]] = {
    "npz": _read,
    "umb": _read,
    "drn": _read,
    "prism": _read,
    "jani": _read,
    "json": _solution,
    "tree": _tree,
    "cert": _certificate,
    "dtcontrol.json": _foreign,
    "scheduler.json": _scheduler,
}
MAY_BE_LARGE = ("prism", "jani")  # a few numbers describe a model of any size: slow or large is no finding


def seeds(target: str) -> list[bytes]:
    """Sound files of one kind."""
    return _SEEDS[target]()


def _written(write: Callable[..., Any], *more: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "file", *more)
        return (Path(folder) / "file").read_bytes()


def _npz() -> list[bytes]:
    from spotree.readers.npz import write_npz

    stored = io.BytesIO()
    packed = [_written(lambda path, m=mdp: write_npz(m, path)) for mdp in (some_mdp(), some_mdp("forbid"))]
    with np.load(io.BytesIO(packed[0])) as arrays:
        np.savez(stored, **dict(arrays))
    return [*packed, stored.getvalue()]


def _umb() -> list[bytes]:
    from spotree.readers.umb.writer import write_umb

    return [_written(lambda path, c=kind: write_umb(some_mdp(), path, c)) for kind in ("", "gz", "xz")]


def _jani() -> list[bytes]:
    import stormpy

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.prism").write_text(PRISM)
        program = stormpy.parse_prism_program(str(Path(folder) / "model.prism"))
    return [str(program.to_jani([])[0]).encode()]


def _solved() -> list[bytes]:
    from spotree.api.solve import solve

    mdp = random_mdp(np.random.default_rng(0), 6, 2)
    return [_written(lambda path: solve(mdp, depth=2, time_limit=0.2).save(path))]


def _exported() -> list[bytes]:
    from spotree.exports.export import export
    from spotree.trees.tree import make_tree

    tree = make_tree(
        [0, 1, -1, -1, 0, -1, -1],
        [float("inf"), -0.5, 0, 0, 1e300, 0, 0],
        [1, 2, -1, -1, 5, -1, -1],
        [4, 3, -1, -1, 6, -1, -1],
        [-1, -1, 0, 1, -1, 2, 3],
    )
    return [export(tree, "json").encode()]


def _proved() -> list[bytes]:
    from spotree.api.certify import certify

    mdp = random_mdp(np.random.default_rng(0), 6, 2)
    return [_written(lambda path, d=depth: certify(mdp, d, time_limit=5, certificate=path)) for depth in (1, 2)]


def _table() -> list[bytes]:
    from spotree.exports.storm import to_storm
    from spotree.trees.policy import TreePolicy
    from spotree.trees.tree import leaf

    mdp = random_mdp(np.random.default_rng(0), 6, 2)
    return [to_storm(TreePolicy(leaf(1), mdp.feature_names, mdp.action_names), mdp).encode()]


_SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "npz": _npz,
    "umb": _umb,
    "drn": lambda: [DRN.encode()],
    "prism": lambda: [PRISM.encode()],
    "jani": _jani,
    "json": _solved,
    "tree": _exported,
    "cert": _proved,
    "dtcontrol.json": lambda: [DTCONTROL.encode()],
    "scheduler.json": _table,
}
