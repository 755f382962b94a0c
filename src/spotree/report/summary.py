"""Summary of the solved problem in words: the part of a report that explains the figures."""

import math
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

from spotree.mdp import MDP
from spotree.mdp.model import Sense
from spotree.results.metrics import aim_text, reward_text, reward_word
from spotree.results.solution import Solution
from spotree.search.request import asked_text


def exact(number: float) -> float | None:
    """All digits: for what is compared, as a feature with a threshold."""
    value = float(number)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def short(number: float) -> float | None:
    """Seven digits, which is more than a page shows; None for what is not finite."""
    value = exact(number)
    return value if value is None or isinstance(value, int) else exact(float(f"{value:.7g}"))


def shorts(numbers: Iterable[float]) -> list[float | None]:
    return [short(number) for number in numbers]


MISSING = {
    "random": "act as a uniformly random available one",
    "end": "end the episode with a {word} of {amount:zg}",
    "stay": "stay in the state with no {word}",
    "forbid": "are forbidden",
}


def setup_words(solution: Solution, mdp: MDP | None = None) -> list[tuple[str, str]]:
    """Name and text, in the order in which a reader asks."""
    notes = dict(solution.notes)
    reward, command = notes.pop("reward", None), notes.pop("command", None)
    words = [
        ("model", solution.model),
        ("aim", aim_text(solution.sense, solution.notes)),
        (reward_word(solution.sense), reward and reward_text(solution.sense, reward)),
        ("goal", notes.pop("goal", None)),
        ("avoid", notes.pop("avoid", None)),
        ("discount", _discount(solution)),
        ("unavailable actions", missing_text(solution.missing, mdp)),
        *notes.items(),
        ("size asked for", _size(solution)),
        ("method", f"{solution.method}, {solution.seconds:.1f} s"),
        ("bound", solution.figures.trust_words),
        ("seed", None if solution.seed is None else str(solution.seed)),
        ("versions", f"spotree {_version()}, Python {platform.python_version()}"),
        ("command", command),
    ]
    return [(name, text) for name, text in words if text]


def missing_text(rule: str, mdp: MDP | None = None) -> str:
    """What happens where the tree asks for an action that the state does not offer."""
    if mdp is not None and mdp.available.all():
        return "none: every state offers every action"
    sense: Sense = "max" if mdp is None else mdp.sense
    reward = -1.0 if mdp is None else mdp.missing_reward
    return MISSING[rule].format(word=reward_word(sense), amount=-reward if sense == "min" else reward)


def _discount(solution: Solution) -> str:
    if solution.discount == 1:
        return "1: totals until the episode ends"
    return f"{solution.discount:g}: a reward {1 / (1 - solution.discount):.4g} steps away counts about a third"


def _size(solution: Solution) -> str:
    return asked_text(solution.depth, solution.max_leaves)


def _version() -> str:
    try:
        return version("spotree")
    except PackageNotFoundError:
        import spotree

        return spotree.__version__
