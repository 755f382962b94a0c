"""What holds for every test."""

import signal
import threading
from pathlib import Path

import pytest

if threading.current_thread() is threading.main_thread():
    # A shell that starts the tests in the background has them ignore Ctrl-C; tests of Ctrl-C need it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that use a cluster or a browser are marked by the folder and the fixture that say so."""
    for item in items:
        if "cluster" in item.path.relative_to(Path(__file__).parent).parts:
            item.add_marker(pytest.mark.cluster)
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
