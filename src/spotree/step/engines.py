"""The engines by name."""

from typing import Any

from spotree.errors import InvalidProblemError
from spotree.names import called
from spotree.step.engine import Engine
from spotree.step.exact import Exact
from spotree.step.exhaustive import Exhaustive
from spotree.step.milp import Milp
from spotree.step.rsbb import Rsbb

ENGINES: dict[str, type[Engine]] = {"exact": Exact, "rsbb": Rsbb, "milp": Milp, "exhaustive": Exhaustive}


def engine_named(name: str) -> Engine:
    """An engine with its default settings."""
    return called("engine", name, ENGINES)()


def as_engine(engine: Any) -> Engine:
    """An engine, or the one of that name."""
    if isinstance(engine, Engine):
        return engine
    if isinstance(engine, str):
        return engine_named(engine)
    raise InvalidProblemError(
        f"engine is of type {type(engine).__name__}; give one of {', '.join(ENGINES)}, or an Engine such as Rsbb()"
    )
