"""Methods by name, and settings by name: shorthand for the values."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from spotree.common.lookup import called
from spotree.errors import InvalidProblemError
from spotree.methods.method import Method
from spotree.methods.neighbourhood import Neighbourhood
from spotree.methods.omdt.method import Omdt
from spotree.methods.spot.algorithm import Spot
from spotree.methods.spot.spot_from_omdt import PRESETS, SpotFromOmdt
from spotree.methods.viper import Viper

METHODS: dict[str, Method] = {way.name: way for way in (Neighbourhood(), Spot(), SpotFromOmdt(), Omdt(), Viper())}


def chosen(method: Any, settings: Mapping[str, Any]) -> Method:
    """The method that a name or a value stands for, with these settings changed."""
    if isinstance(method, str):
        way = called("method", method, METHODS)
    elif isinstance(method, Method):
        way = method
    else:
        raise InvalidProblemError(
            f"method is of type {type(method).__name__}; give one of {', '.join(METHODS)}, or a value such as Spot()"
        )
    changes = dict(settings)
    for name in changes:
        _check(way, name)
    if (preset := changes.pop("preset", None)) is not None:
        way = _preset(method, preset)
    return replace(way, **changes) if changes else way  # type: ignore[type-var]


def settings_of(way: Method) -> list[str]:
    """What `solve` takes for this method beyond what it takes for all: the preset, where it has one, and its fields."""
    known: list[str] = [field.name for field in fields(way)] if is_dataclass(way) else []
    presets = {preset.name for ways in PRESETS.values() for preset in ways}
    return ["preset", *known] if way.name in presets else known


def _check(way: Method, name: str) -> None:
    """Refuse what the method does not know; say who does."""
    own = settings_of(way)
    if name not in own:
        others = [other for other, value in METHODS.items() if name in settings_of(value)]
        known = f"; {name!r} is a setting of {', '.join(others)}" if others else ""
        raise InvalidProblemError(
            f"method {way.name!r} has no setting {name!r}; it has {', '.join(own) or 'none of its own'}{known}"
        )


def _preset(method: str | Method, name: Any) -> Method:
    if not isinstance(name, str) or name not in PRESETS:
        raise InvalidProblemError(f"preset {name!r} is unknown; there is {', '.join(map(repr, PRESETS))}")
    if isinstance(method, Method):
        raise InvalidProblemError(
            f"preset={name!r} goes with the name of a method, {method.name!r}; change the value of the preset instead:"
            " replace(spotree.PAPER, ...)"
        )
    return next(preset for preset in PRESETS[name] if preset.name == method)
