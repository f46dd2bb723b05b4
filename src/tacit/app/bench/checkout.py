"""The benchmarks of a checkout: they are no part of the package, and run as modules."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tacit.app.failures import INTERRUPTED
from tacit.errors import BadInput, did_you_mean, listed

FOLDER = "benchmarks"
_HEADING = re.compile(r"^## (\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark that can be run by its name."""

    name: str
    about: str  # in one line


def find_checkout() -> Path | None:
    """The folder of a checkout: the one that the package runs from, or the working folder."""
    import tacit

    package = Path(tacit.__file__).absolute()
    for folder in (package.parents[2], Path.cwd()):
        if (folder / FOLDER / "README.md").is_file() and (folder / "src" / "tacit").is_dir():
            return folder
    return None


def benchmarks_in(checkout: Path) -> tuple[Benchmark, ...]:
    """The benchmarks that have a section in the README of their folder."""
    folder = checkout / FOLDER
    page = (folder / "README.md").read_text(encoding="utf-8")
    modules = {name: folder / f"{name}.py" for name in _HEADING.findall(page)}
    return tuple(Benchmark(n, _first_line(path)) for n, path in modules.items() if path.is_file())


def _first_line(path: Path) -> str:
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return told.partition("\n")[0]


def require_checkout() -> Path:
    """The folder of a checkout, or an error that says where there is one."""
    checkout = find_checkout()
    if checkout is None:
        raise BadInput(
            "the benchmarks are no part of the installed package",
            remedy="run this in a checkout of tacit's repository; `tacit bench` needs none",
        )
    return checkout


def run_benchmark(name: str, arguments: Sequence[str]) -> int:
    """Run a benchmark with its own arguments, and answer its exit code."""
    checkout = require_checkout()
    known = [benchmark.name for benchmark in benchmarks_in(checkout)]
    if name not in known:
        raise BadInput(
            f"there is no benchmark '{name}'; there are: {listed(known)}",
            remedy=did_you_mean(name, known) or "see: tacit bench --list",
        )
    command = [sys.executable, "-m", f"{FOLDER}.{name}", *arguments]
    with subprocess.Popen(command, cwd=checkout) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:  # Ctrl-C has reached the benchmark too, which may tidy up
            process.wait()
            return INTERRUPTED
