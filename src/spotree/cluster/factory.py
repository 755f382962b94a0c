"""The one door to workers: by a short text, an address, a dask client, or an executor of one's own."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

from spotree.cluster.executor import Executor, ThreadExecutor
from spotree.cluster.job_scheduler import JobScheduler
from spotree.common.sanitize import shown
from spotree.errors import ClusterError, InvalidProblemError, MissingExtraError

CONNECT_SECONDS = 5.0
MOST_WORKERS = 1000  # on one machine
LONGEST_HOST = 253  # characters of a name
WAYS = "'local:2', 'threads:2', 'tcp://HOST:PORT' or 'tls://HOST:PORT' of a dask scheduler, or a dask Client"

Cluster: TypeAlias = str | Any  # a name, a dask client, an `Executor` or a `JobScheduler`


def open_executor(cluster: Any) -> Executor:
    """The workers that are meant; `close` ends what was started for them, and only that."""
    if isinstance(cluster, str):
        return _by_name(cluster)
    if all(hasattr(cluster, verb) for verb in ("workers", "share", "submit", "wait", "close")):
        return cast("Executor", cluster)
    if hasattr(cluster, "scheduler_info") and hasattr(cluster, "submit"):
        from spotree.cluster.dask import DaskExecutor

        return DaskExecutor(cluster, str(cluster.scheduler_info()["address"]), lambda: None)
    raise InvalidProblemError(f"cluster is of type {type(cluster).__name__}; give {WAYS}")


@contextlib.contextmanager
def opened(cluster: Any) -> Iterator[Executor]:
    """The same, let go of at the end of the block unless it was an executor already."""
    executor = open_executor(cluster)
    try:
        yield executor
    finally:
        if executor is not cluster:
            executor.close()


@contextlib.contextmanager
def crewed(cluster: Any) -> Iterator[JobScheduler]:
    """A scheduler of these workers, or the scheduler that was given."""
    if isinstance(cluster, JobScheduler):
        yield cluster
        return
    with opened(cluster) as executor:
        yield JobScheduler(executor)


def check_cluster(cluster: Any) -> None:
    """Refuse what cannot be meant, before any work is done."""
    if cluster is None:
        return
    if isinstance(cluster, str):
        if re.fullmatch(r"(local|threads):[0-9]{1,4}", cluster):
            _count(cluster)
        elif not _is_address(cluster):
            raise InvalidProblemError(f"cluster is {cluster!r:.80}; give {WAYS}")


def _is_address(text: str) -> bool:
    """Whether it is a scheme that spotree speaks, a host (a name, IPv4, or IPv6 in brackets) and a port."""
    found = re.fullmatch(r"(?:tcp|tls)://([A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})", text)
    return found is not None and len(found[1]) <= LONGEST_HOST and 1 <= int(found[2]) <= 65535


def _by_name(name: str) -> Executor:
    check_cluster(name)
    if name.startswith("threads:"):
        return ThreadExecutor(_count(name))
    try:
        from spotree.cluster.dask import DaskExecutor, connect
        from spotree.cluster.local import LocalWorkers
    except ImportError as error:
        raise MissingExtraError("distributed", "cluster", f"a cluster ({name})") from error
    if name.startswith("local:"):
        local = LocalWorkers(_count(name))
        return DaskExecutor(local.client, name, local.close)
    try:
        client = connect(name, CONNECT_SECONDS)
    except Exception as error:  # whatever dask makes of what a stranger's port says
        why = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise ClusterError(
            f"no dask scheduler answers at {name} within {CONNECT_SECONDS:g} s ({shown(why)});"
            " `dask scheduler` starts one, `dask worker ADDRESS --nthreads 1` a worker of it"
        ) from error
    return DaskExecutor(client, name, client.close)


def _count(name: str) -> int:
    count = int(name.rpartition(":")[2])
    if not 1 <= count <= MOST_WORKERS:
        raise InvalidProblemError(f"cluster is {name!r}; the number of workers must be 1 to {MOST_WORKERS}")
    return count
