"""The table of shipped models."""

import subprocess
import sys

import pytest

from spotree import models
from spotree.errors import ReadError


def test_names_are_sorted_and_each_has_a_one_line_description() -> None:
    names = models.names()
    assert list(names) == sorted(names)
    for name in names:
        assert models.describe(name).strip()
        assert "\n" not in models.describe(name)


def test_a_loaded_model_carries_its_name() -> None:
    assert models.load("xor").name == "xor"


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(ReadError, match="'tiger_vs_antilope'; did you mean 'tiger_vs_antelope'"):
        models.load("tiger_vs_antilope")


def test_a_name_like_no_other_is_answered_with_the_list() -> None:
    with pytest.raises(ReadError, match="the names are blackjack, "):
        models.describe("zzz")


def test_a_model_is_imported_only_when_it_is_loaded() -> None:
    loaded = "[name for name in sys.modules if name.startswith('spotree.models.')]"
    probe = f"import sys; from spotree import models; models.names(); assert not {loaded}"
    subprocess.run([sys.executable, "-c", probe], check=True)
