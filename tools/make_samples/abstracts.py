"""Documents of the oncology sample: which facts hold, and texts that do or do not state them."""

from collections.abc import Sequence
from dataclasses import dataclass

from . import oncology_phrases as phrases
from .dice import Dice

# Share of the facts told in a document that are told in each way.
STATED_RATE = 0.86
CROSS_SENTENCE_RATE = 0.25  # of the stated ones: gene and variant first, the drug a sentence later
DENIED_RATE = 0.45  # of the other drugs
HEDGED_RATE = 0.2
PREFIXED_VARIANT_RATE = 0.1  # "p.T31Q"
SMALL_LETTER_RATE = 0.5  # of the symbols that are a word here

UNWRITTEN = 3  # variants that no document mentions

Fact = tuple[str, str, str]  # drug, gene, variant


@dataclass(frozen=True, slots=True)
class Sentence:
    """A marked-up sentence, the facts that it states, and whether its symbols name genes."""

    marked: str
    states: tuple[Fact, ...] = ()
    names_gene: bool = True
    follows: bool = False  # it leans on the sentence before


@dataclass(frozen=True, slots=True)
class World:
    """All gene variants and which drugs work against each."""

    drugs_for: dict[tuple[str, str], tuple[str, ...]]

    @property
    def written(self) -> list[tuple[str, str]]:
        """The (gene, variant) pairs that documents may be about: all but the last few."""
        return list(self.drugs_for)[:-UNWRITTEN]

    @property
    def facts(self) -> list[Fact]:
        """Every (drug, gene, variant) that holds."""
        return [(d, *pair) for pair, drugs in self.drugs_for.items() for d in drugs]


def make_world(dice: Dice) -> World:
    """Three variants for each gene, one to three drugs that work against each variant."""
    drugs_for: dict[tuple[str, str], tuple[str, ...]] = {}
    for gene in phrases.GENES + phrases.WORDS_AS_GENES:
        for place in range(3):
            number = 40 * place + dice.between(11, 50) + 300 * dice.below(3)
            variant = f"{dice.pick('AEGKLRTV')}{number}{dice.pick('CDFHQSWY')}"
            drugs_for[gene, variant] = tuple(dice.some(phrases.DRUGS, dice.pick([1, 2, 2, 3])))
    return World({pair: drugs_for[pair] for pair in dice.shuffled(drugs_for)})


def make_abstract(dice: Dice, world: World) -> list[Sentence]:
    """An abstract on one or two variants: background, findings, now and then a filler."""
    pairs = dice.some(world.written, dice.pick([1, 2, 2]))
    told: list[Sentence] = []
    for pair in pairs:
        told += _findings(dice, dice.some(world.drugs_for[pair], 2), pair)
        if dice.chance(0.7 if len(pairs) == 1 else 0.35):
            others = [drug for drug in phrases.DRUGS if drug not in world.drugs_for[pair]]
            told += [_other_drug(dice, dice.pick(others), pair)]
    if dice.chance(0.4):
        drug = dice.pick(world.drugs_for[pairs[0]])
        told.append(_sentence(dice, phrases.MERE_DRUG, (drug, *pairs[0])))
    body = told[:5]
    if len(body) < 5:
        background = _sentence(dice, phrases.BACKGROUND, ("", *pairs[0]))
        body.insert(0, background)
    while len(body) < 3 or (len(body) < 6 and dice.chance(0.3)):
        body.append(_sentence(dice, phrases.FILLER, ("", "", "")))
    return body


def make_word_abstract(dice: Dice, world: World) -> list[Sentence]:
    """An abstract in which a gene symbol is an ordinary word that stands beside a variant."""
    body = make_abstract(dice, world)[:4]
    stated = [fact for sentence in body for fact in sentence.states]
    pair = dice.pick(world.written) if not stated else stated[0][1:]
    symbol = dice.pick([word for word in phrases.WORDS_AS_GENES if not _names(body, word)])
    for template in dice.some(phrases.NOT_A_GENE[symbol], dice.between(1, 2)):
        surface = symbol.lower() if dice.chance(SMALL_LETTER_RATE) else symbol
        word = _sentence(dice, (template,), ("", surface, pair[1]))
        gaps = [at for at in range(1, len(body)) if not body[at].follows]
        body.insert(dice.pick([*gaps, len(body)]), Sentence(word.marked, names_gene=False))
    return body


def make_flattened(dice: Dice, world: World) -> list[Sentence]:
    """A reference list or a flattened table: names side by side, nothing stated."""
    facts = [fact for fact in world.facts if fact[1:] in world.written]
    return [_sentence(dice, phrases.FLATTENED, dice.pick(facts)) for _ in range(dice.between(3, 4))]


def _findings(dice: Dice, drugs: Sequence[str], pair: tuple[str, str]) -> list[Sentence]:
    """What is said of drugs that work against the variant: mostly that they do."""
    if len(drugs) == 2 and dice.chance(0.25):
        facts = tuple((drug, *pair) for drug in drugs)
        both = _sentence(dice, phrases.STATED_BOTH, facts[0], other=drugs[1])
        return [Sentence(both.marked, facts)]
    found: list[Sentence] = []
    for drug in drugs:
        fact = (drug, *pair)
        if not dice.chance(STATED_RATE):
            found.append(_sentence(dice, phrases.MERE, fact))
        elif dice.chance(CROSS_SENTENCE_RATE):
            found.append(_sentence(dice, phrases.LEADS, fact))
            followed = _sentence(dice, phrases.FOLLOWED, fact)
            found.append(Sentence(followed.marked, (fact,), follows=True))
        else:
            found.append(Sentence(_sentence(dice, phrases.STATED, fact).marked, (fact,)))
    return found


def _other_drug(dice: Dice, drug: str, pair: tuple[str, str]) -> Sentence:
    """What is said of a drug that does not work against the variant."""
    if dice.chance(DENIED_RATE):
        return _sentence(dice, phrases.DENIED, (drug, *pair))
    if dice.chance(HEDGED_RATE / (1 - DENIED_RATE)):
        return _sentence(dice, phrases.HEDGED, (drug, *pair))
    return _sentence(dice, phrases.MERE, (drug, *pair))


def _sentence(dice: Dice, frames: Sequence[str], fact: Fact, *, other: str = "") -> Sentence:
    """One frame filled with the names of a fact, all of them marked."""
    frame = dice.pick(frames)
    drug, gene, variant = fact
    if frame.startswith("{drug}"):
        drug = drug.capitalize()
    prefix = "p." if dice.chance(PREFIXED_VARIANT_RATE) else ""
    few = dice.between(3, 19)
    names = dice.some(phrases.SURNAMES, 2)
    return Sentence(
        frame.format(
            drug=f"<drug>{drug}</drug>",
            other=f"<drug>{other}</drug>",
            gene=f"<gene>{gene}</gene>",
            variant=f"<variant>{prefix}{variant}</variant>",
            n=few,
            m=few + dice.between(2, 30),
            p=dice.between(50, 99),
            name=names[0],
            name2=names[1],
            year=dice.between(1998, 2023),
            tumour=dice.pick(phrases.TUMOURS),
        )
    )


def _names(body: Sequence[Sentence], symbol: str) -> bool:
    """Whether the symbol is marked anywhere in the sentences."""
    return any(f"<gene>{symbol}</gene>" in sentence.marked for sentence in body)
