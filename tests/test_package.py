"""What is shipped: the wheel holds the library whole, the source archive also what tests need."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import tacit

ROOT = Path(__file__).parents[1]


def test_the_wheel_is_whole(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "src" / "tacit").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert f"tacit/{path.relative_to(ROOT / 'src' / 'tacit').as_posix()}" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "tacit/data/samples/reviews/review.csv" in names


def test_the_source_archive_has_what_tests_need(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    for folder in ("tests", "tools", "docs", "examples", "benchmarks"):
        for ending in ("py", "md", "csv", "tacit", "toml"):
            for path in (ROOT / folder).rglob(f"*.{ending}"):
                assert path.relative_to(ROOT).as_posix() in names


def test_python_runs_it_as_a_module() -> None:
    command = [sys.executable, "-m", "tacit", "--version"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    assert answer.stdout == f"tacit {tacit.__version__}\n"
