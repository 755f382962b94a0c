"""Symmetries of a model: permutations of states and actions that leave it as it is (lemma S of docs/proof.md)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree.common.arrays import SmallInts
from spotree.errors import ReadError
from spotree.mdp.model import MDP
from spotree.proof.feature_classes import Groups
from spotree.proof.symmetry.candidates import FeatureImages
from spotree.proof.symmetry.refinement import Colours
from spotree.trees.ranks import rank_rows

MOST = 64  # symmetries, with the identity
MOST_NUMBERS = 4_000_000  # of all permutations together
LARGEST_MODEL = 2_000_000  # transitions
OFF_SHARE = 1e-3  # of the margin: so far rounding of symmetric numbers may move a return

Element = tuple[
    np.ndarray, np.ndarray, np.ndarray
]  # images of states, actions, features (1 + f, reversed: negative)


@dataclass(frozen=True, slots=True, eq=False)
class Symmetries:
    """All but the identity, closed under composition.

    Attributes
    ----------
    state, action, group
        [symmetry, ...] the image of each.
    feature
        [symmetry, feature] 1 + the feature that orders groups as this one orders their images, negative if reversed.
    """

    state: SmallInts
    action: SmallInts
    feature: SmallInts
    group: SmallInts

    def __len__(self) -> int:
        return len(self.state)

    @property
    def header(self) -> dict[str, list[int]]:
        """As they stand in a certificate."""
        lists = {"state": self.state, "action": self.action, "feature": self.feature}
        return {f"symmetry_{name}": array.ravel().tolist() for name, array in lists.items()}


def find_symmetries(mdp: MDP, groups: Groups, margin: float) -> Symmetries:
    """Symmetries of a model, within bounded work: not always all of them, or any."""
    if len(groups.state) < 2 or len(mdp.target) > LARGEST_MODEL:
        return no_symmetries(mdp, groups)
    colours = Colours(mdp, groups)
    found: list[Element] = []
    most = min(MOST, 1 + MOST_NUMBERS // mdp.num_states)
    rank = rank_rows(mdp.features[groups.state]).rank
    for features, group in FeatureImages(rank, colours.of_groups()):
        if len(found) + 1 >= most:
            break
        if any((group_image(state, groups) == group).all() for state, _, _ in found):
            continue
        image = colours.completed(group)
        if image is None or moved(mdp, groups, *image) > OFF_SHARE * margin:
            continue
        larger = closed([*found, (*image, features)], groups, most)
        if larger is not None:
            found = larger
    return within(mdp, groups, found, OFF_SHARE * margin)


def no_symmetries(mdp: MDP, groups: Groups) -> Symmetries:
    return gathered([], mdp, groups)


def claimed_symmetries(mdp: MDP, groups: Groups, header: dict[str, Any]) -> Symmetries:
    """Those of a certificate that is to be resumed."""
    lists = [header.get(f"symmetry_{name}", []) for name in ("state", "action", "feature")]
    sizes = [mdp.num_states, mdp.num_actions, mdp.num_features]
    arrays = [np.array(each, int).reshape(-1, size) for each, size in zip(lists, sizes, strict=True)]
    elements = list(zip(*arrays, strict=True))
    for state, action, _ in elements:
        fine = all((np.sort(image) == np.arange(len(image))).all() for image in (state, action))
        if not fine or distance(mdp, groups, state, action) is None:
            raise ReadError(
                "the certificate to be resumed lists symmetries that are none of the model; certify anew"
            )
    whole = closed(elements, groups, len(elements) + 1) if elements else []
    if whole is None or len(whole) != len(elements):
        raise ReadError("the certificate to be resumed lists symmetries that are no group; certify anew")
    return gathered(elements, mdp, groups)


def gathered(elements: list[Element], mdp: MDP, groups: Groups) -> Symmetries:
    sizes = [mdp.num_states, mdp.num_actions, mdp.num_features, len(groups.state)]
    all_four = [(*element, group_image(element[0], groups)) for element in elements]
    columns = [[each[k] for each in all_four] for k in range(4)]
    return Symmetries(
        *(np.array(c, np.int32).reshape(len(elements), n) for c, n in zip(columns, sizes, strict=True))
    )


def group_image(state: np.ndarray, groups: Groups) -> np.ndarray:
    """[group] where a permutation of states takes it."""
    image: np.ndarray = groups.group_of[state[groups.state]]
    return image


def composed(second: Element, first: Element) -> Element:
    sign, feature = np.sign(first[2]), np.abs(first[2]) - 1
    return second[0][first[0]], second[1][first[1]], sign * second[2][feature]


def closed(generators: list[Element], groups: Groups, most: int) -> list[Element] | None:
    """All that they generate but the identity; None if that is more than `most` with it."""

    def acts(element: Element) -> bytes:  # on trees
        return group_image(element[0], groups).tobytes() + element[1].tobytes()

    one = tuple(np.arange(len(part)) for part in generators[0])
    identity: Element = (one[0], one[1], one[2] + 1)
    found = {acts(identity): identity}
    fresh = [identity]
    while fresh:
        element = fresh.pop()
        for generator in generators:
            image = composed(generator, element)
            if acts(image) not in found:
                if len(found) == most:
                    return None
                found[acts(image)] = image
                fresh.append(image)
    return list(found.values())[1:]


def within(mdp: MDP, groups: Groups, elements: list[Element], off: float) -> Symmetries:
    """Only those that are exact, if rounding moves returns by more than `off` under one of them."""
    near = [moved(mdp, groups, state, action) for state, action, _ in elements]
    if max(near, default=0.0) > off:
        elements = [element for element, each in zip(elements, near, strict=True) if each == 0.0]
    return gathered(elements, mdp, groups)


def moved(mdp: MDP, groups: Groups, state: np.ndarray, action: np.ndarray) -> float:
    """By how much returns of a tree and its image may differ; infinite if they are of different models."""
    apart = distance(mdp, groups, state, action)
    if apart is None:
        return np.inf
    if apart == (0.0, 0.0, 0.0):
        return 0.0
    start, reward, rows = apart
    far, largest = 1 - mdp.discount, float(np.abs(mdp.reward_of_choice).max(initial=0.0))
    return np.inf if far <= 0 else start * largest / far + (reward + rows * largest / far) / far


def distance(mdp: MDP, groups: Groups, state: np.ndarray, action: np.ndarray) -> tuple[float, float, float] | None:
    """How far the model is from its image: start, rewards, probabilities of a row; None if it is another model."""
    inside = groups.group_of >= 0
    if (inside != inside[state]).any() or (groups.group_of[state[inside]] != _through(state, groups)).any():
        return None
    one, other = groups.choice_of, groups.choice_of[state][:, action]
    if ((one < 0) != (other < 0)).any():
        return None
    pairs = np.unique(np.stack([one[one >= 0], other[one >= 0]]), axis=1)
    count = np.diff(mdp.row_start)
    if (count[pairs[0]] != count[pairs[1]]).any():
        return None
    begin = np.concatenate([[0], np.cumsum(count[pairs[0]])])
    pair = np.repeat(np.arange(pairs.shape[1]), np.diff(begin))
    within_row = np.arange(begin[-1]) - begin[pair]
    here, there = (mdp.row_start[rows][pair] + within_row for rows in pairs)
    target = state[mdp.target[here]]
    order = np.lexsort((target, pair))
    if (target[order] != mdp.target[there]).any():
        return None
    apart = np.abs(mdp.probability[here][order] - mdp.probability[there])
    sums = np.bincount(pair, apart, pairs.shape[1])
    reward = np.abs(mdp.reward_of_choice[pairs[0]] - mdp.reward_of_choice[pairs[1]])
    start = np.abs(mdp.initial[state] - mdp.initial)
    return float(start.sum()), float(reward.max(initial=0.0)), float(sums.max(initial=0.0))


def _through(state: np.ndarray, groups: Groups) -> np.ndarray:
    """[state with a group] the image of its group."""
    image: np.ndarray = group_image(state, groups)[groups.group_of[groups.group_of >= 0]]
    return image
