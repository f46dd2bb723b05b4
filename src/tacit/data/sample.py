"""Sample problems that come with the library: small, generated, with known labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

from tacit.data.coerce import as_table
from tacit.data.predicate_files import load_predicates
from tacit.data.table import Table
from tacit.data.task import Task
from tacit.errors import BadInput, did_you_mean, listed

SAMPLES = ("reviews", "oncology")

Gold = Mapping[str, Mapping[str, str]]  # label function -> {instance id: label}


@dataclass(frozen=True, slots=True)
class Sample:
    """A problem to try things on: its data, its rules and, for scoring alone, its true labels."""

    name: str
    task: Task
    rules: str = field(repr=False)  # the program text
    rules_place: str  # what error messages call the program text
    gold: Gold = field(repr=False)
    test: Task | None = None
    test_gold: Gold | None = field(default=None, repr=False)


@cache
def sample(name: str) -> Sample:
    """The sample of this name: "reviews" (sentiment) or "oncology" (relations and entity links)."""
    if name not in SAMPLES:
        raise BadInput(
            f"there is no sample '{name}'; there are: {listed(SAMPLES)}",
            remedy=did_you_mean(str(name), SAMPLES),
        )
    folder = files("tacit.data") / "samples" / name
    with ExitStack() as stack:
        paths = {
            entry.name: stack.enter_context(as_file(entry))
            for entry in _files_in(folder)
            if entry.name.endswith((".csv", ".tacit", ".py"))
        }
        return _reviews(paths) if name == "reviews" else _oncology(paths)


def _reviews(paths: Mapping[str, Path]) -> Sample:
    """Sentiment of reviews: a lexicon, items with a verdict, and pairs of similar reviews."""
    train, test = _read(paths, "review"), as_table("review", paths["test.csv"])
    about, shared = _read(paths, "about"), _read_all(paths, "lexicon", "verdict")
    task = Task(
        {"review": train, "about": _only(about, train), "near": paths["near.csv"]} | shared,
        text="review.text",
    )
    test_task = Task({"review": test, "about": _only(about, test)} | shared, text="review.text")
    return Sample(
        name="reviews",
        task=task,
        rules=paths["rules.tacit"].read_text("utf-8"),
        rules_place="reviews/rules.tacit",
        gold=_gold({"sentiment": (train, paths["gold.csv"])}),
        test=test_task,
        test_gold=_gold({"sentiment": (test, paths["test_gold.csv"])}),
    )


def _oncology(paths: Mapping[str, Path]) -> Sample:
    """Drug, gene and variant relations in abstracts, with the links of gene mentions."""
    names = ("candidate", "mention", "document", "other_mention", "args", "mention_of", "kb")
    tables = _read_all(paths, *names)
    return Sample(
        name="oncology",
        task=Task(
            tables,
            text=["candidate.text", "mention.text"],
            predicates=load_predicates(paths["rules.py"]),
        ),
        rules=paths["rules.tacit"].read_text("utf-8"),
        rules_place="oncology/rules.tacit",
        gold=_gold(
            {
                "treats": (tables["candidate"], paths["gold_treats.csv"]),
                "link": (tables["mention"], paths["gold_link.csv"]),
            }
        ),
    )


def _read(paths: Mapping[str, Path], name: str) -> Table:
    """The table in the file of that name."""
    return as_table(name, paths[f"{name}.csv"])


def _read_all(paths: Mapping[str, Path], *names: str) -> dict[str, Table]:
    """Several tables, each in the file of its name."""
    return {name: _read(paths, name) for name in names}


def _only(pairs: Table, instances: Table) -> Table:
    """The rows of a table whose first value is an id of these instances."""
    import pyarrow.compute as pc

    first, ids = pairs.arrow.column(0), instances.arrow.column(0)
    return Table(pairs.name, pairs.arrow.filter(pc.is_in(first, value_set=ids)), pairs.source)


def _gold(of_function: Mapping[str, tuple[Table, Path]]) -> Gold:
    """The true labels of each label function, in the order of its instances."""
    gold = {}
    for function, (instances, path) in of_function.items():
        ids, labels = as_table("gold", path).arrow.columns[:2]
        label_of = dict(zip(ids.to_pylist(), labels.to_pylist(), strict=True))
        order = instances.arrow.column(0).to_pylist()
        gold[function] = MappingProxyType(
            {str(i): str(label_of[i]) for i in order if i in label_of}
        )
    return MappingProxyType(gold)


def _files_in(folder: Traversable) -> Iterator[Traversable]:
    """The files of a packaged folder, in the order of their names."""
    return iter(sorted((e for e in folder.iterdir() if e.is_file()), key=lambda e: e.name))
