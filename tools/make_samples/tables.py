"""Writing tables: UTF-8 CSV with a header and one kind of line ending on every platform."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path


def write_table(path: Path, header: str, rows: Iterable[Sequence[str | int]]) -> None:
    """Write a CSV file; `header` holds the column names, separated by commas."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)
