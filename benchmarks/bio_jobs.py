"""What the tables of the biomedical benchmark are made of: jobs, one for each row and seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Setting:
    """Where the data are, what computes, and how much of it is asked for."""

    data: Path  # the folder that has bio/
    device: str = "auto"
    seeds: int = 3
    quick: bool = False

    @property
    def bio(self) -> Path:
        """The folder of the biomedical data."""
        return self.data / "bio"


@dataclass(frozen=True, slots=True)
class Job:
    """One row for one seed."""

    row: str
    seed: int
    run: Callable[[], Figures]
    begin: Callable[[], None] = lambda: None  # called of all jobs before any is run


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the chapter: its figures, what they mean, and how ours are made."""

    title: str
    columns: tuple[str, ...]  # the figures that are printed
    jobs: Callable[[Setting], list[Job]]
    chapter: Mapping[str, Figures] = field(default_factory=dict)  # by row
    meanings: Mapping[str, str] = field(default_factory=dict)  # by column
