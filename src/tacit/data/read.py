"""Tables from files, chosen by how the path ends."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

import pyarrow as pa

from tacit.data.read_csv import table_from_csv
from tacit.data.read_json import table_from_json, table_from_jsonl
from tacit.errors import BadFile, Place, listed

KINDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")

_HINTS = {
    ".xlsx": "save the sheet as CSV (UTF-8)",
    ".xls": "save the sheet as CSV (UTF-8)",
    ".txt": "rename it to .csv or .tsv, with the column names in its first line",
    ".pkl": "pickle files are not read: save it as Parquet",
    ".feather": "read it with pyarrow.feather and give the table",
}


def read_file(name: str, path: str | PathLike[str]) -> pa.Table:
    """The content of a table file; .csv, .tsv, .jsonl and .ndjson may also be gzipped (.gz)."""
    file, shown = Path(path).expanduser(), str(path)
    kind = _kind_of_file(file, shown)
    _check_exists(file, shown)
    if kind == ".parquet":
        return _read_parquet(file, shown)
    data = _bytes_of(file, shown)
    if not data.removeprefix(BOM_UTF8).strip():
        raise BadFile(f"{shown} is empty", remedy="write the table into it, or leave it out")
    if kind in (".csv", ".tsv"):
        return table_from_csv(shown, data, delimiter="\t" if kind == ".tsv" else ",")
    if kind == ".json":
        return table_from_json(name, shown, data)
    return table_from_jsonl(name, shown, data)


def _kind_of_file(file: Path, shown: str) -> str:
    """The ending that says how to read the file, without .gz."""
    endings = [ending.lower() for ending in file.suffixes]
    zipped = bool(endings) and endings[-1] == ".gz"
    plain = endings[:-1] if zipped else endings
    kind = plain[-1] if plain else ""
    if kind not in KINDS or (zipped and kind in (".json", ".parquet")):
        ending = "".join(endings[-2:] if zipped else endings[-1:]) or "no ending"
        raise BadFile(
            f"{shown} is not a kind of file that is read: {ending}; the kinds are: "
            f"{listed(KINDS)}, and .csv.gz, .tsv.gz, .jsonl.gz",
            remedy=_HINTS.get(kind),
        )
    return kind


def _check_exists(file: Path, shown: str) -> None:
    """Refuse an absent file, naming the nearest one that is there."""
    if file.is_file():
        return
    if file.is_dir():
        raise BadFile(f"{shown} is a folder, not a file", remedy="name one file in it")
    folder = file.parent
    if not folder.is_dir():
        raise BadFile(
            f"{shown} is not there: there is no folder {folder}",
            remedy=f"paths start from {Path.cwd()}",
        )
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    near = get_close_matches(file.name, names, n=1, cutoff=0.5)
    remedy = f"did you mean '{folder / near[0]}'?" if near else f"it holds: {listed(names)}"
    raise BadFile(f"{shown} is not there: the folder {folder} has no such file", remedy=remedy)


def _bytes_of(file: Path, shown: str) -> bytes:
    """The bytes of a file, unpacked where its name ends in .gz."""
    try:
        data = file.read_bytes()
        return gzip.decompress(data) if file.suffix.lower() == ".gz" else data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadFile(
            f"{shown} cannot be unpacked: {error}",
            remedy="write it again with gzip, or take .gz off its name",
        ) from error
    except OSError as error:
        raise BadFile(f"{shown} cannot be read: {error.strerror or error}") from error


def _read_parquet(file: Path, shown: str) -> pa.Table:
    """The table in a Parquet file."""
    import pyarrow.parquet as pq

    try:
        return pq.read_table(file)
    except (pa.ArrowException, OSError) as error:
        raise BadFile(
            f"{shown} is not a readable Parquet file: {str(error).splitlines()[0]}",
            place=Place(shown, 1),
            remedy="write it again; an interrupted copy leaves such a file",
        ) from error
