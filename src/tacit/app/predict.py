"""`tacit predict`: the labels of new inputs by a trained network."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.app.batches import read_batches, require_file
from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    counted,
    make_console,
    percent,
    print_json,
    print_note,
    print_table,
    print_title,
    warnings_as_notes,
)
from tacit.app.label_files import label_file
from tacit.app.progress import progress_bar
from tacit.app.saved_runs import meant_function
from tacit.app.settings import shown
from tacit.errors import BadInput, EmptyTable

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.learning.dpl import DPL

STEPS = 1000  # of the progress bar


@dataclass(frozen=True, slots=True)
class PredictOptions:
    """What the command line asks for."""

    column: str | None = None
    out: Path | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Predicted:
    """What was predicted, in numbers."""

    run: str
    file: str
    function: str
    column: str
    out: str
    rows: int
    labels: dict[str, int]  # how many rows have each label
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return asdict(self)


def run_predict(run: Path, file: Path, options: PredictOptions, *, as_json: bool) -> int:
    """Predict, write and print; mistakes are raised."""
    with warnings_as_notes() as heard:
        predicted = predict_file(run, file, options)
    if as_json:
        print_json({"ok": True, "errors": []} | predicted.as_dict() | {"notes": heard})
        return 0
    print_predicted(make_console(), predicted)
    for note in heard:
        print_note(make_console(stderr=True), note)
    return 0


def predict_file(run: Path, file: Path, options: PredictOptions) -> Predicted:
    """Write the label of each row of a file."""
    from tacit.learning.saving import load

    begun = time.perf_counter()
    require_file(file)
    model = load(run)
    function = meant_function(run, list(model.predictors_), options.function, "networks for")
    column = options.column or _column(model, function)
    out = options.out or _beside(file)
    if out.exists() and out.samefile(file):
        raise BadInput(f"{out} is the file to read", remedy="write the labels to another one")
    labels = model.labels_[function]
    counts = np.zeros(len(labels), dtype=int)
    with (
        progress_bar("labelling", time_left=True) as tell,
        label_file(out, labels) as write,
    ):
        for batch in read_batches(file, column):
            probs = model.predict_proba(batch.inputs, function)
            write(batch, probs)
            counts += np.bincount(probs.argmax(axis=1), minlength=len(labels))
            if tell is not None:
                tell(round(STEPS * batch.done), STEPS, counted(int(counts.sum()), "row"))
        if not counts.any():
            raise EmptyTable(f"{file} has no rows", remedy="give it a header and rows")
    return Predicted(
        shown(run),
        shown(file),
        function,
        column,
        shown(out),
        int(counts.sum()),
        dict(zip(labels, counts.tolist(), strict=True)),
        time.perf_counter() - begun,
    )


def _column(model: DPL, function: str) -> str:
    """The column that the network was trained on."""
    reads = getattr(model.label_model_, "reads", {})
    if function not in reads:
        raise BadInput("the run does not say which column to read", remedy="--column NAME")
    return str(reads[function])


def _beside(file: Path) -> Path:
    """Where labels go unless told: reviews.csv.gz -> reviews.labels.csv."""
    plain = file.with_suffix("") if file.suffix.lower() == ".gz" else file
    return plain.with_name(f"{plain.stem}.labels{plain.suffix}")


def print_predicted(console: Console, predicted: Predicted) -> None:
    """How many rows have each label, and where they are."""
    from rich.text import Text

    print_title(console, predicted.run, predicted.file)
    columns = [Column("label", style=NAME)]
    columns += [Column(name, right=True, style=NUMBER) for name in ("rows", "share")]
    rows = [(label, f"{n:,}", percent(n / predicted.rows)) for label, n in predicted.labels.items()]
    print_table(console, f"{predicted.function}, from '{predicted.column}'", columns, rows)
    done = f"{counted(predicted.rows, 'row')} in {predicted.out}: {predicted.seconds:.1f} s."
    console.print(Text(done, style="bold green"), soft_wrap=True)
