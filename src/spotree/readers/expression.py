"""Sets of states by expression, where Storm does not parse it: PRISM's notation over labels and variables.

Models without a program (DRN, UMB) are read so: `station1=4 & !"busy"`.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.common.arrays import Floats
from spotree.errors import ReadError

# PRISM ranks its operators as Python does ("!" below "=", "&" above "|"), so only the spelling changes.
_SPELLING = {"!": " not ", "&": " and ", "|": " or ", "=": " == ", "true": " True ", "false": " False "}
_TOKEN = re.compile(r'"[^"]*"|!=|<=>|=>|<=|>=|==|[!&|=]|\btrue\b|\bfalse\b')

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def states_where(
    text: str,
    labels: Mapping[str, NDArray[np.bool_]],
    variables: Mapping[str, Floats],
    num_states: int,
    option: str = "goal",
) -> NDArray[np.bool_]:
    """[state] whether the label or expression holds; `option` is what gave it."""
    what = f"{option}={text!r}"
    if text in labels:
        return labels[text]
    spelled = _TOKEN.sub(lambda token: _SPELLING.get(token[0], token[0]), text)
    try:
        tree = ast.parse(spelled.strip(), mode="eval")
    except SyntaxError as error:
        raise ReadError(f"{what} is neither a label nor an expression: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ReadError(f"{what} is nested too deeply; write it shorter") from None

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=str(name)):
                if name not in labels:
                    raise ReadError(no_such_label(what, name, labels))
                return labels[name]
            case ast.Constant(value=bool() | int() | float() as number):
                return number
            case ast.Name(id=name):
                if name in variables:
                    return variables[name]
                raise ReadError(no_such_name(what, name, labels, variables))
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return np.logical_not(truth(inner))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -value(inner)
            case ast.BoolOp(op=ast.And(), values=parts):
                return np.logical_and.reduce([np.broadcast_to(truth(part), num_states) for part in parts])
            case ast.BoolOp(op=ast.Or(), values=parts):
                return np.logical_or.reduce([np.broadcast_to(truth(part), num_states) for part in parts])
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _COMPARE:
                return _COMPARE[type(sign)](value(left), value(right))
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
                return _ARITHMETIC[type(sign)](value(left), value(right))
        raise ReadError(f"{what}: cannot read {ast.unparse(node)!r}; use = != < <= > >= + - * / ! & |")

    def truth(node: ast.expr) -> Any:
        """The value, which must be true or false; a variable of 0 and 1 will do."""
        return np.asarray(value(node)).astype(bool)

    try:
        with np.errstate(all="ignore"):  # 1 / x where x is 0 may stand behind a guard: it is infinite
            return np.array(np.broadcast_to(truth(tree.body), num_states))
    except (ArithmeticError, TypeError, RecursionError) as error:
        raise ReadError(f"{what} cannot be evaluated: {error}") from None


def no_such_label(what: str, name: str, labels: Iterable[str]) -> str:
    """The refusal of a label that is not there."""
    return f"{what}: no label {name!r}; known: {_listed(labels)}"


def no_such_name(what: str, name: str, labels: Iterable[str], variables: Iterable[str]) -> str:
    """The refusal of a name that means nothing."""
    return (
        f"{what}: {name!r} is no label, variable or constant; labels: {_listed(labels)}; "
        f"variables: {_listed(variables)}"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
