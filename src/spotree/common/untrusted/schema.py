"""Schemas of JSON entries: small composable checks; an error names the entry and its value.

A check takes the entry's name and its value and returns nothing. Entries that no record names are ignored: a later
version may have added them.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Check: TypeAlias = Callable[[str, Any], None]
LARGEST = 2**63 - 1  # whole numbers end up in 64 bits


class ClaimError(ValueError):
    """An entry is not what it must be; whoever knows the file adds its name."""


def refuse(name: str, value: Any, must: str) -> None:
    raise ClaimError(f"{name} is {in_short(value)}; it must be {must}")


def in_short(value: Any) -> str:
    """The value as it stands in the file, short: of lists and objects the kind and the size."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return "a whole number beyond 64 bits"
    told = repr(value)
    return told if len(told) <= 60 else told[:57] + "..."


def whole(least: int = -LARGEST, most: int = LARGEST) -> Check:
    def check(name: str, value: Any) -> None:
        if type(value) is not int or not least <= value <= most:
            bounds = (
                f" from {least} to {most}" if most < LARGEST else f", {least} or more" if least > -LARGEST else ""
            )
            refuse(name, value, f"a whole number{bounds}")

    return check


def number(least: float = -float("inf"), most: float = float("inf"), infinite: bool = False) -> Check:
    """A number, finite unless it may be infinite; never NaN."""

    def check(name: str, value: Any) -> None:
        fine = type(value) in (int, float) and least <= value <= most  # NaN is in no range
        if not fine or not (abs(value) <= sys.float_info.max or (infinite and type(value) is float)):
            ends = "" if (least, most) == (-float("inf"), float("inf")) else f" from {least:g} to {most:g}"
            refuse(name, value, f"a {'' if infinite else 'finite '}number{ends}")

    return check


def text(longest: int = 1_000_000) -> Check:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, str) or len(value) > longest:
            refuse(name, value, f"a text of up to {longest} characters")
        elif not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            refuse(name, value, "a text that UTF-8 can spell")

    return check


def truth(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        refuse(name, value, "true or false")


def anything(name: str, value: Any) -> None:
    """What is not looked at yet."""


def one_of(*known: Any) -> Check:
    def check(name: str, value: Any) -> None:
        if not any(type(value) is type(each) and value == each for each in known):
            refuse(name, value, f"one of {', '.join(map(repr, known))}" if len(known) > 1 else repr(known[0]))

    return check


def optional(inner: Check) -> Check:
    """null, or what the inner check allows."""
    return lambda name, value: None if value is None else inner(name, value)


def list_of(inner: Check, least: int = 0, most: int = LARGEST) -> Check:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, list) or not least <= len(value) <= most:
            entries = (
                f" of {least} or more" if most == LARGEST and least else f" of {least} to {most}" * bool(least)
            )
            refuse(name, value, f"a list{entries}")
        for index, entry in enumerate(value):
            inner(f"{name}[{index}]", entry)

    return check


def named(inner: Check) -> Check:
    """An object whose keys are free and whose values all pass the inner check."""

    def check(name: str, value: Any) -> None:
        if not isinstance(value, dict):
            refuse(name, value, "an object")
        for key, entry in value.items():
            text()(f"a key of {name}", key)
            inner(f"{name}/{key}", entry)

    return check


def record(needed: Mapping[str, Check], more: Mapping[str, Check] | None = None) -> Check:
    """An object that has all the needed entries and may have more; an empty name is the whole document."""

    def check(name: str, value: Any) -> None:
        if not isinstance(value, dict):
            refuse(name or "the document", value, "an object")
        for key in needed:
            if key not in value:
                raise ClaimError(f"{key!r} is missing" + (f" in {name}" if name else ""))
        for key, inner in (*needed.items(), *(more or {}).items()):
            if key in value:
                inner(f"{name}/{key}" if name else key, value[key])

    return check
