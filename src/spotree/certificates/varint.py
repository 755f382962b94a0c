"""Whole numbers in few bytes: the differences of neighbours, small ones in one byte.

A difference d (modulo 2^32) is written as 2 d, or -2 d - 1 where it is negative, in groups of seven bits, the lowest
first; every byte but the last of a number has its highest bit set. Lists that rise slowly take a byte for each entry.
"""

import numpy as np

from spotree.common.arrays import SmallInts

LONGEST = 5  # bytes of a number
BLOCK = 2**20  # bytes that are taken apart at a time


def packed(numbers: SmallInts) -> bytes:
    """The bytes of int32 numbers."""
    step: np.ndarray = np.diff(numbers.astype(np.int32), prepend=np.int32(0))
    left: np.ndarray = ((step << 1) ^ (step >> 31)).view(np.uint32)
    length = np.ones(len(left), np.intp)
    for bits in range(7, 7 * LONGEST, 7):
        length += left >= np.uint32(1 << bits)
    end = np.cumsum(length)
    out = np.zeros(int(end[-1]) if len(end) else 0, np.uint8)
    place = end - length
    while len(place):
        out[place] = (left & 127) | ((left > 127).astype(np.uint8) << 7)
        more = left > 127
        place, left = place[more] + 1, left[more] >> 7
    return out.tobytes()


def unpacked(raw: bytes) -> SmallInts:
    """The numbers again; ValueError where the bytes are not of this form. In blocks: a bomb takes little memory."""
    octets = np.frombuffer(raw, np.uint8)
    found, begin, last = [np.zeros(0, np.int32)], 0, np.int32(0)
    while begin < len(octets):
        block = octets[begin : begin + BLOCK]
        end = np.flatnonzero(block < 128)
        if len(end) == 0:
            raise ValueError("the words end within a number")
        length = np.diff(end, prepend=-1)
        if length.max() > LONGEST or (block[end[length == LONGEST]] > 15).any():
            raise ValueError("a word is beyond 32 bits")
        value = (block[end - length + 1] & 127).astype(np.uint32)
        for place in range(1, int(length.max())):
            (longer,) = np.nonzero(length > place)
            value[longer] |= (block[end[longer] - length[longer] + 1 + place] & 127).astype(np.uint32) << (
                7 * place
            )
        step = (value >> 1).view(np.int32) ^ -(value & 1).view(np.int32)
        step[:1] += last
        found.append(np.cumsum(step, dtype=np.int32))
        last, begin = found[-1][-1], begin + int(end[-1]) + 1
    return np.concatenate(found)
