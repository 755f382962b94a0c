"""Where the runs of a benchmark are kept: a JSON file with the date and the commit."""

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from spotree.common.atomic_file import whole_file

ROOT = Path(__file__).resolve().parent.parent


def commit() -> str:
    """The commit that runs, marked where files differ from it."""
    describe = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(describe, cwd=ROOT, capture_output=True, text=True).stdout.strip() or "unknown"


def fresh(name: str) -> Path:
    """A file of that name and this second, in the folder of builds."""
    return ROOT / "build" / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}.json"


def keep(path: Path, **document: Any) -> None:
    """Write the document, beginning with the date and the commit; a file that is there is replaced in one step."""
    dated = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "commit": commit()} | document
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.write((json.dumps(dated, indent=1) + "\n").encode())


class Runs:
    """The runs of a benchmark under the same settings, kept in a file after each: what it holds is not run again."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path, self.settings, self.runs = path, settings, []
        if path.exists():
            known = json.loads(path.read_text())
            if known["settings"] != settings:
                raise SystemExit(f"{path} holds runs with {known['settings']}; choose another --out")
            self.runs = known["runs"]

    def get(self, run: Callable[..., dict[str, Any]], *key: Any) -> dict[str, Any]:
        """What that function of the key and the settings found, called now if it is not known yet."""
        for known in self.runs:
            if known["key"] == [run.__name__, *key]:
                return known
        found = run(*key, **self.settings)
        self.runs.append({"key": [run.__name__, *key], **found, "commit": commit()})
        keep(self.path, settings=self.settings, runs=self.runs)
        return self.runs[-1]
