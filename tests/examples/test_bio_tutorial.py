"""The small project of examples/bio: as its generator makes it, with the tutorial's figures."""

import csv
import filecmp
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.bio.small.make_tables import make_tables
from tacit.app.cli import main
from tacit.app.judge.judging import JudgingOptions, open_judging, run_precision
from tacit.review import Answer, Ledger
from tools.make_bio_example import write_example

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "examples" / "bio" / "small"
README = (ROOT / "examples" / "bio" / "README.md").read_text(encoding="utf-8")
PAGE = " ".join(README.split())
KIT = "a007:153-162+89-92+93-98"  # neratinib, a kit that is no gene, L755S
CONTRAST = """
@tacit.predicate(table="candidate")
def only_for_contrast(text):
    return bool(re.search(r"(unlike|the rest had) GENE VARIANT", text, re.I))
"""
RULE = """
observed only_for_contrast(candidate)
contrast:  4.0! only_for_contrast(c) => treats(c) = no
"""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(path: Path) -> dict[str, str]:
    return {row["candidate"]: row["label"] for row in rows(path)}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project with tables and both runs, in the working folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("tutorial"))
        folder = Path("oncology")
        shutil.copytree(SHIPPED, folder)
        write_tables(folder)
        assert main(["fit", "oncology"]) == 0
        assert main(["fit", "oncology/joint.toml", "--out", "oncology/runs/joint"]) == 0
        yield folder


def write_tables(folder: Path) -> None:
    documents = {row["id"]: row["text"] for row in rows(SHIPPED / "documents.csv")}
    (folder / "tables").mkdir()
    for name, table in make_tables(documents).items():
        with (folder / "tables" / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(table[0]))
            writer.writeheader()
            writer.writerows(table)


def scores(project: Path, run: str) -> tuple[int, int]:
    """Precision and recall of what a run calls `yes`, in per cent."""
    out = project / f"{run}.csv"
    assert main(["export", "oncology", "--run", run, "--function", "treats", "--to", str(out)]) == 0
    gold = labels(project / "gold" / "treats.csv")
    found = {row["id"] for row in rows(out) if row["label"] == "yes"}
    true = {id for id, label in gold.items() if label == "yes"}
    right = len(found & true)
    return round(100 * right / len(found)), round(100 * right / len(true))


def test_the_shipped_files_are_what_the_generator_makes(tmp_path: Path) -> None:
    write_example(tmp_path)
    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.csv")]
    assert len(made) == 7
    for path in made:
        assert filecmp.cmp(tmp_path / path, SHIPPED / path, shallow=False), path


def test_abstracts_are_short_and_differ() -> None:
    texts = [row["text"] for name in ("", "new_") for row in rows(SHIPPED / f"{name}documents.csv")]
    assert len(set(texts)) == 220
    assert all(1 <= text.count(". ") <= 8 for text in texts)


def test_table_sizes_are_as_the_page_says(project: Path) -> None:
    for name in ("candidate", "args", "mention", "mention_of", "same_name"):
        assert f"| `{name}` | {len(rows(project / 'tables' / f'{name}.csv'))} |" in PAGE


def test_the_quoted_passage_has_the_candidates_that_the_page_names(project: Path) -> None:
    quoted = PAGE.split("## 1. The problem > ")[1].split(" A reader sees")[0].replace(" > ", " ")
    genes = {row["candidate"]: row["gene"] for row in rows(project / "tables/args.csv")}
    candidates = rows(project / "tables/candidate.csv")
    named = [genes[row["candidate"]] for row in candidates if row["passage"] in quoted]
    assert "three: neratinib and L755S with ERBB2, with KIT and with WAS" in PAGE
    assert sorted(named) == ["ERBB2", "KIT", "WAS"]


def test_own_names_are_hidden_from_the_network(project: Path) -> None:
    (kit,) = (row for row in rows(project / "tables/candidate.csv") if row["candidate"] == KIT)
    assert kit["text"].startswith("By a commercial GENE VARIANT was found")
    assert kit["passage"].startswith("By a commercial kit L755S was found")
    for row in rows(project / "tables/candidate.csv"):
        assert all(row["text"].count(name) == 1 for name in ("DRUG", "GENE", "VARIANT"))


def test_linking_mends_relations(project: Path) -> None:
    assert scores(project, "linear") == (56, 88)
    assert scores(project, "joint") == (88, 88)
    assert "56 % is right, and 88 %" in PAGE
    assert "Now 88 % of what is called" in PAGE


def test_another_rule_is_no_free_gain(project: Path) -> None:
    mended = shutil.copytree(project, Path("mended"), ignore=shutil.ignore_patterns("runs"))
    for name, added in (("predicates.py", CONTRAST), ("joint.tacit", RULE)):
        assert added in README
        with (mended / name).open("a", encoding="utf-8") as file:
            file.write(added)
    assert main(["fit", "mended/joint.toml", "--out", "oncology/runs/mended"]) == 0
    assert scores(project, "mended") == (93, 82)
    assert "from 88 to 93 %, but of all that is right only 82 %" in PAGE


def test_a_judged_sample_gives_the_table_of_the_page(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = JudgingOptions(
        judge=("relations=oncology/runs/linear", "joint=oncology/runs/joint"),
        label="yes",
        function="treats",
        text="passage",
        parts="drug,gene,variant",
        sample=30,
    )
    ledger = Path("judgements.sqlite")
    open_judging(options, ledger, now=0.0)
    true = true_claims(project)
    with Ledger(ledger) as opened:
        while question := opened.next_question("ada", now=1.0):
            right = (question.examples[0].text, question.feature) in true
            opened.answer(Answer(question.id, "right" if right else "wrong", "ada", 2.0))
        assert f"There are {len(opened.answers())} questions" in PAGE
    capsys.readouterr()
    assert run_precision(ledger, options, as_json=False) == 0
    printed = capsys.readouterr().out
    table = [line for line in printed.splitlines() if line.startswith("  ") and "note" not in line]
    assert len(table) == 3  # a heading, two systems
    heading, *systems = table
    assert heading in README
    for line in systems:  # the last figure is a mean probability: not the same to the last digit
        figures, claims = line.removesuffix(" %").rsplit(maxsplit=1)
        (shown,) = (own for own in README.splitlines() if own.startswith(figures))
        assert float(claims) == pytest.approx(float(shown.split()[-2]), abs=0.2)


def true_claims(project: Path) -> set[tuple[str, str]]:
    """Passages and what they say, as questions put it."""
    gold = labels(project / "gold" / "treats.csv")
    args = {row["candidate"]: row for row in rows(project / "tables" / "args.csv")}
    kinds = ("drug", "gene", "variant")
    return {
        (row["passage"], "treats = yes; " + ", ".join(f"{kind}: {own[kind]}" for kind in kinds))
        for row in rows(project / "tables" / "candidate.csv")
        for own in [args[row["candidate"]]]
        if gold[row["candidate"]] == "yes"
    }
