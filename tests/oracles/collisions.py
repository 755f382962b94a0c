"""Tables made against names that are known beforehand: two splits whose left sides share the xor of their names."""

import numpy as np

ROWS = 140  # more than the 128 bits of a name, so that some names cancel out


def fixed_numpy_names(rows: int) -> list[int]:
    """128 bits for each row from NumPy's generator with seed 0."""
    words = np.random.default_rng(0).integers(0, 2**63, size=(rows, 2), dtype=np.uint64)
    return [int(a) << 64 | int(b) for a, b in words]


def fixed_mixed_names(rows: int) -> list[int]:
    """128 bits for each row from a 64-bit finaliser without a secret."""

    def mix(x: int) -> int:
        x = (x + 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return x ^ (x >> 31)

    return [mix(2 * row + 1) << 64 | mix(~(2 * row) % 2**64) for row in range(rows)]


def fixed_twister_names(rows: int) -> list[int]:
    """128 bits for each row from the 64-bit Mersenne twister with a fixed seed."""
    state = [20240229]
    for k in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + k) % 2**64)
    numbers: list[int] = []
    for k in range(2 * rows):
        x = (state[k] & ~0x7FFFFFFF) | (state[k + 1] & 0x7FFFFFFF)
        state.append(state[k + 156] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0))
        x = state[k + 312]
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        numbers.append(x ^ (x >> 43))
    return [a << 64 | b for a, b in zip(numbers[::2], numbers[1::2], strict=True)]


def that_cancel(names: list[int]) -> np.ndarray:
    """[row] a set of rows, not empty, whose names have the xor 0: elimination over the field of two elements."""
    pivots: dict[int, tuple[int, int]] = {}  # highest bit -> (name, set of rows as bits)
    for row, name in enumerate(names):
        rows = 1 << row
        while name and name.bit_length() in pivots:
            other, its_rows = pivots[name.bit_length()]
            name, rows = name ^ other, rows ^ its_rows
        if not name:
            return np.array([bool(rows >> k & 1) for k in range(len(names))])
        pivots[name.bit_length()] = name, rows
    raise ValueError("the names are independent")


def crafted_table(names: list[int]) -> np.ndarray:
    """[row, feature] the row's number and two binary features that differ, with left sides of equal name."""
    rows = np.arange(len(names))
    one = rows % 2 == 0
    return np.stack([rows, ~one, ~(one ^ that_cancel(names))], axis=1).astype(float)
