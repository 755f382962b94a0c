"""The table of readers, and its page in the docs."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from spotree.mdp import build_mdp
from spotree.readers.npz import SCHEMA, write_npz
from spotree.readers.options import ReadOptions
from spotree.readers.read import read
from spotree.readers.registry import READERS

DOCS = Path(__file__).parents[2] / "docs" / "adding-a-reader.md"


@pytest.mark.parametrize("suffix", READERS)
def test_every_suffix_has_its_reader(suffix: str) -> None:
    module, function = READERS[suffix]
    assert callable(getattr(import_module(f"spotree.readers.{module}"), function))


def test_a_suffix_in_capitals_and_a_text_for_a_path_are_understood(tmp_path: Path) -> None:
    write_npz(build_mdp([np.eye(3)], 0.0, 0.9), tmp_path / "MODEL.NPZ")
    assert read(str(tmp_path / "MODEL.NPZ")).num_states == 3


def test_the_docs_name_every_array_of_the_schema() -> None:
    page = DOCS.read_text()
    assert [name for name in SCHEMA if f"`{name}`" not in page] == []


def test_options_that_were_not_given_take_the_default_of_the_source() -> None:
    plain, given = ReadOptions(), ReadOptions(discount=0.5, missing="stay", missing_reward=-3.0)
    assert (plain.discount_or(0.7), plain.missing_or("end"), plain.missing_reward_or(-2.0)) == (0.7, "end", -2.0)
    assert (given.discount_or(0.7), given.missing_or("end"), given.missing_reward_or(-2.0)) == (0.5, "stay", -3.0)
