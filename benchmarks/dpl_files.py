"""Oracle tokens and Snorkel's labels: found here, or read from files that were made elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from benchmarks import dpl_snorkel
from benchmarks.dpl_problems import Problem
from benchmarks.dpl_sets import Corpus
from benchmarks.dpl_tokens import Tokens, oracle_tokens, read_tokens, write_tokens
from benchmarks.inference import note
from benchmarks.inference_sides import LeftOut, peer_python


class TokensBySet:
    """The oracle tokens of sets: as a file has them, else chosen when first asked for."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.known: dict[str, Tokens] = read_tokens(options.tokens) if options.tokens else {}

    def of(self, corpus: Corpus) -> Tokens:
        """The tokens of one set."""
        if corpus.name not in self.known:
            self.known[corpus.name] = oracle_tokens(corpus)
        return self.known[corpus.name]


def snorkel_labels(options: argparse.Namespace) -> dpl_snorkel.Labels:
    """Where Snorkel's labels come from."""
    if options.snorkel:
        return dpl_snorkel.by_file(options.snorkel)
    try:
        return dpl_snorkel.by_peers(peer_python(options.peer_python))
    except LeftOut as why:
        return dpl_snorkel.absent(str(why))


def make_files(
    options: argparse.Namespace, problems: Iterable[Problem], tokens: TokensBySet
) -> None:
    """Write the oracle tokens, or Snorkel's labels, of problems."""
    every = list(problems)
    if options.make_tokens:
        write_tokens(tokens.known, options.make_tokens)
    if options.make_snorkel:
        labels = dpl_snorkel.by_peers(peer_python(options.peer_python))
        for line in dpl_snorkel.write_labels(labels, every, options.seeds, options.make_snorkel):
            note(f"left out: {line}")
