"""Who can reach a cluster, and what an address may be: nothing off loopback, nothing that hangs, one line."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import psutil
import pytest

from cluster.numbers import where
from spotree.cluster.dask import DaskExecutor
from spotree.cluster.factory import check_cluster, open_executor
from spotree.errors import ClusterError, InvalidProblemError

Serve = Callable[[socket.socket], object]


def listening(process: int) -> list[str]:
    """The addresses at which a process takes connections."""
    found = psutil.Process(process).net_connections(kind="inet")
    return [each.laddr.ip for each in found if each.status == psutil.CONN_LISTEN or each.type == socket.SOCK_DGRAM]


def test_driver_and_workers_of_a_local_cluster_listen_on_loopback_only(local: DaskExecutor) -> None:
    tasks = [local.submit(worker, where) for worker in local.workers]
    while not all(task.done() for task in tasks):
        local.wait(tasks, 5.0)
    processes = {where(), *(task.result() for task in tasks)}
    sockets = {process: listening(process) for process in processes}
    assert len(sockets) == 3
    assert all(sockets.values()), "each has a port at least: else this looks at nothing"
    assert [at for each in sockets.values() for at in each if not ip_address(at).is_loopback] == []


@contextmanager
def port(serve: Serve) -> Iterator[int]:
    """A port whose connections are handed to a function."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            held = []
            while True:
                try:
                    held.append(server.accept()[0])
                    serve(held[-1])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def silent(connection: socket.socket) -> None:
    """Accepts and says nothing."""


def http(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    connection.close()


def zeros(connection: socket.socket) -> None:
    connection.sendall(bytes(4096))


def ones(connection: socket.socket) -> None:
    connection.sendall(b"\xff" * 4096)


@pytest.mark.parametrize("scheme", ["tcp", "tls"])
@pytest.mark.parametrize("serve", [silent, http, zeros, ones])
def test_a_port_that_is_no_scheduler_is_one_line_within_the_deadline(
    serve: Serve, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spotree.cluster.factory.CONNECT_SECONDS", 0.3)
    with port(serve) as number:
        began = time.monotonic()
        with pytest.raises(
            ClusterError, match=rf"no dask scheduler answers at {scheme}://127.0.0.1:{number}"
        ) as told:
            open_executor(f"{scheme}://127.0.0.1:{number}")
        assert time.monotonic() - began < 2.0
        assert "\n" not in str(told.value)


def test_the_address_of_a_worker_is_refused_as_what_it_is(local: DaskExecutor) -> None:
    with pytest.raises(ClusterError, match="a dask Worker, not a scheduler"):
        open_executor(local.workers[0])


@pytest.mark.parametrize(
    "address",
    [
        "ucx://host:8786",
        "inproc://host:8786",
        "http://host:8786",
        "ws://host:8786",
        "tcp://host",
        "tcp://host:",
        "tcp://host:0",
        "tcp://host:65536",
        "tcp://host:port",
        "tcp://:8786",
        "tcp://host:8786/path",
        "tcp://user@host:8786",
        "tcp://ho st:8786",
        "tcp://host:8786\n",
        "tcp://host:८७८६",
        "TCP://host:8786",
        "tcp://" + "a" * 1000 + ":8786",
    ],
)
def test_only_tcp_and_tls_with_a_host_and_a_port_are_addresses(address: str) -> None:
    with pytest.raises(InvalidProblemError, match="cluster is") as told:
        check_cluster(address)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 300


@pytest.mark.parametrize(
    "address", ["tcp://host:8786", "tls://host.example:1", "tcp://127.0.0.1:65535", "tcp://[::1]:8786"]
)
def test_addresses_of_schedulers_pass(address: str) -> None:
    check_cluster(address)
