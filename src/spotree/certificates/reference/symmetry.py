"""The symmetries that a certificate lists, held against the model by the plain checker (lemma S of docs/proof.md)."""

from typing import Any

import numpy as np
from scipy import sparse

from spotree.certificates.reference.branching import Region, RejectedError
from spotree.certificates.reference.model import PlainModel
from spotree.certificates.reference.subproblem import Mask
from spotree.certificates.reference.trees import Trees
from spotree.mdp.model import MDP

SHARE = 0.1  # of the tolerance that rounding of symmetric numbers may take
ABOVE = 1 + 1e-9  # more than sums of what lies apart lose by rounding


class PlainSymmetries:
    """Images of groups with a choice and of actions [symmetry, ...]; raises unless they are symmetries."""

    def __init__(self, mdp: MDP, plain: PlainModel, header: dict[str, Any], tolerance: float) -> None:
        self.plain, self.off = plain, 0.0
        self.choice = plain.varying
        self.place = np.full(plain.num_groups, -1)
        self.place[self.choice] = np.arange(len(self.choice))
        sizes = plain.num_states, plain.num_actions, plain.features.shape[1]
        state, action, feature = (
            np.array(header.get(f"symmetry_{name}", []), int).reshape(-1, size)
            for name, size in zip(("state", "action", "feature"), sizes, strict=True)
        )
        if not len(state) == len(action) == len(feature):
            raise RejectedError("symmetries without images")
        if len(state) > 0 and not plain.discount < 1:
            raise RejectedError("symmetries without a discount are not for this checker")
        self.action, self.group = action, np.zeros((len(state), len(self.choice)), int)
        apart = [0.0, 0.0, 0.0]
        for k in range(len(state)):
            for image in (state[k], action[k]):
                if (np.sort(image) != np.arange(len(image))).any():
                    raise RejectedError(f"symmetry {k} of the certificate is no permutation")
            self.group[k] = self.images_of_groups(k, state[k])
            self.check_orders(k, feature[k])
            apart = np.maximum(apart, self.apart(mdp, k, state[k], action[k])).tolist()
        if apart != [0.0, 0.0, 0.0]:
            start, reward, rows = apart
            most = plain.largest / plain.far
            self.off = (start * most + (reward + plain.discount * rows * most) / plain.far) * ABOVE
            self.check_rounding(tolerance)

    def __len__(self) -> int:
        return len(self.action)

    def fail(self, number: int, what: str) -> RejectedError:
        return RejectedError(f"symmetry {number} of the certificate is none of the model: it does not keep {what}")

    def images_of_groups(self, number: int, state: np.ndarray) -> np.ndarray:
        """[group with a choice] its image: states of a group stay together, and apart from others."""
        before = self.place[self.plain.group_of]
        after = before[state]
        if ((before < 0) != (after < 0)).any():
            raise self.fail(number, "states without a choice")
        pairs = np.unique(np.stack([before, after])[:, before >= 0], axis=1)
        if any(len(np.unique(side)) != pairs.shape[1] for side in pairs):
            raise self.fail(number, "groups")
        images: np.ndarray = pairs[1]
        return images

    def check_orders(self, number: int, feature: np.ndarray) -> None:
        """Every feature orders the groups as its image orders their images, or the other way round."""
        value = self.plain.features[self.plain.first_state[self.choice]]
        if np.isnan(value).any():
            raise self.fail(number, "values that are not a number")
        for f, image in enumerate(feature.tolist()):
            if not 1 <= abs(image) <= value.shape[1]:
                raise RejectedError(f"symmetry {number} leads to feature {image}")
            here, there = value[:, f], value[self.group[number], abs(image) - 1]
            one, other = (np.unique(side, return_inverse=True)[1].ravel() for side in (here, there))
            if (one != (other if image > 0 else other.max(initial=0) - other)).any():
                raise self.fail(number, f"the order of feature {f}")

    def apart(self, mdp: MDP, number: int, state: np.ndarray, action: np.ndarray) -> tuple[float, float, float]:
        """How far start, rewards and rows of the model are from those of the image; it has the same next states."""
        plain, reward, rows = self.plain, 0.0, 0.0
        shape = plain.num_rows, plain.num_states
        chance = sparse.csr_array((mdp.probability, mdp.target, mdp.row_start), shape)
        ways = sparse.csr_array((np.ones(len(mdp.target)), mdp.target, mdp.row_start), shape)
        for a in range(plain.num_actions):
            here, there = mdp.choice_of[:, a], mdp.choice_of[state, action[a]]
            if ((here < 0) != (there < 0)).any():
                raise self.fail(number, "what is forbidden")
            here, there = here[here >= 0], there[there >= 0]
            if (ways[here] != ways[there][:, state]).nnz > 0:
                raise self.fail(number, "next states")
            lost = np.abs(chance[here] - chance[there][:, state]).sum(axis=1)
            rows = max(rows, float(lost.max(initial=0.0)))
            reward = max(reward, float(np.abs(plain.reward[here] - plain.reward[there]).max(initial=0.0)))
        if ((plain.initial[state] > 0) != (plain.initial > 0)).any():
            raise self.fail(number, "where episodes begin")
        return float(np.abs(plain.initial[state] - plain.initial).sum()), reward, rows

    def check_rounding(self, tolerance: float) -> None:
        """Where numbers agree up to rounding only, little may be lost, and the symmetries must be closed."""
        if not self.off <= SHARE * tolerance:
            raise RejectedError(
                f"symmetries move returns by up to {self.off:.1e}, more than a tenth of the tolerance {tolerance:.1e}"
            )
        acts = {g.tobytes() + a.tobytes() for g, a in zip(self.group, self.action, strict=True)}
        acts.add(np.arange(len(self.choice)).tobytes() + np.arange(self.plain.num_actions).tobytes())
        for x in range(len(self)):
            for y in range(len(self)):
                both = self.group[x][self.group[y]].tobytes() + self.action[x][self.action[y]].tobytes()
                if both not in acts:
                    raise RejectedError(
                        f"the symmetries are exact up to rounding only, and symmetry {x} after {y} is none of them"
                    )

    def without_images(self, allowed: Mask, before: Mask) -> Mask:
        """The root's actions when what was removed since `before` goes with its images (b)."""
        found = allowed.copy()
        places, actions = np.nonzero((before & ~allowed)[self.choice])
        for group, action in zip(self.group, self.action, strict=True):
            found[self.choice[group[places]], action[actions]] = False
        return found

    def hopeless(self, trees: Trees, leaf: Mask, action: int) -> None:
        """Enter a leaf that no improving tree has, with its images (c)."""
        trees.hopeless[action, trees.number[leaf.tobytes()]] = True
        for group, image in zip(self.group, self.action, strict=True):
            after = np.zeros_like(leaf)
            after[group] = leaf
            trees.hopeless[image[action], trees.number[after.tobytes()]] = True

    def origin(self, trees: Trees, region: Region, number: int) -> Region:
        """The region of which this one is the image."""
        if not 0 <= number < len(self):
            raise RejectedError(f"there is no symmetry {number}")
        allowed, group = region.allowed.copy(), self.group[number]
        allowed[self.choice] = region.allowed[self.choice[group]][:, self.action[number]]
        items = [(trees.number[trees.inside[cube][group].tobytes()], size) for cube, size in region.items]
        return Region(allowed, items, region.value, region.visits)
