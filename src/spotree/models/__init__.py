"""Models that ship: a table of names, each loaded from its module only when asked for."""

from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

from spotree.errors import ReadError
from spotree.mdp.model import MDP, Missing
from spotree.mdp.source import source_of
from spotree.mdp.transforms import rebuilt, unused_reward


class Shipped(NamedTuple):
    """Where a model comes from: `function(*arguments)` of `spotree.models.<module>` returns the MDP."""

    module: str
    function: str
    arguments: tuple[Any, ...]
    description: str


MODELS: dict[str, Shipped] = {
    # Generated in Python from the rules of each problem: the thirteen of the OMDT benchmark, discount 0.99.
    "blackjack": Shipped("blackjack", "blackjack", (), "draw cards against a dealer, hand after hand"),
    "frozenlake_4x4": Shipped("frozenlake", "frozenlake", ("4x4",), "cross slippery ice between holes, 4 by 4"),
    "frozenlake_8x8": Shipped("frozenlake", "frozenlake", ("8x8",), "cross slippery ice between holes, 8 by 8"),
    "frozenlake_12x12": Shipped(
        "frozenlake", "frozenlake", ("12x12",), "cross slippery ice between holes, 12 by 12"
    ),
    "inventory_management": Shipped("inventory", "inventory_management", (), "how much to order for random demand"),
    "navigation_3d": Shipped("navigation", "navigation_3d", (), "steer a robot through a cube where it may vanish"),
    "system_administrator_1": Shipped(
        "system_administrator",
        "system_administrator",
        ("sparse",),
        "which of 8 computers to reboot, sparse network",
    ),
    "system_administrator_2": Shipped(
        "system_administrator", "system_administrator", ("dense",), "which of 8 computers to reboot, dense network"
    ),
    "system_administrator_tree": Shipped(
        "system_administrator", "system_administrator", ("tree",), "which of 7 computers to reboot, a binary tree"
    ),
    "tictactoe_vs_random": Shipped(
        "tictactoe", "tictactoe_vs_random", (), "noughts and crosses, a random opponent"
    ),
    "tiger_vs_antelope": Shipped(
        "tiger", "tiger_vs_antelope", (), "a tiger hunts a fleeing antelope on a 5 by 5 grid"
    ),
    "traffic_intersection": Shipped(
        "traffic", "traffic_intersection", (), "when to switch the light at a crossing"
    ),
    "xor": Shipped("xor", "xor", (), "name the exclusive or of two halves of random points"),
    # Written in PRISM, read through the `prism` extra: see protocols.py.
    "csma_2_2": Shipped("protocols", "csma", (2,), "two stations share a bus, back-off limit 2"),
    "csma_2_4": Shipped("protocols", "csma", (4,), "two stations share a bus, back-off limit 4"),
    "firewire": Shipped("protocols", "firewire", (3,), "two FireWire nodes settle who leads, delay 3"),
    "wlan0": Shipped("protocols", "wlan", (0,), "two wireless stations avoid collisions, back-off limit 0"),
    "wlan1": Shipped("protocols", "wlan", (1,), "two wireless stations avoid collisions, back-off limit 1"),
}
MODELS |= {
    f"{name}_paper": Shipped(module, function, (*given, "paper"), f"{text}, the paper's rules")
    for name, (module, function, given, text) in MODELS.items()
    if module == "protocols"
}


def names() -> tuple[str, ...]:
    """The names that `load` knows, in alphabetical order."""
    return tuple(sorted(MODELS))


def describe(name: str) -> str:
    """One line on what is decided in the model."""
    return _shipped(name).description


def load(
    name: str,
    *,
    discount: float | None = None,
    missing: Missing | None = None,
    missing_reward: float | None = None,
) -> MDP:
    """The shipped model of that name.

    Parameters
    ----------
    discount, missing, missing_reward
        As for `read`; the model's own if not given.
    """
    shipped = _shipped(name)
    given: dict[str, Any] = {"discount": discount, "missing": missing, "missing_reward": missing_reward}
    make = getattr(import_module(f"{__name__}.{shipped.module}"), shipped.function)
    if shipped.module == "protocols":  # read from a file, which tells more than an MDP that is ready
        mdp: MDP = make(*shipped.arguments, **given)
        if missing_reward is not None and mdp.missing != "end":
            raise unused_reward(missing_reward, mdp.missing)
    else:
        mdp = rebuilt(make(*shipped.arguments), **given)
    options = {option: value for option, value in given.items() if value is not None}
    return replace(mdp, name=name, source=source_of("shipped", name, options))


def prism_source(name: str) -> Any:
    """The PRISM text of a shipped model and the options it is read with, a `protocols.Source`; None if it has none."""
    shipped = MODELS.get(name)
    if shipped is None or shipped.module != "protocols":
        return None
    make = getattr(import_module(f"{__name__}.{shipped.module}"), f"{shipped.function}_source")
    return make(*shipped.arguments)


def _shipped(name: str) -> Shipped:
    if name not in MODELS:
        near = get_close_matches(name, MODELS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the names are {', '.join(names())}"
        raise ReadError(f"no shipped model is called {name!r}; {hint}")
    return MODELS[name]
