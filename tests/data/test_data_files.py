"""Files: what is read, what it becomes, and errors that name file, line and remedy."""

import csv
import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data import Task, as_table
from tacit.data import read_csv as read_csv_module
from tacit.errors import BadFile, BadInput, EmptyTable

cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def column(folder: Path, *values: str) -> tuple[str, list[Any]]:
    """The kind and the values of a CSV column with these cells."""
    file = write(folder, "t.csv", "id,x\n" + "".join(f"r{i},{v}\n" for i, v in enumerate(values)))
    table = as_table("t", file)
    return str(table.kinds["x"]), table.column("x").to_pylist()


class TestKinds:
    """A column is more than text only where nothing is lost."""

    @pytest.mark.parametrize(
        ("values", "kind", "kept"),
        [
            (("1", "", "-3"), "integer", [1, None, -3]),
            (("007", "8"), "text", ["007", "8"]),
            (("+1", "2"), "text", ["+1", "2"]),
            (("-0", "1"), "number", [0.0, 1.0]),
            ((" 1", "2"), "text", [" 1", "2"]),
            (("1.5", "", "2"), "number", [1.5, None, 2.0]),
            (("1e3", ".5", "2."), "number", [1000.0, 0.5, 2.0]),
            (("inf", "-Infinity", "1"), "number", [float("inf"), float("-inf"), 1.0]),
            (("True", "", "false"), "boolean", [True, None, False]),
            (("9223372036854775807",), "integer", [2**63 - 1]),
            (("9223372036854775808",), "text", ["9223372036854775808"]),
            (("12345678901234567890", "1.5"), "text", ["12345678901234567890", "1.5"]),
            (("00.5", "1.5"), "text", ["00.5", "1.5"]),
            (("a", ""), "text", ["a", ""]),
            (("", ""), "text", [None, None]),
            (("NA", "1"), "text", ["NA", "1"]),
            (("1_000",), "text", ["1_000"]),
            (("٣",), "text", ["٣"]),
        ],
    )
    def test_inference(
        self, tmp_path: Path, values: tuple[str, ...], kind: str, kept: list[Any]
    ) -> None:
        assert column(tmp_path, *values) == (kind, kept)

    def test_nan_is_a_number(self, tmp_path: Path) -> None:
        kind, kept = column(tmp_path, "NaN", "1.5")
        assert kind == "number"
        assert kept[0] != kept[0]

    @given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
    @settings(max_examples=30)
    def test_integers_round_trip(self, values: list[int]) -> None:
        with TemporaryDirectory() as folder:
            kept = column(Path(folder), *map(str, values))
        assert kept == ("integer", values)

    @given(st.lists(st.floats(allow_nan=False), min_size=1))
    @settings(max_examples=30)
    def test_numbers_round_trip(self, values: list[float]) -> None:
        with TemporaryDirectory() as folder:
            _, kept = column(Path(folder), "0.5", *(repr(value) for value in values))
        assert kept == [0.5, *values]


