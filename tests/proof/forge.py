"""A forger who knows the format: every way here makes a false claim look proved, by attacking what a lemma assumes.

The claim is false whatever stands in the regions: a worse tree is said to be the best, with its own return as the
bound, while the old incumbent returns more than that and the tolerance. `FORGERIES` are the ways, by what they attack;
each takes an honest certificate (`Honest`) and a generator and gives a forged one, or None where it does not apply.
"""

import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from oracles.certificates import with_header, with_records
from oracles.certify import returns
from oracles.undiscounted_trees import start_return
from spotree.certificates.certificate import Certificate
from spotree.certificates.records import Record, Round, read_records
from spotree.mdp.model import MDP

HUGE = (1e16, 1e30, 1e99, 1e101, 1e200, 1.7e308, -1e16, -1e99, -1e200, np.nan, np.inf, -np.inf)


@dataclass(eq=False)
class Honest:
    """A true certificate, and a false claim about its model."""

    mdp: MDP
    certificate: Certificate
    but_for_the_start: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None  # symmetries of all but p0

    @cached_property
    def records(self) -> list[Record]:
        return list(read_records(self.certificate, self.mdp.num_states).values())

    @cached_property
    def lie(self) -> Certificate | None:
        """The same regions with a single leaf that is worse than the incumbent, said to be the best tree."""
        label = np.arange(self.mdp.num_actions)[:, None].repeat(self.mdp.num_states, 1)
        by_chain = self.mdp.discount < 1
        worth = returns(self.mdp, label) if by_chain else np.array([leaf_return(self.mdp, row) for row in label])
        action = int(np.argmin(np.where(np.isfinite(worth), worth, np.inf)))
        header = self.certificate.header
        if not worth[action] < header["value"] - 10 * header["margin"]:
            return None
        tree = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [action]}
        return with_header(self.certificate, tree=tree, value=float(worth[action]), bound=float(worth[action]))

    @property
    def root(self) -> Record:
        return next(r for r in self.records if r.parent == -1)

    def forged(self, change) -> Certificate:
        """The lie, with every region changed by a function (None: it is left out)."""
        kept = [new for r in self.records if (new := change(r)) is not None]
        return with_records(self.lie, kept)

    def closed_root(self, *rounds: Round) -> Certificate:
        """The lie with nothing but a root that is said to be closed."""
        return with_records(self.lie, [Record(0, -1, 0, 0, list(rounds), [0])])

    def dense(self, value=0.0, visits=None, **more) -> Round:
        """A round in full, with one number for all states where an array is not given."""
        states = self.mdp.num_states
        fill = [
            None if x is None else np.broadcast_to(np.asarray(x, float), states).copy() for x in (value, visits)
        ]
        none = np.zeros(0, np.int32)
        return Round(visits is not None, fill[0], more.get("floors", []), fill[1], more.get("removed", none))

    def pairs(self) -> np.ndarray:
        return np.arange(len(self.certificate.header["group_state"]) * self.mdp.num_actions, dtype=np.int32)


def leaf_return(mdp, label):
    return start_return(mdp, mdp.choice_of[np.arange(mdp.num_states), label])


def longest(mdp):
    """Steps for which rewards may add up, about."""
    return 1 / (1 - mdp.discount) if mdp.discount < 1 else 1e6


def pick(rng, things):
    return things[int(rng.integers(len(things)))]


def changed_rounds(honest, change):
    return honest.forged(lambda r: replace(r, rounds=[change(e) for e in r.rounds]))


# Lemma 1: V is no bound


def low_value(honest, rng):
    """The root's value is below every return."""
    return honest.closed_root(honest.dense(-float(10.0 ** rng.uniform(-3, 12))))


def huge_value(honest, rng):
    """Values so large that a bound is rounding, or none at all."""
    return honest.closed_root(honest.dense(pick(rng, HUGE)))


def huge_in_one_state(honest, rng):
    """One value is huge: what rounding loses there must not close the region."""
    value = np.zeros(honest.mdp.num_states)
    value[rng.integers(len(value))] = pick(rng, HUGE)
    return honest.closed_root(honest.dense(value))


