"""Small undiscounted models on which naive versions of the lemmas in docs/proof.md go wrong."""

from dataclasses import dataclass

import numpy as np

from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

END = None  # where the goal, or failure, ends the episode

Row = tuple[float, dict[int | None, float]]  # reward, chances by next state


def model(rows: dict[int, tuple[Row, ...]], must_end: bool = False, groups: dict[int, int] | None = None) -> MDP:
    """One row for each action of a state; the episode starts in state 0, and a state is its own feature."""
    states, actions = len(rows), max(len(of) for of in rows.values())
    transitions, reward = np.zeros((actions, states, states)), np.zeros((states, actions))
    ends = np.zeros((states, actions))
    for state, of in rows.items():
        for action in range(actions):
            pay, chances = of[min(action, len(of) - 1)]
            reward[state, action] = pay
            for target, chance in chances.items():
                if target is END:
                    ends[state, action] = chance
                else:
                    transitions[action, state, target] = chance
    features = np.array([[float((groups or {}).get(state, state))] for state in range(states)])
    return build_mdp(
        transitions, reward, 1.0, 0, features, ends=ends, undiscounted=True, must_end=must_end, name="going on"
    )


@dataclass(frozen=True)
class Case:
    """A model, the depth of trees, and what the best of them returns."""

    mdp: MDP
    best: float
    depth: int = 1


H = 1 / 64  # exact in float64

CASES = {
    # A step reaches the goal with chance H: V = 0 passes with a slack of H, and the truth is 1.
    "C1": Case(model({0: ((H, {END: H, 1: 1 - H}), (0.0, {END: 1.0})), 1: ((0.0, {0: 1.0}),)}), 1.0),
    # A free circle that may be left for 1/2: V = 1 is a fixed point.
    "C2": Case(model({0: ((0.0, {1: 1.0}), (0.5, {END: 1.0})), 1: ((0.0, {0: 1.0}),)}), 0.5),
    # The same with costs: V = 0 is a fixed point, and leaving costs 5.
    "C3": Case(model({0: ((0.0, {1: 1.0}), (-5.0, {END: 1.0})), 1: ((0.0, {0: 1.0}),)}, must_end=True), -5.0),
    # Idling is worth 0, whatever a negative value there says.
    "C4": Case(
        model({0: ((-0.5, {END: 1.0}), (0.0, {1: 1.0})), 1: ((0.0, {2: 1.0}),), 2: ((0.0, {1: 1.0}),)}), 0.0
    ),
    # Staying costs all that could be had: no regret of a single step shows it.
    "C5": Case(model({0: ((0.0, {1: 1.0}), (1.0, {END: 1.0})), 1: ((0.0, {0: 1.0}), (0.0, {0: 1.0}))}), 1.0),
    # Visits of a class that nobody enters: the one leaf `a` is worth 1, and would pay in 1 and 2.
    "C6": Case(
        model(
            {
                0: ((1.0, {END: 1.0}), (0.0, {1: 1.0})),
                1: ((-1.0, {2: 1.0}), (0.0, {2: 1.0})),
                2: ((-1.0, {1: 1.0}), (0.0, {1: 1.0})),
            }
        ),
        1.0,
        depth=0,
    ),
    # All ways lead to an idle class, where a floor's W could be as low as one likes.
    "C7": Case(
        model({0: ((-1.0, {1: 1.0}), (-2.0, {2: 1.0})), 1: ((0.0, {2: 1.0}),), 2: ((0.0, {1: 1.0}),)}), -1.0
    ),
    # A free component that a part of the trees breaks up.
    "C8": Case(model({0: ((0.0, {0: 1 - H, 1: H}),), 1: ((0.0, {0: 1.0}), (1.0, {END: 1.0}))}), 1.0),
    # A value times 1 + d has no slack where nothing is paid.
    "C9": Case(model({0: ((0.0, {1: 1.0}), (0.25, {END: 1.0})), 1: ((0.5, {END: 1.0}),)}), 0.5),
    # One leaf acts in all states of a component: the quotient says 1, every leaf is worth 0.
    "C10": Case(
        model(
            {0: ((0.0, {1: 1.0}), (0.0, {END: 1.0})), 1: ((0.0, {0: 1.0}), (1.0, {END: 1.0}))}, groups={0: 0, 1: 0}
        ),
        0.0,
    ),
    # A free trap: V = 0 passes there, and the tree that may end in it is worth -inf.
    "C11": Case(
        model(
            {
                0: ((-1.0, {END: 0.5, 1: 0.5}), (-2.0, {END: 1.0})),
                1: ((0.0, {2: 1.0}), (0.0, {END: 1.0})),
                2: ((0.0, {1: 1.0}),),
            },
            must_end=True,
            groups={0: 0, 1: 0, 2: 1},
        ),
        -2.0,
    ),
}
