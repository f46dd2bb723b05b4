"""`tacit.toml`: what a project is made of, as a checked record."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator
from pydantic_core import ErrorDetails

from tacit.app.fit.settings import section_problems
from tacit.app.grow.settings import grow_problems
from tacit.app.predictor_keys import key_problems
from tacit.app.section_values import in_words
from tacit.app.toml_places import Part, place_of, syntax_error
from tacit.data.decode import check_bytes, decode_text
from tacit.errors import BadFile, Place, TacitError, did_you_mean, listed, raise_all

FILE_NAME = "tacit.toml"

_A_PATH = "the path of a file"
_PATHS = 'lines such as review = "data/review.csv"'
_EXPECTED = {
    "name": "a text",
    "program": _A_PATH,
    "python": "the path of a Python file",
    "text": 'a column such as "review.text", or a list of columns',
    "tables": _PATHS,
    "gold": _PATHS,
    "predictor": 'lines such as kind = "linear"',
    "fit": "lines such as rounds = 5",
    "grow": "lines such as budget = 20",
}


class Settings(BaseModel):
    """The content of a `tacit.toml`; paths are relative to the folder that holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str | None = None  # without it, the folder's name
    program: str = "rules.tacit"
    python: str | None = None  # Python predicates and labelling functions
    text: tuple[str, ...] = ()  # what the predictor reads: "table.column"
    tables: dict[str, str]
    gold: dict[str, str] = {}  # for evaluation only: label function -> file of (id, label)
    predictor: dict[str, Any] = {}  # the kind of network to train, and its settings
    fit: dict[str, Any] = {}  # settings of `tacit fit`
    grow: dict[str, Any] = {}  # settings of `tacit grow`

    @field_validator("text", mode="before")
    @classmethod
    def _one_or_several(cls, given: Any) -> Any:
        """One column may be written without a list."""
        if isinstance(given, str):
            return (given,)
        return tuple(given) if isinstance(given, list) else given


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A `tacit.toml` with its settings, and where each of them stands."""

    path: Path
    text: str
    settings: Settings

    @property
    def shown(self) -> str:
        """The file as messages call it."""
        return shown(self.path)

    @property
    def project(self) -> str:
        """What names the project in a command: its folder, or this file if it is another one."""
        return shown(self.path.parent if self.path.name == FILE_NAME else self.path)

    def place(self, *key: str, part: Part = "value") -> Place:
        """Where a key, or its value, stands in the file."""
        return place_of(self.text, self.shown, key, part)

    def file(self, path: str) -> str:
        """A file named in the settings, as messages call it and as it can be opened."""
        folder = Path(os.path.abspath(self.path.parent))  # noqa: PTH100
        full = folder / Path(path).expanduser()
        # From a folder inside the project, full paths are clearer than some short and some long.
        return shown(full) if folder.is_relative_to(Path.cwd()) else str(full)

    def as_written(self, remedy: str | None) -> str | None:
        """A remedy with its paths relative to the settings' folder, as they are written there."""
        folder = shown(self.path.parent)
        return remedy.replace(f"'{folder}{os.sep}", "'") if remedy else None


def shown(path: Path) -> str:
    """A path relative to the working folder if it lies in it, else in full."""
    full = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow the user's links
    here = Path.cwd()
    return str(full.relative_to(here)) if full.is_relative_to(here) else str(full)


def find_settings(path: str | os.PathLike[str]) -> Path:
    """The `tacit.toml` of a folder or of the nearest folder above it, or the file itself."""
    given = Path(path)
    if given.is_file():
        if given.suffix == ".toml":
            return given
        raise BadFile(
            f"{given} is not a project", remedy=f"give a project's folder, or its {FILE_NAME}"
        )
    if not given.is_dir():
        names = [entry.name for entry in given.parent.iterdir()] if given.parent.is_dir() else []
        raise BadFile(f"{given} is not there", remedy=did_you_mean(given.name, names))
    full = Path(os.path.abspath(given))  # noqa: PTH100
    for folder in (full, *full.parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    raise BadFile(
        f"there is no {FILE_NAME} in {full} or in any folder above it",
        remedy="make a project with: tacit new DIR",
    )


def read_settings(path: Path) -> SettingsFile:
    """Read and check a `tacit.toml`; every wrong key is reported at once."""
    source = shown(path)
    text = read_text(source, path)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(text, source, error) from None
    try:
        file = SettingsFile(path, text, Settings.model_validate(content))
    except ValidationError as error:
        raise_all(list(_problems(error.errors(), text, source)))
        raise  # not reached: pydantic reports at least one error
    settings = file.settings
    problems = [*section_problems(settings.predictor, settings.fit, file.place)]
    problems += key_problems(settings.predictor, file.place)
    problems += grow_problems(settings.grow, file.place)
    raise_all(problems)
    return file


def read_text(source: str, path: Path) -> str:
    """The text of a UTF-8 file, or an error that names the line and the byte."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadFile(f"{source} cannot be read: {error.strerror or error}") from error
    check_bytes(source, data)
    return decode_text(source, data)


def _problems(details: list[ErrorDetails], text: str, source: str) -> Iterator[TacitError]:
    """What pydantic found, in the words of this library, each at its place and each once."""
    known = list(Settings.model_fields)
    found: dict[tuple[str, ...], ErrorDetails] = {}
    for detail in details:
        path = tuple(str(part) for part in detail["loc"])
        # An element of a list has no key of its own, and one wrong element stands for all.
        found.setdefault(path[:1] if path[0] == "text" else path, detail)
    unknown = [path[0] for path, detail in found.items() if detail["type"] == "extra_forbidden"]
    hints = [did_you_mean(name, known) or "" for name in unknown]
    for path, detail in found.items():
        if detail["type"] == "extra_forbidden":
            yield BadFile(
                f"{source} has the unknown key '{path[0]}'; the keys are: {listed(known)}",
                place=place_of(text, source, path, "key"),
                remedy=did_you_mean(path[0], known),
            )
        elif detail["type"] != "missing":
            yield _wrong_type(detail["input"], path, text, source)
        # A misspelt [table] is one mistake, not also a missing [tables].
        elif not any(f"'{path[0]}'" in hint for hint in hints):
            yield BadFile(
                f"{source} has no [{path[0]}] section",
                place=Place(source, 1),
                remedy=f"add [{path[0]}], and under it {_EXPECTED[path[0]]}",
            )


def _wrong_type(given: object, path: tuple[str, ...], text: str, source: str) -> TacitError:
    """The error for a value that is not what its key needs."""
    expected = _A_PATH if len(path) > 1 else _EXPECTED[path[0]]
    return BadFile(
        f"'{'.'.join(path)}' is {in_words(given)}",
        place=place_of(text, source, path),
        remedy=f"it must be {expected}",
    )
