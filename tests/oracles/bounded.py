"""Reading in a process of its own, whose memory is bounded and measured; and zip members that unpack to a lot."""

import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from spotree.certificates.certificate import Certificate
from spotree.errors import SpotreeError
from spotree.readers.read import read
from spotree.results.solution import Solution
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


def add_bomb(archive: zipfile.ZipFile, name: str, start: bytes, times: int) -> None:
    """A member that unpacks to `start` and `times` times 10 MB of zeros; packed once, written often."""
    zeros, packer = bytes(10_000_000), zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    archive.writestr(zipfile.ZipInfo(name), first + times * block + packer.flush())
    member = archive.getinfo(name)  # stored as it is; the archive's list of members says what it is
    member.compress_type, member.file_size = zipfile.ZIP_DEFLATED, len(start) + times * len(zeros)
    member.CRC = zlib.crc32(start)
    for _ in range(times):
        member.CRC = zlib.crc32(zeros, member.CRC)
