"""The public way to the check: a certificate, or the file that holds it, and the model it is about.

What the native checker rejects the plain one looks at again: either of them is enough for a proof. But a certificate
that one of them calls malformed is accepted by neither. Where both were asked, the reason states both verdicts.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import Verdict
from spotree.certificates.verify import check as verify
from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP


def check(
    certificate: str | Path | Certificate,
    mdp: MDP,
    *,
    progress: Callable[[int, int], None] | None = None,
    plain: bool = False,
) -> Verdict:
    """The claim of a certificate that holds, or why it does not; by code that shares nothing with the search.

    Parameters
    ----------
    certificate
        The file that `certify(certificate=...)` wrote, or a `Certificate` that was loaded from it.
    mdp
        The model, read with the options that it was certified with; features and actions are matched by names.
    progress
        Called with the number of regions done and of all regions.
    plain
        Let the plain checker (NumPy, much slower) decide instead of the native one; they share no code with each
        other. What the native one rejects is given to the plain one in any case. A certificate that either of them
        calls malformed is rejected.

    Returns
    -------
    Verdict
        Where `accepted`, no tree of the certificate's size returns more than `bound + tolerance`, and its own tree
        returns `value`; else the `reason` says what does not hold. `plain`: the plain checker decided.

    Raises
    ------
    ReadError
        Where the file is no certificate.
    """
    if not isinstance(mdp, MDP):
        raise InvalidProblemError(
            f"expected an MDP after the certificate, got {type(mdp).__name__}; call check('run.cert', mdp)"
        )
    if isinstance(certificate, MDP):
        raise InvalidProblemError("the certificate comes first: call check('run.cert', mdp)")
    held = certificate if isinstance(certificate, Certificate) else Certificate.load(certificate)
    first = verify(mdp, held, progress, plain=plain)
    if first.malformed or (first.accepted and not plain):
        return first
    second = verify(mdp, held, progress, plain=not plain)
    if second.malformed:
        return replace(second, plain=not plain, reason=f"{second.reason} ({_name(plain)}: {first.reason})")
    native, plainly = (second, first) if plain else (first, second)
    if not plainly.accepted and first.reason == second.reason:
        return first
    if not plainly.accepted:
        return replace(first, reason=f"{first.reason} ({_name(not plain)}: {second.reason})")
    return replace(plainly, reason=f"{plainly.reason} by the plain checker; the native one: {native.reason}")


def _name(plain: bool) -> str:
    return "the plain checker" if plain else "the native checker"
