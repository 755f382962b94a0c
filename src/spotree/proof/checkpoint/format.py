"""Checkpoint format of a proof."""

import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree.certificates.header import LARGEST, check_symmetries
from spotree.certificates.varint import unpacked
from spotree.checkpoint import ArrayClaim, Checkpoint, Layout, load_checkpoint
from spotree.checkpoint.checkpoint import FORMAT, LONGEST_HEADER
from spotree.common.arrays import Floats
from spotree.common.untrusted import (
    DAMAGED,
    ClaimError,
    Zip,
    json_bytes,
    list_of,
    number,
    one_of,
    optional,
    record,
    truth,
    whole,
)
from spotree.errors import InvalidProblemError, ReadError
from spotree.mdp.model import MDP, fingerprint
from spotree.proof.checkpoint.open_list_codec import next_number
from spotree.proof.protocols import Streams
from spotree.trees.serialize import check_fit, check_range, claimed_tree, tree_entry, tree_lists
from spotree.trees.tree import Tree

VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """What a rule has written: its words packed as in a certificate, its numbers as they are."""

    words: np.ndarray  # [byte]
    numbers: Floats

    @property
    def streams(self) -> Streams:
        return unpacked(self.words.tobytes()), self.numbers


NOTHING = Packed(np.zeros(0, np.uint8), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class SavedProof:
    """What a run of `certify` has reached.

    Attributes
    ----------
    tree, found
        The best tree, and whether it is one: False if none that is feasible was met.
    bound
        No tree of the size returns more, as far as was proved.
    seconds, searched
        Of all runs so far; searches that were made beside the proof.
    level, low, part
        Of the attempt that runs, as in its `Turn`; no level for the incumbent's own return.
    symmetries
        As a certificate lists them.
    shown, by_state
        What rule "state" of that attempt proves, and what it has written.
    by_tree, left, following
        What rule "tree" has written, what is left of it (nothing: it begins anew), the number of its next region.
    proved, proof, rule
        The bound of the best attempt that has ended (infinite: none), what proves it, and which rule that is.
    """

    tree: Tree
    found: bool
    bound: float
    seconds: float
    searched: int
    tolerance: float
    level: float | None
    low: float
    part: float
    symmetries: dict[str, list[int]]
    shown: float
    by_state: Packed
    by_tree: Packed
    left: Streams
    following: int
    proved: float
    proof: Packed
    rule: str

    def checkpoint(self, mdp: MDP, model: str, depth: int, max_leaves: int | None) -> Checkpoint:
        """It as a file holds it."""
        plain = ("found", "bound", "seconds", "searched", "level", "low", "part", "shown", "following", "proved")
        state = {name: getattr(self, name) for name in (*plain, "rule")}
        return Checkpoint(
            kind="proof",
            version=VERSION,
            model=model,
            model_name=mdp.name,
            depth=depth,
            max_leaves=max_leaves,
            settings={"tolerance": self.tolerance},
            state=state | {"tree": tree_lists(self.tree)} | self.symmetries,
            arrays={
                "state_words": self.by_state.words,
                "state_numbers": self.by_state.numbers,
                "tree_words": self.by_tree.words,
                "tree_numbers": self.by_tree.numbers,
                "left_words": self.left[0],
                "left_numbers": self.left[1],
                "proof_words": self.proof.words,
                "proof_numbers": self.proof.numbers,
            },
        )


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Whether a file says that it is a checkpoint, of whatever kind."""
    try:
        with Zip(path) as archive:
            header = json_bytes(archive.read("header.json", LONGEST_HEADER))
        return isinstance(header, dict) and header.get("format") == FORMAT
    except (ReadError, KeyError, MemoryError, *DAMAGED):
        return False


def load_proof(
    path: str | os.PathLike[str], mdp: MDP, depth: int, max_leaves: int | None, tolerance: float
) -> SavedProof:
    """What the checkpoint of a proof for that model, size and tolerance says."""
    found = load_checkpoint(path, _LAYOUT)
    settings = {"tolerance": tolerance}
    found.refuse_other(path, model=fingerprint(mdp), depth=depth, max_leaves=max_leaves, settings=settings)
    state, arrays = found.state, found.arrays
    try:
        tree = claimed_tree(state["tree"])
        check_range(tree, mdp.num_features, mdp.num_actions)
        check_fit(tree, depth, max_leaves)
        sizes = {"states": mdp.num_states, "actions": mdp.num_actions, "feature_names": [*mdp.feature_names]}
        check_symmetries({**state, **sizes})
        packs = {
            name: Packed(arrays[f"{name}_words"], arrays[f"{name}_numbers"]) for name in ("state", "tree", "proof")
        }
        words = {name: unpacked(pack.words.tobytes()) for name, pack in packs.items()}  # each must be words
        if state["following"] < next_number(words["tree"]):
            raise ClaimError(f"following is {state['following']}, but there are regions of higher numbers")
    except (InvalidProblemError, ValueError, IndexError) as error:  # a ClaimError is a ValueError, too
        raise ReadError(f"{path}: not a checkpoint, or a damaged one ({error})") from error
    return SavedProof(
        tree=tree,
        found=state["found"],
        bound=_or(state["bound"], math.inf),
        seconds=float(state["seconds"]),
        searched=state["searched"],
        tolerance=tolerance,
        level=state["level"],
        low=_or(state["low"], -math.inf),
        part=float(state["part"]),
        symmetries={name: state.get(name, []) for name in _SYMMETRIES},
        shown=_or(state["shown"], math.inf),
        by_state=packs["state"],
        by_tree=packs["tree"],
        left=(arrays["left_words"], arrays["left_numbers"]),
        following=state["following"],
        proved=_or(state["proved"], math.inf),
        proof=packs["proof"],
        rule=state["rule"],
    )


def _or(entry: Any, infinite: float) -> float:
    """Null is what JSON cannot say."""
    return infinite if entry is None else float(entry)


_SYMMETRIES = {
    "symmetry_state": list_of(whole(0)),
    "symmetry_action": list_of(whole(0)),
    "symmetry_feature": list_of(whole(-LARGEST, LARGEST)),
}
_LAYOUT = Layout(
    "proof",
    VERSION,
    record({"tolerance": number(0, 1)}),
    record(
        {
            "tree": tree_entry,
            "found": truth,
            "bound": optional(number()),
            "seconds": number(0),
            "searched": whole(0, 60),
            "level": optional(number()),
            "low": optional(number()),
            "part": number(0, 1),
            "shown": optional(number()),
            "following": whole(0, LARGEST // 2),
            "proved": optional(number()),
            "rule": one_of("state", "tree", "level"),
            **_SYMMETRIES,
        }
    ),
    {
        "state_words": ArrayClaim("|u1"),
        "state_numbers": ArrayClaim("<f8"),
        "tree_words": ArrayClaim("|u1"),
        "tree_numbers": ArrayClaim("<f8"),
        "left_words": ArrayClaim("<i4"),
        "left_numbers": ArrayClaim("<f8"),
        "proof_words": ArrayClaim("|u1"),
        "proof_numbers": ArrayClaim("<f8"),
    },
)
