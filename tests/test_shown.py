"""What is shown of a name: it cannot forge a line, steer a terminal or turn the direction of a text."""

import pytest

from spotree.common.sanitize import LONGEST_NAME, shown


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("speed", "speed"),
        ("Geschwindigkeit größer", "Geschwindigkeit größer"),
        ("a\nreturn  1.0", r"a\nreturn  1.0"),
        ("a\rb\tc\0", r"a\rb\tc\x00"),
        ("\x1b[2Jaccepted", r"\x1b[2Jaccepted"),
        ("\x9b31m", r"\x9b31m"),
        ("a\u2028b\u2029c\x85", r"a\u2028b\u2029c\x85"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("\udc80", r"\udc80"),
    ],
)
def test_what_does_not_print_as_itself_is_escaped(name: str, seen: str) -> None:
    assert shown(name) == seen
    assert shown(seen) == seen


def test_a_long_name_keeps_both_ends_on_one_line() -> None:
    for text in ("first" + "x" * 10**6 + "last", "first" + "\n" * 10**6 + "last"):
        seen = shown(text)
        assert len(seen) == LONGEST_NAME
        assert seen.startswith("first")
        assert seen.endswith("last")
        assert "…" in seen
        assert shown(seen) == seen
