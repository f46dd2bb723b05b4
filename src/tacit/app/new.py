"""`tacit new`: a project to start from, written whole or not at all."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkdtemp

from tacit.app.choices import Template
from tacit.app.console import Column, make_console, print_json, print_table
from tacit.app.settings import FILE_NAME, shown
from tacit.app.template_files import project_files
from tacit.errors import BadFile, BadInput, listed

_STAGING = ".tacit-new-"
_PURPOSE = {
    FILE_NAME: "names the files of the project",
    "rules.tacit": "the rules: what an expert knows",
    "rules.py": "predicates written in Python",
    "README.md": "where to start",
    "data/": "the tables",
}


@dataclass(frozen=True, slots=True)
class NewProject:
    """A project that was written: where, and which files."""

    folder: str
    template: str
    files: tuple[str, ...]


def new_project(folder: Path, template: Template, *, force: bool = False) -> NewProject:
    """Write a project into a new or empty folder; with `force`, beside what a folder holds.

    No existing file is ever changed. All files are written to a hidden folder first and then moved,
    `tacit.toml` last, so that whatever interrupts this leaves no half-made project.
    """
    content = project_files(template, _name_of(folder))
    _refuse_occupied(folder, list(content), force)
    try:
        _write_all(folder, content)
    except OSError as error:
        raise BadFile(f"{shown(folder)} cannot be written: {error.strerror or error}") from error
    return NewProject(shown(folder), str(template), tuple(content))


def _name_of(folder: Path) -> str:
    """The folder's name, as text that any file can hold."""
    return folder.absolute().resolve().name.encode("utf-8", "replace").decode() or "project"


def _refuse_occupied(folder: Path, paths: Sequence[str], force: bool) -> None:
    """Refuse a file, a folder that holds something, and files that would be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{shown(folder)} is a file", remedy="give the name of a new folder")
    if not folder.is_dir():
        return
    held = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith(_STAGING))
    if held and not force:
        raise BadInput(
            f"{shown(folder)} is not empty; it holds: {listed(held, 4)}",
            remedy="give the name of a new folder, or --force to add files beside those",
        )
    taken = [path for path in paths if os.path.lexists(folder / path)]
    if taken:
        raise BadInput(
            f"{shown(folder)} already has {listed(taken, 4)}",
            remedy="move them away first: no file is ever overwritten",
        )


def _write_all(folder: Path, content: Mapping[str, str]) -> None:
    """Write all files aside, then move them into place; take them back if a move fails."""
    targets = {path: folder / path for path in content}
    folders = {folder, *(target.parent for target in targets.values())}
    fresh = sorted((path for path in folders if not path.exists()), reverse=True)  # deepest first
    folder.mkdir(parents=True, exist_ok=True)
    staging = Path(mkdtemp(prefix=_STAGING, dir=folder))
    moved: list[Path] = []
    try:
        for path, text in content.items():
            (staging / path).parent.mkdir(parents=True, exist_ok=True)
            (staging / path).write_text(text, encoding="utf-8", newline="\n")
        for path, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            (staging / path).rename(target)
            moved.append(target)
    except BaseException:
        _take_back(moved, staging, fresh)
        raise
    shutil.rmtree(staging, ignore_errors=True)


def _take_back(moved: Sequence[Path], staging: Path, fresh: Sequence[Path]) -> None:
    """Remove what was written so far, and the folders that were made for it."""
    for target in moved:
        target.unlink(missing_ok=True)
    shutil.rmtree(staging, ignore_errors=True)
    for folder in fresh:
        with suppress(OSError):  # not made yet, or someone else put something into it
            folder.rmdir()


def print_new_project(made: NewProject, *, as_json: bool) -> None:
    """Which files were written and what to do next."""
    steps = ["tacit check"]
    if Path(made.folder) != Path():
        steps.insert(0, f"cd {shlex.quote(made.folder)}")
    if as_json:
        print_json({"ok": True, "errors": []} | asdict(made) | {"next": steps})
        return
    from rich.text import Text

    console = make_console()
    top = sorted({path if "/" not in path else "data/" for path in made.files})
    rows = [(path, f"{_PURPOSE.get(path, '')}{_held(path, made.files)}") for path in top]
    columns = (Column("file", style="cyan"), Column("what it is"))
    print_table(console, f"Made {made.folder} from the template '{made.template}'", columns, rows)
    console.print(Text("Next", style="bold"))
    for step in steps:
        console.print(Text(f"  {step}", style="green"), soft_wrap=True)


def _held(folder: str, paths: Sequence[str]) -> str:
    """The names of the files in a folder, without their endings."""
    if not folder.endswith("/"):
        return ""
    return ": " + ", ".join(Path(path).stem for path in paths if path.startswith(folder))
