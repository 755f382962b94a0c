"""The examples that a new user copies run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    quick = block.replace("time_limit=10", "time_limit=1")
    assert quick != block
    done = subprocess.run([sys.executable, "-c", quick], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "proved optimal" in done.stdout
    assert (tmp_path / "run.json").exists()


def test_links_of_the_documentation_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+\.md)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"
