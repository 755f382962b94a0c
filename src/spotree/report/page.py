"""The report as one file of HTML: the data, a script that draws them, and nothing from elsewhere."""

import base64
import hashlib
import html
import json
import os
from importlib.resources import files
from string import Template
from typing import Any

from spotree.common.atomic_file import whole_file
from spotree.common.sanitize import shown
from spotree.mdp import MDP
from spotree.report.data import report_data
from spotree.results.solution import Solution


def write_report(solution: Solution, mdp: MDP, path: str | os.PathLike[str]) -> None:
    """Write the page; it needs no network and no other file."""
    with whole_file(path) as stream:
        stream.write(page(report_data(solution, mdp)).encode())


def page(data: dict[str, Any]) -> str:
    """The page of a report's data."""
    script = _part("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Template(_part("template.html")).substitute(
        title=html.escape(shown(data["title"], 200)),
        style=_part("style.css"),
        script=script,
        script_hash=f"sha256-{digest}",
        data=as_script_data(data),
    )


def as_script_data(data: Any) -> str:
    """JSON that cannot end the element it stands in, whatever names the model has."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _part(name: str) -> str:
    return (files("spotree.report") / name).read_text(encoding="utf-8")
