"""A small dependency parser that learns from parses: text without any gets edges of their kind.

Peng et al. (2017) give collapsed Stanford dependencies: a preposition is no node but part of a
kind, as in `prep_in`, and such words have no head. Here each word picks its head from the words of
its sentence, "root" and "none", by the biaffine scores of Dozat and Manning (2017) over the states
of a BiLSTM, and then the kind of the edge. It learns from text and parses; relations are not read.

    python -m examples.bio.parser --data DIR [--device cuda --layers 2 --hidden 256 --epochs 20]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from examples.bio.parser_net import (
    Numbers,
    ParserConfig,
    ParserNet,
    batches,
    padded,
    read_batch,
    rows_of,
    tree,
)
from examples.bio.parses import (
    NO_HEAD,
    ROOT,
    ROOT_KIND,
    SELF,
    Parse,
    ParsedSentence,
    Read,
    attachment,
    held_out,
    peng_sentences,
)
from examples.bio.peng import FILE

UNKNOWN = "?"  # stands first among words and tags
RARE_KIND = "dep"
BRACKETS = {"(": "-LRB-", ")": "-RRB-"}  # tags as the corpus has them
NOT_LEARNED = -100
FACTS = "parser"  # in a saved file


@dataclass(frozen=True, slots=True)
class Parser:
    """Gives each word of a sentence a head and a kind of edge."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    kinds: tuple[str, ...]
    config: ParserConfig
    net: ParserNet

    @classmethod
    def train(
        cls,
        sentences: Iterable[ParsedSentence],
        *,
        device: str = "cpu",
        seed: int = 0,
        config: ParserConfig | None = None,
    ) -> Parser:
        """Learn from the distinct ones of some sentences; same seed, same parser."""
        config = config or ParserConfig()
        distinct = list({own.lemmas: own for own in sentences}.values())
        count = Counter(word for own in distinct for word in own.lemmas)
        kinds = Counter(kind for own in distinct for kind in own.kinds)
        words = [UNKNOWN, *(word for word in sorted(count) if count[word] >= config.min_count)]
        tags = [UNKNOWN, *sorted({tag for own in distinct for tag in own.tags})]
        frequent = {kind for kind in kinds if kinds[kind] >= config.min_kind} - {SELF, ROOT_KIND}
        names = sorted(frequent | {RARE_KIND})
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            net = ParserNet(len(words), len(tags), len(names), config).to(device)
            parser = cls(tuple(words), tuple(tags), tuple(names), config, net)
            # A rare word is often read as unknown, so that the unknown have something to go by.
            rarity = torch.tensor([0.25 / (0.25 + count[word]) for word in words], device=device)
            parser._learn(distinct, rarity, np.random.default_rng(seed))
        return parser

    def _learn(
        self, sentences: list[ParsedSentence], rarity: Tensor, rng: np.random.Generator
    ) -> None:
        """Adam with a learning rate that falls to nothing."""
        config, lines = self.config, self._numbers((own.lemmas, own.tags) for own in sentences)
        optimiser = torch.optim.Adam(self.net.parameters(), config.learning_rate, (0.9, 0.95))
        n_steps = config.epochs * -(-len(sentences) // config.batch)
        fading = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / n_steps)
        self.net.train()
        for _ in range(config.epochs):
            for batch in batches([len(own.lemmas) for own in sentences], config.batch, rng):
                loss = self._loss([lines[i] for i in batch], [sentences[i] for i in batch], rarity)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
                optimiser.step()
                fading.step()
        self.net.eval().requires_grad_(False)

    def _loss(
        self, lines: list[Numbers], sentences: list[ParsedSentence], rarity: Tensor
    ) -> Tensor:
        """Cross-entropy of heads, and of the kinds of edges to the true heads."""
        words, tags, lengths = read_batch(lines, rarity.device)
        words = words.masked_fill(torch.rand(words.shape, device=words.device) < rarity[words], 0)
        of, heads = self.net.states(words, tags, lengths)
        n = of.shape[1]
        places = [[h - 1 if h > 0 else n + (h == NO_HEAD) for h in own.heads] for own in sentences]
        true = padded(places, NOT_LEARNED, of.device)
        arcs = self.net.arcs(of, heads, tags, lengths).transpose(1, 2)
        number = {kind: at for at, kind in enumerate(self.kinds)}
        named = [[number.get(kind, number[RARE_KIND]) for kind in own.kinds] for own in sentences]
        line, at = ((true >= 0) & (true < n)).nonzero(as_tuple=True)
        kinds = self.net.kinds(rows_of(of, line, at), rows_of(heads, line, true[line, at]))
        return cross_entropy(arcs, true, ignore_index=NOT_LEARNED) + cross_entropy(
            kinds, padded(named, 0, of.device)[line, at]
        )

    def parse(self, sentences: Sequence[Read]) -> list[Parse]:
        """Head and kind of each word of sentences given as (lemmas, tags).

        Words are counted from 1; one word a sentence has the head 0, "root", and words that are no
        node have -1, "self".
        """
        lines = self._numbers(sentences)
        found: list[Parse] = [([], []) for _ in lines]
        for batch in batches([len(words) for words, _ in lines], 64):
            full = [i for i in batch if lines[i][0]]
            for i, parse in zip(full, self._parse([lines[i] for i in full]), strict=True):
                found[i] = parse
        return found

    def edges(
        self, lemmas: Sequence[str], tags: Sequence[str]
    ) -> tuple[list[tuple[int, int, str]], int]:
        """One sentence as (head, dependent, kind), and its main word; words are counted from 0."""
        ((heads, kinds),) = self.parse([(lemmas, tags)])
        pairs = enumerate(zip(heads, kinds, strict=True))
        found = [(head - 1, at, kind) for at, (head, kind) in pairs if head > 0]
        return found, heads.index(ROOT)

    def _parse(self, lines: list[Numbers]) -> Iterator[Parse]:
        if not lines:
            return
        words, tags, lengths = read_batch(lines, self.net.special.device)
        of, heads = self.net.states(words, tags, lengths)
        n = of.shape[1]
        scores = self.net.arcs(of, heads, tags, lengths).log_softmax(2).cpu().numpy()
        trees = []
        for own, size in zip(scores, lengths.tolist(), strict=True):
            trees.append(tree(own[:size, [*range(size), n, n + 1]]))
        # In a tree, size and size + 1 are root and none; here it is n and n + 1.
        places = [[at + (n - len(own)) * (at >= len(own)) for at in own] for own in trees]
        chosen = padded(places, 0, of.device)
        line = torch.arange(len(lines), device=of.device)[:, None].expand_as(chosen)
        picked = rows_of(heads, line, chosen)
        kinds = self.net.kinds(of.flatten(0, 1), picked.flatten(0, 1)).argmax(1).view_as(line)
        for own, numbers in zip(trees, kinds.tolist(), strict=True):
            size = len(own)
            special = {size: (ROOT, ROOT_KIND), size + 1: (NO_HEAD, SELF)}
            edges = [(head + 1, self.kinds[numbers[at]]) for at, head in enumerate(own)]
            pairs = [special.get(head, edge) for head, edge in zip(own, edges, strict=True)]
            yield [head for head, _ in pairs], [kind for _, kind in pairs]

    def _numbers(self, sentences: Iterable[Read]) -> list[Numbers]:
        word = {name: at for at, name in enumerate(self.words)}
        tag = {name: at for at, name in enumerate(self.tags)}
        return [
            ([word.get(w, 0) for w in lemmas], [tag.get(BRACKETS.get(t, t), 0) for t in tags])
            for lemmas, tags in sentences
        ]

    def save(self, path: Path) -> None:
        """Write one file of safetensors."""
        facts = {"words": self.words, "tags": self.tags, "kinds": self.kinds}
        said = json.dumps({**facts, "config": asdict(self.config)})
        weights = {name: value.cpu() for name, value in self.net.state_dict().items()}
        save_file(weights, path, {FACTS: said})  # one entry: several would come in any order

    @classmethod
    def load(cls, path: Path, device: str = "cpu") -> Parser:
        """Read what `save` has written."""
        with safe_open(path, "pt") as saved:
            facts = json.loads(saved.metadata()[FACTS])
            weights = {name: saved.get_tensor(name) for name in saved.keys()}  # noqa: SIM118
        config = ParserConfig(**facts["config"])
        words, tags, kinds = (tuple(facts[name]) for name in ("words", "tags", "kinds"))
        net = ParserNet(len(words), len(tags), len(kinds), config)
        net.load_state_dict(weights)
        return cls(words, tags, kinds, config, net.to(device).eval().requires_grad_(False))


def main() -> None:
    """Train on nine tenths of the texts and report on the rest; with --out, on all, and save."""
    usual = ParserConfig()
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True, help="folder that has bio/")
    options.add_argument("--device", default="cpu")
    options.add_argument("--seed", type=int, default=0)
    for name in ("layers", "hidden", "epochs"):
        options.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    options.add_argument("--out", type=Path, help="file for a parser of all sentences")
    given = options.parse_args()
    config = ParserConfig(layers=given.layers, hidden=given.hidden, epochs=given.epochs)
    sentences = peng_sentences(given.data / "bio" / FILE)
    train, test = (sentences, []) if given.out else held_out(sentences)
    start = perf_counter()
    parser = Parser.train(train, device=given.device, seed=given.seed, config=config)
    print(f"{len(train)} sentences in {perf_counter() - start:.0f} s")
    if given.out:
        parser.save(given.out)
    else:
        print(len(test), "sentences held out:", attachment(parser.parse, test))


if __name__ == "__main__":
    main()
