"""The pages of the project as a reader works through them: their blocks of code and commands, in order."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = 0.5  # what time limits are cut to
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block: its language ("" if it names none), its text, and the line that it begins in."""

    language: str
    text: str
    line: int

    @property
    def quick(self) -> str:
        """The text with every limit of time and rounds cut, and the one large model made smaller."""
        text = re.sub(r"time_limit=[\d.]+", f"time_limit={SECONDS}", self.text)
        text = re.sub(r"max_rounds=\d+", "max_rounds=2", text).replace("max_backoff=4", "max_backoff=2")
        return re.sub(r"--(time|prove) [\d.]+", rf"--\1 {SECONDS}", text)

    @property
    def printed(self) -> list[tuple[str, str]]:
        """What is printed and the number that a comment says it is, as in `print(a.value)  # -138.25`."""
        return re.findall(r"^print\((.*)\) +# (-?[\d.]+)$", self.text, flags=re.MULTILINE)

    @property
    def module(self) -> str | None:
        """The dotted name of the file that the first line says it is, as in `# src/spotree/readers/mine.py`."""
        found = re.match(r"# src/([\w/]+)\.py\n", self.text)
        return found[1].replace("/", ".") if found else None

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command line, its comment left out; shown output is no command."""
        if self.language not in ("", "sh"):
            return []
        lines = [line.removeprefix("$ ") for line in self.quick.splitlines()]
        if any(line.startswith("$ ") for line in self.text.splitlines()):
            lines = [line[2:] for line in self.quick.splitlines() if line.startswith("$ ")]
        return [shlex.split(line, comments=True) for line in lines if re.match(r"(spotree|make) ", line)]


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    return [Block(found[1], found[2], 2 + text.count("\n", 0, found.start())) for found in _BLOCK.finditer(text)]
