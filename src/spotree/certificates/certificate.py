"""The file of a proof: written while the proof runs, read back as plain arrays.

A certificate is a zip archive: `header.json`, and chunks of two streams: `words-NNNN` (int32, in few bytes as packed.py
says) and `numbers-NNNN` (float64, stored byte plane by byte plane, which compresses better). Layout: docs/proof.md.
"""

import json
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spotree.certificates.header import check_header
from spotree.certificates.varint import packed, unpacked
from spotree.common.arrays import Floats, SmallInts
from spotree.common.atomic_file import Draft, UnwrittenError
from spotree.common.untrusted import DAMAGED, Zip, in_short, json_bytes
from spotree.errors import ReadError
from spotree.mdp.model import MDP
from spotree.mdp.transforms import reordered

FORMAT = "spotree-certificate"
VERSION = 3
LONGEST_HEADER = 2**26  # bytes


def as_certified(mdp: MDP, certificate: "Certificate") -> MDP:
    """The model with its features and actions in the order of the certificate, where that says their names."""
    names = [certificate.header.get(kind) for kind in ("feature_names", "action_names")]
    features, actions = (tuple(map(str, given)) if isinstance(given, list) else None for given in names)
    if features is None or actions is None:
        return mdp
    return reordered(mdp, features, actions, "the certificate")


class CertificateWriter:
    """Takes the streams of one rule as they come; `finish` makes them a certificate, `drop` forgets them.

    A proof goes on when its file cannot be written: `finish` says so, when there is an answer to give.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.draft: Draft | None = None
        self.archive: zipfile.ZipFile | None = None
        self.epoch = -1
        self.chunks = 0
        self.failure: OSError | None = None

    def add(self, epoch: int, words: SmallInts, numbers: Floats) -> None:
        """Append to both streams; a new epoch starts them afresh."""
        if self.failure is None:
            try:
                self._add(epoch, words, numbers)
            except OSError as error:
                self.drop()
                self.failure = error

    def _add(self, epoch: int, words: SmallInts, numbers: Floats) -> None:
        if self.archive is None or epoch != self.epoch:
            self.drop()
            self.draft = Draft(self.path)
            self.archive = zipfile.ZipFile(self.draft.stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
            self.epoch, self.chunks = epoch, 0
        if len(words) == 0:
            return
        self.archive.writestr(f"words-{self.chunks:04d}", packed(words))
        self.archive.writestr(f"numbers-{self.chunks:04d}", shuffled(numbers))
        self.chunks += 1

    def finish(self, header: dict[str, Any]) -> None:
        """Add the header and move the file to its place in one step."""
        if self.archive is None:
            self.add(0, np.zeros(0, np.int32), np.zeros(0))
        try:
            if self.failure is not None:
                raise self.failure
            assert self.archive is not None
            assert self.draft is not None
            full = {"format": FORMAT, "version": VERSION, "chunks": self.chunks} | header
            self.archive.writestr("header.json", json.dumps(full))
            self.archive.close()
            self.draft.keep()
        except OSError as error:
            raise UnwrittenError(self.path, error) from error
        finally:
            self.drop()

    def drop(self) -> None:
        if self.archive is not None:
            with suppress(OSError, ValueError):  # it ends with a table that may find no room, or a closed draft
                self.archive.close()
        if self.draft is not None:
            self.draft.drop()
        self.archive = self.draft = None


def shuffled(numbers: Floats) -> bytes:
    """The bytes of float64 numbers, all first bytes first, then all second ones, and so on."""
    return np.ascontiguousarray(numbers.astype("<f8").view(np.uint8).reshape(-1, 8).T).tobytes()


def unshuffled(raw: bytes) -> Floats:
    numbers: Floats = np.ascontiguousarray(np.frombuffer(raw, np.uint8).reshape(8, -1).T).view("<f8").ravel()
    return numbers


def joined(kind: type, parts: Iterable[np.ndarray]) -> np.ndarray:
    """All parts one after the other in an array that grows: a large one is not in memory twice."""
    whole: np.ndarray = np.zeros(0, kind)
    for part in parts:
        before = len(whole)
        whole.resize(before + len(part), refcheck=False)
        whole[before:] = part
    return whole


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """A certificate as it stands in its file."""

    header: dict[str, Any]
    words: SmallInts
    numbers: Floats

    @staticmethod
    def load(path: str | Path) -> "Certificate":
        """Read a certificate; says what is wrong with a file that is none."""
        try:
            with Zip(path) as archive:
                header = json_bytes(archive.read("header.json", LONGEST_HEADER))
                if not isinstance(header, dict) or header.get("format") != FORMAT:
                    raise ReadError(f"{path}: not a certificate (no format {FORMAT!r} in it)")
                if header.get("version") != VERSION:
                    raise ReadError(
                        f"{path}: a certificate of version {in_short(header.get('version'))}; this spotree reads"
                        f" {VERSION}: certify again, or check it with the spotree that wrote it"
                    )
                check_header(header)
                chunks = range(header["chunks"])
                words = joined(np.int32, (unpacked(archive.read(f"words-{k:04d}")) for k in chunks))
                numbers = joined(np.float64, (unshuffled(archive.read(f"numbers-{k:04d}")) for k in chunks))
        except KeyError as error:
            raise ReadError(f"{path}: not a certificate, or a damaged one (no member {error})") from error
        except MemoryError as error:
            raise ReadError(f"{path}: the certificate does not fit into this machine's memory") from error
        except DAMAGED as error:
            raise ReadError(f"{path}: not a certificate, or a damaged one ({error})") from error
        return Certificate(header, words, numbers)

    def save(self, path: str | Path) -> None:
        """Write it back, as one chunk."""
        writer = CertificateWriter(path)
        writer.add(0, self.words, self.numbers)
        writer.finish({k: v for k, v in self.header.items() if k not in ("format", "version", "chunks")})
