"""The files of a new project: from the library's samples, or a blank one with comments."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from tacit.app.choices import Template
from tacit.app.settings import FILE_NAME


def project_files(template: Template, name: str) -> dict[str, str]:
    """The text of each file of a new project, by its path; `tacit.toml` comes last."""
    pages = files("tacit.app") / "templates" / template
    readme = (pages / "README.md").read_text("utf-8").replace("PROJECT", name)
    if template is not Template.BLANK:
        return {"README.md": readme} | _sample_files(template, name)
    content = {"README.md": readme}
    for path in ("rules.tacit", "data/review.csv", "data/lexicon.csv"):
        content[path] = pages.joinpath(path).read_text("utf-8")
    tables = {"review": "data/review.csv", "lexicon": "data/lexicon.csv"}
    return content | {FILE_NAME: _settings(name, ["review.text"], tables)}


def _sample_files(template: Template, name: str) -> dict[str, str]:
    """The files of a project made from a sample of the library."""
    from tacit.data import sample

    taken = sample(template)
    tables = {table: f"data/{table}.csv" for table in taken.task.tables}
    several = len(taken.gold) > 1
    gold = {f: f"data/gold_{f}.csv" if several else "data/gold.csv" for f in taken.gold}
    content = {"rules.tacit": taken.rules}
    for table, path in tables.items():
        arrow = taken.task.table(table).arrow
        content[path] = _csv(arrow.column_names, zip(*arrow.to_pydict().values(), strict=True))
    for function, path in gold.items():
        content[path] = _csv(["id", function], taken.gold[function].items())
    if taken.test is not None and taken.test_gold is not None:
        arrow = taken.test.table(taken.test.text[0].table).arrow
        rows = zip(*arrow.to_pydict().values(), strict=True)
        content["data/test.csv"] = _csv(arrow.column_names, rows)
        for function, labels in taken.test_gold.items():
            content["data/test_gold.csv"] = _csv(["id", function], labels.items())
    python = files("tacit.data") / "samples" / template / "rules.py"
    if python.is_file():
        content["rules.py"] = python.read_text("utf-8")
    text = [str(reference) for reference in taken.task.text]
    settings = _settings(name, text, tables, gold, python="rules.py" in content)
    return content | {FILE_NAME: settings}


def _settings(
    name: str,
    text: Sequence[str],
    tables: Mapping[str, str],
    gold: Mapping[str, str] | None = None,
    *,
    python: bool = False,
) -> str:
    """The text of a `tacit.toml`."""
    read = json.dumps(text[0] if len(text) == 1 else list(text))
    lines = [
        f"name = {json.dumps(name, ensure_ascii=False)}",
        'program = "rules.tacit"',
        *(['python = "rules.py"          # predicates written in Python'] if python else []),
        f"text = {read}".ljust(28) + " # what the predictor reads",
        "",
        "[tables]",
        *_aligned(tables),
    ]
    if gold:
        lines += ["", "[gold]  # true labels: for evaluation only, never learned from"]
        lines += _aligned(gold)
    return "\n".join([*lines, *_growing()]) + "\n"


def _growing() -> list[str]:
    """The section [grow]: each line is the default, and so left out."""
    from tacit.app.grow_settings import MEANING, grow_keys

    heading = "[grow]  # how `tacit grow` learns rules; to change a default, take away the first #"
    return ["", heading, *_commented(grow_keys(), MEANING)]


def _commented(values: Mapping[str, object], meaning: Mapping[str, str]) -> list[str]:
    """Lines such as `# rounds = 10  # of self-training, at most`, the meanings in one column."""
    set_to = {key: f"# {key} = {json.dumps(value)}" for key, value in values.items()}
    width = max(map(len, set_to.values()))
    return [f"{text:<{width}}  # {meaning[key]}" for key, text in set_to.items()]


def _aligned(paths: Mapping[str, str]) -> list[str]:
    """Lines of `name = "path"` with the equals signs in one column."""
    width = max(map(len, paths))
    return [f'{name:<{width}} = "{path}"' for name, path in paths.items()]


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
