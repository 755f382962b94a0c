"""Reading in a process of its own, whose memory is bounded and measured."""

import subprocess
import sys
from pathlib import Path

READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from spotree.certify.certificate import Certificate
from spotree.errors import SpotreeError
from spotree.read.read import read
from spotree.solve.solution import Solution
by_suffix = {".cert": Certificate.load, ".json": Solution.load}
for path in sys.argv[1:]:
    try:
        by_suffix.get(path[path.rindex("."):], read)(path)
        print("read")
    except SpotreeError as error:
        print(str(error).replace(chr(10), "<newline>"))
with open("/proc/self/status") as status:
    print(next(line for line in status if line.startswith("VmHWM")).split()[1])
"""


def read_bounded(paths: list[Path], seconds: float = 20) -> tuple[list[str], float]:
    """What is said about each file ("read" if it is a model), and the megabytes that were needed at most."""
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, paths)], capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *said, peak = done.stdout.splitlines()
    return said, int(peak) / 1024
