"""Registry of export formats."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the endings of its files, what it is, and the function of `spotree.exports` that makes it.

    A module is imported when its format is first asked for. The function takes the policy, and after it the model if
    it `needs_model`; it returns what `gives` says: a text, bytes, or an object that is no file. A remark is put into
    the text by `remarked`, or the function takes it as `remark`; a format with neither has no place for one.
    """

    suffixes: tuple[str, ...]
    what: str
    module: str
    function: str
    needs_model: bool = False
    gives: Literal["text", "bytes", "object"] = "text"
    remarked: str | None = None

    @property
    def name(self) -> str:
        """What `to` calls it."""
        return next(name for name, form in FORMATS.items() if form is self)


FORMATS: dict[str, Format] = {
    "text": Format(
        (".txt",),
        "the tree as it is printed, with exact thresholds",
        "text",
        "to_text",
        remarked="{text}note: {remark}\n",
    ),
    "english": Format(
        (".rules",), "one rule in English for each leaf", "text", "to_english", remarked="{text}Note: {remark}\n"
    ),
    "json": Format((".json",), "the tree for programs, to be read back by read_tree", "json", "to_json"),
    "dot": Format(
        (".dot", ".gv"), "a graph for Graphviz", "drawings.graph", "to_dot", remarked="// {remark}\n{text}"
    ),
    "mermaid": Format(
        (".mmd",),
        "a flowchart for Markdown pages",
        "drawings.graph",
        "to_mermaid",
        remarked="%% {remark}\n{text}",
    ),
    "svg": Format(
        (".svg",),
        "a drawing, light or dark as its reader likes",
        "drawings.svg",
        "tree_svg",
        remarked="<!-- {remark} -->\n{text}",
    ),
    "png": Format(
        (".png",), "the same drawing in pixels (needs the extra plot)", "drawings.png", "to_png", gives="bytes"
    ),
    "python": Format((".py",), "a function without imports", "code", "to_python", remarked="# {remark}\n{text}"),
    "c": Format(
        (".c",), "a C99 function and an enum of the actions", "code", "to_c", remarked="/* {remark} */\n{text}"
    ),
    "rust": Format(
        (".rs",),
        "a Rust function and an enum of the actions",
        "code",
        "to_rust",
        remarked="// {remark}\n{text}",
    ),
    "sklearn": Format((), "a fitted DecisionTreeClassifier (an object)", "sklearn", "to_sklearn", gives="object"),
    "onnx": Format((".onnx",), "a model for ONNX runtimes", "onnx", "to_onnx", gives="bytes"),
    "storm": Format((".scheduler.json",), "a scheduler for Storm", "storm", "to_storm", needs_model=True),
    "prism": Format(
        (".prism", ".pm"),
        "the model under the policy, for PRISM",
        "prism.export",
        "to_prism",
        needs_model=True,
        remarked="// {remark}\n{text}",
    ),
}


def format_of(path: str) -> str | None:
    """The format that a file's ending stands for, the longest ending first."""
    known = sorted(
        ((s, name) for name, one in FORMATS.items() for s in one.suffixes), key=lambda pair: -len(pair[0])
    )
    return next((name for suffix, name in known if path.lower().endswith(suffix)), None)
