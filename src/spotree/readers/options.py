"""Options of `read`, checked once and passed to every reader."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

from spotree.errors import ReadError
from spotree.mdp.model import Missing, Sense

Constant: TypeAlias = bool | int | float | str
ActionMapping: TypeAlias = Literal["commands", "labels"]

DEFAULT_DISCOUNT = 0.99
DEFAULT_MISSING: Missing = "random"
REACH = "reach"
STEPS = "steps"
CONDITIONS = ("goal", "avoid")  # the options that are sets of states


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of `read`; a reader takes those that mean something for its source and refuses the rest.

    What each means stands in the help of `read`; where it says that None takes the source's own, a reader calls
    `discount_or`, `missing_or` and `missing_reward_or`.
    """

    constants: Mapping[str, Constant] = field(default_factory=dict)
    reward: str | tuple[str, ...] | None = None
    sense: Sense = "max"
    goal: str | None = None
    avoid: str | None = None
    discount: float | None = None
    missing: Missing | None = None
    missing_reward: float | None = None
    actions: ActionMapping = "commands"
    drop_actions: tuple[str, ...] = ()
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    reachable: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        _one_of("sense", self.sense, get_args(Sense))
        _one_of("actions", self.actions, get_args(ActionMapping))
        if self.missing is not None:
            _one_of("missing", self.missing, get_args(Missing))

    @property
    def given(self) -> dict[str, Any]:
        """The options that are not at their default, by name."""
        plain = ReadOptions()
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        return {name: value for name, value in values.items() if value != getattr(plain, name)}

    def discount_or(self, default: float = DEFAULT_DISCOUNT) -> float:
        return default if self.discount is None else self.discount

    def missing_or(self, default: Missing = DEFAULT_MISSING) -> Missing:
        return default if self.missing is None else self.missing

    def missing_reward_or(self, default: float = -1.0) -> float:
        return default if self.missing_reward is None else self.missing_reward

    def refuse_cheap_end(self, source: str) -> None:
        """Complain if missing actions end an episode of costs at a price that nobody has named.

        Where going on costs more, the best policy would take a missing action at once.
        """
        if self.missing == "end" and self.missing_reward is None:
            raise ReadError(
                f"{source}: with missing='end' an action that is not available ends the episode at a cost of 1, which "
                "may be cheaper than to go on; pass missing='random', or a missing_reward worse than any sum of costs"
            )

    def refuse(self, kind: str, *names: str) -> None:
        """Complain if one of the named options was given although it means nothing for this kind of source."""
        for name, value in self.given.items():
            if name in names:
                raise ReadError(f"{name}={value!r} means nothing for {kind}; leave the option out")


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ReadError(f"{name}={value!r} is unknown; choose one of {', '.join(map(repr, known))}")
