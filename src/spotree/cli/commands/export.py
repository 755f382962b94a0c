"""`spotree export RUN --to FORMAT`: the tree of a saved run, elsewhere."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.output import show_table
from spotree.cli.run_argument import SavedRun, with_run
from spotree.cli.stdio import complain
from spotree.common.atomic_file import UnwrittenError
from spotree.common.sanitize import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.exports.registry import Format


def _show_formats(asked: bool) -> None:
    if asked:
        from spotree.exports.registry import FORMATS

        show_table(
            ["format", "file", "what it is"],
            [
                [name, " ".join(one.suffixes) or "-", one.what + ("; needs the model" if one.needs_model else "")]
                for name, one in FORMATS.items()
            ],
        )
        raise typer.Exit


@with_run
def export(
    run: SavedRun,
    to: Annotated[str | None, typer.Option("--to", help="The format; the ending of --out says it too.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write (standard output if not given).")
    ] = None,
    discount_in_model: Annotated[
        bool,
        typer.Option(
            "--discount-in-model",
            help="For prism: every step may end the episode, so that totals are discounted ones.",
        ),
    ] = False,
    list_formats: Annotated[
        bool, typer.Option("--list", help="List the formats and exit.", callback=_show_formats, is_eager=True)
    ] = False,
) -> None:
    """Write the tree of a saved run, or of a tree as JSON, as code, as a drawing, or for another program.

    The formats `prism` and `storm` need the model too; it is opened as the run says, unless you give it. From a PRISM
    file the format `prism` is that program with the tree conjoined to its guards.

    Example: spotree export run.json --to c -o policy.c
    """
    from spotree.exports.export import export, remark_on

    name, form = _format(to, out)
    if form.gives == "object":
        raise typer.BadParameter(
            f"{name} is an object of Python, not a file; call policy.to({name!r})", param_hint="--to"
        )
    if form.gives == "bytes" and out is None:
        raise typer.BadParameter(f"{name} is no text; name a file with -o", param_hint="--out")
    if not form.needs_model and (run.model is not None or run.options):
        raise typer.BadParameter(f"{name} says nothing of the model; drop it and its options", param_hint="MODEL")
    verb = f"export --to {name}"
    run.check_apart(out, verb, form.needs_model)
    mdp = run.mdp(verb) if form.needs_model else None
    try:
        options = {"discount_in_model": True} if discount_in_model else {}
        answer = run.answer()
        made = export(answer, name, out, mdp, **_source(name, run), **options)
    except UnwrittenError as error:
        complain(error)
        raise typer.Exit(3) from error
    if out is None:
        print(made, end="")
    else:
        print(f"saved to {shown(str(out), LONGEST_LINE)}")
    if remark := remark_on(answer, mdp):
        print(f"note: {remark}", file=sys.stderr)


def _format(to: str | None, out: Path | None) -> "tuple[str, Format]":
    from spotree.exports.registry import FORMATS, format_of

    if to is None:
        to = None if out is None else format_of(str(out))
        if to is None:
            ending = "" if out is None else f"{out} has an ending that stands for no format; "
            raise typer.BadParameter(f"{ending}choose one of {', '.join(FORMATS)}", param_hint="--to")
    if to not in FORMATS:
        raise typer.BadParameter(f"{to!r} is not one of {', '.join(FORMATS)}", param_hint="--to")
    return to, FORMATS[to]


def _source(to: str, run: SavedRun) -> dict[str, Any]:
    """What the format `prism` is told beside the model: its PRISM file, and how that was read."""
    from spotree.exports.prism.export import SUFFIXES
    from spotree.models import names

    if to != "prism":
        return {}
    model, options = run.asked(f"export --to {to}")
    if model in names() or not model.lower().endswith(SUFFIXES):
        return {}
    about = ("constants", "reward", "goal", "avoid", "actions")
    return {"source": model} | {name: options[name] for name in about if name in options}
