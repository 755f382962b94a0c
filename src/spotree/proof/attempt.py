"""One proof attempt in the core at a target value, with its log."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spotree._core import ProofEnding, ProofWinner
from spotree.certificates.certificate import Certificate, CertificateWriter
from spotree.certificates.varint import packed
from spotree.common.arrays import Floats, SmallInts
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import ReadError
from spotree.proof.checkpoint.format import NOTHING, Packed, SavedProof
from spotree.proof.checkpoint.open_list_codec import OpenSubproblems
from spotree.proof.feature_classes import Groups
from spotree.proof.options import RULES, ProofOptions
from spotree.proof.protocols import Proving, Streams, Text
from spotree.trees.tree import Tree, make_tree


class LogBuffer:
    """Grows by what a rule writes; a new epoch begins it afresh.

    Attributes
    ----------
    epoch
        The one that it holds.
    length
        How many additions it has: `words` and `numbers` give it as it was at some length.
    """

    def __init__(self) -> None:
        self._begin(-1)

    def _begin(self, epoch: int) -> None:
        self.epoch = epoch
        self._words: list[bytes] = []
        self._numbers: list[Floats] = []
        self._last = np.zeros(1, np.int32)

    @property
    def length(self) -> int:
        return len(self._words)

    def add(self, text: Text) -> None:
        epoch, words, numbers = text
        if epoch != self.epoch:
            self._begin(epoch)
        if len(words) == 0:
            return
        raw = packed(np.concatenate([self._last, words]))
        first = int(np.argmax(np.frombuffer(raw[:8], np.uint8) < 128)) + 1  # the bytes of the word before
        self._words.append(raw[first:])
        self._numbers.append(numbers)
        self._last = words[-1:].copy()

    def words(self, length: int | None = None) -> np.ndarray:
        """[byte] the words, packed as in a certificate."""
        return np.frombuffer(b"".join(self._words[:length]), np.uint8)

    def numbers(self, length: int | None = None) -> Floats:
        return np.concatenate([np.zeros(0), *self._numbers[:length]])


def half_of_memory() -> int:
    """Bytes that open regions may take where nothing is said."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


@dataclass(frozen=True, slots=True, eq=False)
class OpenListSnapshot:
    """What was left of rule "tree" when its scroll had that epoch and length; `following` is its next number."""

    streams: Streams
    following: int
    epoch: int
    length: int


