"""One local cluster for all tests that do not break it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cluster.machines import Machines
from spotree.cluster.executor import Executor
from spotree.cluster.factory import open_executor


@pytest.fixture(scope="session")
def local() -> Iterator[Executor]:
    executor = open_executor("local:2")
    yield executor
    executor.close()


@pytest.fixture(params=["threads", "local"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "local":
        yield request.getfixturevalue("local")
    else:
        threads = open_executor("threads:2")
        yield threads
        threads.close()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Callable[[int], Machines]]:
    started: list[Machines] = []

    def start(workers: int) -> Machines:
        started.append(Machines(tmp_path, workers))
        return started[-1]

    yield start
    for each in started:
        each.close()
