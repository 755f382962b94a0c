"""The paper's Algorithm 2 in plain Python, written to be read: the slow twin of core/rsbb."""

import heapq
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, nextafter

import numpy as np

MASK = 2**64 - 1


def mix(x):
    """The core's stateless random bits, one word per region."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


@dataclass(frozen=True)
class Region:
    features: tuple  # a: [inner node] -> features it may ask
    interval: tuple  # b: [inner node] -> (low, high) of the scaled threshold
    actions: tuple  # c: [leaf] -> actions it may take
    splits: tuple  # d: [inner node] -> {True}, {False} or both
    key: int  # names the region: the seed of its random number
    loss: float = 0.0  # the upper bound, as the least loss against every row's best action


class Rsbb:
    def __init__(self, features, gain, depth, seed=0, grouped=True):
        self.inner, self.leaves, self.grouped = 2**depth - 1, 2**depth, grouped
        span = np.ptp(features, axis=0)
        self.x = (features - features.min(axis=0)) / np.where(span > 0, span, 1)
        self.loss = gain.max(axis=1, keepdims=True) - gain
        values = [np.unique(column) for column in self.x.T]
        self.candidates = [[lo + (hi - lo) / 2 for lo, hi in pairwise(v)] for v in values]
        usable = frozenset(j for j, c in enumerate(self.candidates) if c)
        self.root = Region(
            (usable,) * self.inner,
            ((0.0, 1.0),) * self.inner,
            (frozenset(range(gain.shape[1])),) * self.leaves,
            (frozenset([True, False] if usable else [False]),) * self.inner,
            mix(seed),
        )
        for node in range(self.inner if usable else 0):
            self.root = self.tighten(self.root, node)

    def solve(self):
        """Least loss of any tree, and the number of regions expanded."""
        incumbent, frontier, expanded, order = inf, [], 0, 0
        fresh = [replace(self.root, loss=self.bound(self.root))]
        while True:
            for region in fresh:
                if self.one_shape(region):
                    incumbent = min(incumbent, self.bound(region, grouped=True))
            for region in fresh:
                if not self.one_shape(region) and region.loss < incumbent - 1e-9:
                    order += 1
                    heapq.heappush(frontier, (region.loss, -order, region))
            if not frontier or frontier[0][0] >= incumbent - 1e-9:
                return incumbent, expanded
            region = heapq.heappop(frontier)[2]
            expanded += 1
            fresh = [replace(c, loss=max(region.loss, self.bound(c))) for c in self.children(region)]

    # --- bounding: every row takes the best action of the leaves it can reach ---
    def reachable(self, region, row, node=0):
        if node >= self.inner:
            return [node - self.inner]
        may_stop, asked = False in region.splits[node], region.features[node] if True in region.splits[node] else ()
        cuts = [(self.x[row, j], self.cuts(region, node, j)) for j in asked]
        left = any(x < c[-1] for x, c in cuts)
        right = may_stop or any(x >= c[0] for x, c in cuts)
        found = self.reachable(region, row, 2 * node + 1) if left else []
        return found + (self.reachable(region, row, 2 * node + 2) if right else [])

    def bound(self, region, grouped=None):
        group = np.zeros((self.leaves, self.loss.shape[1]))
        total = 0.0
        for row, loss in enumerate(self.loss):
            leaves = self.reachable(region, row)
            if len(leaves) == 1 and (self.grouped if grouped is None else grouped):
                group[leaves[0]] += loss
            else:
                total += min(loss[k] for leaf in leaves for k in region.actions[leaf])
        self.certain = group
        return total + sum(min(group[leaf, k] for k in region.actions[leaf]) for leaf in range(self.leaves))

    # --- branching: d, then by chance a (or c) or b, lowest node first ---
    def children(self, r):
        split = [t for t in range(self.inner) if True in r.splits[t]]
        undecided = [t for t in split if len(r.splits[t]) == 2]
        open_b = [t for t in split if any(len(self.cuts(r, t, j)) > 1 for j in r.features[t])]
        open_a = [t for t in split if len(r.features[t]) > 1]
        tau = 1 - max([r.interval[t][1] - r.interval[t][0] for t in open_b], default=0) / 2
        if undecided:
            options = put(r.splits, undecided[0], frozenset([True])), self.unsplit(r.splits, undecided[0])
            pair = [replace(r, splits=splits) for splits in options]
        elif open_b and not (mix(r.key) >> 11) * 2.0**-53 > tau:
            pair = self.halves(r, open_b[0])
        elif open_a:
            t, j = open_a[0], min(r.features[open_a[0]])
            pair = [put(r.features, t, frozenset([j])), put(r.features, t, r.features[t] - {j})]
            pair = [self.tighten(replace(r, features=features), t) for features in pair]
        else:
            pair = self.by_action(r) or self.halves(r, open_b[0])
        return [replace(pair[side], key=mix((2 * r.key + side) & MASK)) for side in (1, 0)]

    def halves(self, r, t):
        low, high = r.interval[t]
        middle = low + (high - low) / 2
        halves = (low, middle), (nextafter(middle, inf), high)
        return [self.tighten(replace(r, interval=put(r.interval, t, half)), t) for half in halves]

    def by_action(self, r):
        self.bound(r)
        for leaf, allowed in enumerate(r.actions):
            path = [((leaf + self.leaves) >> up) for up in range(self.leaves.bit_length() - 1)]  # numbered from 1
            used = all(node % 2 == 1 or True in r.splits[node // 2 - 1] for node in path)
            if used and len(allowed) > 1:
                k = min(sorted(allowed), key=lambda k: self.certain[leaf, k] if self.grouped else 0)
                return [replace(r, actions=put(r.actions, leaf, s)) for s in (frozenset([k]), allowed - {k})]
        return None

    # --- intervals hold candidate thresholds only ---
    def cuts(self, r, t, j):
        return [b for b in self.candidates[j] if r.interval[t][0] <= b <= r.interval[t][1]]

    def tighten(self, r, t):
        left = {j: cuts for j in r.features[t] if (cuts := self.cuts(r, t, j))}
        ends = min(c[0] for c in left.values()), max(c[-1] for c in left.values())
        return replace(r, features=put(r.features, t, frozenset(left)), interval=put(r.interval, t, ends))

    def unsplit(self, splits, t):
        if t >= self.inner:
            return splits
        return self.unsplit(self.unsplit(put(splits, t, frozenset([False])), 2 * t + 1), 2 * t + 2)

    def one_shape(self, r):
        return all(
            d == {False} or (d == {True} and len(js) == 1 and all(len(self.cuts(r, t, j)) == 1 for j in js))
            for t, (d, js) in enumerate(zip(r.splits, r.features, strict=True))
        )


def put(values, at, value):
    return (*values[:at], value, *values[at + 1 :])