class TestReading:
    """Every kind of file gives the same table."""

    rows = (
        {"id": "r1", "text": 'He said "fine", twice', "stars": 5, "score": 0.5, "seen": True},
        {"id": "r2", "text": "two\nlines — ünïcode", "stars": 1, "score": 1.5, "seen": False},
    )

    def files(self, folder: Path) -> dict[str, Path]:
        lines = "".join(json.dumps(row) + "\n" for row in self.rows)
        made = {
            "jsonl": write(folder, "t.jsonl", lines),
            "ndjson.gz": write(folder, "t.ndjson.gz", gzip.compress(lines.encode())),
            "json": write(folder, "t.json", json.dumps(self.rows, indent=1)),
            "parquet": folder / "t.parquet",
        }
        pq.write_table(pa.Table.from_pylist(list(self.rows)), made["parquet"])
        for name, delimiter in {"t.csv": ",", "t.tsv": "\t"}.items():
            with (folder / name).open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(self.rows[0]), delimiter=delimiter)
                writer.writeheader()
                writer.writerows(self.rows)
            made[name] = folder / name
        made["csv.gz"] = write(folder, "u.csv.gz", gzip.compress(made["t.csv"].read_bytes()))
        made["bom"] = write(folder, "v.CSV", b"\xef\xbb\xbf" + made["t.csv"].read_bytes())
        return made

    def test_all_kinds_agree(self, tmp_path: Path) -> None:
        wanted = as_table("t", list(self.rows))
        fingerprint = Task({"t": wanted}).fingerprint()
        for kind, file in self.files(tmp_path).items():
            table = as_table("t", file)
            assert table == wanted, kind
            assert table.source == str(file)
            assert Task.from_files({"t": str(file)}).fingerprint() == fingerprint, kind

    @given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5), st.sampled_from([",", "\t"]))
    @settings(max_examples=80)
    def test_what_was_written_is_read(self, rows: list[tuple[str, str]], delimiter: str) -> None:
        texts = [(f"x{a}", f"y{b}") for a, b in rows]
        with TemporaryDirectory() as folder:
            file = Path(folder) / ("t.csv" if delimiter == "," else "t.tsv")
            with file.open("w", newline="", encoding="utf-8") as handle:
                csv.writer(handle, delimiter=delimiter).writerows([("a", "b"), *texts])
            fast = as_table("t", file)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(read_csv_module, "_read_fast", lambda *_: None)
                slow = as_table("t", file)
        assert [tuple(row.values()) for row in fast.arrow.to_pylist()] == texts
        assert slow == fast

    def test_line_ends_blank_lines_and_padded_names(self, tmp_path: Path) -> None:
        wanted = as_table("t", {"id": [1, 2], "text": ["a", "b"]})
        for content in (
            "id,text\r\n1,a\r\n2,b\r\n",
            "id,text\r1,a\r2,b",
            "\n\nid,text\n1,a\n\n2,b\n\n",
            "id, text \n1,a\n2,b\n",
        ):
            assert as_table("t", write(tmp_path, "t.csv", content)) == wanted, content

    def test_stray_quotes_inside_a_value_are_text(self, tmp_path: Path) -> None:
        file = write(tmp_path, "t.csv", 'id,text\na,a 5" disk\nb,plain\n')
        assert as_table("t", file).column("text").to_pylist() == ['a 5" disk', "plain"]

    def test_a_record_larger_than_a_block_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(read_csv_module, "_BLOCK_BYTES", 64)
        text = "word " * 100_000
        table = as_table("t", write(tmp_path, "t.csv", f"id,text\na,{text}\nb,c\n"))
        assert table.column("text").to_pylist() == [text, "c"]
        assert csv.field_size_limit() == 131_072

    def test_json_lines_keep_missing_keys_and_nested_values(self, tmp_path: Path) -> None:
        file = write(
            tmp_path, "t.jsonl", '{"id": "a", "f": [1, 2]}\n\n{"id": "b", "x": "2020-01-01"}'
        )
        assert as_table("t", file).arrow.to_pylist() == [
            {"id": "a", "f": [1, 2], "x": None},
            {"id": "b", "f": None, "x": "2020-01-01"},
        ]


def failure(folder: Path, name: str, content: str | bytes) -> BadFile:
    """The error for a file with this content, checked to name the file."""
    file = write(folder, name, content)
    with pytest.raises(BadFile) as caught:
        as_table("t", file)
    assert str(file) in str(caught.value)
    return caught.value


