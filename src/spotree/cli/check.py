"""`spotree check CERTIFICATE MODEL`: verify a proof with code that shares nothing with the search."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.model import with_model
from spotree.cli.output import AsJson, show_facts, show_json

if TYPE_CHECKING:
    from spotree.mdp.model import MDP


def _certificate_first(command: Callable[..., None]) -> Callable[..., None]:
    """Put the argument CERTIFICATE before MODEL."""
    parameters = list(inspect.signature(command).parameters.values())
    parameters.sort(key=lambda parameter: parameter.name != "certificate")
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


@_certificate_first
@with_model
def check(
    mdp: "MDP",
    certificate: Annotated[Path, typer.Argument(help="A file that `spotree certify --certificate` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Verify a certificate: evaluate its tree, and check that no other tree of its size can be better.

    Exits with 1 if the proof does not hold.
    """
    from dataclasses import asdict

    from spotree.certify.certificate import Certificate
    from spotree.certify.check import check as run

    read = Certificate.load(certificate)
    verdict = run(mdp, read)
    if as_json:
        show_json(asdict(verdict))
    elif not verdict.accepted:
        print(f"rejected: {verdict.reason}")
    else:
        leaves = read.header["max_leaves"]
        size = f"depth {read.header['depth']}" + (f" and {leaves} leaves" if leaves else "")
        optimal = verdict.bound - verdict.value <= verdict.tolerance
        show_facts(
            [
                ("accepted", f"{verdict.reason} ({verdict.regions:,} regions)"),
                ("tree", f"return {verdict.value:.9g}, evaluated here"),
                ("proved", f"no tree of {size} returns more than {verdict.bound:.9g} + {verdict.tolerance:.1e}"),
                ("so", "the tree is optimal up to that tolerance" if optimal else "the tree may not be the best"),
                ("assumed", "the model is as meant; float64 rounding stays far below the tolerance"),
            ]
        )
    if not verdict.accepted:
        raise typer.Exit(1)
