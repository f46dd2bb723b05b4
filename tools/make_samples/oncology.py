"""Sample 2: which drug works against which gene variant, in short abstracts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .abstracts import (
    Fact,
    Sentence,
    World,
    make_abstract,
    make_flattened,
    make_word_abstract,
    make_world,
)
from .dice import Dice
from .marks import Mention, kept, mentions, plain
from .tables import write_table

SEED = 20_180_831
N_ABSTRACTS, N_WORD_ABSTRACTS, N_FLATTENED = 94, 40, 16
KB_STATED = 34  # facts of the knowledge base that some document states
KB_ONLY_NAMED = 3  # entries whose names occur together, but no document states them
KB_UNSEEN = 3  # facts that no document mentions at all
REACH = 1  # sentences between a drug and its gene and variant


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its sentences and its mentions."""

    id: str
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]

    @property
    def text(self) -> str:
        """The plain sentences in one line."""
        return " ".join(plain(sentence.marked) for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A (drug, gene, variant) in the shortest span of sentences around one drug mention."""

    id: str
    document: Document
    fact: Fact
    first: int
    last: int
    stated: bool


def write_oncology(folder: Path) -> None:
    """Write all tables of the sample into `folder`."""
    dice = Dice(SEED)
    world = make_world(dice)
    documents = _documents(dice, world)
    candidates = _candidates(documents)
    kb = _knowledge_base(dice, world, candidates)
    write_table(folder / "document.csv", "id,text", [(d.id, d.text) for d in documents])
    _write_mentions(folder, documents)
    _write_candidates(folder, candidates)
    write_table(folder / "kb.csv", "drug,gene,variant", kb)


def _documents(dice: Dice, world: World) -> list[Document]:
    """All documents, the three makes shuffled together."""
    bodies = [make_abstract(dice, world) for _ in range(N_ABSTRACTS)]
    bodies += [make_word_abstract(dice, world) for _ in range(N_WORD_ABSTRACTS)]
    bodies += [make_flattened(dice, world) for _ in range(N_FLATTENED)]
    return [
        Document(f"d{number:03d}", tuple(body), tuple(mentions([s.marked for s in body])))
        for number, body in enumerate(dice.shuffled(bodies), start=1)
    ]


def _candidates(documents: Sequence[Document]) -> list[Candidate]:
    """One candidate for each drug mention and each gene with a variant beside it, within reach."""
    found: list[Candidate] = []
    for document in documents:
        spans = sorted(_spans(document))
        for at, fact, first, last in spans:
            stated = fact in document.sentences[at].states
            found.append(Candidate(f"c{len(found) + 1:03d}", document, fact, first, last, stated))
    return found


def _spans(document: Document) -> Iterator[tuple[int, Fact, int, int]]:
    """(sentence of the drug, fact, first, last sentence) for the shortest spans of each fact."""
    drug_homes = _drug_homes(document)
    for pair, pair_homes in _pair_homes(document).items():
        for drug, homes in drug_homes.items():
            # The nearest sentence with the pair; an earlier one before a later one.
            nearest = {
                at: min(pair_homes, key=lambda home: (abs(home - at), home > at)) for at in homes
            }
            shortest = min(abs(home - at) for at, home in nearest.items())
            for at, home in nearest.items():
                if abs(home - at) == shortest <= REACH:
                    yield at, (drug, *pair), min(at, home), max(at, home)


def _drug_homes(document: Document) -> dict[str, list[int]]:
    """For each drug, the sentences that name it."""
    homes: dict[str, list[int]] = {}
    for mention in document.mentions:
        if mention.kind == "drug":
            homes.setdefault(mention.name, []).append(mention.sentence)
    return homes


def _pair_homes(document: Document) -> dict[tuple[str, str], list[int]]:
    """For each gene and variant that share a sentence, the sentences that they share."""
    homes: dict[tuple[str, str], list[int]] = {}
    for number in range(len(document.sentences)):
        here = [m for m in document.mentions if m.sentence == number]
        genes = sorted({m.name for m in here if m.kind == "gene"})
        variants = sorted({m.name for m in here if m.kind == "variant"})
        for gene in genes:
            for variant in variants:
                homes.setdefault((gene, variant), []).append(number)
    return homes


def _knowledge_base(dice: Dice, world: World, candidates: Sequence[Candidate]) -> list[Fact]:
    """A curated list of facts: incomplete, and not all of it is stated in the documents."""
    stated = sorted({c.fact for c in candidates if c.stated})
    named = sorted({c.fact for c in candidates if c.fact[1:] in world.drugs_for} - set(stated))
    unseen = sorted(set(world.facts) - {c.fact for c in candidates})
    chosen = dice.some(stated, KB_STATED)
    return sorted(chosen + dice.some(named, KB_ONLY_NAMED) + dice.some(unseen, KB_UNSEEN))


def _write_mentions(folder: Path, documents: Sequence[Document]) -> None:
    """Write the gene mentions, the other mentions and the gold links."""
    header = "id,text,document,kind,name,start,end"
    rows = [(m, d, _mention_row(m, d)) for d in documents for m in d.mentions]
    genes = [(m, d, row) for m, d, row in rows if m.kind == "gene"]
    write_table(folder / "mention.csv", header, [row for _, _, row in genes])
    others = [row for m, _, row in rows if m.kind != "gene"]
    write_table(folder / "other_mention.csv", header, others)
    links = [(row[0], _yes(d.sentences[m.sentence].names_gene)) for m, d, row in genes]
    write_table(folder / "gold_link.csv", "mention,label", links)


def _mention_row(mention: Mention, document: Document) -> tuple[str | int, ...]:
    """A row of the mention tables; its text is the sentence with the mention in brackets."""
    before = sum(len(plain(s.marked)) + 1 for s in document.sentences[: mention.sentence])
    text = plain(document.sentences[mention.sentence].marked)
    start, end = mention.start - before, mention.end - before
    shown = f"{text[:start]}[[{text[start:end]}]]{text[end:]}"
    id = f"{document.id}m{mention.start:03d}"
    return id, shown, document.id, mention.kind, mention.name, mention.start, mention.end


def _write_candidates(folder: Path, candidates: Sequence[Candidate]) -> None:
    """Write the candidates, their arguments, their gene mentions and the gold relations."""
    rows = [(c.id, _span_text(c), c.document.id) for c in candidates]
    write_table(folder / "candidate.csv", "id,text,document", rows)
    write_table(
        folder / "args.csv", "candidate,drug,gene,variant", [(c.id, *c.fact) for c in candidates]
    )
    pairs = [(c.id, f"{c.document.id}m{m.start:03d}") for c in candidates for m in _own_genes(c)]
    write_table(folder / "mention_of.csv", "candidate,mention", pairs)
    gold = [(c.id, _yes(c.stated)) for c in candidates]
    write_table(folder / "gold_treats.csv", "candidate,label", gold)


def _span_text(candidate: Candidate) -> str:
    """The sentences of the span, with the arguments of the candidate marked and nothing else."""
    span = candidate.document.sentences[candidate.first : candidate.last + 1]
    marked = " ".join(sentence.marked for sentence in span)
    drug, gene, variant = candidate.fact
    wanted = {("drug", drug), ("gene", gene), ("variant", variant)}
    return kept(marked, lambda kind, name: (kind, name) in wanted)


def _own_genes(candidate: Candidate) -> list[Mention]:
    """The mentions of the candidate's gene within its span."""
    return [
        m
        for m in candidate.document.mentions
        if m.kind == "gene"
        and m.name == candidate.fact[1]
        and candidate.first <= m.sentence <= candidate.last
    ]


def _yes(holds: bool) -> str:
    """The label of a yes-or-no question."""
    return "yes" if holds else "no"