class TestErrors:
    """Each error names the file, the line where there is one, and the remedy."""

    @pytest.mark.parametrize(
        ("content", "line", "message", "remedy"),
        [
            ("id,text\na,b,c\n", 2, "has 3 fields, the header has 2: id, text", "double quotes"),
            ("id,text\na\n", 2, "has 1 field, the header has 2", "missing"),
            ('id,text\na,"x\ny"\n\nb\n', 5, "line 5 of", "missing"),
            ('id,text\na,"x\ny",z\n', 2, "line 2 of", "double quotes"),
            ('id,text\na,b\nc,"never\nclosed\n', 3, "never closed", "close it"),
            ("id,text,id\na,b,c\n", 1, "more than one column called 'id'", "rename"),
            ("id,\na,b\n", 1, "column 2 of .* has no name", "name every column"),
            (b"id,text\na,b\nc,caf\xe9\n", 3, r"byte 0xe9 \(byte 17\)", "save it as UTF-8"),
            (b"\xef\xbb\xbfid,text\na,\xff\n", 2, r"byte 0xff \(byte 13\)", "save it as UTF-8"),
            (b"id,caf\xe9\na,b\n", 1, "byte 0xe9", "save it as UTF-8"),
            ("id,text\na,b".encode("utf-16"), 1, "UTF-16", "save it as UTF-8"),
            (b"id,text\na,b\0c\n", 2, "NUL byte", "UTF-8"),
        ],
    )
    def test_csv(
        self, tmp_path: Path, content: str | bytes, line: int, message: str, remedy: str
    ) -> None:
        error = failure(tmp_path, "t.csv", content)
        assert error.place is not None
        assert error.place.line == line
        with pytest.raises(BadFile, match=message):
            raise error
        assert remedy in str(error)

    def test_the_place_quotes_the_physical_line(self, tmp_path: Path) -> None:
        error = failure(tmp_path, "t.csv", 'id,text\na,"x\ny"\nb,c,d\n')
        assert error.place is not None
        assert (error.place.line, error.place.text) == (4, "b,c,d")
        long = failure(tmp_path, "t.csv", "id\n" + "a," * 500 + "\n")
        assert long.place is not None
        assert len(long.place.text) == 120

    @pytest.mark.parametrize("content", ["", " \n\n", b"\xef\xbb\xbf"])
    @pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.json"])
    def test_an_empty_file(self, tmp_path: Path, name: str, content: str | bytes) -> None:
        with pytest.raises(BadFile, match="is empty"):
            raise failure(tmp_path, name, content)

    def test_a_header_alone_is_an_empty_table(self, tmp_path: Path) -> None:
        file = write(tmp_path, "t.csv", "id,text\n")
        with pytest.raises(EmptyTable, match=r"t\.csv has a header and no rows"):
            as_table("t", file)
        with pytest.raises(
            EmptyTable, match=r"table 't' \(.*t\.csv\) has 2 rows and not one value"
        ):
            as_table("t", write(tmp_path, "t.csv", "id,text\n,\n,\n"))

    @pytest.mark.parametrize(
        ("name", "content", "line", "message"),
        [
            ("t.jsonl", '{"id": 1}\n{"id": }\n', 2, "Expecting value, at column 8"),
            ("t.jsonl", '{"id": 1}\n[1]\n', 2, "an array, not an object"),
            ("t.jsonl", '{"id": 1}\nnull\n', 2, "null, not an object"),
            ("t.jsonl", b'{"id": 1}\n{"id": "\xff"}\n', 2, "byte 0xff"),
            ("t.json", '[{"id": 1},\n {"id" 2}]', 2, "line 2 of .* is not JSON"),
            ("t.json", '{"id": 1}\n{"id": 2}\n', 2, r"(?s)Extra data.*must be called \.jsonl"),
            ("t.json", '{"id": [1]}', 1, "an object, not an array of objects"),
        ],
    )
    def test_json(
        self, tmp_path: Path, name: str, content: str | bytes, line: int, message: str
    ) -> None:
        error = failure(tmp_path, name, content)
        assert error.place is not None
        assert error.place.line == line
        with pytest.raises(BadFile, match=message):
            raise error

    def test_json_elements_are_objects(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match=r"element 2 of the array .* a string, not an object"):
            raise failure(tmp_path, "t.json", '[{"id": 1}, "x"]')

    def test_values_of_several_types_name_the_file(self, tmp_path: Path) -> None:
        file = write(tmp_path, "t.jsonl", '{"id": 1}\n{"id": "a"}\n')
        with pytest.raises(BadInput, match=r"t\.jsonl: column 'id' of table 't' mixes int"):
            as_table("t", file)

    def test_parquet_and_gzip(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match="not a readable Parquet file"):
            raise failure(tmp_path, "t.parquet", b"PAR1 and then nothing")
        with pytest.raises(BadFile, match="cannot be unpacked"):
            raise failure(tmp_path, "t.csv.gz", b"id,text\n")
        whole = gzip.compress(b"id,text\na,b\n" * 100)
        with pytest.raises(BadFile, match="cannot be unpacked"):
            raise failure(tmp_path, "t.csv.gz", whole[:-12])

    def test_an_absent_file_names_the_nearest(self, tmp_path: Path) -> None:
        write(tmp_path, "reviews.csv", "id\n1\n")
        with pytest.raises(
            BadFile, match=r"review\.csv is not there.*\n.*did you mean .*reviews\.csv"
        ):
            as_table("t", tmp_path / "review.csv")
        with pytest.raises(BadFile, match=r"it holds: reviews\.csv"):
            as_table("t", tmp_path / "zzzzzzzzz.parquet")
        with pytest.raises(BadFile, match="there is no folder"):
            as_table("t", tmp_path / "nowhere" / "t.csv")
        (tmp_path / "folder.csv").mkdir()
        with pytest.raises(BadFile, match="is a folder"):
            as_table("t", tmp_path / "folder.csv")

    @pytest.mark.parametrize("name", ["t.xlsx", "t", "t.txt", "t.gz", "t.parquet.gz", "t.json.gz"])
    def test_an_unknown_kind_lists_the_known_ones(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(BadFile, match=r"\.csv, \.tsv, \.jsonl"):
            raise failure(tmp_path, name, "id\n1\n")
