"""Labels for Argilla: a folder that `argilla.Dataset.from_disk` imports.

The shape is that of Argilla 2 (2.0 to 2.8): `records.json` with a suggestion for each record, and
in `.argilla/` the settings of a dataset with one label question.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tacit.report.exports.labelled import (
    ID,
    Labelled,
    Part,
    Progress,
    as_text,
    plain_names,
    rounded,
)

FEWEST_SHOWN = 3  # Argilla wants a number of visible labels for so many and more


def write_argilla(
    folder: Path,
    labelled: Labelled,
    agent: str,
    *,
    hard: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write records and settings; the score of a suggestion is the label's probability."""
    names = _names(labelled)
    config = folder / ".argilla"
    config.mkdir()
    _write(config / "settings.json", dataset_settings(labelled, hard=hard))
    dataset = {"name": names[labelled.function], "status": "draft", "allow_extra_metadata": True}
    _write(config / "dataset.json", dataset)
    between = b"[\n"
    with (folder / "records.json").open("wb") as file:
        for part in labelled.parts(progress):
            for record in _records(labelled, part, names, agent, hard):
                # In ASCII: Argilla opens the file in whatever encoding its machine has.
                file.write(between + json.dumps(record).encode("ascii"))
                between = b",\n"
        file.write(b"\n]\n" if len(labelled) else b"[]\n")


def dataset_settings(labelled: Labelled, *, hard: bool) -> dict[str, Any]:
    """Fields, the question, and the probabilities as metadata that can be sorted by."""
    names, labels = _names(labelled), labelled.labels
    options = [{"value": label, "text": label} for label in labels]
    question = {
        "name": names[labelled.function],
        "title": labelled.function,
        "required": True,
        "settings": {
            "type": "label_selection",
            "options": options,
            "visible_options": len(labels) if len(labels) >= FEWEST_SHOWN else None,
        },
    }
    shares = [] if hard else labelled.share_names()
    return {
        "guidelines": f"Which label of {labelled.function} is right?",
        "fields": [
            {
                "name": names[name],
                "title": name,
                "required": at == 0,
                "settings": {"type": "text", "use_markdown": False},
            }
            for at, name in enumerate(_fields(labelled))
        ],
        "questions": [question],
        "metadata": [
            {
                "name": names[name],
                "title": name,
                "settings": {"type": "float", "min": 0.0, "max": 1.0},
            }
            for name in shares
        ],
        "vectors": [],
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "mapping": None,
    }


def _names(labelled: Labelled) -> dict[str, str]:
    """Names as Argilla takes them."""
    return plain_names([*_fields(labelled), labelled.function, *labelled.share_names()])


def _fields(labelled: Labelled) -> list[str]:
    """What a person reads; where there is no text, the id."""
    return list(labelled.texts) or [ID]


def _records(
    labelled: Labelled, part: Part, names: dict[str, str], agent: str, hard: bool
) -> list[dict[str, Any]]:
    """The records of some rows."""
    shares = [names[name] for name in labelled.share_names()]
    texts = part.texts or {ID: [str(key) for key in part.ids]}
    records = []
    for row, (key, at, probs) in enumerate(
        zip(part.ids, part.chosen.tolist(), rounded(part.probs), strict=True)
    ):
        suggestion = {
            "value": labelled.labels[at],
            "score": None if hard else probs[at],
            "agent": agent,
            "type": "model",
        }
        records.append(
            {
                "id": str(key),
                "fields": {names[name]: as_text(own[row]) for name, own in texts.items()},
                "metadata": {} if hard else dict(zip(shares, probs, strict=True)),
                "suggestions": {names[labelled.function]: suggestion},
                "responses": {},
                "vectors": {},
            }
        )
    return records


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="ascii")
