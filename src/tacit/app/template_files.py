"""The files of a new project: from the library's samples, or a blank one with comments."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from tacit.app.choices import Template
from tacit.app.settings import FILE_NAME

_HOW = "to change a default, take away the first #"


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
    rows = [
        (f"name = {json.dumps(name, ensure_ascii=False)}", "without it, the folder's name"),
        ('program = "rules.tacit"', "the rules: what an expert knows"),
        (f'{"" if python else "# "}python = "rules.py"', "predicates and functions in Python"),
        (f"text = {read}", "what the predictor reads; of several tables: a list"),
    ]
    lines = [*_in_columns(rows), "", "[tables]  # the name that rules use = the file"]
    lines += _aligned(tables)
    lines += ["", "[gold]  # true labels: for evaluation only, never learned from"]
    lines += _aligned(gold) if gold else ['# sentiment = "data/gold.csv"  # the id, and the label']
    return "\n".join([*lines, *_training(), *_growing()]) + "\n"


def _training() -> list[str]:
    """The sections [predictor] and [fit]: each line is the default, and so left out."""
    from tacit.app.documented_keys import FIT, PREDICTORS
    from tacit.app.fit.settings import fit_keys

    others = ", ".join(f'"{kind}"' for kind in list(PREDICTORS)[1:])
    lines = ["", f"[predictor]  # the network; {_HOW}", f'# kind = "linear"  # or {others}']
    for kind, keys in PREDICTORS.items():
        values = {key: own.value for key, own in keys.items()}
        lines += ["", f'# With kind = "{kind}":']
        lines += _commented(values, {key: own.meaning for key, own in keys.items()})
    fitting = _commented(fit_keys(), FIT)
    return [*lines, "", f"[fit]  # how `tacit fit` trains it; {_HOW}", *fitting]


def _growing() -> list[str]:
    """The section [grow]: each line is the default, and so left out."""
    from tacit.app.grow.settings import MEANING, grow_keys

    heading = f"[grow]  # how `tacit grow` learns rules; {_HOW}"
    return ["", heading, *_commented(grow_keys(), MEANING)]


def _commented(values: Mapping[str, object], meaning: Mapping[str, str]) -> list[str]:
    """Lines such as `# rounds = 20  # of self-training, at most`, the meanings in one column."""
    rows = [(f"# {key} = {json.dumps(value)}", meaning[key]) for key, value in values.items()]
    return _in_columns(rows)


def _in_columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Lines with their comments in one column."""
    width = max(len(text) for text, _ in rows)
    return [f"{text:<{width}}  # {told}" for text, told in rows]


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
