"""Models in folders: JSON, Parquet and whatever the networks are written in; no pickle.

run.json           format, version, settings, labels, history, fingerprints, the files with sizes
program.tacit      the program as it was given
learned.tacit      the same with the weights that were learned
weights.parquet    every weight with its standard error
numbers.parquet    all else that puts the model back onto its data
posterior/         for each label function: ids and the probability of each label
predictors/        for each label function that has one: its network
record.json        the record of the run, where whoever saved it has made one
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tacit import __version__
from tacit.errors import BadFile, BadInput, listed
from tacit.inference.choosing import method_from
from tacit.learning.checkpoints import arrays_under, read_arrays, write_arrays
from tacit.learning.dpl import DPL
from tacit.learning.identity import Facts, model_settings, plain, require_savable
from tacit.learning.label_model import LabelModel
from tacit.learning.restoring import numbers_of
from tacit.learning.rounds import Round
from tacit.learning.saved_evidence import SavedEvidence, evidence_of, learned_program
from tacit.learning.whole_folders import bring_back, whole_folder
from tacit.logic.program import Program
from tacit.predictors.registry import load_predictor, save_predictor
from tacit.predictors.saved_json import read_json, write_json

FORMAT = 1  # raised when what is written changes
KIND = "DPL"
RUN, PROGRAM, LEARNED, WEIGHTS = "run.json", "program.tacit", "learned.tacit", "weights.parquet"
NUMBERS, POSTERIOR, PREDICTORS = "numbers.parquet", "posterior", "predictors"


def save(
    model: DPL, folder: str | os.PathLike[str], *, beside: Mapping[str, str] | None = None
) -> None:
    """Write a fitted model. A model that lies there already is replaced, anything else is not.

    `beside` are further files, texts by name, that come into the folder together with the model.
    """
    target = Path(os.path.abspath(folder))  # noqa: PTH100 - `resolve` would follow links
    check_target(target)
    for predictor in model.predictors_.values():
        require_savable(predictor)
    evidence = replace(evidence_of(model.label_model_), numbers=numbers_of(model))
    with whole_folder(target) as aside:
        _write_evidence(aside, evidence)
        for name, predictor in model.predictors_.items():
            save_predictor(predictor, aside / PREDICTORS / name)
        for name, text in (beside or {}).items():
            _write_beside(aside / name, text)
        write_json(aside / RUN, FORMAT, _about(model, evidence) | {"files": _sizes(aside)})


def check_target(target: Path) -> None:
    """Refuse to replace what is not a saved model."""
    if target.is_dir() and (not any(target.iterdir()) or (target / RUN).is_file()):
        return
    if target.exists():
        raise BadInput(
            f"{target} is there already, and is not a saved model",
            remedy="give the name of a new folder",
        )


def load(folder: str | os.PathLike[str]) -> DPL:
    """A model that was saved: it predicts, and tells what it learned."""
    path = Path(folder)
    bring_back(path)
    about = read_about(path)
    evidence = _read_evidence(path, about)
    predictors = {name: load_predictor(path / PREDICTORS / name) for name in about["predictors"]}
    settings = dict(about["settings"])
    given: Any = predictors if len(evidence.labels_) > 1 else next(iter(predictors.values()))
    known = settings.pop("label_model")
    label_model = LabelModel(**known | {"method": method_from(known["method"])})
    model = DPL(given, label_model=label_model, **settings)
    model.label_model_, model.predictors_ = evidence, predictors
    model.labels_, model.program_ = evidence.labels_, evidence.program_
    model.history_ = tuple(Round(**each) for each in about["history"])
    model.shares_ = arrays_under(evidence.numbers or {}, "shares")
    return model


def read_about(folder: Path) -> Facts:
    """What is written about a model, once all of its files are there."""
    if not (folder / RUN).is_file():
        _refuse(folder)
    about = read_json(folder / RUN, FORMAT)
    if about.get("kind") != KIND:
        raise BadFile(
            f"{folder / RUN} is about a {about.get('kind')!r}, which this version does not know",
            remedy="pip install --upgrade tacit",
        )
    found = _sizes(folder)
    broken = [name for name, size in about["files"].items() if found.get(name) != size]
    if broken:
        raise BadFile(
            f"{folder} is not whole: {listed(broken, 3)} is missing or was changed",
            remedy="copy the folder again, or fit again",
        )
    return about


def _refuse(folder: Path) -> None:
    """Say what is wrong with a folder that has no run.json."""
    if not folder.is_dir():
        raise BadFile(f"{folder} is not there", remedy="name the folder of a saved model")
    ours = (folder / PROGRAM).exists() or (folder / PREDICTORS).exists()
    if ours:
        raise BadFile(
            f"{folder} has no {RUN}: it was not written, or not copied, to its end",
            remedy="copy the folder again, or fit again",
        )
    raise BadFile(f"{folder} is not a saved model: it has no {RUN}")


def _about(model: DPL, evidence: SavedEvidence) -> Facts:
    """All that is small, as JSON can hold it."""
    return {
        "kind": KIND,
        "tacit": __version__,
        "task": evidence.task,
        "program": evidence.program,
        "predictor": plain(model.predictors_),
        "settings": model_settings(model),
        "labels": {name: list(labels) for name, labels in evidence.labels_.items()},
        "reads": evidence.reads,
        "predictors": list(model.predictors_),
        "history": [asdict(each) for each in model.history_],
    }


def _write_evidence(folder: Path, evidence: SavedEvidence) -> None:
    (folder / POSTERIOR).mkdir()
    for name, program in ((PROGRAM, evidence.program_), (LEARNED, learned_program(evidence))):
        (folder / name).write_text(program.show(), encoding="utf-8")
    pq.write_table(evidence.weights, folder / WEIGHTS)
    if evidence.numbers is not None:
        write_arrays(folder / NUMBERS, evidence.numbers)
    for name, table in evidence.posteriors.items():
        pq.write_table(table, folder / POSTERIOR / f"{name}.parquet")


def _write_beside(path: Path, text: str) -> None:
    """Write a file that is no part of the model, and must not look like one."""
    if path.name == RUN or path.exists():
        raise BadInput(f"a saved model has a {path.name} of its own", remedy="name it otherwise")
    path.write_text(text, encoding="utf-8")


def _read_evidence(folder: Path, about: Facts) -> SavedEvidence:
    text = (folder / PROGRAM).read_text(encoding="utf-8")
    try:
        weights = pq.read_table(folder / WEIGHTS)
        numbers = read_arrays(folder / NUMBERS) if (folder / NUMBERS).is_file() else None
        posteriors = {
            name: pq.read_table(folder / POSTERIOR / f"{name}.parquet") for name in about["labels"]
        }
    except (OSError, pa.ArrowException) as error:
        raise BadFile(f"{folder} cannot be read: {error}", remedy="fit again") from error
    return SavedEvidence(
        Program.parse(text, str(folder / PROGRAM)),
        {name: tuple(labels) for name, labels in about["labels"].items()},
        weights,
        posteriors,
        about["reads"],
        about["task"],
        about["program"],
        numbers,
    )


def _sizes(folder: Path) -> dict[str, int]:
    """The bytes of each file, by its path in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != RUN)
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
