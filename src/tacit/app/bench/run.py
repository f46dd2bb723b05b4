"""`tacit bench`: how fast the library is here, or a benchmark of a checkout."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tacit import __version__
from tacit.app.bench.checkout import (
    Benchmark,
    benchmarks_in,
    find_checkout,
    require_checkout,
    run_benchmark,
)
from tacit.app.bench.task import RULES, write_task
from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    make_console,
    print_json,
    print_table,
    print_title,
    warnings_as_notes,
)
from tacit.app.progress import progress_bar
from tacit.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.data import Task
    from tacit.graph import FactorGraph
    from tacit.learning import DPL
    from tacit.logic import Program

TEXTS = 20_000  # of the made-up task
SAMPLE, MADE_UP = "sample reviews", "made-up texts"


@dataclass(frozen=True, slots=True)
class Measured:
    """How long one step took."""

    task: str
    step: str
    rows: int  # texts that went through it
    seconds: float

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / max(self.seconds, 1e-9)

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return asdict(self) | {"rows_per_second": round(self.rate, 1)}


def run_bench(name: str | None, arguments: Sequence[str], *, as_json: bool, listing: bool) -> int:
    """List, run or measure; mistakes are raised."""
    if listing:
        return _list(as_json=as_json)
    if name is None:
        return _measure(as_json=as_json)
    if as_json:
        raise BadInput(
            "a benchmark of a checkout has options of its own",
            remedy=f"put them behind --, such as: tacit bench {name} -- --json",
        )
    return run_benchmark(name, arguments)


def _list(*, as_json: bool) -> int:
    """The benchmarks of the checkout, with a line each."""
    found = benchmarks_in(require_checkout())
    if as_json:
        print_json({"ok": True, "errors": [], "benchmarks": [asdict(one) for one in found]})
    else:
        _print_list(make_console(), found)
    return 0


def _measure(*, as_json: bool) -> int:
    """Measure, and print what was found."""
    begun = time.perf_counter()
    with warnings_as_notes(), progress_bar("measuring") as bar:
        found = measure_all(TEXTS, bar)
    seconds = time.perf_counter() - begun
    if as_json:
        told = {"machine": machine(), "steps": [own.as_dict() for own in found]}
        print_json({"ok": True, "errors": []} | told | {"seconds": seconds})
    else:
        print_measured(make_console(), found, seconds)
    return 0


def machine() -> dict[str, Any]:
    """What the numbers depend on."""
    import numpy as np

    return {
        "tacit": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


def measure_all(
    n_texts: int, bar: Callable[[int, int, str], None] | None = None
) -> tuple[Measured, ...]:
    """Measure on the sample reviews, and on so many texts that are made up."""
    found: list[Measured] = []

    def tell(what: str) -> None:
        if bar is not None:
            bar(len(found), 2 * len(STEPS), what)

    with TemporaryDirectory(prefix="tacit-bench-") as folder:
        tell("warming up")  # kernels are compiled, engines start: once, and not what is measured
        sample_files, sample_rules = sample_task(Path(folder))
        for _ in measured("", sample_files, sample_rules, lambda _: None):
            pass
        for one in measured(SAMPLE, sample_files, sample_rules, tell):
            found.append(one)
        tell("making texts up")
        for one in measured(MADE_UP, write_task(Path(folder), n_texts), RULES, tell):
            found.append(one)
    return tuple(found)


def sample_task(folder: Path) -> tuple[dict[str, Path], str]:
    """The sample reviews as files, as a user would have them, and their rules."""
    import pyarrow.csv

    from tacit.data import sample

    reviews = sample("reviews")
    paths = {name: folder / f"sample_{name}.csv" for name in reviews.task.tables}
    for name, path in paths.items():
        pyarrow.csv.write_csv(reviews.task.table(name).arrow, path)
    return paths, reviews.rules


def measured(
    name: str, files: Mapping[str, Path], rules: str, tell: Callable[[str], None]
) -> Iterator[Measured]:
    """The steps from files to a trained network, one after the other."""
    from tacit.logic import Program

    made = Made(files, Program.parse(rules))
    for step, run in STEPS.items():
        tell(f"{name}: {step}")
        begun = time.perf_counter()
        run(made)
        seconds = time.perf_counter() - begun
        yield Measured(name, step, len(made.texts), seconds)


@dataclass(slots=True)
class Made:
    """What the steps have made so far."""

    files: Mapping[str, Path]
    program: Program
    task: Task | None = None
    graph: FactorGraph | None = None
    model: DPL | None = None

    @property
    def texts(self) -> Any:
        """What the network reads."""
        assert self.task is not None
        return self.task.inputs("review")

    def read(self) -> None:
        """Files as tables, and the words of their texts."""
        from tacit.data import Task

        self.task = Task(self.files, text="review.text")
        self.task.table("token")

    def ground(self) -> None:
        """The program and the tables as a factor graph."""
        from tacit.graph import ground

        assert self.task is not None
        self.graph = ground(self.program, self.task)

    def infer(self) -> None:
        """Marginals by belief propagation, with weights as given."""
        from tacit.inference import infer

        assert self.graph is not None
        infer(self.graph, "bp")

    def learn(self) -> None:
        """The weights of the evidence; grounding is part of it."""
        from tacit.learning import LabelModel

        assert self.task is not None
        LabelModel().fit(self.task, self.program)

    def train(self) -> None:
        """Evidence and network together; grounding is part of it."""
        from tacit.learning import DPL

        assert self.task is not None
        self.model = DPL("linear").fit(self.task, self.program)

    def predict(self) -> None:
        """Labels by the network alone."""
        assert self.model is not None
        self.model.predict_proba(self.texts)


STEPS: dict[str, Callable[[Made], None]] = {
    "read and find words": Made.read,
    "ground": Made.ground,
    "infer (bp)": Made.infer,
    "label model": Made.learn,
    "DPL, linear": Made.train,
    "predict": Made.predict,
}


def print_measured(console: Console, found: Sequence[Measured], seconds: float) -> None:
    """A table for each task, then what to do next."""
    from rich.text import Text

    about = machine()
    title = f"tacit {about['tacit']}, Python {about['python']}, {about['cores']} cores"
    print_title(console, title, about["system"])
    numbers = [Column(name, right=True, style=NUMBER) for name in ("seconds", "texts a second")]
    for task in dict.fromkeys(one.task for one in found):
        own = [one for one in found if one.task == task]
        rows = [(one.step, f"{one.seconds:.3f}", f"{one.rate:,.0f}") for one in own]
        title = f"{task}: {own[0].rows:,} texts"
        print_table(console, title, [Column("step", style=NAME), *numbers], rows)
    console.print(Text(f"Measured in {seconds:.1f} s.", style="bold green"), soft_wrap=True)
    if find_checkout() is not None:
        console.print(Text("More: tacit bench --list", style="dim"), soft_wrap=True)


def _print_list(console: Console, found: Sequence[Benchmark]) -> None:
    """A line for each benchmark, and how to run it."""
    from rich.text import Text

    columns = [Column("name", style=NAME), Column("what it measures")]
    print_table(console, "Benchmarks", columns, [(one.name, one.about) for one in found])
    console.print(Text("Run one: tacit bench NAME -- --quick", style="dim"), soft_wrap=True)
