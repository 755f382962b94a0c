"""Something to draw on: the Axes that were given, or new ones; the only file that sees Matplotlib."""

import io
from pathlib import Path
from typing import Any

from spotree.common.atomic_file import whole_file
from spotree.common.sanitize import shown
from spotree.errors import MissingExtraError, SpotreeError
from spotree.mdp.model import Sense

COLOURS = {"best policy": "#2b7530", "bound": "#57606a", "this tree": "#1f5fa8", "random": "#a84b12"}


def paper(ax: Any = None, size: tuple[float, float] = (6.4, 4.0)) -> Any:
    """The Axes to draw into; new ones are in a figure of this many inches."""
    return _pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def check_picture(path: str | Path) -> str:
    """The format that the ending of the name says; refuses one that nobody can draw."""
    known = _pyplot().Figure().canvas.get_supported_filetypes()
    ending = Path(path).suffix[1:].lower()
    if ending not in known:
        raise SpotreeError(
            f"{shown(str(path))} is no picture: its name must end in one of {', '.join(sorted(known))}"
        )
    return ending


def save_picture(ax: Any, path: str | Path) -> None:
    """Write the figure and forget it; the ending of the name says which format."""
    content = io.BytesIO()
    ax.figure.savefig(content, format=check_picture(path), dpi=150)
    _pyplot().close(ax.figure)
    with whole_file(path) as stream:
        stream.write(content.getvalue())


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot", "spotree.plot") from error
    return pyplot


def value_name(sense: Sense) -> str:
    """The name of an axis of values, which says which way is better."""
    return "expected cost (less is better)" if sense == "min" else "expected return (more is better)"


def plain(text: str, longest: int) -> str:
    """A name as Matplotlib shall draw it: shortened in the middle, and without its mathematics."""
    return shown(text, longest).replace("$", r"\$")