class Attempt:
    """A proof in the background; the first one is about the incumbent, later ones about levels above it.

    Attributes
    ----------
    bound
        No tree returns more.
    winner
        The branching rule that finished the proof; `none` if it is unfinished.
    ending
        Why it ended: `stuck` means that a subproblem cannot be branched.
    is_level
        Whether what was proved is a level, and not the return of a tree.
    """

    def __init__(self, proof: Proving, groups: Groups, level: float | None = None) -> None:
        self.proof, self.groups, self.level = proof, groups, level
        if level is not None:
            self.offer(level)
        self.bound, self.winner, self.certified, self.is_level = np.inf, ProofWinner.none, np.inf, False
        self.ending = ProofEnding.stopped
        self.writers: dict[str, CertificateWriter] = {}
        self.scrolls: dict[str, LogBuffer] = {}
        self.left: OpenListSnapshot | None = None
        self.shown = np.inf  # what the scroll of rule "state" proves
        self.running = self.by_tree = False
        self.source: str | None = None  # the file that it goes on from
        self.kind = "certificate"

    def offer(self, value: float) -> None:
        """Only trees that return more than this are looked for from now on."""
        none = np.zeros(0, np.int32)
        self.proof.offer(value, split=none, left=none, right=none, action=none)

    def write_to(self, certificate: str | Path) -> None:
        """Write the proof down; other attempts may be doing the same."""
        for rule in RULES:
            self.writers[rule] = CertificateWriter(certificate)

    def keep(self) -> None:
        """Keep all that is written, for a checkpoint."""
        self.scrolls = {rule: LogBuffer() for rule in RULES}

    def resume(self, old: Certificate, path: str) -> None:
        """Begin with the open regions of a stopped proof, where it has some that can be taken up."""
        if old.header["rule"] == "state":
            self.source = path
            self._resume(old.words, old.numbers, float(old.header["bound"]))

    def _resume(self, words: SmallInts, numbers: Floats, bound: float) -> None:
        with self._from_file():
            self.proof.resume(words, numbers, bound)

    @contextmanager
    def _from_file(self) -> Iterator[None]:
        """What the core says of streams that are none of this model is about the file that they come from."""
        try:
            yield
        except (ValueError, IndexError) as error:
            if self.source is None:
                raise
            where = shown(self.source, LONGEST_LINE)
            raise ReadError(f"{where}: not a {self.kind} that can be resumed ({error})") from error

    def wait(self, seconds: float) -> bool:
        """True once it has ended; waits at most so many seconds."""
        with self._from_file():
            return self.proof.wait(seconds)

    def stop(self) -> None:
        """End it now."""
        with self._from_file():
            self.proof.stop()

    def take_up(self, saved: SavedProof, path: str) -> None:
        """Begin with what a checkpoint has of both rules; the core looks at its pieces when they are needed."""
        words, numbers = saved.by_state.streams
        if len(words) or len(saved.left[0]):
            self.source, self.kind = path, "checkpoint"
        if len(words):
            self._resume(words, numbers, saved.shown)
        if len(saved.left[0]):
            words, numbers = saved.by_tree.streams
            left_words, left_numbers = saved.left
            states, actions = self.groups.choice_of.shape
            with self._from_file():  # as far as that can be said at once
                OpenSubproblems.read(left_words, left_numbers, states, len(self.groups.state), actions)
            self.proof.reopen(
                words=words,
                numbers=numbers,
                next=saved.following,
                left_words=left_words,
                left_numbers=left_numbers,
            )

    def start(self, seconds: float, threads: int, use: ProofOptions, memory: int) -> None:
        self.running, self.by_tree = True, "tree" in use.rules
        self.proof.start(
            seconds=seconds,
            threads=threads,
            state_rule="state" in use.rules,
            tree_rule="tree" in use.rules,
            regret=use.regret,
            floors=use.floors,
            filter=use.filter,
            solo=use.solo,
            journal=bool(self.writers or self.scrolls),
            keep_left=bool(self.scrolls),
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
        return self.winner is not ProofWinner.none and not self.is_level

    def drain(self) -> None:
        """Write down what the proof has found since the last time."""
        for rule in RULES:
            self._add(rule, self.proof.drain(rule == "tree"))

    def _add(self, rule: str, text: Text) -> None:
        if rule in self.writers:
            self.writers[rule].add(*text)
        if rule in self.scrolls:
            self.scrolls[rule].add(text)

    def look(self) -> None:
        """Keep the proof as it stands at this moment, if that is known; else what is left is as it was."""
        self.drain()
        self.bound, self.shown = self.proof.bound(), self.proof.certified_by_states()
        found = self.proof.snapshot() if self.by_tree else None
        if found is not None:
            by_state, by_tree, left, following = found
            self._add("state", by_state)
            self._add("tree", by_tree)
            self.left = OpenListSnapshot(left, following, self.scrolls["tree"].epoch, self.scrolls["tree"].length)
        elif self.left is not None and self.left.epoch != self.scrolls["tree"].epoch:
            self.left = None

    def close(self) -> None:
        """Keep what the stopped proof has reached and let its memory go."""
        if self.scrolls:
            self.look()
        else:
            self.drain()
        self.bound, self.certified = self.proof.bound(), self.proof.certified()
        self.winner, self.ending = self.proof.winner(), self.proof.ending()
        self.is_level = self.level is not None and self.proof.value() <= self.level
        self.running = False
        del self.proof

    @property
    def rule(self) -> str:
        """Whose text is the certificate."""
        return "tree" if self.winner is ProofWinner.tree else "state"

    def packed(self, rule: str) -> Packed:
        """What a rule has written; rule "tree" as long as it was when it was left."""
        if rule not in self.scrolls:
            return NOTHING
        length = self.left.length if rule == "tree" and self.left is not None else None
        return Packed(self.scrolls[rule].words(length), self.scrolls[rule].numbers(length))

    def save(self, header: dict[str, Any]) -> None:
        """Make what was written a certificate."""
        for name, writer in self.writers.items():
            if name == self.rule:
                writer.finish(header | {"rule": "level" if self.is_level else self.rule})
            else:
                writer.drop()

    def drop(self) -> None:
        """Forget what was written."""
        for writer in self.writers.values():
            writer.drop()
