"""One call of `certify`: what the searches found, and the proof that runs in the background."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spotree import _core
from spotree.errors import InvalidProblemError, ReadError
from spotree.files import UnwrittenError
from spotree.mdp.model import MDP
from spotree.methods.frame import Frame
from spotree.methods.history import Progress
from spotree.methods.neighbourhood import neighbourhood
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.start import fitting_start
from spotree.proof.attempt import Attempt
from spotree.proof.certificate import Certificate, fingerprint
from spotree.proof.groups import Groups, find_groups
from spotree.proof.ingredients import Ingredients
from spotree.proof.interrupts import held_interrupts
from spotree.proof.rounding import check_margin
from spotree.tree.tree import Tree, leaf, make_tree

NO_LIMIT = 10**9
FIRST_SHARE = 0.7  # of the time for the incumbent's own level,
DOUBTFUL_SHARE = 0.25  # or this if less than a tenth is done by then


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
        self.frame = Frame(mdp, depth, max_leaves, "certify", time_limit=time_limit)
        self.prepared = self.frame.seconds
        self.mdp, self.time_limit, self.threads, self.progress = mdp, time_limit, threads, progress
        best = self.frame.optimum.value
        scale = max(abs(best), best - self.frame.random_value)
        if not (np.isfinite(scale) and scale > 0):
            scale = max(abs(best), float(np.abs(mdp.reward_of_choice).max(initial=0.0)), 1e-300)
        self.margin = tolerance * scale
        if not self.frame.hurried:
            check_margin(mdp, self.frame.optimum, self.margin, tolerance)
        self.groups: Groups = find_groups(mdp)
        self.tree: Tree | None = None
        self.value = -np.inf
        self.searches = self.regions = 0
        self.begun: list[Attempt] = []
        self.next_search = 1.0  # seconds
        self.interrupted = False
        self.history: list[Progress] = []
        self.old: Certificate | None = None  # what was resumed
        self.bound = self.frame.ceiling  # no tree returns more: what finished attempts have shown
        self.now = self.attempt()

    def attempt(self, level: float | None = None) -> Attempt:
        """A proof that has not begun."""
        mdp, groups = self.mdp, self.groups
        proof = _core.Proof(
            mdp.choice_start,
            groups.choice_of,
            mdp.row_start,
            mdp.target,
            mdp.probability,
            mdp.reward_of_choice,
            mdp.initial,
            mdp.discount,
            groups.group_of,
            groups.rank,
            groups.splits.feature,
            groups.split_rank,
            self.frame.depth,
            min(self.frame.max_leaves or NO_LIMIT, NO_LIMIT),
            self.margin / 2,
        )
        made = Attempt(proof, groups, level)
        self.begun.append(made)
        # Before the first tree: less than any policy can return, so that every feasible tree is an improvement.
        worst = min(0.0, float(mdp.reward_of_choice.min())) / (1 - mdp.discount)
        made.offer(worst - max(1e-3 * abs(worst), abs(self.frame.optimum.value), 100 * self.margin))
        return made

    @property
    def left(self) -> float:
        return max(0.0, self.time_limit - self.frame.seconds)

    def offer(self, tree: Tree) -> None:
        """Make a tree of the asked size the incumbent if it is better than what is known."""
        value = self.frame.return_of(tree)
        if value > self.value:
            self.tree, self.value = tree, value
            self.now.offer(value)

    def resume(self, old: Certificate, path: str) -> None:
        """Take up a stopped proof from its file: its tree and its open regions."""
        size = {"depth": self.frame.depth, "max_leaves": self.frame.max_leaves}
        for name, mine in ({"fingerprint": fingerprint(self.mdp)} | size).items():
            if old.header.get(name) != mine:
                raise InvalidProblemError(
                    f"{path} is about {name} {old.header.get(name)!r}, not {mine!r}; only the same run can go on"
                )
        self.offer(
            fitting_start(make_tree(**old.header["tree"]), self.mdp, self.frame.depth, self.frame.max_leaves)
        )
        self.old, self.bound = old, min(self.bound, float(old.header["bound"]))
        if old.header["rule"] == "state":
            try:
                self.now.proof.resume(old.words, old.numbers, float(old.header["bound"]))
            except (ValueError, IndexError) as error:
                raise ReadError(f"{path}: not a certificate that can be resumed ({error})") from error

    def search(self, seconds: float) -> None:
        """Look for a better tree for a while."""
        if self.frame.hurried:
            return
        found = neighbourhood(
            self.mdp,
            self.frame.depth,
            max_leaves=self.frame.max_leaves,
            time_limit=min(seconds + 3 * self.prepared, self.left),
            seed=self.searches,
            threads=self.threads if self.searches == 0 else 1,
            start=self.best_tree() if self.tree is not None else None,
        )
        self.searches += 1
        self.interrupted |= found.status is SolveStatus.INTERRUPTED
        self.offer(found.policy.tree)

    def best_tree(self) -> Tree:
        return self.tree if self.tree is not None else leaf(0)

    def collect(self) -> None:
        """Take over a better tree that the proof came across."""
        found = self.now.tree() if self.now.proof.value() > self.value else None
        if found is not None:
            self.offer(found)

    @property
    def done(self) -> float:
        """How far the proof has come, roughly: the larger share of either rule."""
        room = self.frame.optimum.value - self.value
        closed = (self.frame.optimum.value - self.now.proof.bound()) / room if room > 0 else 1.0
        return max(self.now.proof.share(), closed)

    def note(self) -> None:
        """Remember and show where the proof stands."""
        self.collect()
        bound = min(self.bound, self.now.proof.bound())
        line = Progress(self.frame.seconds, self.regions + self.now.proof.regions(), self.value, bound)
        if not self.history or (line.value, line.bound) != (self.history[-1].value, self.history[-1].bound):
            self.history.append(line)
        if self.progress is not None:
            self.progress(line)

    def prove(self, use: Ingredients, memory: int, path: str | Path | None, budget: float) -> Solution:
        """The incumbent's own level first; where that does not end, levels above it, which are easier to prove."""
        if self.frame.hurried:
            return self.frame.solution(self.best_tree(), SolveStatus.TIME_LIMIT)
        seconds = (FIRST_SHARE if use.levels else 1.0) * self.left
        doubtful = self.frame.seconds + DOUBTFUL_SHARE * self.left if use.levels else np.inf
        best = self.follow(seconds, use, memory, path, budget, doubtful)
        levels = self.frame.seconds > 0.9 * doubtful  # earlier: it is done, or too large for any level
        low, part = self.value, 1 / 8  # nothing up to `low` was proved; the next level is a part of the way to it
        while levels and not self.interrupted and (best.winner == "none" or best.is_level):
            low = max(low, self.value)
            if self.left < 0.04 * self.time_limit or not 4 * self.margin < self.bound - low < np.inf:
                break
            level = self.bound - part * (self.bound - low)
            self.now = self.attempt(level)
            best = self.better(best, self.follow(self.left / 2, use, memory, path, budget))
            if self.bound > level + self.margin:
                low, part = level, 1 / 2
            part = min(2 * part, 1 / 2)
        with held_interrupts():
            return self.answer(best, path)

    def follow(
        self,
        seconds: float,
        use: Ingredients,
        memory: int,
        path: str | Path | None,
        budget: float,
        doubtful: float = np.inf,
    ) -> Attempt:
        """Let the proof run, take trees and certificate from it, and search for better trees meanwhile.

        It is given up if it has not come far at the moment `doubtful`.
        """
        now = self.now
        if path is not None:
            now.write_to(path)
        now.start(seconds, self.threads, use, memory)
        pause = 0.01
        try:
            while not self.interrupted and not now.proof.wait(pause):
                pause = min(1.3 * pause, 0.25)
                self.note()
                with held_interrupts() as came:  # what is taken from the proof must get into the file
                    now.drain()
                if came:
                    raise KeyboardInterrupt
                if self.frame.seconds > doubtful:
                    if self.done < 0.1:
                        break
                    doubtful = np.inf
                if self.frame.seconds > 2 * self.next_search and 2 * self.next_search <= budget:
                    self.search(self.next_search)
                    self.next_search *= 2
        except KeyboardInterrupt:
            self.interrupted = True
        with held_interrupts():
            now.proof.stop()
            self.collect()
            self.regions += now.proof.regions()
            now.close()
            self.bound = min(self.bound, now.bound)
        return now

    def better(self, one: Attempt, other: Attempt) -> Attempt:
        """The attempt with the better certificate; the other one is forgotten."""
        keep, forget = (other, one) if other.certified < one.certified else (one, other)
        with held_interrupts():
            forget.drop()
        return keep

    def answer(self, best: Attempt, path: str | Path | None = None) -> Solution:
        """What was reached, and its certificate."""
        proved = best.winner != "none" and not best.is_level
        unfinished = SolveStatus.INTERRUPTED if self.interrupted else SolveStatus.TIME_LIMIT
        self.history.append(Progress(self.frame.seconds, self.regions, self.value, self.bound))
        status = SolveStatus.OPTIMAL if proved else unfinished
        solution = self.frame.solution(self.best_tree(), status, self.history, self.bound, self.margin)
        header = self.header(solution, best)
        try:
            if self.old is not None and path is not None and self.old.header["bound"] < header["bound"]:
                best.drop()  # the resumed certificate says more
                kept = {"bound": max(self.old.header["bound"], solution.value), "rule": self.old.header["rule"]}
                Certificate(self.old.header | header | kept, self.old.words, self.old.numbers).save(path)
            else:
                best.save(header)
        except UnwrittenError as error:
            error.result = solution
            raise
        return solution

    def drop(self) -> None:
        """Forget what was written and is no certificate."""
        with held_interrupts():
            for attempt in self.begun:
                attempt.drop()

    def header(self, solution: Solution, best: Attempt) -> dict[str, Any]:
        """What the checker must know beside the two streams."""
        tree, splits = solution.policy.tree, self.groups.splits
        return {
            "model": self.mdp.name,
            "fingerprint": fingerprint(self.mdp),
            "states": self.mdp.num_states,
            "actions": self.mdp.num_actions,
            "feature_names": list(self.mdp.feature_names),
            "action_names": list(self.mdp.action_names),
            "depth": self.frame.depth,
            "max_leaves": self.frame.max_leaves,
            "value": solution.value,
            "bound": max(best.certified, solution.value),
            "margin": self.margin,
            "tree": {
                name: getattr(tree, name).tolist() for name in ("feature", "threshold", "left", "right", "action")
            },
            "group_state": self.groups.state.tolist(),
            "split_feature": splits.feature.tolist(),
            "split_threshold": splits.threshold.tolist(),
        }
