"""What a checkpoint of a proof says about its tree."""

from pathlib import Path
from typing import Any

import pytest

from spotree import CheckpointWriter, load
from spotree.api.certify import certify
from spotree.proof.attempt import Attempt
from spotree.proof.checkpoint.writer import Keeping
from spotree.proof.options import ProofOptions
from spotree.proof.problem import make_problem

TREES = ProofOptions(rules=("tree",), levels=False)


def test_the_tree_that_closed_regions_of_a_checkpoint_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be found between two looks at the proof, just before its regions are saved."""
    mdp = load("traffic_intersection")
    attempt = make_problem(mdp, 2, None, 60.0).attempt()
    attempt.start(60.0, 1, TREES, 10**9)
    while not attempt.wait(1.0):
        pass
    value, (split, left, right, action) = attempt.proof.value(), attempt.proof.tree()
    look, saved = Attempt.look, Keeping._saved
    pairs: list[tuple[float, float]] = []

    def look_after_a_find(self: Attempt) -> None:
        self.proof.offer(value, split=split, left=left, right=right, action=action)
        look(self)

    def noted(self: Keeping, run: Any, *rest: Any) -> Any:
        if run.now.running:
            pairs.append((run.incumbent.value, run.now.proof.value()))
        return saved(self, run, *rest)

    monkeypatch.setattr(Attempt, "look", look_after_a_find)
    monkeypatch.setattr(Keeping, "_saved", noted)
    certify(
        mdp,
        2,
        search=0.0,
        threads=1,
        time_limit=60,
        ingredients=TREES,
        checkpoint=CheckpointWriter(tmp_path / "run.ckpt", every=0.0001),
    )
    assert pairs
    for kept, used in pairs:
        assert kept == pytest.approx(used)
