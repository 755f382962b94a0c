"""Exceptions of spotree, one family.

SpotreeError
├── InvalidModelError        the model breaks a rule of MDPs (also a ValueError)
├── ReadError                a file or environment cannot be turned into a model
├── InvalidProblemError      a tree problem or a setting makes no sense (also a ValueError)
├── InfeasibleError          no policy of the asked form exists (missing="forbid")
├── ClusterError             no machine is there to do the work, or all are lost
└── MissingExtraError        an optional package is needed (also an ImportError)

Every message names the first offender, its value, and the way out, in one line.
"""


class SpotreeError(Exception):
    """Base of all errors that spotree raises on purpose."""


class InvalidModelError(SpotreeError, ValueError):
    """The model breaks a rule of Markov decision processes."""


class ReadError(SpotreeError):
    """A file or environment cannot be turned into a model."""


class InvalidProblemError(SpotreeError, ValueError):
    """A tree problem or a setting makes no sense."""


class InfeasibleError(SpotreeError):
    """No policy of the asked form exists."""


class ClusterError(SpotreeError):
    """No machine is there to do the work, or all are lost; what was found until then is kept where that is possible."""


class MissingExtraError(SpotreeError, ImportError):
    """An optional package is needed; the message says how to install it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package!r}: pip install 'spotree[{extra}]'")
