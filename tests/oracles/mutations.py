"""Ways to break a certificate. Each makes the certificate surely false, or gives None where this draw would not.

How that is known, without the checker:
- a claim is false because a tree is at hand (`Source.better`, or the old incumbent) that returns more, or because the
  tree's return, by the search's own evaluation, is not the one stated;
- a region is not closed any more because its stated value, by plain loops (`Book`), does not bound what the file now
  allows there, and the file gives no other reason (no regret in its last round);
- a part is missing where the whole is open: the bound that stands in the file for the whole is above the threshold,
  and (rule "tree", without regret and solo leaves) nothing but the list of parts can cover it. Only the first two
  levels are touched there: deeper regions may occur twice, and then one proof is enough.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from oracles.certificates import Book, with_header, with_records
from spotree.certificates.certificate import Certificate
from spotree.certificates.records import Record, read_records
from spotree.evaluation import evaluate
from spotree.mdp.model import MDP
from spotree.trees.tree import Tree, make_tree


@dataclass(eq=False)
class Source:
    """A true certificate and what is needed to break it."""

    mdp: MDP
    certificate: Certificate
    plain: bool  # made without regret and solo leaves
    better: Tree  # a deeper tree with a higher return

    @cached_property
    def records(self) -> list[Record]:
        return list(read_records(self.certificate, self.mdp.num_states).values())

    @cached_property
    def book(self) -> Book:
        return Book(self.mdp, self.certificate)

    @property
    def rule(self) -> str:
        return str(self.certificate.header["rule"])

    def value_of(self, tree: dict[str, list]) -> float:
        return evaluate(self.mdp, make_tree(**tree).actions(self.mdp.features))

    def changed(self, number: int, **changes) -> Certificate:
        """The certificate with one region changed."""
        return with_records(
            self.certificate, [replace(r, **changes) if r.number == number else r for r in self.records]
        )

    def without(self, number: int) -> Certificate:
        return with_records(self.certificate, [r for r in self.records if r.number != number])

    def unproved(self, broken: Certificate, number: int) -> Certificate | None:
        """The broken certificate if the stated value of a region is indeed no bound any more."""
        return None if Book(self.mdp, broken).closed_by_value(number) else broken

    def closed_by_value(self) -> list[Record]:
        """Regions of rule "state" that are closed by the value of their last round alone."""
        if self.rule != "state":
            return []
        return [r for r in self.records if r.branching == [0] and r.rounds and not r.rounds[-1].regret]

    def needed(self) -> list[Record]:
        """Regions without which their whole is not covered."""
        root = next(r for r in self.records if r.parent == -1)
        if self.rule == "tree" and not self.plain:
            return []
        near = {root.number} | {r.number for r in self.records if r.parent == root.number}
        value, found = {}, []
        for r in self.records:  # parents stand before their children
            value[r.number] = r.rounds[-1].value if r.rounds else value.get(r.parent)
            whole_is_open = r.parent >= 0 and self.is_open(r.parent, value[r.parent])
            if whole_is_open and (self.rule == "state" or r.parent in near):
                found.append(r)
        return found

    def is_open(self, number: int, value: np.ndarray) -> bool:
        margin = self.certificate.header["margin"]
        if self.plain:
            return bool(self.mdp.initial @ value > self.book.threshold + margin)
        place = [r.number for r in self.records].index(number)
        return bool(self.stated_bounds[place] > self.book.threshold + margin)

    @cached_property
    def stated_bounds(self) -> list[float]:
        """The bound that the search wrote beside each region."""
        at, found = 0, []
        for r in self.records:
            found.append(float(self.certificate.numbers[at]))
            n = self.mdp.num_states
            at += 1 + sum(n + len(e.floors) * (n + 2) + e.regret * n for e in r.rounds)
        return found


def pick(rng, things):
    return things[rng.integers(len(things))] if things else None


# A changed value


def stated_return(source, rng):
    """The tree is said to return more or less than it does."""
    header = source.certificate.header
    step = header["margin"] * (2 + 1000 * rng.random()) * rng.choice([-1, 1])
    return with_header(source.certificate, value=header["value"] + step)


def stated_bound(source, rng):
    """The bound is said to be below what the tree itself returns."""
    header = source.certificate.header
    return with_header(source.certificate, bound=header["value"] - header["margin"] * (2 + 1000 * rng.random()))


def lowered_value(source, rng):
    """The value that closes a region is lower at one state than what can be had there."""
    record = pick(rng, source.closed_by_value())
    if record is None:
        return None
    last = record.rounds[-1]
    value = last.value.copy()
    value[rng.integers(len(value))] -= (np.ptp(value) + source.certificate.header["margin"]) * (1 + rng.random())
    broken = source.changed(record.number, rounds=[*record.rounds[:-1], replace(last, value=value)])
    return source.unproved(broken, record.number)


# A dropped region


def dropped(source, rng):
    """A region that its whole needs is gone."""
    record = pick(rng, source.needed())
    return None if record is None else source.without(record.number)


def cut_short(source, rng):
    """The end of one stream is missing."""
    if rng.random() < 0.5:
        return replace(source.certificate, numbers=source.certificate.numbers[: -int(rng.integers(1, 200))])
    return replace(source.certificate, words=source.certificate.words[: -int(rng.integers(1, 6))])


# A widened region


def deeper(source, rng):
    """The same proof for trees of one level more, among which a better one is at hand."""
    header = source.certificate.header
    return with_header(source.certificate, depth=header["depth"] + 1, max_leaves=None)


def kept_action(source, rng):
    """An action that the filter removed stays allowed in a region: more than its value bounds."""
    having = [r for r in source.closed_by_value() if any(len(e.removed) for e in r.rounds[:-1])]
    record = pick(rng, having)
    if record is None:
        return None
    rounds = list(record.rounds)
    k = pick(rng, [k for k, e in enumerate(rounds[:-1]) if len(e.removed)])
    victim = pick(rng, rounds[k].removed.tolist())
    rounds[k] = replace(rounds[k], removed=rounds[k].removed[rounds[k].removed != victim])
    return source.unproved(source.changed(record.number, rounds=rounds), record.number)


def wider_side(source, rng):
    """One more action on one side of a branching: that side is larger than what was proved for it."""
    record = pick(rng, [r for r in source.closed_by_value() if r.parent >= 0])
    if record is None:
        return None
    parent = source.book.records[record.parent]
    _, group, count, *actions = parent.branching
    these = set(actions[:count])
    change = {int(rng.integers(source.mdp.num_actions))}
    these = these - change if record.first else these | change
    broken = source.changed(parent.number, branching=[1, group, len(these), *sorted(these)])
    return source.unproved(broken, record.number)


def other_way(source, rng):
    """A part is said to be about another split, or another share of the leaves, which is listed already."""
    if source.rule != "tree":
        return None
    record = pick(rng, [r for r in source.needed() if source.book.records[r.parent].branching[0] == 2])
    if record is None:
        return None
    others = [r for r in source.records if r.parent == record.parent and r.number != record.number]
    other = pick(rng, others)
    return None if other is None else source.changed(record.number, first=other.first, second=other.second)


def other_item(source, rng):
    """A region parts an open node that does not exist."""
    if source.rule != "tree":
        return None
    record = pick(rng, [source.book.records[r.parent] for r in source.needed()])
    return record and source.changed(record.number, branching=[record.branching[0], 2 ** int(rng.integers(3, 20))])


# A swapped action


def swapped_leaf(source, rng):
    """One leaf of the tree takes another action."""
    tree = {name: list(column) for name, column in source.certificate.header["tree"].items()}
    node = pick(rng, [node for node, feature in enumerate(tree["feature"]) if feature < 0])
    tree["action"][node] = (tree["action"][node] + int(rng.integers(1, source.mdp.num_actions))) % (
        source.mdp.num_actions
    )
    return other(source, tree)


def swapped_part(source, rng):
    """The part for one action of a leaf is said to be about another one."""
    if source.rule != "tree":
        return None
    record = pick(rng, [r for r in source.needed() if source.book.records[r.parent].branching[0] == 3])
    step = int(rng.integers(1, source.mdp.num_actions))
    return record and source.changed(record.number, first=(record.first + step) % source.mdp.num_actions)


def swapped_sides(source, rng):
    """Both sides of a branching are exchanged."""
    record = pick(rng, [r for r in source.closed_by_value() if r.parent >= 0])
    if record is None:
        return None
    swapped = [replace(r, first=1 - r.first) if r.parent == record.parent else r for r in source.records]
    return source.unproved(with_records(source.certificate, swapped), record.number)


# A tree that is not the incumbent


def other(source, tree):
    """The certificate with another tree, if that returns something else than stated."""
    header = source.certificate.header
    differs = not abs(source.value_of(tree) - header["value"]) <= 2 * header["margin"]
    return with_header(source.certificate, tree=tree) if differs else None


def random_tree(source, rng):
    feature = int(rng.integers(source.mdp.features.shape[1]))
    threshold = float(rng.choice(source.mdp.features[:, feature]))
    action = [-1, *rng.integers(source.mdp.num_actions, size=2).tolist()]
    return {
        "feature": [feature, -1, -1],
        "threshold": [threshold, 0.0, 0.0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "action": action,
    }


def other_tree(source, rng):
    """Any tree, with the return of the incumbent."""
    return other(source, random_tree(source, rng))


def worse_tree(source, rng):
    """A worse tree with its own return, said to be the best: the old incumbent shows that it is not."""
    tree, header = random_tree(source, rng), source.certificate.header
    value = source.value_of(tree)
    if not header["value"] - 1e300 < value < header["value"] - 3 * header["margin"]:
        return None
    return with_header(source.certificate, tree=tree, value=value, bound=value)


def better_tree(source, rng):
    """A better tree, too deep for the size."""
    tree = {name: getattr(source.better, name).tolist() for name in source.certificate.header["tree"]}
    value = source.value_of(tree)
    return with_header(source.certificate, tree=tree, value=value, bound=value)


KINDS = {
    "a changed value": (stated_return, stated_bound, lowered_value),
    "a dropped region": (dropped, cut_short),
    "a widened region": (deeper, kept_action, wider_side, other_way, other_item),
    "a swapped action": (swapped_leaf, swapped_part, swapped_sides),
    "a tree that is not the incumbent": (other_tree, worse_tree, better_tree),
}
