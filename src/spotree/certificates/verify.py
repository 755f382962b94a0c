"""Checks a certificate: with the native checker, or with the plain one in NumPy. They share no code with each other.

What both assume: the MDP is the one meant, float64 is added as IEEE 754 says, and regions are told apart (SHA-256, or
names under secrets of the process). What rounding may take from a bound is in the bound.
What both prove: no tree of the certificate's size has a return above `bound + tolerance`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spotree import _checker
from spotree.certificates.certificate import Certificate, as_certified
from spotree.certificates.header import check_header
from spotree.certificates.reference.branching import RejectedError
from spotree.certificates.reference.verifier import PlainProof
from spotree.common.untrusted import ClaimError
from spotree.errors import InvalidProblemError
from spotree.improvement.limits import check_threads, started_threads
from spotree.mdp.model import MDP, fingerprint

NO_LIMIT = 2**62  # leaves: more than any tree has


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the proof holds, and what it says."""

    accepted: bool
    reason: str
    value: float = np.nan
    bound: float = np.nan
    tolerance: float = np.nan
    regions: int = 0
    plain: bool = False  # the plain checker decided
    malformed: bool = False  # rejected because it is no certificate of the format: that is final


def check(
    mdp: MDP,
    certificate: Certificate,
    progress: Callable[[int, int], None] | None = None,
    *,
    plain: bool = False,
    threads: int | None = None,
) -> Verdict:
    """Verify a certificate against the model it is about; `progress` gets the regions done and all regions."""
    check_threads(threads)
    look = progress or (lambda done, total: None)
    try:
        check_header(certificate.header)
        mdp = _the_model(mdp, certificate)
        if plain:
            return _plain(mdp, certificate, look)
        return _native(mdp, certificate, look, started_threads(threads))
    except RejectedError as error:
        return Verdict(False, str(error))
    except MemoryError:
        return Verdict(False, "the certificate, or what it asks the checker for, does not fit into memory")
    except (ClaimError, KeyError, IndexError, ValueError, TypeError, OverflowError) as error:
        reason = f"the certificate is malformed: {type(error).__name__}: {error}"
        return Verdict(False, reason, malformed=True)


def _the_model(mdp: MDP, certificate: Certificate) -> MDP:
    """The model in the order of the certificate, if it is the one that was certified."""
    header = certificate.header
    try:
        mdp = as_certified(mdp, certificate)
    except InvalidProblemError as error:
        raise RejectedError(f"the certificate is about another model ({header['model']}): {error}") from error
    if header["fingerprint"] != fingerprint(mdp):
        raise RejectedError(
            f"the certificate is about another model ({header['model']}), or this one read with other options;"
            " give the model exactly as it was certified"
        )
    if len(header["split_feature"]) > mdp.features.size:
        raise RejectedError(
            f"the certificate lists {len(header['split_feature'])} splits, but there are {mdp.features.size} values"
        )
    return mdp


def _plain(mdp: MDP, certificate: Certificate, progress: Callable[[int, int], None]) -> Verdict:
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        try:
            proof = PlainProof(mdp, certificate, progress)
            proof.verify()
        except FloatingPointError as error:
            raise RejectedError(f"the numbers of the certificate lead nowhere: {error}") from error
    return Verdict(True, "every region holds", proof.value, proof.bound, proof.tolerance, len(proof.records), True)


def _native(mdp: MDP, certificate: Certificate, progress: Callable[[int, int], None], threads: int) -> Verdict:
    header = {"symmetry_state": [], "symmetry_action": [], "symmetry_feature": []} | certificate.header
    reason, malformed, value, bound, tolerance, regions = _checker.check(
        mdp=mdp,
        header=header | {"max_leaves": min(header["max_leaves"] or NO_LIMIT, NO_LIMIT)},
        words=np.ascontiguousarray(certificate.words, dtype=np.int32),
        numbers=np.ascontiguousarray(certificate.numbers, dtype=np.float64),
        threads=threads,
        look=progress,
    )
    if reason:
        return Verdict(False, reason, malformed=malformed)
    progress(regions, regions)
    return Verdict(True, "every region holds", value, bound, tolerance, regions)