def scaled_values(honest, rng):
    """All values of the certificate times a number."""
    factor = pick(rng, [0.0, 0.5, -1.0, 1e-9, 1e16, 1e80, 1e300, np.nan])
    return changed_rounds(
        honest,
        lambda e: replace(e, value=None if e.value is None else e.value * factor, values=e.values * factor),
    )


def other_sweeps(honest, rng):
    """Sweeps are left out, or there are far too many of them, or fewer than none."""
    sweeps = pick(rng, [0, 1, 3, 999, 1001, 2**31 - 1, -1, -(2**31)])
    return changed_rounds(honest, lambda e: replace(e, sweeps=sweeps) if e.value is None else e)


def states_that_do_not_exist(honest, rng):
    """New values for states beyond the last, or before the first."""
    state = pick(rng, [-1, honest.mdp.num_states, 2**31 - 1, -(2**31)])
    brief = Round(True, None, [], None, np.zeros(0, np.int32), 1, np.array([state]), np.array([-1e9]))
    return honest.closed_root(brief)


# Lemma 2 and 3: regret and visits


def high_visits(honest, rng):
    """A true value, and visits that no tree pays."""
    first = honest.root.rounds[0]
    visits = float(10.0 ** rng.uniform(-2, 9))
    return honest.closed_root(honest.dense(first.value, visits))


def strange_visits(honest, rng):
    """Visits that are negative, huge or no numbers."""
    return honest.closed_root(honest.dense(honest.root.rounds[0].value, pick(rng, [-1.0, -1e-9, *HUGE])))


def tiny_visits(honest, rng):
    """True visits, and next to nothing of them everywhere else: too little for a slack to notice."""
    first = next((r for r in honest.root.rounds if r.visits is not None), honest.root.rounds[0])
    true = np.zeros(honest.mdp.num_states) if first.visits is None else first.visits
    return honest.closed_root(honest.dense(first.value, np.maximum(true, 10.0 ** rng.uniform(-300, -12))))


def visits_of_one_state(honest, rng):
    """One state is said to be visited for ever."""
    visits = np.zeros(honest.mdp.num_states)
    visits[rng.integers(len(visits))] = longest(honest.mdp)
    return honest.closed_root(honest.dense(honest.root.rounds[0].value, visits))


def visits_of_a_part(honest, rng):
    """What trees of one part visit is said of the whole: as if one action were all there is."""
    visits = np.zeros(honest.mdp.num_states)
    rows = honest.mdp.choice_of[:, int(rng.integers(honest.mdp.num_actions))]
    chain = honest.mdp.rows.toarray()[np.maximum(rows, 0)] * (rows >= 0)[:, None]
    for _ in range(200):
        visits = honest.mdp.initial + honest.mdp.discount * chain.T @ visits
    return honest.closed_root(honest.dense(honest.root.rounds[0].value, visits))


# Lemma 4: floors


def floor(honest, rng, scale, level):
    value = np.full(honest.mdp.num_states, level)
    floors = [(int(rng.integers(honest.mdp.num_states)), scale, value) for _ in range(3)]
    return honest.closed_root(
        honest.dense(honest.root.rounds[0].value, 0.0, floors=floors),
        honest.dense(honest.root.rounds[0].value, 0.0),
    )


def low_floor(honest, rng):
    """W below what it must be: the floor would be high."""
    return floor(honest, rng, float(10.0 ** rng.uniform(-3, 6)), -float(10.0 ** rng.uniform(0, 12)))


def strange_floor(honest, rng):
    """Scales and values that are negative, huge or no numbers."""
    return floor(honest, rng, pick(rng, [-1.0, 0.0, *HUGE]), pick(rng, [0.0, *HUGE]))


