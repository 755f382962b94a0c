"""The models of a sweep: each opened when its first cell comes, and let go of after its last."""

import time
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import ReadError, SpotreeError
from spotree.mdp.fingerprint import fingerprint
from spotree.mdp.model import MDP
from spotree.models import load, names
from spotree.readers.read import UNDERSTOOD, is_unknown, read
from spotree.sweeps.cell import Outcome
from spotree.sweeps.plan import Key

CHANGEABLE = ("discount", "missing", "missing_reward")  # of a shipped model


class Models:
    """One model at a time, by what it is called.

    `seen` are the fingerprints of models that were opened before: a sweep goes on with the same models only.
    """

    def __init__(self, handed: Mapping[str, MDP], reading: Mapping[str, Any], seen: dict[str, str]) -> None:
        self.handed, self.reading, self.seen = handed, reading, seen
        self._last: tuple[str, MDP | Outcome] | None = None

    def of(self, key: Key) -> MDP | Outcome:
        """The model of a cell; a cell whose model cannot be read has failed."""
        if self._last is None or self._last[0] != key.model:
            began = time.perf_counter()
            try:
                found: MDP | Outcome = self.open(key.model)
            except (SpotreeError, OSError, MemoryError) as error:
                if key.model in self.seen:  # it could be read before: the sweep can go on once it can be again
                    raise
                said = f"{type(error).__name__}: {shown(str(error), LONGEST_LINE)}"
                found = Outcome(None, said, time.perf_counter() - began)
            self._last = (key.model, found)
        return self._last[1]

    def open(self, name: str) -> MDP:
        """Read it, and see that it is the same as before."""
        if self._last is not None and self._last[0] == name and isinstance(self._last[1], MDP):
            return self._last[1]
        mdp = self.handed.get(name) or open_model(name, self.reading)
        digest = fingerprint(mdp)
        if self.seen.setdefault(name, digest) != digest:
            raise ReadError(
                f"{shown(name, LONGEST_LINE)}: another model than when the sweep began; put the old one back, or start"
                " a new sweep"
            )
        self._last = (name, mdp)
        return mdp


def check_names(models: Iterable[str], handed: Collection[str], reading: Mapping[str, Any]) -> None:
    """Refuse, before any work, what can be no model, and options that a shipped one does not take."""
    for name in models:
        if name in handed:
            continue
        if name in names():
            if fixed := [option for option in reading if option not in CHANGEABLE]:
                raise ReadError(
                    f"{name} is a shipped model, which takes {', '.join(CHANGEABLE)} alone; drop {fixed[0]}"
                )
        elif is_unknown(name):
            near = get_close_matches(name, names(), n=1)
            guess = f"did you mean {near[0]}? " if near else ""
            raise ReadError(f"{shown(name, LONGEST_LINE)}: no shipped model has this name; {guess}{UNDERSTOOD}")


def open_model(name: str, reading: Mapping[str, Any]) -> MDP:
    """The shipped model of that name, or the model in that file."""
    return load(name, **reading) if name in names() else read(name, **reading)
