"""Writing exports: quick, whole or not at all, and with names that other programs take."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.app.export.command import ExportFormat
from tacit.app.export.writing import FOLDERS, write_labelled
from tacit.report.exports import Labelled

LABELS = [kind for kind in ExportFormat if kind not in ("snorkel", "sklearn")]


def made_up(n: int, **more: object) -> Labelled:
    """Some labelled texts, as many as are asked for."""
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), n)
    given: dict[str, object] = {
        "function": "topic",
        "labels": ("a", "b", "c"),
        "ids": pa.array(np.arange(n)),
        "texts": {"text": pa.chunked_array([[f"text {i} " + "word " * 60 for i in range(n)]])},
        "probs": probs,
        "about": {"run": "linear"},
    }
    return Labelled(**(given | more))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", LABELS)
def test_25_000_texts_are_written_in_a_moment(tmp_path: Path, kind: ExportFormat) -> None:
    labelled = made_up(25_000)
    begun = time.process_time()  # what else runs on the machine does not count
    write_labelled(tmp_path / "out", kind, labelled, hard=False, progress=None)
    assert time.process_time() - begun < 3  # 0.3 s is usual


@pytest.mark.parametrize("kind", LABELS)
def test_an_interrupted_export_leaves_all_as_it_was(tmp_path: Path, kind: ExportFormat) -> None:
    target = tmp_path / "out"
    write_labelled(target, kind, made_up(3), hard=False, progress=None)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def interrupt(done: int, total: int, name: str) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_labelled(target, kind, made_up(10_001), hard=False, progress=interrupt)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_odd_names_and_values_are_made_to_fit(tmp_path: Path) -> None:
    texts = {
        "label": pa.chunked_array([["one", None]]),
        "Full Text!": pa.chunked_array([[["a", "b"], None]]),
        "full text?": pa.chunked_array([["x", "y"]]),
    }
    odd = made_up(2, texts=texts, labels=("not spam", "Ünsure", "a&b"), function="p_not_spam")
    for kind in (ExportFormat.CSV, *FOLDERS[:2], ExportFormat.LABEL_STUDIO):
        write_labelled(tmp_path / kind, kind, odd, hard=False, progress=None)
    with (tmp_path / "csv").open(encoding="utf-8") as file:
        (first, second) = csv.DictReader(file)
    assert (first["text_label"], first["Full Text!"]) == ("one", '["a", "b"]')
    assert second["text_label"] == ""
    settings = json.loads((tmp_path / "argilla" / ".argilla" / "settings.json").read_text())
    names = [one["name"] for part in ("fields", "questions", "metadata") for one in settings[part]]
    assert len(set(names)) == len(names) == 7
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_") for name in names)
    assert settings["questions"][0]["settings"]["visible_options"] == 3
    view = ElementTree.parse(tmp_path / "label-studio.xml").getroot()
    labels = [choice.get("value") for choice in view.iter("Choice")]
    assert labels == ["not spam", "Ünsure", "a&b"]
    shown = {own.get("value", "")[1:] for own in view.iter("Text")}
    task = json.loads((tmp_path / "label-studio").read_text("utf-8"))[0]
    assert shown <= set(task["data"])
    shares = {name: value for name, value in task["data"].items() if name.startswith("p_")}
    assert list(shares) == ["p_not_spam_2", "p_ünsure", "p_a_b"]  # the first is the question's
    assert sum(shares.values()) == pytest.approx(1, abs=1e-5)


def test_labels_without_any_text_are_shown_by_their_ids(tmp_path: Path) -> None:
    bare = made_up(2, texts={})
    write_labelled(tmp_path / "a", ExportFormat.ARGILLA, bare, hard=False, progress=None)
    assert json.loads((tmp_path / "a" / "records.json").read_text())[1]["fields"] == {"id": "1"}
    target = tmp_path / "t.json"
    write_labelled(target, ExportFormat.LABEL_STUDIO, bare, hard=True, progress=None)
    assert '<Text name="id" value="$id" />' in (tmp_path / "t.xml").read_text()
    assert "score" not in target.read_text()


def test_parts_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(tacit.TacitError, match="do not fit together"):
        made_up(3, probs=np.ones((3, 2)) / 2)