def floor_of_a_part(honest, rng):
    """A floor below the root, where other assumptions hold."""
    half = [1, 0, 1, 0]
    value = honest.root.rounds[0].value
    floors = [(0, 1.0, np.full(honest.mdp.num_states, -1e6))]
    parts = [Record(k + 1, 0, k, 0, [honest.dense(value, 0.0, floors=floors)], [0]) for k in (0, 1)]
    return with_records(honest.lie, [Record(0, -1, 0, 0, [honest.dense(value, 0.0)], half), *parts])


def floor_of_everything(honest, rng):
    """Floors for all states, with W that bounds scale * return alone: as if visits came for nothing."""
    scale, value = float(10.0 ** rng.uniform(-6, 3)), honest.root.rounds[0].value
    floors = [(k, scale, scale * value - pick(rng, [0.0, 1.0, 1e-9])) for k in range(honest.mdp.num_states)]
    rounds = honest.dense(value, 0.0, floors=floors), honest.dense(value, longest(honest.mdp))
    return honest.closed_root(*rounds)


# Lemma 5: the filter


def removes_everything(honest, rng):
    """Every action of some groups is removed: an empty region is closed."""
    pairs = honest.pairs()
    some = pairs if rng.random() < 0.5 else np.sort(rng.choice(pairs, size=max(1, len(pairs) // 2), replace=False))
    value = pick(rng, [honest.root.rounds[0].value, 1e30, -1e5, np.nan])
    return honest.closed_root(honest.dense(value, 0.0, removed=some), honest.dense(value))


def removes_what_is_not_there(honest, rng):
    """Groups and actions beyond the last, or before the first."""
    word = pick(rng, [-1, -(2**31), len(honest.pairs()), 2**31 - 1])
    removed = np.array([word], np.int32)
    return honest.closed_root(honest.dense(honest.root.rounds[0].value, 0.0, removed=removed), honest.dense(-1e3))


def removes_more(honest, rng):
    """The honest rounds remove one action more each."""

    def more(entry):
        extra = rng.choice(honest.pairs(), size=1).astype(np.int32)
        return replace(entry, removed=np.union1d(entry.removed, extra).astype(np.int32)) if entry.regret else entry

    return changed_rounds(honest, more)


def removes_where_nothing_grows(honest, rng):
    """Regions of fixed leaves remove the actions of groups that are settled: an empty region is closed."""
    last = honest.dense(honest.root.rounds[0].value, 0.0, removed=honest.pairs())
    return honest.forged(
        lambda r: (
            replace(r, rounds=[*r.rounds, last], branching=[0]) if r.branching[0] == 3 and r.parent >= 0 else r
        )
    )


def removes_for_other_groups(honest, rng):
    """Groups have each other's names: what is removed and parted is about other states."""
    names = honest.lie.header["group_state"]
    return with_header(honest.lie, group_state=[names[k] for k in rng.permutation(len(names))])


# Lemmas 6 to 8: cover, leaves, equal regions


def nothing_proved(honest, rng):
    """Regions are said to be closed without a reason."""
    return pick(
        rng, [honest.closed_root(), with_records(honest.lie, [Record(0, -1, 0, 0, [], [pick(rng, [2, 3, 5, 7])])])]
    )


def false_solo_leaves(honest, rng):
    """Every action at the root is said to be hopeless."""
    value = pick(rng, [-1e6, np.nan, 1e200, 0.0])
    solos = [Record(k + 1, -2, k, 0, [honest.dense(value)], [4]) for k in range(honest.mdp.num_actions)]
    return with_records(honest.lie, [Record(0, -1, 0, 0, honest.root.rounds[:1], [3, 0]), *solos])


def solo_of_no_leaf(honest, rng):
    """Paths of splits and actions that do not exist."""
    step = pick(rng, [-1, -2, 10**6, 2**31 - 1])
    solo = Record(10**6, -2, pick(rng, [0, -1, 10**6]), 1, [], [4, step])
    return with_records(honest.lie, [*honest.records, solo])


def wider_solo_leaves(honest, rng):
    """A leaf that is hopeless is said to be any leaf of its action: its path is cut, or leads to the other side."""

    def change(record):
        if record.parent != -2:
            return record
        path = record.branching[1:]
        kept = path[: int(rng.integers(len(path) + 1))]
        return replace(record, branching=[4, *(step ^ int(rng.integers(2)) for step in kept)])

    return honest.forged(change)


def splits_that_part_nothing(honest, rng):
    """Thresholds below or above all values, or one for all splits: a side is empty, or two ways are one."""
    threshold = honest.lie.header["split_threshold"]
    other = pick(rng, [[-1e308] * len(threshold), [1e308] * len(threshold), threshold[:1] * len(threshold)])
    return with_header(honest.lie, split_threshold=other)


def another_size(honest, rng):
    """The proof is said to be about deeper trees, or about some number of leaves."""
    return with_header(honest.lie, depth=int(rng.integers(1, 9)), max_leaves=pick(rng, [None, 2, 3, 5, 2**40]))


def another_share_of_leaves(honest, rng):
    """With a limit on leaves, what was proved for one share of them is said of every one."""
    return with_header(honest.forged(lambda r: replace(r, second=int(rng.integers(3)))), max_leaves=3)


def refers_to_what_nobody_checked(honest, rng):
    """Both halves stand at regions that are no part of anything, or of a solo leaf."""
    value = honest.root.rounds[0].value
    root = Record(0, -1, 0, 0, [honest.dense(value, 0.0)], [1, 0, 1, 0])
    halves = [Record(k + 1, 0, k, 0, [], [6, k + 3]) for k in (0, 1)]
    parent = pick(rng, [77, 5, -2, -3])  # a region that is not there, one below a solo leaf, a solo leaf itself
    aside = [Record(k + 3, parent, k, 0, [honest.dense(-1e3)], [pick(rng, [0, 4])]) for k in (0, 1)]
    solo = Record(5, -2, 0, 0, [honest.dense(value)], [4])
    return with_records(honest.lie, [root, *halves, *aside, *([solo] if parent == 5 else [])])


def refers_to_itself(honest, rng):
    """Parts that stand elsewhere: at themselves, at each other, at the whole, nowhere."""
    one, two = pick(rng, [(1, 2), (2, 1), (0, 0), (7, 7)])
    value = honest.root.rounds[0].value
    root = Record(0, -1, 0, 0, [honest.dense(value, 0.0)], [1, 0, 1, 0])
    return with_records(honest.lie, [root, Record(1, 0, 0, 0, [], [6, one]), Record(2, 0, 1, 0, [], [6, two])])


def references_instead_of_proofs(honest, rng):
    """Some closed regions are said to stand elsewhere."""
    numbers = [r.number for r in honest.records]

    def change(record):
        if record.parent < 0 or rng.random() < 0.5:
            return record
        return replace(record, rounds=[], branching=[6, int(pick(rng, numbers))])

    return honest.forged(change)


def parts_left_out(honest, rng):
    """Half of the regions are gone."""
    return honest.forged(lambda r: r if r.parent == -1 or rng.random() < 0.5 else None)


def one_part_twice(honest, rng):
    """All parts of a region are the first one."""
    return honest.forged(lambda r: replace(r, first=0, second=0) if r.parent >= 0 else r)


def wild_branching(honest, rng):
    """Groups, actions, items, splits and counts beyond what exists."""
    wild = [-1, -(2**31), 2**31 - 1, 10**6, 64, 7]

    def change(record):
        words = [*record.branching]
        words[int(rng.integers(len(words)))] = pick(rng, wild)
        return replace(record, branching=words, first=pick(rng, [record.first, *wild]))

    return honest.forged(change)


def two_roots(honest, rng):
    """A second root that is closed, or no root."""
    more = [Record(10**7, -1, 0, 0, [], [0])] if rng.random() < 0.5 else []
    kept = honest.records if more else [r for r in honest.records if r.parent != -1]
    return with_records(honest.lie, [*kept, *more])


# Undiscounted: going on for ever


def flat_value(honest, rng):
    """One value for all states, around the claim: every row that goes on without reward is flat."""
    return honest.closed_root(honest.dense(honest.lie.header["value"] + pick(rng, [0.0, 1e-12, 1e-8, -1.0, 0.5])))


def lowered_where_flat(honest, rng):
    """The honest values, some of them lowered together as if they were one component."""
    value = honest.root.rounds[0].value.copy()
    some = rng.random(len(value)) < rng.uniform(0.1, 1.0)
    value[some] = min(value[some].min(initial=0.0), honest.lie.header["value"]) - pick(rng, [0.0, 1e-3, 1.0, 100.0])
    return honest.closed_root(honest.dense(value))


def slightly_lowered(honest, rng):
    """The honest values without their bonus, and a little less."""
    value = honest.root.rounds[0].value
    gap = honest.certificate.header["value"] - honest.lie.header["value"]
    return honest.closed_root(honest.dense(value - gap * rng.uniform(0.5, 2.0)))


def visits_that_feed_each_other(honest, rng):
    """Visits of some states that grow without anything arriving, beside the honest value."""
    visits = np.where(rng.random(honest.mdp.num_states) < 0.5, 10.0 ** rng.uniform(-1, 8), 0.0)
    return honest.closed_root(honest.dense(honest.root.rounds[0].value, visits))


def floor_of_idle_states(honest, rng):
    """W below 0 wherever nothing is paid: any number of visits would follow."""
    value = np.where(rng.random(honest.mdp.num_states) < 0.7, -(10.0 ** rng.uniform(0, 6)), 0.0)
    floors = [(int(rng.integers(honest.mdp.num_states)), pick(rng, [0.0, 1.0]), value)]
    first = honest.root.rounds[0].value
    return honest.closed_root(honest.dense(first, 0.0, floors=floors), honest.dense(first, 0.0))


# Lemma S: symmetries. One leaf is shown to be bad, and all others are said to be its images.


def leaf_images(honest, symmetries, refer):
    """Such a certificate, None where all leaves are worth the same: then the claim is true."""
    lie, mdp = honest.lie, honest.mdp
    worth = returns(mdp, np.arange(mdp.num_actions)[:, None].repeat(mdp.num_states, 1))
    if not worth.max() > lie.header["value"] + 10 * lie.header["margin"]:
        return None
    return said_to_be_images(honest, symmetries, refer)


def said_to_be_images(honest, symmetries, refer):
    """Depth 0, the worst action with a true proof; `refer` says where each of the others is said to stand."""
    lie, mdp = honest.lie, honest.mdp
    worst = lie.header["tree"]["action"][0]
    others = [a for a in range(mdp.num_actions) if a != worst]
    rows = np.maximum(mdp.choice_of[:, worst], 0)
    value = np.linalg.solve(
        np.eye(mdp.num_states) - mdp.discount * mdp.rows.toarray()[rows], mdp.reward_of_choice[rows]
    )
    root = Record(0, -1, 0, 0, [honest.dense(honest.root.rounds[0].value, 0.0)], [3, 0])
    bad = Record(1, 0, worst, 0, [honest.dense(value)], [0])
    images = [Record(2 + k, 0, a, 0, [], refer(k, a, len(others))) for k, a in enumerate(others)]
    state, action, feature = (np.array(part, int).ravel().tolist() for part in symmetries)
    header = with_header(
        lie, depth=0, max_leaves=None, symmetry_state=state, symmetry_action=action, symmetry_feature=feature
    )
    return with_records(header, [root, bad, *images])


def swaps(honest, states=None):
    """Symmetries, said to be, that exchange the worst action with each other one."""
    mdp, worst = honest.mdp, honest.lie.header["tree"]["action"][0]
    action = []
    for other in (a for a in range(mdp.num_actions) if a != worst):
        image = np.arange(mdp.num_actions)
        image[[worst, other]] = other, worst
        action.append(image)
    state = [np.arange(mdp.num_states) if states is None else states for _ in action]
    return state, action, [np.arange(mdp.num_features) + 1 for _ in action]


def false_actions(honest, rng):
    """Actions are exchanged that do different things."""
    return leaf_images(honest, swaps(honest), lambda k, a, n: [6, 1, k])


def false_states(honest, rng):
    """States are permuted somehow, or not even that."""
    states = rng.permutation(honest.mdp.num_states)
    if rng.random() < 0.3:
        states[0] = states[-1]
    return leaf_images(honest, swaps(honest, states), lambda k, a, n: [6, 1, k])


def wrong_sign(honest, rng):
    """Orders are said to be reversed, or to be those of another feature."""
    state, action, feature = swaps(honest)
    feature = [image * rng.choice([-1, 1], len(image)) for image in feature]
    feature[0] = -feature[0] if rng.random() < 0.5 else np.roll(feature[0], 1)
    return leaf_images(honest, (state, action, feature), lambda k, a, n: [6, 1, k])


def true_but_for_the_start(honest, rng):
    """What keeps rewards and rows, but not the start: listed symmetries of the model with another start."""
    if honest.but_for_the_start is None:
        return false_actions(honest, rng)
    count = len(honest.but_for_the_start[0])
    return leaf_images(honest, honest.but_for_the_start, lambda k, a, n: [6, 1, int(rng.integers(count))])


def no_image(honest, rng):
    """References to a region that is another one; true symmetries where there are some."""
    header = honest.certificate.header
    each = (honest.mdp.num_states, honest.mdp.num_actions, honest.mdp.num_features)
    lists = [
        np.array(header.get(f"symmetry_{name}", []), int).reshape(-1, size)
        for name, size in zip(("state", "action", "feature"), each, strict=True)
    ]
    worst = honest.lie.header["tree"]["action"][0]

    def refer(k, a, n):
        wrong = [j for j, image in enumerate(lists[1]) if image[worst] != a]
        return [6, 1, int(pick(rng, wrong))] if wrong and rng.random() < 0.7 else [6, 1]

    return leaf_images(honest, lists, refer)


def circles_of_images(honest, rng):
    """Images of each other, of themselves, of the whole."""
    kind = int(rng.integers(3))
    return leaf_images(honest, swaps(honest), lambda k, a, n: [6, (2 + (k + 1) % n, 2 + k, 0)[kind], k])


def symmetries_that_do_not_exist(honest, rng):
    """Numbers of symmetries and regions beyond the last, or before the first; images beyond what exists."""
    beyond = pick(rng, [-1, 10**6, 2**31 - 1, -(2**31)])
    if rng.random() < 0.5:
        region = pick(rng, [1, beyond])
        return leaf_images(honest, swaps(honest), lambda k, a, n: [6, region, pick(rng, [beyond, n, 1000])])
    lists = [np.array(part, int).ravel().tolist() for part in swaps(honest)]
    forged = false_actions(honest, rng)
    if forged is None:
        return None
    name, which = pick(rng, [("symmetry_state", 0), ("symmetry_action", 1), ("symmetry_feature", 2)])
    lists[which][int(rng.integers(len(lists[which])))] = pick(rng, [beyond, len(lists[which]) + 1])
    return with_header(forged, **{name: lists[which]})


def odd_symmetries(honest, rng):
    """Lists of another type, or of another length."""
    forged = false_actions(honest, rng)
    if forged is None:
        return None
    name = pick(rng, ["symmetry_state", "symmetry_action", "symmetry_feature"])
    return with_header(forged, **{name: pick(rng, [*ODD[:-7], [0] * 3, [1.0], [[0, 1]], forged.header[name][1:]])})


# The header and the streams

ODD = ([], [0], {}, "0", True, None, 1e308, -1e308, np.nan, np.inf, 10**30, -1, 2.5, [[0]], [True], ["0"])


def odd_header(honest, rng):
    """An entry of another type, or beyond its range."""
    names = ("depth", "max_leaves", "value", "margin", "tree", "group_state", "split_feature", "split_threshold")
    entry = pick(rng, [*names, "bound", "fingerprint"])
    odd = pick(rng, ODD)
    if entry == "max_leaves" and (odd is None or odd == 10**30):  # these are fine, and the claim is still false
        odd = 0
    if entry == "margin" and odd == 2.5:  # with that much to spare the claim may be true
        odd = -2.5
    if entry == "bound" and type(odd) in (int, float) and odd > honest.certificate.header["value"]:  # that is true
        odd = np.nan
    return with_header(honest.lie, **{entry: odd})


def odd_tree(honest, rng):
    """Entries of the tree that are lists, of another type, or beyond its range."""
    tree = copy.deepcopy(honest.lie.header["tree"])
    tree[pick(rng, list(tree))] = pick(rng, [[odd] for odd in ODD] + [[], [0, 0], [[0]]])
    return with_header(honest.lie, tree=tree)


def wide_tolerance(honest, rng):
    """A tolerance beyond all returns that can be reached: what is printed would say nothing."""
    header, mdp = honest.lie.header, honest.mdp
    most = np.abs(mdp.reward_of_choice).max() * longest(mdp)
    return with_header(honest.closed_root(), margin=float(most * 10.0 ** rng.uniform(1, 12)), bound=header["value"])


def tiny_tolerance(honest, rng):
    """A tolerance that is lost when it is added."""
    return with_header(honest.lie, margin=float(10.0 ** -rng.uniform(201, 320)))


def cut_streams(honest, rng):
    """Streams that end early or go on, and lengths that lead elsewhere."""
    lie = honest.lie
    words, numbers = lie.words.copy(), lie.numbers.copy()
    kind = int(rng.integers(4))
    if kind == 0:
        words = words[: rng.integers(len(words))]
    elif kind == 1:
        numbers = numbers[: rng.integers(len(numbers))]
    elif kind == 2:
        numbers = np.append(numbers, rng.normal(size=3))
    else:
        words[0] = pick(rng, [0, -1, 6, 2**31 - 1, -(2**31)])
    return replace(lie, words=words, numbers=numbers)


def noise(honest, rng):
    """Some words and numbers are anything."""
    lie = honest.lie
    words, numbers = lie.words.copy(), lie.numbers.copy()
    for _ in range(int(rng.integers(1, 6))):
        words[rng.integers(len(words))] = pick(rng, [0, 1, 2, 3, 4, 6, -1, 5, 2**31 - 1])
        numbers[rng.integers(len(numbers))] = pick(rng, [0.0, 1.0, *HUGE])
    return replace(lie, words=words, numbers=numbers)


FORGERIES = {
    "lemma 1": (low_value, huge_value, huge_in_one_state, scaled_values, other_sweeps, states_that_do_not_exist),
    "lemmas 2 and 3": (high_visits, strange_visits, tiny_visits, visits_of_one_state, visits_of_a_part),
    "lemma 4": (low_floor, strange_floor, floor_of_a_part, floor_of_everything),
    "lemma 5": (
        removes_everything,
        removes_what_is_not_there,
        removes_more,
        removes_where_nothing_grows,
        removes_for_other_groups,
    ),
    "lemmas 6 and 7": (
        nothing_proved,
        false_solo_leaves,
        solo_of_no_leaf,
        wider_solo_leaves,
        parts_left_out,
        one_part_twice,
        splits_that_part_nothing,
    ),
    "lemma 8": (
        refers_to_itself,
        references_instead_of_proofs,
        refers_to_what_nobody_checked,
        wild_branching,
        two_roots,
    ),
    "sizes": (another_size, another_share_of_leaves),
    "lemma S": (
        false_actions,
        false_states,
        wrong_sign,
        true_but_for_the_start,
        no_image,
        circles_of_images,
        symmetries_that_do_not_exist,
        odd_symmetries,
    ),
    "header": (odd_header, odd_tree, wide_tolerance, tiny_tolerance),
    "streams": (cut_streams, noise),
}

UNDISCOUNTED = {
    "going on": (
        flat_value,
        lowered_where_flat,
        slightly_lowered,
        visits_that_feed_each_other,
        floor_of_idle_states,
    ),
}
