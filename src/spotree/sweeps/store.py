"""The folder of a sweep: which cells are done, its table, and the solution of every cell."""

import errno
import os
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spotree.checkpoint import Checkpoint, CheckpointWriter, Layout, load_checkpoint
from spotree.common.atomic_file import UnwrittenError, whole_file
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.common.untrusted import list_of, named, record, text
from spotree.errors import InvalidProblemError, ReadError, SpotreeError
from spotree.results.solution import Solution
from spotree.sweeps.cell import Cell, cell_entry, claimed_cell
from spotree.sweeps.plan import Key, Plan, claimed_plan, plan_entry
from spotree.sweeps.table import as_csv, as_markdown

VERSION = 1
STATE, CSV, PAGE, RUNS = "sweep.ckpt", "table.csv", "table.md", "runs"
_LAYOUT = Layout(
    "sweep",
    VERSION,
    settings=plan_entry,
    state=record({"cells": list_of(cell_entry), "models": named(text(64))}),
)


class Folder:
    """Written after every cell, the checkpoint last but one: a cell is done once that says so.

    Where something cannot be written the sweep goes on; `failures` says at the end what is not there. A cell whose
    solution could not be written is in the table, and run again by a sweep that is resumed.
    """

    def __init__(self, path: str | os.PathLike[str], tell: Callable[[str], Any] | None = None) -> None:
        self.path, self.tell = Path(path), tell or warnings.warn
        self.told = False
        self.keeper = CheckpointWriter(self.path / STATE, every=0.0, tell=self._say_once)
        self.unwritten: dict[Path, UnwrittenError] = {}

    def begin(self) -> None:
        """Make it, or take an empty one; a sweep that is there already is not written over."""
        try:
            self.path.mkdir(exist_ok=True)
            there = sorted(set(os.listdir(self.path)) - {STATE + ".lock"})  # a sweep that ended before it began
        except FileExistsError:
            raise UnwrittenError(
                self.path, OSError(errno.ENOTDIR, "it is a file; a sweep needs a folder")
            ) from None
        except OSError as error:
            raise UnwrittenError(self.path, error) from error
        where = shown(str(self.path), LONGEST_LINE)
        if STATE in there:
            raise SpotreeError(
                f"{where}: holds a sweep already; resume it to go on with it, or give another folder"
            )
        if there:
            raise SpotreeError(f"{where}: is not empty ({shown(there[0])} is in it); give a folder of its own")
        self.keeper.open()

    def resume(self) -> tuple[Plan, list[Cell], dict[str, str]]:
        """The plan, the cells that are done, and the fingerprints of the models that were seen."""
        if not (self.path / STATE).exists():
            raise ReadError(f"{shown(str(self.path), LONGEST_LINE)}: holds no sweep ({STATE} is not there)")
        self.keeper.open(self.path / STATE)
        try:
            return self._load()
        except BaseException:
            self.keeper.close()
            raise

    def _load(self) -> tuple[Plan, list[Cell], dict[str, str]]:
        path = self.path / STATE
        found = load_checkpoint(path, _LAYOUT)
        cells = [claimed_cell(entry) for entry in found.state["cells"]]
        try:
            plan = claimed_plan(found.settings)
        except InvalidProblemError as error:
            raise ReadError(f"{path}: not a checkpoint, or a damaged one ({error})") from error
        open_keys = set(plan.keys)
        for cell in cells:
            if cell.key not in open_keys:
                raise ReadError(
                    f"{path}: a damaged checkpoint ({shown(str(cell.key))} is there twice, or not in the plan)"
                )
            open_keys.remove(cell.key)
        return plan, self._with_solutions(plan, cells), dict(found.state["models"])

    def _with_solutions(self, plan: Plan, cells: list[Cell]) -> list[Cell]:
        """The cells whose solution can be read, or which have none; says which others will be run again."""
        kept: list[Cell] = []
        for cell in cells:
            wrong = None if cell.failed else self._wrong_run(self.run_file(plan, cell.key), cell)
            if wrong is None:
                kept.append(cell)
            else:
                self.tell(f"{wrong}; the cell is run again")
        return kept

    @staticmethod
    def _wrong_run(path: Path, cell: Cell) -> str | None:
        """What is wrong with the solution of a cell in its file, None if nothing is."""
        try:
            found = Solution.load(path)
        except SpotreeError as error:
            return str(error)
        if found.value != cell.value:
            return (
                f"{shown(str(path), LONGEST_LINE)}: the value is {found.value!r}, that of the cell {cell.value!r}"
            )
        return None

    def keep(
        self, plan: Plan, cells: Sequence[Cell], models: dict[str, str], key: Key | None, solution: Solution | None
    ) -> None:
        """Write what there is, after this cell."""
        if key is not None and solution is not None:
            self._write(self.run_file(plan, key), lambda path: self._save(solution, path))
        done = [cell for cell in cells if self.run_file(plan, cell.key) not in self.unwritten]
        state = {"cells": [asdict(cell) for cell in done], "models": models}
        depths = [depth for depth in plan.depths if depth is not None]
        self.keeper.write(
            lambda: Checkpoint(
                "sweep",
                VERSION,
                plan.digest,
                f"{len(plan.models)} models",
                max(depths, default=0),
                plan.max_leaves,
                plan.plain,
                state,
            )
        )
        missing = len(plan.keys) - len(cells)
        self._write(self.path / CSV, lambda path: _write_text(path, as_csv(cells)))
        self._write(self.path / PAGE, lambda path: _write_text(path, as_markdown(cells, missing)))

    def run_file(self, plan: Plan, key: Key) -> Path:
        """Where the solution of a cell is."""
        number = plan.models.index(key.model)
        name = re.sub(r"[^A-Za-z0-9.]+", "_", key.model)[-60:].strip("._")
        depth = "" if key.depth is None else f"-d{key.depth}"
        return self.path / RUNS / f"{number + 1:03d}-{name}{depth}-s{key.seed}.json"

    @property
    def failures(self) -> list[UnwrittenError]:
        """What is not as it should be."""
        state = [] if self.keeper.failure is None else [self.keeper.failure]
        return [*state, *self.unwritten.values()]

    def _save(self, solution: Solution, path: Path) -> None:
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise UnwrittenError(path, error) from error
        solution.save(path)

    def _write(self, path: Path, write: Callable[[Path], None]) -> None:
        try:
            write(path)
            self.unwritten.pop(path, None)
        except UnwrittenError as error:
            self._say_once(f"{error}; the sweep goes on")
            self.unwritten[path] = error

    def _say_once(self, sentence: str) -> None:
        if not self.told:
            self.told = True
            self.tell(sentence)

    def close(self) -> None:
        self.keeper.close()


def _write_text(path: Path, text: str) -> None:
    with whole_file(path) as stream:
        stream.write(text.encode())
