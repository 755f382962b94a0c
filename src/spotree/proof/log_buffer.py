"""All that a rule has written so far, in few bytes: for a checkpoint."""

import numpy as np

from spotree.certificates.varint import packed
from spotree.common.arrays import Floats
from spotree.proof.protocols import Text


class Scroll:
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
