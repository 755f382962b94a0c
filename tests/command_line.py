"""The `spotree` command in this process: exit code and text as of a process of its own, which takes long to start."""

import io
import os
import sys
import warnings
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

from spotree import cli
from spotree.cli import stdio


def spotree(*arguments: object, cwd: Path | None = None) -> CompletedProcess[str]:
    """Run one command; what concerns signals, closed streams and limits of a process needs a process."""
    words = ["spotree", *map(str, arguments)]
    out, error = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with ExitStack() as undone:
        undone.enter_context(mock.patch.object(sys, "argv", words))
        undone.enter_context(mock.patch.object(sys, "excepthook", sys.excepthook))  # which the framework replaces
        undone.enter_context(mock.patch.dict(os.environ))
        undone.enter_context(warnings.catch_warnings())
        undone.enter_context(chdir(cwd or Path.cwd()))
        undone.enter_context(redirect_stdout(out))
        undone.enter_context(redirect_stderr(error))
        stdio.prepare()
        code = stdio.ended(cli._run())
    texts = []
    for stream in (out, error):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode(errors="surrogateescape"))
    return CompletedProcess(words, code, *texts)
