"""Recorder of a proof: bound, history, and the certificate being written."""

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from spotree._core import ProofWinner
from spotree.certificates.certificate import Certificate
from spotree.certificates.header import DEEPEST
from spotree.common.atomic_file import UnwrittenError
from spotree.common.sanitize import shown
from spotree.common.signals import held_interrupts
from spotree.errors import InvalidProblemError
from spotree.mdp.model import fingerprint
from spotree.proof.attempt import Attempt
from spotree.proof.checkpoint.format import SavedProof
from spotree.proof.numerics import shown_bound, stated_margin
from spotree.proof.problem import Problem, reward_spread
from spotree.results.progress import Progress
from spotree.results.solution import Solution
from spotree.trees.serialize import claimed_tree, tree_lists

EQUAL = 1e-9  # relative: two ways to compute one margin


class Recorder:
    """Remembers, shows and writes; `bound` and `regions` are those of ended attempts.

    A file that is resumed is taken on trust: `claimed` is its bound, `anew` what was proved without it.
    """

    def __init__(
        self, problem: Problem, path: str | Path | None = None, progress: Callable[[Progress], Any] | None = None
    ) -> None:
        if path is not None and problem.depth > DEEPEST:
            raise InvalidProblemError(
                f"depth is {problem.depth}; a certificate is about depth {DEEPEST} at most: ask for less, or for no"
                " certificate"
            )
        self.problem, self.path, self.progress = problem, path, progress
        self.bound, self.regions = problem.frame.ceiling, 0
        self.anew, self.claimed = self.bound, math.inf
        self.source: str | None = None  # the file that was resumed, unless it was found to be wrong
        self.resumed = False
        self.history: list[Progress] = []
        self.begun: list[Attempt] = []
        self.old: Certificate | None = None

    def resume(self, old: Certificate, path: str) -> None:
        """Take over a certificate of the same model and size."""
        frame = self.problem.frame
        mine = {
            "fingerprint": fingerprint(frame.mdp),
            "depth": self.problem.depth,
            "max_leaves": self.problem.max_leaves,
        }
        for name, expected in mine.items():
            if old.header.get(name) != expected:
                raise InvalidProblemError(
                    f"{path} is about {name} {old.header.get(name)!r}, not {expected!r};"
                    " only the same run can go on"
                )
        tree = claimed_tree(old.header["tree"])
        mine_within = stated_margin(frame.mdp, tree.actions(frame.mdp.features), self.problem.margin)
        if old.header["margin"] > mine_within * (1 + EQUAL):
            raise InvalidProblemError(
                f"{path} calls a tree better from {old.header['margin']:.3g} on, this run from {mine_within:.3g} on:"
                " what it closed may be open here; give the tolerance that it was made with"
            )
        self.old = old
        self._trust(float(old.header["bound"]), path)

    def take_up(self, saved: SavedProof, path: str) -> None:
        """Go on from a checkpoint: its bound, and the best proof that it holds."""
        self._trust(saved.bound, path)
        if saved.proved < math.inf:
            self.old = Certificate({"bound": saved.proved, "rule": saved.rule}, *saved.proof.streams)

    def _trust(self, bound: float, path: str) -> None:
        self.source, self.claimed, self.resumed = path, bound, True
        self.bound = min(self.bound, bound)

    def contradicted(self, value: float) -> bool:
        """Whether a tree returns more than the file says that one can: then its bound and proof are forgotten."""
        if self.source is None or not value > min(self.claimed, self.bound) + 2 * self.problem.margin:
            return False
        warnings.warn(
            f"{shown(self.source)} is wrong: a tree returns {value:.9g}, above its bound"
            f" {min(self.claimed, self.bound):.9g}; nothing that it claims is used",
            stacklevel=2,
        )
        self.source, self.old, self.claimed, self.bound = None, None, math.inf, self.anew
        self.history = [replace(line, bound=max(line.bound, self.anew)) for line in self.history]
        return True

    def begin(self, attempt: Attempt) -> None:
        """Write an attempt down from now on, if there is to be a certificate."""
        self.begun.append(attempt)
        if self.path is not None:
            attempt.write_to(self.path)

    def note(self, attempt: Attempt, value: float) -> None:
        """Remember and show where a running attempt stands."""
        self.show(value, min(self.bound, attempt.proof.bound()), self.regions + attempt.proof.regions())

    def show(self, value: float, bound: float, regions: int) -> None:
        """Remember and show one moment."""
        line = Progress(self.problem.frame.seconds, regions, value, bound)
        if not self.history or (value, bound) != (self.history[-1].value, self.history[-1].bound):
            self.history.append(line)
        if self.progress is not None:
            self.progress(line)

    def end(self, attempt: Attempt) -> None:
        """Keep what a stopped attempt has reached."""
        self.regions += attempt.proof.regions()
        attempt.close()
        self.bound = min(self.bound, attempt.bound)
        if self.began_anew(attempt):
            self.anew = min(self.anew, attempt.bound)

    def began_anew(self, attempt: Attempt) -> bool:
        """Whether nothing of an attempt rests on a file: neither its regions nor the symmetries."""
        return attempt.source is None and not (self.resumed and len(self.problem.symmetries))

    def better(self, one: Attempt, other: Attempt) -> Attempt:
        """The attempt with the better certificate; the other one is forgotten."""
        keep, forget = (other, one) if other.certified < one.certified else (one, other)
        with held_interrupts():
            forget.drop()
        return keep

    def save(self, best: Attempt, solution: Solution) -> None:
        """Make the best attempt the certificate, or the resumed one where that says more."""
        if self.path is None:
            return
        shown = (
            best.certified
            if best.winner is not ProofWinner.none
            else shown_bound(self.problem.frame.mdp, best.certified)
        )
        header = header_of(self.problem, solution, shown)
        try:
            if self.old is not None and self.old.header["bound"] <= header["bound"]:
                best.drop()
                kept = {"bound": max(self.old.header["bound"], solution.value), "rule": self.old.header["rule"]}
                Certificate(self.old.header | header | kept, self.old.words, self.old.numbers).save(self.path)
            else:
                best.save(header)
        except UnwrittenError as error:
            error.result = solution
            raise

    def drop(self) -> None:
        """Forget what was written and is no certificate."""
        with held_interrupts():
            for attempt in self.begun:
                attempt.drop()


def header_of(problem: Problem, solution: Solution, bound: float) -> dict[str, Any]:
    """What the checker must know beside the two streams."""
    mdp, splits, tree = problem.frame.mdp, problem.groups.splits, solution.policy.tree
    margin = stated_margin(mdp, tree.actions(mdp.features), problem.margin)
    bound = max(bound, solution.value)
    if mdp.discount == 1 and margin > max(abs(solution.value), abs(bound), reward_spread(mdp)):
        bound = max(bound, margin)  # of the best policy's return: checkers take no tolerance above all they see
    return {
        "model": mdp.name,
        "fingerprint": fingerprint(mdp),
        "states": mdp.num_states,
        "actions": mdp.num_actions,
        "feature_names": list(mdp.feature_names),
        "action_names": list(mdp.action_names),
        "depth": problem.depth,
        "max_leaves": problem.max_leaves,
        "value": solution.value,
        "bound": bound,
        "margin": margin,
        "tree": tree_lists(tree),
        "group_state": problem.groups.state.tolist(),
        "split_feature": splits.feature.tolist(),
        "split_threshold": splits.threshold.tolist(),
        **problem.symmetries.header,
    }
