"""Every code block of the documentation runs."""

import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tacit.app.cli import main
from tools.small_sample import keep_reviews

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "examples/bio/README.md"]
KEPT = {f"r{number:04}" for number in (*range(1, 300), 886)}  # the last is explained by a page
BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    text = page.read_text(encoding="utf-8")
    return [(match["info"].strip(), match["code"]) for match in BLOCK.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run one after another, in one namespace and one empty folder.

    ```python runs, ```python spark where PySpark is installed, ```console runs the commands
    behind "$ " that call tacit or Python, or copy from the repository, and ```tacit parses.
    """
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__docs__"}
    for info, code in blocks(page):
        if info == "python" or (info == "python spark" and find_spec("pyspark")):
            exec(compile(code, str(page), "exec"), names)
        elif info == "console":
            run_commands(code)
        elif info == "tacit":
            from tacit.logic import parse

            assert parse(code, page.name).show()


def run_commands(code: str) -> None:
    """Run the commands in this process; a project that is made loses most of its reviews."""
    for line in code.splitlines():
        if line.startswith("$ tacit "):
            words = shlex.split(line[8:].split("  #")[0])
            with redirect_stdout(StringIO()) as out, redirect_stderr(out):
                assert main(words) == 0, f"{line}\n{out.getvalue()}"
            if words[0] == "new":
                keep_reviews(Path(words[1]), KEPT)
        elif line.startswith("$ python "):
            subprocess.run(
                [sys.executable, *shlex.split(line[9:])], check=True, capture_output=True
            )
        elif line.startswith("$ cp -r "):
            folder, copy = shlex.split(line[8:])
            shutil.copytree(ROOT / folder, copy)


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
