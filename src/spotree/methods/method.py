"""A way to a tree policy, as a value: its own settings, and one verb."""

from abc import ABC, abstractmethod

from spotree.mdp.model import MDP
from spotree.results.solution import Solution
from spotree.search.request import Request


class Method(ABC):
    """A frozen dataclass of what only this method knows; what every run has in common is in the `Request`.

    `dataclasses.replace` changes a setting. A method of your own is a frozen dataclass of this kind.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """What solutions and reports call it."""

    @abstractmethod
    def run(self, mdp: MDP, request: Request) -> Solution:
        """The best tree policy found; refuses what it cannot take."""
