"""Labels for Label Studio: tasks with predictions to import, and the labelling configuration.

The shape is that of Label Studio 1.x: "Import pre-annotated data" in its documentation.
"""

from __future__ import annotations

import json
from typing import IO, Any
from xml.etree import ElementTree

from tacit.report.exports.labelled import (
    ID,
    Labelled,
    Part,
    Progress,
    as_text,
    plain_names,
    rounded,
)


def write_label_studio(
    file: IO[bytes],
    labelled: Labelled,
    model_version: str,
    *,
    hard: bool = False,
    progress: Progress | None = None,
) -> None:
    """One JSON list of tasks, each with one prediction; its score is the label's probability."""
    names = _names(labelled)
    between = b"[\n"
    for part in labelled.parts(progress):
        for task in _tasks(labelled, part, names, model_version, hard):
            file.write(between + json.dumps(task, ensure_ascii=False).encode())
            between = b",\n"
    file.write(b"\n]\n" if len(labelled) else b"[]\n")


def labelling_config(labelled: Labelled) -> str:
    """The XML that a project's labelling interface needs for these tasks."""
    names = _names(labelled)
    view = ElementTree.Element("View")
    shown = _shown(labelled, names)
    for title, name in shown.items():
        if len(shown) > 1:
            ElementTree.SubElement(view, "Header", value=title)
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    choices = ElementTree.SubElement(
        view,
        "Choices",
        name=names[labelled.function],
        toName=next(iter(shown.values())),
        choice="single",
        showInLine="true",
    )
    for label in labelled.labels:
        ElementTree.SubElement(choices, "Choice", value=label)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _names(labelled: Labelled) -> dict[str, str]:
    """The names of all things in a task.

    Those of the configuration are called as its variables can be; probabilities, which only stand
    beside them to sort by, keep the letters of their labels.
    """
    own = plain_names([ID, *labelled.texts, labelled.function])
    return own | plain_names(labelled.share_names(), any_script=True, taken=own.values())


def _shown(labelled: Labelled, names: dict[str, str]) -> dict[str, str]:
    """The fields that are read by a person; where there is no text, the id."""
    return {name: names[name] for name in labelled.texts or (ID,)}


def _tasks(
    labelled: Labelled, part: Part, names: dict[str, str], model_version: str, hard: bool
) -> list[dict[str, Any]]:
    """The tasks of some rows."""
    to_name = next(iter(_shown(labelled, names).values()))
    shares = [names[name] for name in labelled.share_names()]
    tasks = []
    for row, (key, at, probs) in enumerate(
        zip(part.ids, part.chosen.tolist(), rounded(part.probs), strict=True)
    ):
        data = {names[ID]: key}
        data |= {names[name]: as_text(own[row]) for name, own in part.texts.items()}
        result = {
            "from_name": names[labelled.function],
            "to_name": to_name,
            "type": "choices",
            "value": {"choices": [labelled.labels[at]]},
        }
        prediction: dict[str, Any] = {"model_version": model_version, "result": [result]}
        if not hard:
            data |= dict(zip(shares, probs, strict=True))  # to sort and filter by
            prediction["score"] = probs[at]
        tasks.append({"data": data, "predictions": [prediction]})
    return tasks
