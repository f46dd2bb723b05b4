"""A module imports only from the left of the flow; logic and neural code never meet."""

import ast
from pathlib import Path

import pytest

import tacit

ROOT = Path(tacit.__file__).parent
FLOW = ["cores", "errors", "data", "logic", "grounding", "graph", "inference", "predictors"]
FLOW += ["learning", "proposals", "review", "s4", "report", "app"]
MODULES = sorted(ROOT.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The packages of tacit that a module imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by full name"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    inside = {name.split(".")[1] for name in names if name.startswith("tacit.")}
    return inside - {"__version__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_to_the_left(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] in ("__init__", "__main__") or "samples" in parts or "templates" in parts:
        return  # the public face knows all; samples are a user's files
    layer = FLOW.index(parts[0])
    for name in imported(path):
        assert FLOW.index(name) <= layer, f"{path}: imports tacit.{name}"
        assert {parts[0], name} != {"logic", "predictors"}


def test_every_package_has_a_place_in_the_flow() -> None:
    packages = {path.parent.relative_to(ROOT).parts[0] for path in ROOT.glob("*/__init__.py")}
    assert packages <= set(FLOW)


def test_the_architecture_page_names_every_package() -> None:
    page = (ROOT.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for path in ROOT.glob("*/__init__.py"):
        assert f"{path.parent.name}/" in page
