"""Sound files made unsound: bits, cuts, splices, numbers, and the fields of JSON, zip, npy and tar."""

import gzip
import io
import json
import lzma
import re
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any

NUMBERS = [
    "NaN",
    "1e308",
    "-1",
    "9223372036854775808",
    "0",
    "-0.0",
    "1e-320",
    "Infinity",
    "4294967296",
    "",
    "1" * 5000,
]
VALUES: list[Any] = [
    None,
    -1,
    2**63,
    10**18,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    True,
    [],
    [[1]],
    {},
]
WORDS = [
    bytes(8),
    b"\xff" * 8,
    struct.pack("<Q", 2**63),
    struct.pack("<d", float("nan")),
    struct.pack("<d", -1e308),
]
WORDS += [struct.pack("<Q", 2**31), struct.pack("<d", 1e308), struct.pack("<Q", 1)]
Members = list[tuple[str, bytes]]


def mutated(random: Random, seeds: list[bytes]) -> bytes:
    """One of the files with one to four things wrong, inside its members or in the bytes around them."""
    content = random.choice(seeds)
    for _ in range(random.choice([1, 1, 2, 4])):
        unpack = next((unpack for magic, unpack in _CONTAINERS if content[magic[0] :].startswith(magic[1])), None)
        if unpack is not None and random.random() < 0.75:
            try:
                content = unpack(random, content)
                continue
            except Exception:
                pass
        content = _plain(random, content, seeds)
    return content


def _plain(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    if content[:1] in (b"{", b"[") and random.random() < 0.7:
        try:
            return _json(random, content)
        except ValueError:
            pass
    return random.choice([_flip, _cut, _splice, _number, _word, _lines, _drop])(random, content, seeds)


def _flip(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice([1, 1, 3, 10])):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _drop(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    begin = random.randrange(len(content) + 1)
    return content[:begin] + content[begin + random.choice([1, 4, 8, 64, 512]) :]


def _splice(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    other = random.choice([content, *seeds])
    begin, at = random.randrange(len(other) + 1), random.randrange(len(content) + 1)
    return (
        content[:at]
        + other[begin : begin + random.choice([1, 8, 100, 1000])] * random.choice([1, 1, 50])
        + content[at:]
    )


def _number(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    found = list(re.finditer(rb"-?\d+(\.\d+)?", content))
    if not found:
        return _flip(random, content, seeds)
    where = random.choice(found)
    return content[: where.start()] + random.choice(NUMBERS).encode() + content[where.end() :]


def _word(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    at = 8 * random.randrange(len(content) // 8 + 1)
    return content[:at] + random.choice(WORDS) + content[at + 8 :]


def _lines(random: Random, content: bytes, seeds: list[bytes]) -> bytes:
    lines = content.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    if random.random() < 0.5:
        lines.insert(one, lines[other])
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _json(random: Random, content: bytes) -> bytes:
    document = json.loads(content)
    places: list[tuple[Any, Any]] = []
    open_ = [document]
    while open_:
        holder = open_.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                open_.append(holder[key])
    holder, key = random.choice(places)
    kind = random.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        other, place = random.choice(places)
        holder[key] = json.loads(json.dumps(other[place]))
    elif kind == 2 and isinstance(holder[key], int | float):
        holder[key] = holder[key] + random.choice([1, -1, 0.5, 10**9])
    else:
        holder[key] = random.choice(VALUES)
    text = json.dumps(document)
    return (text.replace("{", '{"depth": 1, ', 1) if random.random() < 0.03 else text).encode()


def _some_member(random: Random, members: Members) -> Members:
    """The members with one dropped, doubled, renamed or changed inside."""
    members, at = list(members), random.randrange(len(members))
    name, content = members[at]
    kind = random.randrange(12)
    if kind == 0:
        members.pop(at)
    elif kind == 1:
        members.append((name, random.choice(members)[1]))
    elif kind == 2:
        members[at] = (random.choice(["../" + name, "/" + name, name + "x", random.choice(members)[0]]), content)
    elif kind == 3 and name.endswith(".npy"):
        shape = random.choice(
            [b"(300000000,)", b"(0,)", b"(-1,)", b"()", b"(2, 2)", b"(9223372036854775808,)", b"(1,0,9)"]
        )
        members[at] = (name, re.sub(rb"\([^)]*\)", shape, content, count=1))
    elif kind == 4 and name.endswith(".npy"):
        descr = random.choice(
            [b"'|O'", b"'<U0'", b"'<f2'", b"'<c16'", b"'<M8[s]'", b"'|V8'", b"'<u8'", b"[('a','<f8')]"]
        )
        members[at] = (name, re.sub(rb"'descr': '[^']*'", b"'descr': " + descr, content, count=1))
    else:
        members[at] = (name, _plain(random, content, [content for _, content in members]))
    return members


def _zip(random: Random, content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", random.choice([0, 8, 8, 8] * 5 + [12])) as archive:
        warnings.simplefilter("ignore")
        for name, member in _some_member(random, members):
            archive.writestr(name, member)
    return stream.getvalue()


def _tar(random: Random, content: bytes) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        members = [(entry.name, tar.extractfile(entry).read()) for entry in tar]  # type: ignore[union-attr]
    stream = io.BytesIO()
    kind, strange = random.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]), random.random()
    with tarfile.open(fileobj=stream, mode="w", format=kind) as tar:
        for name, member in _some_member(random, members):
            entry = tarfile.TarInfo(name)
            entry.size = len(member)
            if strange < 0.05:
                entry.type = random.choice([b"1", b"2", b"3", b"5", b"6", b"S", b"g", b"x", b"L", b"K", b"7"])
            elif strange < 0.1 and kind == tarfile.PAX_FORMAT:
                entry.pax_headers = {
                    "GNU.sparse.size": "3000000000",
                    "GNU.sparse.map": "0,1",
                    "size": "99999999999",
                }
            tar.addfile(entry, io.BytesIO(member))
    return stream.getvalue()


def _packed(pack: Callable[[bytes], bytes], unpack: Callable[[bytes], bytes]) -> Callable[[Random, bytes], bytes]:
    return lambda random, content: pack(_tar(random, unpack(content)))


_CONTAINERS: list[tuple[tuple[int, bytes], Callable[[Random, bytes], bytes]]] = [
    ((0, b"PK"), _zip),
    ((257, b"ustar"), _tar),
    ((0, b"\x1f\x8b"), _packed(gzip.compress, gzip.decompress)),
    ((0, b"\xfd7zXZ"), _packed(lambda content: lzma.compress(content, preset=0), lzma.decompress)),
]
