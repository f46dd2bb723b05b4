"""A progress bar on the error stream, for work that turns out to be long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tacit.app.console import make_console

_PATIENCE = 1.0  # seconds without a bar: what is quicker needs none


@contextmanager
def progress_bar(
    verb: str, *, time_left: bool = False
) -> Iterator[Callable[[int, int, str], None] | None]:
    """What to tell of each step: how many are done, how many there are, and what comes next.

    None where the error stream is no terminal. The bar appears late, also while the first step
    runs, and vanishes at the end. With `time_left`, it has percents and the time that is left.
    """
    console = make_console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    rest = Column(ratio=1, no_wrap=True, overflow="ellipsis")  # a long name is cut
    counts: tuple[ProgressColumn, ...] = (MofNCompleteColumn(), TimeElapsedColumn())
    if time_left:
        counts = (TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left"))
    bar = Progress(
        BarColumn(bar_width=24),
        *counts,
        TextColumn("{task.description}", markup=False, table_column=rest),
        console=console,
        transient=True,
        expand=True,
        redirect_stdout=False,  # the answer is written when the bar is gone
        redirect_stderr=False,
    )
    task = bar.add_task(verb, total=None)
    timer = threading.Timer(_PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total, name: bar.update(
            task, completed=done, total=total, description=f"{verb} {name}"
        )
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
