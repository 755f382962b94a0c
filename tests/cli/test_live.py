"""The line that shows how a search is doing stays one line."""

import pytest

from spotree.cli.progress_line import LiveLine
from spotree.results.progress import Progress


def test_the_line_is_no_wider_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    live = LiveLine()
    live.active = True
    live.show(Progress(1.0, 2, 3.0, 4.0))
    assert len(capsys.readouterr().err.strip("\r")) < 20
