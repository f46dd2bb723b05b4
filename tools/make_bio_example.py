"""The texts of examples/bio/small: `python -m tools.make_bio_example` writes them.

Drugs, genes and variants are real names, and which drug acts on which variant is what reviews of
the field say; every sentence about them is invented here. What a sentence says is known, so
that gold/ can have the truth: which passages state a relation, and which mentions are genes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from examples.bio.small.make_tables import make_tables
from tacit.data.text import sentence_spans
from tools.bio_example_phrases import (
    BACKGROUND,
    CLOSING,
    DENIED,
    FACTS,
    FAILURES,
    FOLLOWED,
    GENE_FIRST,
    LEADS,
    LISTED,
    MERE,
    SIDE,
    SPELLINGS,
    STATED,
    STATED_APART,
    STATED_BESIDE,
    TUMOURS,
)
from tools.make_samples.dice import Dice
from tools.make_samples.tables import write_table

OUT = Path(__file__).parents[1] / "examples" / "bio" / "small"
DOCUMENTS, NEW = 180, 40  # to learn from; to read afterwards
KNOWN = 22  # of the facts, those that the knowledge base has
SLOT = re.compile(r"\{(\w+)\}")

Triple = tuple[str, str, str]  # drug, gene, variant


@dataclass(slots=True)
class Draft:
    """An abstract in the making: its text, and what is true of it."""

    dice: Dice
    text: str = ""
    sentences: int = 0
    genes: list[tuple[int, int]] = field(default_factory=list)
    stated: list[tuple[int, int, Triple]] = field(default_factory=list)

    def say(self, frames: Sequence[str], about: Triple, other: Triple) -> None:
        """Add a sentence from one of the frames; a slot that names a gene is noted as one."""
        values = dict(zip(("drug", "gene", "variant"), about, strict=True))
        values |= {f"other_{name}": value for name, value in _named(other)}
        text = self.text + (" " if self.text else "")
        at = 0
        frame = self.dice.pick(frames)
        for slot in SLOT.finditer(frame):
            text += frame[at : slot.start()]
            at, begin = slot.end(), len(text)
            text += self._word(slot[1], values, first=slot.start() == 0)
            if slot[1].endswith("gene") or slot[1].isupper():
                self.genes.append((begin, len(text)))
        self.text = text + frame[at:]
        self.sentences += 1

    def note(self, about: Triple, sentences: int = 1) -> None:
        """The last sentences state a relation."""
        self.stated.append((self.sentences - sentences, self.sentences - 1, about))

    def _word(self, slot: str, values: dict[str, str], *, first: bool) -> str:
        if slot == "n":
            return str(self.dice.between(3, 14))
        if slot == "m":
            return str(self.dice.between(15, 90))
        if slot == "tumour":
            return self.dice.pick(TUMOURS[values["gene"]])
        word = values.get(slot, slot)
        if slot.endswith("gene"):
            return self.dice.pick_early(SPELLINGS.get(word, [word]))
        return word.capitalize() if first and slot.endswith("drug") else word


def _named(triple: Triple) -> Iterable[tuple[str, str]]:
    return zip(("drug", "gene", "variant"), triple, strict=True)


def draft(dice: Dice) -> Draft:
    """An abstract of two to four sentences about one fact, or one failure; mostly it states it."""
    kind = dice.below(100)
    about = dice.pick(FAILURES if kind < 16 else FACTS)
    other = dice.pick([fact for fact in FACTS if fact[1] != about[1]])
    made = Draft(dice)
    if not 60 <= kind < 74 and dice.chance(0.5):
        made.say(BACKGROUND, about, other)
    if kind < 16:
        made.say(DENIED, about, other)
    elif kind < 40:
        made.say(STATED, about, other)
        made.note(about)
    elif kind < 50:
        made.say(STATED_BESIDE, about, other)
        made.note(about)
    elif kind < 60:
        made.say(LEADS, about, other)
        made.say(FOLLOWED, about, other)
        made.note(about, sentences=2)
    elif kind < 74:
        made.say(GENE_FIRST, about, other)
        made.say(STATED_APART, about, other)
        made.note(about, sentences=2)
    else:
        made.say(MERE if kind < 92 else LISTED, about, other)
    if dice.chance(0.75):
        made.say(SIDE, about, other)
    if made.sentences < 2 or (made.sentences < 4 and dice.chance(0.3)):
        made.say(CLOSING, about, other)
    return made


def drafts(dice: Dice) -> Iterator[Draft]:
    """Abstracts without end, each different from all before."""
    seen: set[str] = set()
    while True:
        made = draft(dice)
        if made.text not in seen:
            seen.add(made.text)
            yield made


def write_example(out: Path) -> None:
    """Write documents, the knowledge base and the true labels."""
    dice = Dice(9)
    known = sorted(dice.some(FACTS, KNOWN))
    write_table(out / "kb.csv", "drug,gene,variant", known)
    making = drafts(dice)
    for prefix, letter, count in (("", "a", DOCUMENTS), ("new_", "n", NEW)):
        made = {f"{letter}{number:03}": next(making) for number in range(1, count + 1)}
        texts = {id: own.text for id, own in made.items()}
        write_table(out / f"{prefix}documents.csv", "id,text", texts.items())
        labels = true_labels(texts, made)
        write_table(out / "gold" / f"{prefix}link.csv", "mention,label", labels["link"])
        write_table(out / "gold" / f"{prefix}treats.csv", "candidate,label", labels["treats"])


def true_labels(
    texts: Mapping[str, str], made: Mapping[str, Draft]
) -> dict[str, list[tuple[str, str]]]:
    """The labels of all mentions and candidates that the example's script finds."""
    tables = make_tables(texts)
    genes = {f"{id}:{a}-{b}:gene" for id, own in made.items() for a, b in own.genes}
    passages = {
        (id, triple): " ".join(text for text in sentences[first : last + 1])
        for id, own in made.items()
        for sentences in [[texts[id][a:b] for a, b in sentence_spans(texts[id])]]
        for first, last, triple in own.stated
    }
    args = {row["candidate"]: (row["drug"], row["gene"], row["variant"]) for row in tables["args"]}
    gene_of = {row["candidate"]: row["mention"] for row in tables["mention_of"]}
    told = {
        id: gene_of[id] in genes and passages.get((id.split(":")[0], args[id])) == row["passage"]
        for row in tables["candidate"]
        for id in [row["candidate"]]
    }
    names = ("no", "yes")
    return {
        "link": [(row["mention"], names[row["mention"] in genes]) for row in tables["mention"]],
        "treats": [(id, names[is_told]) for id, is_told in told.items()],
    }


def main(arguments: list[str] | None = None) -> None:
    """Write the tables; `--out DIR` writes elsewhere."""
    parser = argparse.ArgumentParser(prog="python -m tools.make_bio_example", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    write_example(parser.parse_args(arguments).out)


if __name__ == "__main__":
    main()
