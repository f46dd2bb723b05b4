"""The formats of `tacit export`: which one a name means, what may be replaced, and the writing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit import __version__
from tacit.app.export.command import ExportFormat
from tacit.app.settings import shown
from tacit.app.written_files import cannot_be_written, file_aside, require_writable
from tacit.errors import BadInput, listed

if TYPE_CHECKING:
    from tacit.report.exports.labelled import Labelled, Progress
    from tacit.report.exports.votes_matrix import VoteMatrix

ENDINGS = {
    ".parquet": ExportFormat.PARQUET,
    ".csv": ExportFormat.CSV,
    ".tsv": ExportFormat.CSV,
    ".jsonl": ExportFormat.JSONL,
    ".ndjson": ExportFormat.JSONL,
    ".npz": ExportFormat.SNORKEL,
    ".json": ExportFormat.LABEL_STUDIO,
}
FOLDERS = (ExportFormat.ARGILLA, ExportFormat.HUGGING_FACE, ExportFormat.SKLEARN)
WITHOUT_PROBABILITIES = (ExportFormat.SNORKEL, ExportFormat.SKLEARN)
MARK = "tacit.json"  # in the folder of an export: what it is and where it comes from
FORMAT = 1  # of that file
_UNUSUAL = re.compile(r"[^A-Za-z0-9_.-]+")  # what Argilla does not take in the name of a model


def format_of(to: Path, asked: ExportFormat | None) -> ExportFormat:
    """What is to be written; a name with the ending of something else is refused."""
    meant = ENDINGS.get(to.suffix.lower())
    if asked is None and meant is None:
        raise BadInput(
            f"the name {to} does not say what to write",
            remedy=f"--format {'|'.join(FOLDERS)} for a folder, or end it by {listed(ENDINGS)}",
        )
    if asked is not None and meant not in (None, asked):
        raise BadInput(
            f"{to} is called like {meant}, but {asked} is asked for",
            remedy="give it another name, or leave --format out",
        )
    return asked or meant or ExportFormat.PARQUET


def beside(to: Path) -> Path:
    """The labelling configuration that lies beside tasks for Label Studio."""
    return to.with_suffix(".xml")


def check_target(to: Path, kind: ExportFormat, *, force: bool) -> None:
    """Refuse to replace a file, unless forced, and a folder that is no export even then."""
    require_writable(to)
    if kind in FOLDERS and to.is_dir() and not any(to.iterdir()):
        return
    if kind in FOLDERS and to.exists() and not (to / MARK).is_file():
        raise BadInput(
            f"{shown(to)} is there already, and is no export of tacit's",
            remedy="give the name of a new folder",
        )
    if kind not in FOLDERS and to.is_dir():
        raise BadInput(f"{shown(to)} is a folder", remedy="give the name of a file")
    if kind is ExportFormat.LABEL_STUDIO and beside(to) == to:
        raise BadInput(
            f"{shown(to)} is what the labelling configuration would be called",
            remedy=f"give the tasks another name, such as {to.with_suffix('.json')}",
        )
    paths = [to, *([beside(to)] if kind is ExportFormat.LABEL_STUDIO else [])]
    taken = [path for path in paths if path.exists()]
    if taken and not force:
        raise BadInput(
            f"{shown(taken[0])} is there already",
            remedy="--force replaces it; or give another name",
        )


def write_labelled(
    to: Path, kind: ExportFormat, labelled: Labelled, *, hard: bool, progress: Progress | None
) -> list[Path]:
    """Write labels, whole or not at all, and answer the files or the folder."""
    from tacit.report.exports import argilla, hugging_face, label_studio, tables

    run = _UNUSUAL.sub("-", str(labelled.about["run"]))
    made_by = f"tacit-{__version__}/{run}"
    more: dict[str, Any] = {"hard": hard, "progress": progress}
    if kind is ExportFormat.LABEL_STUDIO:
        with file_aside(to) as file, file_aside(beside(to)) as config:
            label_studio.write_label_studio(file, labelled, made_by, **more)
            config.write(label_studio.labelling_config(labelled).encode())
        return [to, beside(to)]
    if kind in FOLDERS:
        with folder_aside(to, kind, labelled.about) as folder:
            if kind is ExportFormat.ARGILLA:
                argilla.write_argilla(folder, labelled, made_by, **more)
            else:
                hugging_face.write_hugging_face(folder, labelled, **more)
        return [to]
    if kind is ExportFormat.CSV and to.suffix.lower() == ".tsv":
        more["delimiter"] = "\t"
    writers: dict[ExportFormat, Callable[..., None]] = {
        ExportFormat.PARQUET: tables.write_parquet,
        ExportFormat.CSV: tables.write_csv,
        ExportFormat.JSONL: tables.write_jsonl,
    }
    with file_aside(to) as file:
        writers[kind](file, labelled, **more)
    return [to]


def write_votes(to: Path, found: VoteMatrix) -> list[Path]:
    """Write a label matrix."""
    from tacit.report.exports.votes_matrix import write_vote_matrix

    with file_aside(to) as file:
        write_vote_matrix(file, found)
    return [to]


def write_classifier(to: Path, run: Path, function: str, about: dict[str, Any]) -> list[Path]:
    """Write the network of a run as a scikit-learn classifier."""
    from tacit.learning.classifier import TacitClassifier

    classifier = TacitClassifier.from_run(run, function)
    with folder_aside(to, ExportFormat.SKLEARN, about) as folder:
        classifier.write(folder)
    return [to]


@contextmanager
def folder_aside(to: Path, kind: ExportFormat, about: Any) -> Iterator[Path]:
    """A folder to write into, which gets its name when all is written."""
    from tacit.learning.whole_folders import whole_folder

    target = to.absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_folder(target) as folder:
            yield folder
            mark = {"format": FORMAT, "export": str(kind)} | dict(about)
            text = json.dumps(mark, indent=2) + "\n"
            (folder / MARK).write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_be_written(to, error) from error
