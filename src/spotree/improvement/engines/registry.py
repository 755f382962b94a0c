"""The engines by name."""

from typing import Any

from spotree.common.lookup import called
from spotree.errors import InvalidProblemError
from spotree.improvement.engine import Engine
from spotree.improvement.engines.exact import Exact
from spotree.improvement.engines.exhaustive import Exhaustive
from spotree.improvement.engines.milp import Milp
from spotree.improvement.engines.rsbb import Rsbb

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
