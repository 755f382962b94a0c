"""Figures as a person reads them: costs as positive costs, and ratios only where they mean something."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spotree.common.sanitize import shown
from spotree.evaluation.returns import of_optimum, over_random
from spotree.mdp.model import Sense

NEAR = 0.01  # a number below this share of another is near 0 beside it: no ratio to it is shown
SAME = 5e-9  # a difference below this share is none to a reader


@dataclass(frozen=True, slots=True)
class Figures:
    """What a policy is worth beside the best and the random one, and the words for it.

    The numbers that go in are returns, more is better; what comes out of `shown` and of all texts are costs where
    `sense` is "min".

    Attributes
    ----------
    value, bound
        Of a tree, and of all trees of its size; None where there is none.
    error
        Neither number is further from the truth.
    proved
        Whether the proof that no tree of the size is better is complete.
    trusted
        The file that the bound was taken from without a proof, as in `Solution.trusted`.
    """

    optimum: float
    random: float
    value: float | None = None
    bound: float | None = None
    sense: Sense = "max"
    error: float = 0.0
    proved: bool = False
    trusted: str | None = None

    @property
    def word(self) -> str:
        """What the numbers are: "return" or "cost"."""
        return "cost" if self.sense == "min" else "return"

    def shown(self, value: float) -> float:
        """The number as shown: a positive cost instead of a negative return; no rounding error instead of 0."""
        if abs(value) <= self.error < math.inf:
            return 0.0
        return 0.0 - value if self.sense == "min" else value

    def text(self, value: float) -> str:
        """The number as printed."""
        return number_text(self.shown(value))

    @property
    def loss(self) -> float | None:
        """What the tree loses against the best policy; at least 0."""
        return None if self.value is None else max(0.0, self.optimum - self.value)

    @property
    def gap(self) -> float | None:
        """How far the bound is from the value, as a share of the bound: `gap_share`; None where there is none."""
        if self.value is None or self.bound is None:
            return None
        gap = 0.0 if self.proved else gap_share(self.value, self.bound)
        return gap if math.isfinite(gap) else None

    @property
    def no_gap(self) -> str | None:
        """Why the gap is no share of the bound, None where it is one."""
        if self.value is None or self.bound is None:
            return "there is no tree or no bound"
        return None if self.gap is not None else "tree and bound differ in sign, or by more than the bound itself"

    @property
    def no_ratio(self) -> str | None:
        """Why value / optimum means nothing, None where it does mean something."""
        if self.value is None:
            return "there is no tree"
        best, size = self.optimum, abs(self.optimum)
        if size == 0.0 or self.error > NEAR * size:
            return f"the best policy's {self.word} is 0 up to the error of the numbers"
        if self.value * best < 0:
            return f"the tree's {self.word} and the best policy's have different signs"
        across = self.random * best < 0 and math.isfinite(self.random)
        if size < NEAR * max(best - self.value, best - self.random if across else 0.0):
            return f"the best policy's {self.word} is near 0 beside the differences"
        return None

    @property
    def no_share(self) -> str | None:
        """Why there is no share of the best return, None where there is one."""
        if self.no_ratio or (self.sense == "max" and self.optimum > 0):
            return self.no_ratio
        return f"the ratio of {'costs' if self.sense == 'min' else 'negative returns'} rises as a tree gets worse"

    @property
    def no_over_random(self) -> str | None:
        """Why (value - random) / (optimum - random) means nothing, None where it does mean something."""
        if self.value is None:
            return "there is no tree"
        if not math.isfinite(self.random):
            return f"the random policy's {self.word} is infinite"
        spread, rounding = self.optimum - self.random, 1e-12 * abs(self.optimum)
        if spread <= rounding or spread * NEAR < self.error or spread < NEAR * (self.optimum - self.value):
            return "the random policy is worth as much as the best one"
        return None

    @property
    def random_is_best(self) -> bool:
        """Whether the random policy is worth as much as the best one, up to rounding and the error of both."""
        return self.optimum - self.random <= max(1e-9 * abs(self.optimum), 2 * self.error) < math.inf

    @property
    def over_random(self) -> float | None:
        """0 for the random policy, 1 for the best one; None where it means nothing."""
        if self.value is None or self.no_over_random:
            return None
        return min(1.0, over_random(self.value, self.optimum, self.random))

    @property
    def of_optimum(self) -> float | None:
        """The share of the best return, at most 1; None for costs, negative returns, and where it means nothing."""
        if self.value is None or self.no_share:
            return None
        return min(1.0, of_optimum(self.value, self.optimum))

    @property
    def above_best(self) -> float | None:
        """What the tree costs more than the best policy, as a share of that; None where `of_optimum` says it."""
        if self.loss is None or self.no_ratio or self.of_optimum is not None:
            return None
        return self.loss / abs(self.optimum)

    @property
    def beside_best(self) -> str | None:
        """The tree beside the best policy in words, None where a ratio means nothing."""
        if self.of_optimum is not None:
            return f"{part_text(self.of_optimum)} of the best policy's"
        more = self.above_best
        if more is None:
            return None
        if more < SAME:
            return f"the same {self.word} as the best policy"
        return f"{percent_text(more)} {'more' if self.sense == 'min' else 'less'} than the best policy"

    @property
    def bound_words(self) -> str | None:
        """What the bound says, to be read behind its number."""
        if self.value is None or self.bound is None:
            return None
        if self.proved:
            more = self.bound - self.value
            return "no tree of the size is better" + (f" by more than {more:.1e}" if more > 0 else "")
        trust = "" if self.trusted is None else f"; {self.trust_words}"
        if self.sense == "min":
            return f"no tree of the size costs less; {self.gap_text}{trust}"
        return self.gap_text + trust

    @property
    def trust_words(self) -> str | None:
        """Where a bound that was not proved comes from, None for one that was."""
        return None if self.trusted is None else f"taken on trust from {shown(self.trusted)}"

    @property
    def gap_text(self) -> str:
        """The gap in per cent of the bound; as a difference where it is no share of that."""
        if self.gap is not None:
            return f"gap {percent_text(self.gap)}"
        apart = math.nan if self.value is None or self.bound is None else self.bound - self.value
        return f"gap of {number_text(apart)}" if math.isfinite(apart) else "gap unknown"

    @property
    def verdict(self) -> str:
        """One sentence for all of it."""
        if self.value is None or self.bound is None:
            return f"The best policy's expected {self.word} is {self.text(self.optimum)}."
        beside = f", {self.beside_best}" if self.beside_best else ""
        limit = "costs less than" if self.sense == "min" else "returns more than"
        proof = f"no tree of this size {limit} {self.text(self.bound)} ({self.gap_text})"
        if self.proved:
            proof = "proved: no tree of this size is better"
        elif self.trusted is not None:
            proof = f"if {shown(self.trusted)} is right, which was not checked, {proof}"
        return f"An expected {self.word} of {self.text(self.value)}{beside}; {proof}."

    @property
    def marks(self) -> list[tuple[str, float]]:
        """Names and shown numbers to be drawn side by side, best first."""
        marks = [
            ("best policy", self.optimum),
            ("bound", self.bound),
            ("this tree", self.value),
            ("random", self.random),
        ]
        return [(name, self.shown(value)) for name, value in marks if value is not None]

    def as_dict(self) -> dict[str, Any]:
        """The derived numbers, None where they mean nothing, and why."""
        cost = self.shown(self.value) if self.value is not None and self.sense == "min" else None
        numbers = {
            "of_optimum": self.of_optimum,
            "above_best": self.above_best,
            "over_random": self.over_random,
            "gap": self.gap,
        }
        why = {"of_optimum": self.no_share, "over_random": self.no_over_random}
        if self.bound is not None:
            why["gap"] = self.no_gap
        return {
            "cost": cost,
            "loss": self.loss,
            **numbers,
            "why_null": {name: word for name, word in why.items() if word},
        }


_SETS = {"goal": "until", "avoid": "avoiding"}  # notes on sets of states, and the word before them


def aim_text(sense: Sense, notes: Mapping[str, str]) -> str:
    """What is sought, in the words of the reader: reward, sense, goal and what is avoided."""
    reward = notes.get("reward")
    aim = "the smallest expected cost" if sense == "min" else "the largest expected return"
    earned = f" ({shown(reward_text(sense, reward))})" if reward else ""
    until = [f"{word} {shown(notes[name].rsplit(': ', 1)[0])}" for name, word in _SETS.items() if name in notes]
    return aim + earned + "".join(f" {part}" for part in until)


def reward_word(sense: Sense) -> str:
    """What a choice earns, in a word."""
    return "cost" if sense == "min" else "reward"


def reward_text(sense: Sense, reward: str) -> str:
    """The reward as a reader has noted it; a cost without the sign that made it a reward."""
    if sense == "min" and reward.startswith("-(") and reward.endswith(")"):
        return reward[2:-1]
    return reward


def number_text(value: float) -> str:
    """Six decimals, or six digits where these would say nothing."""
    if not math.isfinite(value):
        return "infinite" if value > 0 else "-infinite" if value < 0 else "unknown"
    return f"{value:z.6f}" if value == 0 or 1e-3 <= abs(value) < 1e7 else f"{value:.6g}"


def gap_share(value: float, best: float) -> float:
    """What a return lacks to a better one, as a share of that: the one meaning of a gap in per cent.

    inf where it is no share: the two differ in sign, or by more than the better one itself.
    """
    if value >= best:
        return 0.0
    share = math.inf if best == 0 or value < 0 < best else (best - value) / abs(best)
    return share if share <= 1 else math.inf


def part_text(share: float) -> str:
    """A part of a whole in per cent: two digits behind the point, more near the whole; the whole alone is 100 %."""
    if share > 1 - SAME:
        return "100 %"
    digits = max(2, math.ceil(-math.log10(100 * (1 - share))))
    return f"{math.floor(share * 100 * 10**digits + 1e-6) / 10**digits:.{digits}f} %"


def percent_text(share: float) -> str:
    """Three digits of a share in per cent."""
    percent = 100 * share
    if share < SAME:
        return "0 %"
    if percent < 1e-4:
        return "under 0.0001 %"
    return f"{percent:,.0f} %" if percent >= 1000 else f"{percent:.3g} %"
