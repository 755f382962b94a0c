"""Words in few bytes come back as they were; other bytes are refused."""

import numpy as np
import pytest

from spotree.certificates.varint import packed, unpacked


@pytest.mark.parametrize("most", [1, 60, 200, 2**13, 2**20, 2**28, 2**31 - 1])
def test_words_come_back(most):
    rng = np.random.default_rng(most)
    for length in (0, 1, 2, 1000):
        words = rng.integers(-most - 1, most, size=length, endpoint=True).astype(np.int32)
        np.testing.assert_array_equal(unpacked(packed(words)), words)


def test_a_list_that_rises_slowly_takes_a_byte_for_each_entry():
    assert len(packed(np.arange(0, 60_000, 60, dtype=np.int32))) == 1000


@pytest.mark.parametrize("raw", [b"\x80", b"\x01\xff", b"\xff\xff\xff\xff\x10", b"\x80\x80\x80\x80\x80\x00"])
def test_what_is_no_number_is_refused(raw):
    with pytest.raises(ValueError, match="word"):
        unpacked(raw)
