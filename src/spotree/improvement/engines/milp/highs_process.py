"""Run HiGHS in a process of its own, which is killed when its time is up; what it told until then is kept.

HiGHS checks its clock rarely (a limit of 5 s may become 13 s) and cannot be stopped from outside. A killed process
stops at once, and loses nothing, because every better solution and bound was sent here when it was found. The
process is given a recipe (a picklable function that makes the program), so that building counts and can be stopped
too, and it is kept for the next call, because starting one takes about as long as solving a small program."""

import atexit
import contextlib
import dataclasses
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from spotree.common.arrays import Floats
from spotree.errors import SpotreeError
from spotree.improvement.engines.milp.linear_program import LinearProgram


class End(Enum):
    """Why a solver stopped."""

    PROVED = "it proved the best solution"
    INFEASIBLE = "it proved that there is none"
    TIME = "its time was up"
    ENOUGH = "the caller had enough"
    LOST = "its process ended"
    INTERRUPTED = "Ctrl-C"


@dataclass(frozen=True, slots=True, eq=False)
class News:
    """One message of a running solver: a better solution, a better bound, or both."""

    bound: float
    solution: Floats | None = None
    nodes: int = 0


Listener: TypeAlias = Callable[[News], bool]  # answers True when the solver may stop


@dataclass(frozen=True, slots=True)
class Orders:
    """How a solver is to work.

    Attributes
    ----------
    seconds
        Wall-clock seconds, None for no limit.
    threads
        None for the solver's choice.
    memory
        Bytes that the solver may take beyond what its process has at the start, None for no limit.
    tolerance
        How far a whole number may be off, and a row broken.
    """

    seconds: float | None = None
    threads: int | None = None
    memory: int | None = None
    tolerance: float = 1e-9


MEMORY_EVERY = 0.02  # seconds between looks at the memory of HiGHS
GRACE = 0.05  # seconds past the limit that HiGHS gets to stop by itself
_BOOT = "from spotree.improvement.engines.milp.highs_process import serve; serve()"
_idle: "list[_Child]" = []


def run(recipe: Callable[[], LinearProgram], orders: Orders, listen: Listener) -> End:
    """Solve the program that `recipe` makes; `listen` hears the news and may say that it is enough."""
    if orders.seconds is not None and orders.seconds <= 0:
        return End.TIME
    began = time.perf_counter()
    child = _take()
    try:
        threading.Thread(target=child.send, args=((recipe, orders),), daemon=True).start()  # may wait for its start
        end = _converse(child, orders, listen, began)
    except KeyboardInterrupt:
        end = End.INTERRUPTED
    except BaseException:
        child.kill()
        raise
    if end is End.LOST and child.process.wait() > 0:  # it gave up by itself; a signal has a negative code
        raise SpotreeError(
            f"the process that runs HiGHS ended with code {child.process.returncode}; it said why above"
        )
    if end in (End.PROVED, End.INFEASIBLE) and orders.memory is None:
        _idle.append(child)
    else:
        child.kill()
    return end


def _converse(child: "_Child", orders: Orders, listen: Listener, began: float) -> End:
    while True:
        left = None if orders.seconds is None else began + orders.seconds + GRACE - time.perf_counter()
        try:
            message = child.inbox.get(timeout=None if left is None else max(left, 0.0))
        except queue.Empty:
            return End.TIME
        if isinstance(message, End):
            return message
        if isinstance(message, Exception):
            raise message
        if listen(message):
            return End.ENOUGH


class _Child:
    """The process, and a thread that collects what it sends."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.inbox: queue.SimpleQueue[News | End | Exception] = queue.SimpleQueue()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _BOOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us alone
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        threading.Thread(target=self._collect, daemon=True).start()

    def send(self, work: Any) -> None:
        assert self.process.stdin is not None
        try:
            packed = pickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            self.inbox.put(error)
            return
        with contextlib.suppress(BrokenPipeError):  # the inbox says LOST
            self.process.stdin.write(packed)
            self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()  # waited for by the thread: a large process takes a while to go

    def _collect(self) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                self.inbox.put(pickle.load(self.process.stdout))
        except (EOFError, pickle.UnpicklingError, OSError):
            self.process.wait()
            self.inbox.put(End.LOST)


def _take() -> _Child:
    """A process that waits for work: an idle one of ours that is alive, or a new one."""
    while _idle:
        child = _idle.pop()
        if child.owner == os.getpid() and child.process.poll() is None:
            return child
    return _Child()


@atexit.register
def _dismiss() -> None:
    for child in _idle:
        if child.owner == os.getpid():
            child.kill()


def serve() -> None:
    """What the process does: read work from its input, send news to its output, end with its parent."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not disturb the messages
    work: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read_work, args=(work,), daemon=True).start()

    def send(message: News | End | Exception) -> bool:
        pickle.dump(message, out, protocol=pickle.HIGHEST_PROTOCOL)
        out.flush()
        return False

    while True:
        recipe, orders = work.get()
        began = time.perf_counter()
        try:
            from spotree.improvement.engines.milp.highs import highs

            if orders.memory is not None:
                _watch_memory(orders.memory)
            program = recipe()
            if orders.seconds is not None:
                left = orders.seconds - (time.perf_counter() - began)
                orders = dataclasses.replace(orders, seconds=max(left, 0.0))
            send(highs(program, orders, send))
        except Exception as error:
            send(error)


def _read_work(work: "queue.SimpleQueue[Any]") -> None:
    with contextlib.suppress(EOFError):
        while True:
            work.put(pickle.load(sys.stdin.buffer))
    os._exit(0)  # the parent is gone


def _watch_memory(extra: int) -> None:
    """End this process once it holds so many bytes more; a limit set by the system makes HiGHS hang instead."""
    began = _resident_bytes()

    def watch() -> None:
        while _resident_bytes() <= began + extra:
            time.sleep(MEMORY_EVERY)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _resident_bytes() -> int:
    """Memory this process holds, or 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as table:
            return int(table.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
