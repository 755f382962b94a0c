"""What a shell offers while a command is typed: names of models, methods and engines."""

from collections.abc import Iterable
from pathlib import Path


def model_names(incomplete: str) -> list[str]:
    """Shipped models, and the files and folders that spotree may find one in."""
    from spotree.models import names
    from spotree.readers.registry import READERS

    return [*_beginning(incomplete, names()), *_paths(incomplete, tuple(READERS))]


def method_names(incomplete: str) -> list[str]:
    from spotree.methods.registry import METHODS

    return _beginning(incomplete, METHODS)


def engine_names(incomplete: str) -> list[str]:
    from spotree.improvement.engines.registry import ENGINES

    return _beginning(incomplete, ENGINES)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _paths(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    folder, _, start = incomplete.rpartition("/")
    prefix = incomplete[: len(incomplete) - len(start)]
    try:
        found = sorted(Path(folder or prefix or ".").iterdir())
    except OSError:
        return []
    return [
        f"{prefix}{path.name}{'/' * path.is_dir()}"
        for path in found
        if path.name.startswith(start) and (path.name.endswith(endings) or (path.is_dir() and path.name[0] != "."))
    ]
