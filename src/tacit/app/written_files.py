"""Files that are written whole or not at all, and where none can be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tacit.errors import BadFile, BadInput


def require_writable(path: Path) -> None:
    """Refuse a path at which nothing can be made, before much work is done for it."""
    above = next(own for own in path.absolute().parents if own.exists())
    if not above.is_dir():
        raise BadInput(
            f"{path} cannot be written: {above.name} is a file, not a folder",
            remedy="give another name",
        )
    if not os.access(above, os.W_OK):
        raise BadFile(
            f"{path} cannot be written: you may not write in {above}",
            remedy="write it to another folder, or ask its owner for the right to",
        )


@contextmanager
def file_aside(path: Path) -> Iterator[IO[bytes]]:
    """A file to write into, which gets its name when all is written."""
    require_writable(path)
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise cannot_be_written(path, error) from error
    finally:
        with suppress(OSError):  # what went wrong before is what matters
            partial.unlink(missing_ok=True)


def cannot_be_written(path: Path, error: OSError) -> BadFile:
    """What the system says against a file, as an error of the user's."""
    return BadFile(
        f"{path} cannot be written: {error.strerror or error}",
        remedy="is there room on the disk, and may you write there? or give another name",
    )
