"""Folders that are whole or not there at all: written aside, then given their name.

Whoever is killed while writing leaves a folder with another name, which nobody reads and which the
next one to write removes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PARTIAL, FORMER = ".partial", ".former"


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder to write into. It gets the target's name at the end, and replaces what had it."""
    bring_back(target)
    partial, former = _aside(target, PARTIAL), _aside(target, FORMER)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        _flush(partial)
        shutil.rmtree(former, ignore_errors=True)
        if target.exists():
            target.rename(former)
        partial.rename(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        bring_back(target)
        raise
    shutil.rmtree(former, ignore_errors=True)


def bring_back(target: Path) -> None:
    """Give a folder its name again if its replacement never came: between two names, a kill."""
    former = _aside(target, FORMER)
    if former.is_dir() and not target.exists():
        former.rename(target)


def _aside(target: Path, ending: str) -> Path:
    return target.with_name(f".{target.name}{ending}")


def _flush(folder: Path) -> None:
    """Make sure that all is on the disk before it gets its name: power may fail too."""
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
