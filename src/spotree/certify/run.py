"""One call of `certify`: what the searches found, and the proof that runs in the background."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spotree import _core
from spotree.certify.certificate import Certificate, CertificateWriter, fingerprint
from spotree.certify.groups import Groups, find_groups
from spotree.certify.ingredients import Ingredients
from spotree.certify.interrupts import held_interrupts
from spotree.errors import InvalidProblemError, ReadError
from spotree.mdp.model import MDP
from spotree.solve.frame import Frame
from spotree.solve.history import Progress
from spotree.solve.neighbourhood import neighbourhood
from spotree.solve.solution import Solution, SolveStatus
from spotree.tree.tree import Tree, leaf, make_tree

NO_LIMIT = 10**9
WINNERS = ("none", "root", "state", "tree")  # who closed the last region, as the core numbers them


class Run:
    """The best tree so far and the proof about it."""

    def __init__(
        self,
        mdp: MDP,
        depth: int,
        max_leaves: int | None,
        time_limit: float,
        tolerance: float,
        threads: int,
        progress: Callable[[Progress], Any] | None,
    ) -> None:
        self.frame = Frame(mdp, depth, max_leaves, "certify")
        self.mdp, self.time_limit, self.threads, self.progress = mdp, time_limit, threads, progress
        best = self.frame.optimum.value
        scale = max(abs(best), best - self.frame.random_value)
        if not (np.isfinite(scale) and scale > 0):
            scale = max(abs(best), float(np.abs(mdp.reward_of_choice).max(initial=0.0)), 1e-300)
        self.margin = tolerance * scale
        self.groups: Groups = find_groups(mdp)
        self.tree: Tree | None = None
        self.value = -np.inf
        self.searches = 0
        self.interrupted = False
        self.history: list[Progress] = []
        self.proof = _core.Proof(
            mdp.choice_start,
            mdp.choice_of,
            mdp.row_start,
            mdp.target,
            mdp.probability,
            mdp.reward_of_choice,
            mdp.initial,
            mdp.discount,
            self.groups.group_of,
            self.groups.rank,
            self.groups.splits.feature,
            self.groups.split_rank,
            depth,
            min(max_leaves or NO_LIMIT, NO_LIMIT),
            self.margin / 2,
        )
        # Before the first tree: less than any policy can return, so that every feasible tree is an improvement.
        worst = min(0.0, float(mdp.reward_of_choice.min())) / (1 - mdp.discount)
        none = np.zeros(0, np.int32)
        self.proof.offer(worst - max(1e-3 * abs(worst), abs(best), 100 * self.margin), none, none, none, none)

    @property
    def left(self) -> float:
        return max(0.0, self.time_limit - self.frame.seconds)

    def offer(self, tree: Tree) -> None:
        """Make a tree the incumbent if it is of the asked size and better than what is known."""
        if tree.depth > self.frame.depth or tree.num_leaves > (self.frame.max_leaves or NO_LIMIT):
            raise InvalidProblemError(
                f"the start tree has depth {tree.depth} and {tree.num_leaves} leaves; asked for depth"
                f" {self.frame.depth} and at most {self.frame.max_leaves or 2**self.frame.depth} leaves"
            )
        value = self.frame.return_of(tree)
        if value > self.value:
            self.tree, self.value = tree, value
            none = np.zeros(0, np.int32)
            self.proof.offer(value, none, none, none, none)

    def resume(self, path: str | Path) -> None:
        """Take up a stopped proof: its tree and its open regions."""
        old = Certificate.load(path)
        size = {"depth": self.frame.depth, "max_leaves": self.frame.max_leaves}
        for name, mine in ({"fingerprint": fingerprint(self.mdp)} | size).items():
            if old.header.get(name) != mine:
                raise InvalidProblemError(
                    f"{path} is about {name} {old.header.get(name)!r}, not {mine!r}; only the same run can go on"
                )
        self.offer(make_tree(**old.header["tree"]))
        if old.header["rule"] == "state":
            try:
                self.proof.resume(old.words, old.numbers, float(old.header["bound"]))
            except (ValueError, IndexError) as error:
                raise ReadError(f"{path}: not a certificate that can be resumed ({error})") from error

    def search(self, seconds: float) -> None:
        """Look for a better tree for a while."""
        found = neighbourhood(
            self.mdp,
            self.frame.depth,
            max_leaves=self.frame.max_leaves,
            time_limit=min(seconds, self.left),
            seed=self.searches,
            threads=self.threads if self.searches == 0 else 1,
            start=self.best_tree() if self.tree is not None else None,
        )
        self.searches += 1
        self.interrupted |= found.status is SolveStatus.INTERRUPTED
        self.offer(found.policy.tree)

    def best_tree(self) -> Tree:
        """The incumbent, whether found here or by the proof."""
        if self.tree is not None and self.proof.value() <= self.value:
            return self.tree
        split, left, right, action = self.proof.tree()
        if len(split) == 0:
            return self.tree if self.tree is not None else leaf(0)
        inner = split >= 0
        feature, threshold = np.full(len(split), -1), np.zeros(len(split))
        feature[inner] = self.groups.splits.feature[split[inner]]
        threshold[inner] = self.groups.splits.threshold[split[inner]]
        return make_tree(feature, threshold, left, right, action)

    def note(self, last: bool = False) -> None:
        """Remember and show where the proof stands."""
        line = Progress(
            self.frame.seconds,
            self.proof.regions(),
            max(self.proof.value(), self.value),
            min(self.proof.bound(), self.frame.optimum.value),
        )
        if last or not self.history or (line.value, line.bound) != (self.history[-1].value, self.history[-1].bound):
            self.history.append(line)
        if self.progress is not None and not last:
            self.progress(line)

    def prove(self, use: Ingredients, memory: int, path: str | Path | None, budget: float) -> Solution:
        writers = {} if path is None else {rule: CertificateWriter(path, rule) for rule in ("state", "tree")}
        self.proof.start(
            self.left,
            self.threads,
            "state" in use.rules,
            "tree" in use.rules,
            use.regret,
            use.floors,
            use.filter,
            use.solo,
            path is not None,
            use.before_floors,
            memory,
            use.listed,
        )
        pause, next_search = 0.01, 1.0
        try:
            while not self.interrupted and not self.proof.wait(pause):
                pause = min(1.3 * pause, 0.25)
                self.note()
                with held_interrupts() as came:  # what is taken from the proof must get into the file
                    for rule, writer in writers.items():
                        writer.add(*self.proof.drain(rule == "tree"))
                if came:
                    raise KeyboardInterrupt
                if self.frame.seconds > 2 * next_search and 2 * next_search <= budget:
                    self.search(next_search)
                    next_search *= 2
        except KeyboardInterrupt:
            self.interrupted = True
        with held_interrupts():
            return self.finish(writers)

    def finish(self, writers: dict[str, CertificateWriter]) -> Solution:
        """Stop the proof, and write the certificate of what it has reached."""
        self.proof.stop()
        winner = WINNERS[self.proof.winner()]
        for rule, writer in writers.items():
            writer.add(*self.proof.drain(rule == "tree"))
        solution = self.answer(winner)
        for rule, writer in writers.items():
            if rule == ("tree" if winner == "tree" else "state"):
                writer.finish(self.header(solution, rule))
            else:
                writer.drop()
        return solution

    def answer(self, winner: str) -> Solution:
        status = SolveStatus.OPTIMAL if winner != "none" else SolveStatus.TIME_LIMIT
        if self.interrupted and winner == "none":
            status = SolveStatus.INTERRUPTED
        self.note(last=True)
        return self.frame.solution(self.best_tree(), status, self.history, self.proof.bound())

    def header(self, solution: Solution, rule: str) -> dict[str, Any]:
        """What the checker must know beside the two streams."""
        tree, splits = solution.policy.tree, self.groups.splits
        return {
            "model": self.mdp.name,
            "fingerprint": fingerprint(self.mdp),
            "states": self.mdp.num_states,
            "actions": self.mdp.num_actions,
            "depth": self.frame.depth,
            "max_leaves": self.frame.max_leaves,
            "value": solution.value,
            "bound": max(self.proof.certified(), solution.value),
            "margin": self.margin,
            "rule": rule,
            "tree": {
                name: getattr(tree, name).tolist() for name in ("feature", "threshold", "left", "right", "action")
            },
            "group_state": self.groups.state.tolist(),
            "split_feature": splits.feature.tolist(),
            "split_threshold": splits.threshold.tolist(),
        }
