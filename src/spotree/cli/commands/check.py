"""`spotree check CERTIFICATE MODEL`: verify a proof with code that shares nothing with the search."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.model_argument import with_model
from spotree.cli.output import AsJson, show_facts, show_json
from spotree.cli.progress_line import LiveLine
from spotree.cli.stdio import complain
from spotree.common.sanitize import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.certificates.verify import Verdict
    from spotree.mdp.model import MDP, Sense

SMALL = 1e-5  # of the returns: a tolerance up to which a tree is called optimal


def _meaning(value: float, bound: float, tolerance: float, sense: "Sense") -> str:
    """What a proof says of its tree: optimal only where the tolerance is small beside the returns.

    No tree returns more than the bound and the tolerance together.
    """
    if bound - value <= tolerance <= SMALL * max(abs(value), abs(bound)):
        most = bound + tolerance - value
        return f"the tree is optimal up to {'that tolerance' if bound <= value else rounded_up(most)}"
    apart = f"{bound + tolerance - value:.3g}"
    other = f"cost up to {apart} less" if sense == "min" else f"return up to {apart} more"
    return f"the tree may not be the best: another one may {other}"


def rounded_up(number: float) -> str:
    """Two digits that are not below a positive number."""
    return f"{1.05 * number:.1e}"


def _proved(verdict: "Verdict", size: str, sense: "Sense") -> list[tuple[str, str]]:
    """The tree's own figure, and what no tree can exceed (costs: fall below)."""
    value, bound, tolerance = verdict.value, verdict.bound, f"{verdict.tolerance:.1e}"
    if sense == "min":
        limit = f"costs less than {0.0 - bound:.9g} - {tolerance}"
        return [("tree", f"cost {0.0 - value:.9g}, evaluated here"), ("proved", f"no tree of {size} {limit}")]
    limit = f"returns more than {bound:z.9g} + {tolerance}"
    return [("tree", f"return {value:z.9g}, evaluated here"), ("proved", f"no tree of {size} {limit}")]


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
    depth: Annotated[
        int | None, typer.Option("--depth", "-d", help="Accept only a proof about trees of this depth.", min=0)
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Use the plain checker in NumPy: a second opinion, much slower.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify a certificate: evaluate its tree, and check that no other tree of its size can be better.

    Give the model exactly as for `spotree certify`, with the same reading options. The check shares no code with the
    search and takes less time than that; `--plain` uses another checker in NumPy, which also looks again at what the
    first one rejects. A certificate that either of them calls malformed is rejected; where both were asked, both
    verdicts are shown. Exit code 0: accepted, 1: rejected, 2: not a certificate, 130: Ctrl-C (then nothing is
    decided). A proof that was stopped early is accepted with the
    bound that it reached.

    Example: spotree certify traffic_intersection -d 3 -c run.cert && spotree check run.cert traffic_intersection
    """
    from dataclasses import asdict

    from spotree.api.check import check as run
    from spotree.certificates.certificate import Certificate
    from spotree.errors import ReadError

    read = Certificate.load(certificate)
    if depth is not None and read.header.get("depth") != depth:
        about = read.header.get("depth")
        raise ReadError(f"{certificate} is about depth {about}, not {depth}; certify depth {depth} or drop --depth")
    try:
        with LiveLine(quiet=as_json) as live:
            verdict = run(read, mdp, progress=live.count, plain=plain)
    except KeyboardInterrupt:
        complain("interrupted; the certificate is neither accepted nor rejected")
        raise typer.Exit(130) from None
    if as_json:
        meaning = _meaning(verdict.value, verdict.bound, verdict.tolerance, mdp.sense) if verdict.accepted else None
        about = {name: read.header.get(name) for name in ("depth", "max_leaves")} if verdict.accepted else {}
        show_json("verdict", asdict(verdict) | about | {"meaning": meaning})
    elif not verdict.accepted:
        print(f"rejected: {shown(verdict.reason, LONGEST_LINE)}")
    else:
        leaves = read.header["max_leaves"]
        size = f"depth {read.header['depth']}" + (f" and {leaves} leaves" if leaves else "")
        show_facts(
            [
                ("accepted", f"{verdict.reason} ({verdict.regions:,} regions)"),
                *_proved(verdict, size, mdp.sense),
                ("so", _meaning(verdict.value, verdict.bound, verdict.tolerance, mdp.sense)),
                (
                    "assumed",
                    f"the model is as meant; {'SHA-256 tells' if verdict.plain else 'secret names tell'} regions apart",
                ),
            ]
        )
    if not verdict.accepted:
        raise typer.Exit(1)
