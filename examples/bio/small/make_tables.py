"""From documents to the tables of this project: `python make_tables.py`.

It reads documents.csv and the lists of names beside it, and writes tables/. Of other documents:
`python make_tables.py new_documents.csv new`.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from tacit.data.text import Lexicon, candidate_tuples, mention_table, mutations, sentence_table

HERE = Path(__file__).parent

Row = dict[str, Any]


def make_tables(documents: Mapping[str, str]) -> dict[str, list[Row]]:
    """All tables of the project, by name; `documents` maps ids to texts."""
    # Where is a drug, a gene or a variant named? Authors write as they like: case is ignored.
    finders: dict[str, Any] = {
        "drug": Lexicon(names("drug"), ignore_case=True),
        "gene": Lexicon(names("gene"), ignore_case=True),
        "variant": mutations,
    }
    found = mention_table(documents, finders)
    # A candidate is one mention of each kind, within three sentences.
    candidates = candidate_tuples(found, ("drug", "gene", "variant"), window=3)

    mentions = found.mention.to_pylist()
    genes = [row for row in mentions if row["kind"] == "gene"]
    reader = Reader(documents, mentions)
    own = defaultdict[str, list[str]](list)  # the mentions of each candidate
    for row in candidates.mention_of.to_pylist():
        own[row["candidate"]].append(row["mention"])
    return {
        "candidate": [
            {
                "candidate": row["candidate"],
                "text": reader.blinded(row["document"], *span(row), own[row["candidate"]]),
                "passage": reader.passage(row["document"], *span(row)),
            }
            for row in candidates.candidate.to_pylist()
        ],
        "args": candidates.args.to_pylist(),
        "mention": [
            {
                "mention": row["mention"],
                "text": reader.blinded(
                    row["document"], row["sentence"], row["sentence"], [row["mention"]]
                ),
                "name": row["text"],
            }
            for row in genes
        ],
        "mention_of": [
            {"candidate": row["candidate"], "mention": row["mention"]}
            for row in candidates.mention_of.to_pylist()
            if row["kind"] == "gene"
        ],
        "same_name": [
            {"mention": one["mention"], "other": two["mention"]}
            for one, two in pairwise(genes)
            if (one["document"], one["text"]) == (two["document"], two["text"])
        ],
    }


class Reader:
    """The sentences of documents: as they are, for people; with names hidden, for networks."""

    def __init__(self, documents: Mapping[str, str], mentions: Iterable[Row]) -> None:
        self.documents = documents
        self.sentences = {
            (row["document"], row["number"]): row for row in sentence_table(documents).to_pylist()
        }
        self.mentions = defaultdict[str, list[Row]](list)
        for row in mentions:
            self.mentions[row["document"]].append(row)

    def passage(self, document: str, first: int, last: int) -> str:
        """From the first sentence to the last."""
        start, end = self.sentences[document, first]["start"], self.sentences[document, last]["end"]
        return self.documents[document][start:end]

    def blinded(self, document: str, first: int, last: int, own: Collection[str]) -> str:
        """The same with DRUG, GENE and VARIANT for the mentions in `own`, and othergene and so on
        for other ones. Then nobody can learn by heart which drugs are good.
        """
        start, end = self.sentences[document, first]["start"], self.sentences[document, last]["end"]
        text = ""
        for row in self.mentions[document]:
            is_own = row["mention"] in own
            if start <= row["start"] < end and (is_own or not row["text"].islower()):
                name = row["kind"].upper() if is_own else "other" + row["kind"]
                text += self.documents[document][start : row["start"]] + name
                start = row["end"]
        return text + self.documents[document][start:end]


def span(candidate: Row) -> tuple[int, int]:
    """The first and the last sentence of a candidate."""
    return candidate["first_sentence"], candidate["last_sentence"]


def names(kind: str) -> dict[str, list[str]]:
    """The names of each drug or gene."""
    names_of = defaultdict[str, list[str]](list)
    for row in read(f"{kind}s.csv"):
        names_of[row[kind]].append(row["name"])
    return names_of


def read(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file beside this one."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main(file: str = "documents.csv", folder: str = "tables") -> None:
    """Read documents, write tables, say how many rows they have."""
    tables = make_tables({row["id"]: row["text"] for row in read(file)})
    (HERE / folder).mkdir(exist_ok=True)
    for name, rows in tables.items():
        with (HERE / folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as table:
            writer = csv.DictWriter(table, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{folder}/{name}.csv: {len(rows)} rows")


if __name__ == "__main__":
    main(*sys.argv[1:])
