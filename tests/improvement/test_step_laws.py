"""Laws of one improvement step: the same problem in other words has the same best value, by every engine."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spotree
from spotree.improvement.engines.registry import ENGINES

NUMBER = {"exact": 40, "exhaustive": 20, "rsbb": 20, "milp": 3}  # of problems, each in eleven other words


@dataclass(frozen=True)
class Step:
    """A problem of one improvement step, and how its value follows from another's: scale * value + shift."""

    features: np.ndarray
    gain: np.ndarray
    scale: float = 1.0
    shift: float = 0.0


def random_step(rng: np.random.Generator) -> Step:
    rows, actions, features = rng.integers(1, 10), rng.integers(1, 4), rng.integers(1, 4)
    gain = rng.integers(-2, 3, (rows, actions)) if rng.random() < 0.5 else rng.normal(size=(rows, actions))
    return Step(rng.integers(0, rng.integers(1, 5), (rows, features)) * 1.0, gain * 1.0)


def changes(step: Step, rng: np.random.Generator) -> dict[str, Step]:
    """The step in other words."""
    features, gain = step.features, step.gain
    rows = rng.permutation(len(gain))
    number, constant = 10.0 ** rng.uniform(-6, 6), rng.normal(size=(len(gain), 1))
    rising = np.cumsum(10.0 ** rng.uniform(-6, 6, int(features.max()) + 1))
    part, equal, column = rng.random() * gain[:1], np.full_like(gain[:1], 3.0), rng.integers(features.shape[1])
    return {
        "rows in another order": Step(features[rows], gain[rows]),
        "actions in another order": Step(features, rng.permutation(gain, axis=1)),
        "features in another order": Step(rng.permutation(features, axis=1), gain),
        "rising map": Step(rising[features.astype(int)], gain),
        "falling map": Step(-rising[features.astype(int)], gain),
        "useless features": Step(np.hstack((features * 0, features, -2 * features[:, [column]])), gain),
        "gains times a number": Step(features, number * gain, scale=number),
        "a constant for each row": Step(features, gain + constant, shift=float(constant.sum())),
        "a row in two": Step(np.vstack((features, features[:1])), np.vstack((part, gain[1:], gain[:1] - part))),
        "a row without preference": Step(np.vstack((features, features[:1] + 5)), np.vstack((gain, equal)), shift=3.0),
        "an action that never wins": Step(features, np.hstack((gain, gain.min(axis=1, keepdims=True) - 1))),
    }  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_the_best_step_follows(engine: str) -> None:
    @settings(max_examples=NUMBER[engine], derandomize=True, database=None, deadline=None)
    @given(
        seed=st.integers(0, 2**32 - 1),
        depth=st.sampled_from((2, 1, 0)),
        max_leaves=st.sampled_from((None, 3, 2, 1)),
    )
    def follows(seed: int, depth: int, max_leaves: int | None) -> None:
        rng = np.random.default_rng(seed)
        step = random_step(rng)
        best = partial(spotree.improve, engine=engine, depth=depth, max_leaves=max_leaves, threads=1)
        old = best(step.features, step.gain)
        assert old.optimal
        spread = float(np.ptp(step.gain, axis=1).sum()) + float(abs(step.gain).sum())
        for name, change in changes(step, rng).items():
            new = best(change.features, change.gain)
            value = change.scale * old.value + change.shift
            assert new.optimal, name
            assert abs(new.value - value) <= 1e-9 * (change.scale * spread + abs(change.shift)), name
            assert new.value <= new.bound + 1e-12 * abs(new.bound), name
        deeper = spotree.improve(step.features, step.gain, depth + 1, engine, threads=1, max_leaves=max_leaves)
        assert deeper.value >= old.value - 1e-9 * spread
        if max_leaves is not None:
            wider = spotree.improve(step.features, step.gain, depth, engine, threads=1, max_leaves=max_leaves + 1)
            assert wider.value >= old.value - 1e-9 * spread

    follows()
