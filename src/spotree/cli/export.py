"""`spotree export RUN --to FORMAT`: the tree of a saved run, elsewhere."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.model import with_model
from spotree.cli.output import show_table
from spotree.cli.streams import complain
from spotree.files import UnwrittenError
from spotree.shown import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.exports.table import Format
    from spotree.mdp.model import MDP


def _with_model_if_given(command: Callable[..., None]) -> Callable[..., None]:
    """RUN first, then MODEL and the options for reading it, all of which may be left out."""
    reader = with_model(command)
    given = inspect.signature(reader).parameters
    reading = [name for name in given if name not in inspect.signature(command).parameters]

    def parse(**values: Any) -> None:
        from spotree.cli.words import flags

        if values["model"] is not None:
            reader(**values)
            return
        for name in reading:
            if name != "model" and values[name] not in (given[name].default, []):
                raise typer.BadParameter(
                    "says how a model is read; give the MODEL too, or drop it", param_hint=flags()[name]
                )
        command(None, **{name: value for name, value in values.items() if name not in reading})

    text = "For formats that need it: the model, as for the run."
    model = given["model"].replace(default=None, annotation=Annotated[str | None, typer.Argument(help=text)])
    merged = [given["run"], model, *(given[name] for name in given if name not in ("run", "model"))]
    parse.__name__, parse.__doc__ = command.__name__, command.__doc__
    parse.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
    parse.__annotations__ = {parameter.name: parameter.annotation for parameter in merged}
    return parse


@_with_model_if_given
def export(
    mdp: "MDP | None",
    run: Annotated[
        Path | None, typer.Argument(help="A file of `spotree solve --out`, or of `spotree export --to json`.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="The format; the ending of --out says it too.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write (standard output if not given).")
    ] = None,
    list_formats: Annotated[bool, typer.Option("--list", help="List the formats.")] = False,
) -> None:
    """Write the tree of a saved run as code, as a drawing, or for another program.

    Example: spotree export run.json --to c -o policy.c
    """
    from spotree.exports.export import export
    from spotree.exports.json import read_tree
    from spotree.exports.table import FORMATS, format_of

    if list_formats:
        _show(FORMATS)
        return
    if run is None:
        raise typer.BadParameter("a file with a tree is needed, as from `spotree solve --out`", param_hint="RUN")
    if to is None:
        to = None if out is None else format_of(str(out))
        if to is None:
            ending = "" if out is None else f"{out} has an ending that stands for no format; "
            raise typer.BadParameter(f"{ending}choose one of {', '.join(FORMATS)}", param_hint="--to")
    if to not in FORMATS:
        raise typer.BadParameter(f"{to!r} is not one of {', '.join(FORMATS)}", param_hint="--to")
    form = FORMATS[to]
    if form.gives == "object":
        raise typer.BadParameter(
            f"{to} is an object of Python, not a file; call policy.to({to!r})", param_hint="--to"
        )
    if form.gives == "bytes" and out is None:
        raise typer.BadParameter(f"{to} is no text; name a file with -o", param_hint="--out")
    if form.needs_model and mdp is None:
        raise typer.BadParameter(f"{to} needs the model as well, with the options of the run", param_hint="MODEL")
    try:
        made = export(read_tree(run), to, out, mdp)
    except UnwrittenError as error:
        complain(error)
        raise typer.Exit(3) from error
    if out is None:
        print(made, end="")
    else:
        print(f"saved to {shown(str(out), LONGEST_LINE)}")


def _show(formats: "dict[str, Format]") -> None:
    show_table(
        ["format", "file", "what it is"],
        [
            [name, " ".join(one.suffixes) or "-", one.what + ("; needs the model" if one.needs_model else "")]
            for name, one in formats.items()
        ],
    )
