"""Names and lines from outside as they may be shown: no control characters, no formulas, no longer than a line."""

LONGEST_NAME = 80
LONGEST_LINE = 2000


def shown(text: str, longest: int = LONGEST_NAME) -> str:
    r"""The text with everything that does not print as itself escaped (`\n`, `\x1b`, `\u202e`), the middle left out.

    Newlines cannot forge a line then, nor escape sequences or changes of direction what a terminal shows.
    What was shown once stays as it is when it is shown again.
    """
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}…{text[half + 1 - longest :]}"
    if text.isprintable():
        return text
    plain = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
    return shown(plain, longest)


def spreadsheet_cell(text: str) -> str:
    """The text as a cell of a CSV file: shown, and behind a quote where a spreadsheet would take it for a formula."""
    plain = shown(text, LONGEST_LINE)
    return f"'{plain}" if plain[:1] in ("=", "+", "-", "@") else plain
