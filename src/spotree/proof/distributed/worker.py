"""Worker of a distributed proof: closes open subproblems within its time."""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spotree import _core
from spotree.common.arrays import Floats, SmallInts
from spotree.mdp.model import MDP
from spotree.proof.checkpoint.open_list_codec import OpenSubproblems, Piece, places_of_numbers
from spotree.proof.feature_classes import find_groups
from spotree.proof.problem import proof_model
from spotree.proof.protocols import Nodes
from spotree.proof.self_loops import without_own_loops
from spotree.proof.symmetry.symmetries import claimed_symmetries

MOST_MODELS = 4  # that a worker keeps ready


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What all tasks of one attempt have in common.

    Attributes
    ----------
    problem
        Names model, size and symmetries: what a worker gets ready once.
    symmetries
        As a certificate lists them.
    settings
        What the core is started with.
    root
        What is known of the root, without pieces.
    """

    problem: str
    depth: int
    max_leaves: int | None
    tolerance: float
    symmetries: dict[str, list[int]]
    settings: dict[str, Any]
    root: OpenSubproblems


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What became of the pieces: what was written about them, and what is left of them.

    Attributes
    ----------
    places
        Where numbers of regions stand in the words.
    hopeless
        [leaf, (cube, action)] those that were found.
    open
        The highest bound of a region that can neither be closed nor parted.
    value, tree
        The best tree that was met, if it is better than what was known; value -inf and None if not.
    """

    words: SmallInts
    numbers: Floats
    places: SmallInts
    hopeless: SmallInts
    pieces: tuple[Piece, ...]
    open: float
    value: float
    tree: Nodes | None
    regions: int
    seconds: float


def prove_pieces(
    mdp: MDP,
    question: Question,
    hopeless: SmallInts,
    pieces: tuple[Piece, ...],
    value: float,
    seconds: float,
    first: int,
) -> Answer:
    """Work on pieces for so many seconds; regions are numbered from `first` on. Depends on its arguments alone."""
    began = time.monotonic()
    proof = _core.Proof(_ready(mdp, question), question.tolerance)
    none = np.zeros(0, np.int32)
    proof.offer(value, split=none, left=none, right=none, action=none)
    words, numbers = replace(question.root, hopeless=hopeless, pieces=pieces).streams
    proof.reopen(words=none, numbers=np.zeros(0), next=first, left_words=words, left_numbers=numbers)
    proof.start(seconds=seconds, threads=1, state_rule=False, tree_rule=True, **question.settings)
    while not proof.wait(1.0):
        pass
    found = proof.snapshot()
    assert found is not None
    _, (_, written, figures), streams, _ = found
    groups = len(question.root.root) - 2 * mdp.num_states
    left = OpenSubproblems.read(*streams, mdp.num_states, groups, mdp.num_actions)
    better = proof.value() > value
    return Answer(
        words=written,
        numbers=figures,
        places=places_of_numbers(written),
        hopeless=left.hopeless[len(hopeless) :],
        pieces=left.pieces,
        open=left.open,
        value=proof.value() if better else -np.inf,
        tree=proof.tree() if better else None,
        regions=proof.regions(),
        seconds=time.monotonic() - began,
    )


_models: OrderedDict[str, _core.ProofModel] = OrderedDict()
_lock = threading.Lock()


def _ready(mdp: MDP, question: Question) -> _core.ProofModel:
    """The core's model, with the sets that trees can single out once they were built; kept between tasks."""
    with _lock:
        if question.problem not in _models:
            groups = find_groups(without_own_loops(mdp))
            symmetries = claimed_symmetries(mdp, groups, question.symmetries)
            _models[question.problem] = proof_model(mdp, groups, symmetries, question.depth, question.max_leaves)
        _models.move_to_end(question.problem)
        if len(_models) > MOST_MODELS:
            _models.popitem(last=False)
        return _models[question.problem]
