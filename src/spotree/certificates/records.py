"""The regions of a certificate as records, in the order and layout of docs/proof.md."""

from dataclasses import dataclass, field

import numpy as np

from spotree.certificates.certificate import Certificate
from spotree.common.arrays import Floats

MOST = 1e100
MOST_SWEEPS = 1000  # of one round: the search makes a tenth of it


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One round of bounds on a region; floors are (state, scale, W [state]), removed are group * actions + action.

    A brief one has neither value nor visits: the value comes from the one before by sweeps and some states' new
    values, the visits are found by the checker.
    """

    regret: bool
    value: Floats | None  # [state]
    floors: list[tuple[int, float, Floats]]
    visits: Floats | None  # [state]
    removed: np.ndarray
    sweeps: int = 0
    states: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    values: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of these states


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One region: whose part it is, which part, its rounds, and how it is parted itself."""

    number: int
    parent: int  # -1: the root, -2: a leaf that no improving tree has
    first: int
    second: int
    rounds: list[Round]
    branching: list[int]


class _Stream:
    """Takes words or numbers one after the other; an early end is an error."""

    def __init__(self, data: np.ndarray) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> np.ndarray:
        if count < 0 or self.at + count > len(self.data):
            raise ValueError("a stream ends early")
        self.at += count
        return self.data[self.at - count : self.at]


def read_records(certificate: Certificate, num_states: int) -> dict[int, Record]:
    """All regions by number; ValueError if the streams are not of the format."""
    words, numbers = _Stream(certificate.words), _Stream(certificate.numbers)
    if not (np.abs(numbers.data) <= MOST).all():
        raise ValueError("a number is not finite, or beyond 1e100")
    records: dict[int, Record] = {}
    while words.at < len(words.data):
        end = words.at + int(words.data[words.at])
        number, parent, first, second, count = words.take(6)[1:].tolist()
        numbers.take(1)  # the bound that the search had, for resuming
        rounds = []
        for _ in range(count):
            kind, floors, removed = words.take(3).tolist()
            regret, brief = kind in (1, 3), kind in (2, 3)
            states, pairs = words.take(floors).tolist(), words.take(removed)
            if (brief and floors) or kind not in range(4):
                raise ValueError(f"region {number} has a round of kind {kind} with {floors} floors")
            sweeps, listed = words.take(2).tolist() if brief else (0, 0)
            changed = words.take(listed)
            if not 0 <= sweeps <= MOST_SWEEPS or not ((changed >= 0) & (changed < num_states)).all():
                raise ValueError(f"region {number} has a round with {sweeps} sweeps, or states that do not exist")
            value = None if brief else numbers.take(num_states)
            proofs = [(state, float(numbers.take(2)[0]), numbers.take(num_states)) for state in states]
            visits = numbers.take(num_states) if regret and not brief else None
            rounds.append(Round(regret, value, proofs, visits, pairs, sweeps, changed, numbers.take(listed)))
        branching = words.take(end - words.at).tolist()
        if not branching or number in records:
            raise ValueError(f"region {number} has no branching or stands there twice")
        records[number] = Record(number, parent, first, second, rounds, branching)
    if numbers.at < len(numbers.data):
        raise ValueError("there are more numbers than regions need")
    return records
