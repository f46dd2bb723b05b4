"""Files are written whole or not at all; where none can be, that is told before the work."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from tacit.app.failures import BAD_INPUT, report
from tacit.app.written_files import file_aside, require_writable
from tacit.errors import BadFile, BadInput

from .conftest import Run


def test_a_file_gets_its_name_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "new" / "file.txt"
    with file_aside(target) as file:
        file.write(b"one")
        assert not target.exists()
    assert target.read_bytes() == b"one"
    with suppress(KeyboardInterrupt), file_aside(target) as file:
        file.write(b"two")
        raise KeyboardInterrupt
    assert target.read_bytes() == b"one"
    assert list(target.parent.iterdir()) == [target]


def test_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for below in ("x.csv", "deep/x.csv"):
        with pytest.raises(BadInput, match="file is a file, not a folder"):
            require_writable(tmp_path / "file" / below)
    require_writable(tmp_path / "new" / "deep" / "x.csv")
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_of_someone_else(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(BadFile, match="you may not write in"):
        require_writable(tmp_path / "x.csv")


def test_a_fit_that_could_not_be_saved_does_not_begin(run: Run, project: Path) -> None:
    answer = run("fit", "--out", "tacit.toml/runs/linear")
    assert answer.code == 2
    assert "tacit.toml is a file, not a folder" in answer.err
    assert "this is a mistake in tacit" not in answer.err


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC, errno.EROFS])
def test_what_the_machine_refuses_is_no_bug(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(OSError(number, os.strerror(number), "runs/x"), []) == BAD_INPUT
    said = capsys.readouterr().err
    assert f"runs/x cannot be used: {os.strerror(number)}" in said
