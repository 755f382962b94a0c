"""Proof over all trees: how far is a tree from the best possible one of its size?"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spotree import _core
from spotree.certify.certificate import Certificate, CertificateWriter, fingerprint
from spotree.certify.groups import Groups, find_groups
from spotree.certify.ingredients import Ingredients
from spotree.errors import InvalidProblemError, ReadError
from spotree.mdp.model import MDP
from spotree.solve.frame import Frame
from spotree.solve.history import Progress
from spotree.solve.neighbourhood import neighbourhood
from spotree.solve.request import check_size
from spotree.solve.solution import Solution, SolveStatus
from spotree.tree.policy import TreePolicy
from spotree.tree.tree import Tree, leaf, make_tree

NO_LIMIT = 10**9
RULES = ("none", "root", "state", "tree")  # who closed the last region, as the core numbers them


def certify(
    mdp: MDP,
    depth: int,
    *,
    start: Solution | TreePolicy | Tree | None = None,
    max_leaves: int | None = None,
    time_limit: float = 600.0,
    memory_limit: int | None = None,
    threads: int | None = None,
    certificate: str | Path | None = None,
    resume: str | Path | None = None,
    progress: Callable[[Progress], Any] | None = None,
    tolerance: float = 1e-7,
    search: float | None = None,
    ingredients: Ingredients = Ingredients(),  # noqa: B008 (frozen)
) -> Solution:
    """The best tree of a size with a proof, or, when the time is up, the best found with a bound on all others.

    Parameters
    ----------
    start
        A tree to begin with. Without one, a short search finds it.
    time_limit, memory_limit
        Wall-clock seconds; bytes that open regions may take (half of the machine's memory if not given).
        A limit of 0 seconds gives the cheapest bound: the optimum over all policies.
    threads
        All cores if not given; one of them begins with rule "tree", the others with "state".
    certificate
        Where to write the proof, for `spotree check`. When the time is up it proves the bound that was reached.
    resume
        The certificate of a stopped run on the same model and size: its open regions are taken up again, and a new
        certificate holds the old proof too. Only rule "state" goes on; rule "tree" starts anew.
    progress
        Called with a `Progress` now and then.
    tolerance
        A tree counts as better only if it is by more than this times max(|J*|, J* - J_random), with J* the return
        of the best policy and J_random that of the uniformly random one.
    search
        Seconds of the time limit that may go into looking for better trees; a tenth, at most 8, if not given.
    """
    check_size(mdp, depth, max_leaves)
    if mdp.discount >= 1:
        raise InvalidProblemError(f"discount is {mdp.discount}; a proof needs one below 1")
    if not 1e-12 <= tolerance < 1:
        raise InvalidProblemError(f"tolerance is {tolerance}; it must be between 1e-12 and 1")
    run = _Run(mdp, depth, max_leaves, time_limit, tolerance, threads or os.cpu_count() or 1, progress)
    if start is not None:
        run.offer(
            start if isinstance(start, Tree) else start.policy.tree if isinstance(start, Solution) else start.tree
        )
    if resume is not None:
        run.resume(resume)
    budget = min(8.0, 0.1 * time_limit) if search is None else min(search, time_limit)
    if start is None and resume is None and budget > 0:
        run.search(min(0.5, budget))
    memory = memory_limit or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return run.prove(ingredients, memory, certificate, budget)


class _Run:
    """One call of `certify`: what the searches found, and the proof that runs in the background."""

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
                for rule, writer in writers.items():
                    writer.add(*self.proof.drain(rule == "tree"))
                if self.frame.seconds > 2 * next_search and 2 * next_search <= budget:
                    self.search(next_search)
                    next_search *= 2
        except KeyboardInterrupt:
            self.interrupted = True
        self.proof.stop()
        winner = RULES[self.proof.winner()]
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
