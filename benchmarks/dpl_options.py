"""The options that the benchmarks of deep probabilistic logic and of S4 share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection
from pathlib import Path

from benchmarks.dpl_predictors import NAMES, Remembering, make_predictor


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where data and files are, what predictor learns, and how often."""
    add = parser.add_argument
    add("--data", default=os.environ.get("TACIT_DATA"), help="a folder with text/; else TACIT_DATA")
    add("--json", nargs="?", const="-", metavar="FILE", help="write JSON; - or nothing: print it")
    add("--device", default="auto", choices=("cpu", "cuda", "auto"), help="of transformers")
    add("--predictor", default="linear", choices=NAMES)
    add("--max-tokens", type=int, default=256, help="of a text that transformers read")
    add("--token-dropout", type=float, help="of transformers, instead of the default")
    add("--show-words", action="store_true", help="DPL with hide_words=False")
    add("--seeds", type=int, default=3, help="of all that has chance in it")
    add("--quick", action="store_true", help="some texts, one size, one seed: does it run at all?")
    add("--tokens", type=Path, metavar="FILE", help="read oracle tokens instead of choosing them")
    add("--make-tokens", type=Path, metavar="FILE", help="choose oracle tokens, write them, stop")
    add("--snorkel", type=Path, metavar="FILE", help="read Snorkel's labels instead of running it")
    add("--make-snorkel", type=Path, metavar="FILE", help="write Snorkel's labels for it, stop")
    add(
        "--peer-python", default=os.environ.get("TACIT_PEERS"), help="has Snorkel; else TACIT_PEERS"
    )


def network_of(options: argparse.Namespace, *, at_once: bool = False) -> Remembering:
    """The predictor that was chosen; `at_once`: to be trained once, and not in rounds."""
    dropout = options.token_dropout
    return make_predictor(
        options.predictor,
        options.device,
        at_once=at_once,
        max_tokens=options.max_tokens,
        **({} if dropout is None else {"token_dropout": dropout}),
    )


def parse(parser: argparse.ArgumentParser, arguments: list[str] | None) -> argparse.Namespace:
    """The options that were given; a quick run has one size and one seed."""
    options = parser.parse_args(arguments)
    if options.quick:
        options.sizes, options.seeds = options.sizes[:1], 1
    if not options.data or not (Path(options.data).expanduser() / "text").is_dir():
        parser.error("name a folder with text/ by --data or TACIT_DATA")
    return options


def some_of(what: str, known: Collection[str]) -> Callable[[str], tuple[str, ...]]:
    """Reads names with commas between them, or "all"."""

    def read(given: str) -> tuple[str, ...]:
        names = tuple(known) if given == "all" else tuple(given.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"no {what} '{name}'; there are {', '.join(known)}"
                )
        return names

    return read


def sizes(given: str) -> tuple[int, ...]:
    """Reads numbers with commas between them; of an empty text, none."""
    return tuple(int(size) for size in given.split(",") if size)
