"""Codec of the open subproblems of a proof by tree branching.

The layout of both streams is in core/proof/log/subproblem_codec.hpp; the core checks what it is given, word by word.
"""

from dataclasses import dataclass, replace

import numpy as np

from spotree.common.arrays import Floats, SmallInts

HEAD = 3  # numbers before the arrays: bound of the root, what stays open, share that is done
FIXED = (
    5  # words of a piece before its items: length, number, whether it splits, sibling, whether children are listed
)
NUMBER, LISTED = 1, 4  # places among these


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A region that was parted, and those of its children that are not done."""

    words: SmallInts
    numbers: Floats

    @property
    def children(self) -> tuple[int, int]:
        """Where the number of children stands, and that number."""
        at = FIXED + 1 + 3 * int(self.words[FIXED])
        at += 1 + 4 * int(self.words[at])
        return at, int(self.words[at])

    @property
    def share(self) -> float:
        """Of the whole search, roughly."""
        return float(self.numbers[0]) * (self.children[1] if self.words[LISTED] else 1)

    def moved(self, first: int, by: int) -> "Piece":
        """The same, where regions from the first number on are called otherwise."""
        if self.words[NUMBER] < first or by == 0:
            return self
        words = self.words.copy()
        words[NUMBER] += by
        return Piece(words, self.numbers)

    def halves(self) -> tuple["Piece", "Piece"] | None:
        """Every other child each, if there are several and they are known."""
        at, count = self.children
        if not self.words[LISTED] or count < 2:
            return None
        pairs = self.words[at + 1 : at + 1 + 2 * count].reshape(count, 2)
        before, after = self.words[:at], self.words[at + 1 + 2 * count :]
        return self._with(before, pairs[::2], after), self._with(before, pairs[1::2], after)

    def _with(self, before: SmallInts, pairs: SmallInts, after: SmallInts) -> "Piece":
        words = np.concatenate([before, np.array([len(pairs)], np.int32), pairs.ravel(), after])
        words[0] = len(words)
        return Piece(words, self.numbers)


@dataclass(frozen=True, slots=True, eq=False)
class OpenSubproblems:
    """A stopped search: its root and what holds in all regions, and the pieces that are open.

    Attributes
    ----------
    hopeless
        [leaf, (cube, action)] leaves that no improving tree has.
    draft
        The root's rounds as a certificate tells them: how many, words, numbers.
    allowed, root
        Of the root: actions, and numbers (value, floors, weight of groups).
    bound, open, share
        Of the root; of regions that can neither be closed nor parted; of the search that is done.
    """

    hopeless: SmallInts
    draft: tuple[int, SmallInts, Floats]
    allowed: SmallInts
    root: Floats
    bound: float
    open: float
    share: float
    pieces: tuple[Piece, ...]

    @staticmethod
    def read(words: SmallInts, numbers: Floats, states: int, groups: int, actions: int) -> "OpenSubproblems":
        """Take the streams apart; ValueError or IndexError where they end early."""
        count = int(words[0])
        hopeless, at = words[1 : 1 + 2 * count].reshape(count, 2), 1 + 2 * count
        rounds, draft_words, draft_numbers = words[at : at + 3].tolist()
        at += 3
        draft, at = words[at : at + draft_words], at + draft_words
        wide = 2 * ((actions + 63) // 64) * groups
        allowed, at = words[at : at + wide], at + wide
        flat = HEAD + 2 * states + groups
        pieces, number = [], flat + draft_numbers
        left, at = int(words[at]), at + 1
        for _ in range(left):
            length = int(words[at])
            if length < 1 or at + length > len(words) or number + 1 + states > len(numbers):
                raise ValueError("the pieces end early")
            pieces.append(Piece(words[at : at + length], numbers[number : number + 1 + states]))
            at, number = at + length, number + 1 + states
        if at != len(words) or number != len(numbers):
            raise ValueError("there is more than the pieces take")
        bound, stays, share = numbers[:HEAD].tolist()
        kept = (rounds, draft, numbers[flat : flat + draft_numbers])
        return OpenSubproblems(hopeless, kept, allowed, numbers[HEAD:flat], bound, stays, share, tuple(pieces))

    @property
    def streams(self) -> tuple[SmallInts, Floats]:
        """Words and numbers, as the core takes them."""
        rounds, words, numbers = self.draft
        head = np.array([len(self.hopeless)], np.int32)
        sizes = np.array([rounds, len(words), len(numbers)], np.int32)
        count = np.array([len(self.pieces)], np.int32)
        return (
            np.concatenate(
                [head, self.hopeless.ravel(), sizes, words, self.allowed, count, *(p.words for p in self.pieces)]
            ).astype(np.int32),
            np.concatenate(
                [[self.bound, self.open, self.share], self.root, numbers, *(p.numbers for p in self.pieces)]
            ),
        )

    def for_worker(self) -> "OpenSubproblems":
        """Without what only a certificate needs, and without pieces."""
        return replace(self, draft=(0, self.draft[1][:0], self.draft[2][:0]), pieces=())


def places_of_numbers(words: SmallInts) -> SmallInts:
    """Where the numbers of regions stand in the words of rule "tree": their own, their wholes', those referred to."""
    places: list[int] = []
    plain, at = words.tolist(), 0
    while at < len(plain):
        places += (at + 1, at + 2)
        if plain[at + 5] == 0 and plain[at + 6] == 6:
            places.append(at + 7)
        at += plain[at]
    return np.array(places, np.int32)


def next_number(words: SmallInts) -> int:
    """The number after the highest one in the words of a rule; ValueError where they are none."""
    highest, at = -1, 0
    plain = words.tolist()
    while at < len(plain):
        if plain[at] < 7 or at + plain[at] > len(plain):
            raise ValueError("a region is malformed")
        highest, at = max(highest, plain[at + 1]), at + plain[at]
    return highest + 1
