"""A tree as nested conditions of a programming language."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spotree.errors import InvalidProblemError
from spotree.trees.text import size_text
from spotree.trees.tree import Tree

DEEPEST = 64  # Python takes 100 levels of indentation, C99 promises 127 blocks inside each other


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language says it; both questions are asked, so that a NaN, for which neither holds, falls through."""

    below: Callable[[int, float], str]  # of feature and threshold
    above: Callable[[int, float], str]
    take: Callable[[int], str]  # of an action
    end: str = ""


def nested(tree: Tree, syntax: Syntax) -> Iterator[str]:
    """The lines of a function's body; all paths but those of a NaN return."""
    if tree.depth > DEEPEST:
        raise InvalidProblemError(
            f"the tree has depth {tree.depth}; as code it may have {DEEPEST}: ask for less depth, or take format 'json'"
        )
    stack: list[tuple[int, int | str]] = [(1, 0)]
    while stack:
        level, what = stack.pop()
        if isinstance(what, str):
            yield f"{'    ' * level}{what}"
        elif tree.feature[what] < 0:
            yield f"{'    ' * level}{syntax.take(int(tree.action[what]))}"
        else:
            feature, threshold = int(tree.feature[what]), float(tree.threshold[what])
            inside: list[tuple[int, int | str]] = [
                (level, syntax.below(feature, threshold)),
                (level + 1, int(tree.left[what])),
                (level, syntax.above(feature, threshold)),
                (level + 1, int(tree.right[what])),
                *([(level, syntax.end)] if syntax.end else []),
            ]
            stack += reversed(inside)


def origin(tree: Tree) -> str:
    """Who wrote the code, in one line."""
    import spotree

    return f"A decision tree ({size_text(tree)}), written by spotree {spotree.__version__}."
