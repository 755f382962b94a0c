"""Signatures of the compiled core."""

from collections.abc import Iterator
from typing import Any

from spotree import _core

MOST_POSITIONAL = 4


def functions() -> Iterator[tuple[str, Any]]:
    for name, member in vars(_core).items():
        if not isinstance(member, type):
            yield name, member
            continue
        yield from ((f"{name}.{method}", function) for method, function in vars(member).items())


def test_no_function_of_the_core_takes_many_arguments_by_position() -> None:
    checked = 0
    for name, function in functions():
        for text, *_ in getattr(function, "__nb_signature__", ()):
            positional = text.split("*")[0].count(": ")
            assert positional <= MOST_POSITIONAL, f"{name} takes {positional} positional arguments"
            checked += 1
    assert checked > 50
