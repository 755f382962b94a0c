"""One attempt of the core to prove that no tree exceeds a level, with what it writes down."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from spotree import _core
from spotree.errors import ReadError
from spotree.proof.certificate import Certificate, CertificateWriter
from spotree.proof.groups import Groups
from spotree.proof.ingredients import RULES, Ingredients
from spotree.tree.tree import Tree, make_tree

ENDINGS = ("stopped", "closed", "too large", "stuck")  # why it ended, as the core numbers them
WINNERS = ("none", "root", "state", "tree")  # who closed the last region, as the core numbers them


def half_of_memory() -> int:
    """Bytes that open regions may take where nothing is said."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


class Attempt:
    """A proof in the background; the first one is about the incumbent, later ones about levels above it.

    Attributes
    ----------
    bound
        No tree returns more.
    winner
        Who finished the proof: "none" if it is unfinished.
    ending
        Why it ended: "stopped", "closed", "too large" for the proof, or "stuck" with a region that cannot be parted.
    is_level
        Whether what was proved is a level, and not the return of a tree.
    """

    def __init__(self, proof: _core.Proof, groups: Groups, level: float | None = None) -> None:
        self.proof, self.groups, self.level = proof, groups, level
        if level is not None:
            self.offer(level)
        self.bound, self.winner, self.certified, self.is_level = np.inf, "none", np.inf, False
        self.ending = "stopped"
        self.writers: dict[str, CertificateWriter] = {}

    def offer(self, value: float) -> None:
        """Only trees that return more than this are looked for from now on."""
        none = np.zeros(0, np.int32)
        self.proof.offer(value, split=none, left=none, right=none, action=none)

    def write_to(self, certificate: str | Path) -> None:
        """Write the proof down; other attempts may be doing the same."""
        for rule in RULES:
            self.writers[rule] = CertificateWriter(certificate)

    def resume(self, old: Certificate, path: str) -> None:
        """Begin with the open regions of a stopped proof, where it has some that can be taken up."""
        if old.header["rule"] == "state":
            try:
                self.proof.resume(old.words, old.numbers, float(old.header["bound"]))
            except (ValueError, IndexError) as error:
                raise ReadError(f"{path}: not a certificate that can be resumed ({error})") from error

    def start(self, seconds: float, threads: int, use: Ingredients, memory: int) -> None:
        self.proof.start(
            seconds=seconds,
            threads=threads,
            state_rule="state" in use.rules,
            tree_rule="tree" in use.rules,
            regret=use.regret,
            floors=use.floors,
            filter=use.filter,
            solo=use.solo,
            journal=bool(self.writers),
            keep_left=False,
            before_floors=use.before_floors,
            memory_limit=memory,
            listed=use.listed,
        )

    def tree(self) -> Tree | None:
        """The best tree that the proof came across, if it found one better than what it was offered."""
        split, left, right, action = self.proof.tree()
        if len(split) == 0:
            return None
        inner = split >= 0
        feature, threshold = np.full(len(split), -1), np.zeros(len(split))
        feature[inner] = self.groups.splits.feature[split[inner]]
        threshold[inner] = self.groups.splits.threshold[split[inner]]
        return make_tree(feature, threshold, left, right, action)

    def done(self, optimum: float, value: float) -> float:
        """How far the proof has come, roughly: the larger share of either rule."""
        room = optimum - value
        return max(self.proof.share(), (optimum - self.proof.bound()) / room if room > 0 else 1.0)

    @property
    def proves_tree(self) -> bool:
        """Whether it is finished, and what it proved is the return of a tree."""
        return self.winner != "none" and not self.is_level

    def drain(self) -> None:
        """Write down what the proof has found since the last time."""
        for rule, writer in self.writers.items():
            writer.add(*self.proof.drain(rule == "tree"))

    def close(self) -> None:
        """Keep what the stopped proof has reached and let its memory go."""
        self.drain()
        self.bound, self.certified = self.proof.bound(), self.proof.certified()
        self.winner, self.ending = WINNERS[self.proof.winner()], ENDINGS[self.proof.ending()]
        self.is_level = self.level is not None and self.proof.value() <= self.level
        del self.proof

    def save(self, header: dict[str, Any]) -> None:
        """Make what was written a certificate."""
        rule = "tree" if self.winner == "tree" else "state"
        for name, writer in self.writers.items():
            if name == rule:
                writer.finish(header | {"rule": "level" if self.is_level else rule})
            else:
                writer.drop()

    def drop(self) -> None:
        """Forget what was written."""
        for writer in self.writers.values():
            writer.drop()
