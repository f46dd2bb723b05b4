"""Questions on a terminal: one a screen, answered by keyboard."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
import unicodedata
from typing import TextIO

from tacit.review.questions import REJECT, SKIP, UNDO, Answer, Example, Offer, Question
from tacit.review.reviewers import Clock, ReviewerLeft

KEYS = {"r": REJECT, "s": SKIP, "u": UNDO}
QUIT = "q"
MOST_EXAMPLES = 5  # fit one screen
MOST_CHARACTERS = 320  # of an example: four lines
BAR = 20  # characters
WIDEST = 100  # columns; longer lines are hard to read
_OPEN, _CLOSE = "\ue000", "\ue001"  # stand for the marks while lines are wrapped


class TerminalReviewer:
    """Asks the person at the keyboard. Without colours the feature stands in [brackets]."""

    def __init__(
        self,
        input: TextIO | None = None,
        output: TextIO | None = None,
        *,
        who: str = "terminal",
        clock: Clock = time.time,
    ) -> None:
        self.input, self.output = input or sys.stdin, output or sys.stdout
        self.who, self.clock = who, clock

    def ask(self, question: Question) -> Answer:
        """Show a question and read until there is an answer to it."""
        coloured = self.output.isatty() and "NO_COLOR" not in os.environ
        if self.output.isatty():
            self._write("\x1b[2J\x1b[H")  # a clear screen
        self._write(screen(question, coloured=coloured, blocks=_has_blocks(self.output)))
        while True:
            self._write("> ")
            line = self.input.readline()
            key = line.strip()
            if not line or key.lower() == QUIT:
                raise ReviewerLeft("the reviewer left", remedy="go on with the same command")
            choice = _choice(question, key)
            if choice is not None:
                return Answer(question.id, choice, self.who, self.clock())
            self._write(f"'{_clean(key)}' is no answer. {_keys(question)}\n")

    def _write(self, text: str) -> None:
        encoding = self.output.encoding or "utf-8"
        self.output.write(text.encode(encoding, "replace").decode(encoding))
        self.output.flush()


def screen(question: Question, *, coloured: bool = False, blocks: bool = True) -> str:
    """A question as text: what is proposed, examples with their posteriors, and the keys."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    lines = [_head(question), ""]
    for number, offer in enumerate(question.offers, start=1):
        lines += [f"  {number}  {_clean(offer.words)}", *_under(offer)]
    for example in question.examples[:MOST_EXAMPLES]:
        lines += ["", *_shown(example, width, blocks)]
    hidden = len(question.examples) - MOST_EXAMPLES
    lines += ["", f"  and {hidden} more"] if hidden > 0 else []
    marks = ("\x1b[1;7m", "\x1b[0m") if coloured else ("[", "]")
    text = "\n".join([*lines, "", _keys(question), ""])
    return text.replace(_OPEN, marks[0]).replace(_CLOSE, marks[1])


def _head(question: Question) -> str:
    asked = {
        "feature": f"What does '{_clean(question.feature)}' say about {question.function}?",
        "pair": "Do these two belong together?",
        "group": f"Does at least one of these have this {question.function}?",
        "undo-check": f"Is this still right about {question.function}?",
        "extraction": f"Does the text say so: {_clean(question.feature)}?",
    }[question.kind]
    rule = f", proposed by {question.rule}, score {question.score:.3g}" if question.rule else ""
    return f"{asked}   ({question.touched:,} instances{rule})"


def _under(offer: Offer) -> list[str]:
    """The formula of an offer, and what accepting it would change."""
    lines = [f"     {_clean(offer.formula)}"] if offer.formula else []
    if offer.effect is not None:
        own = offer.effect
        told = f"{own.flipped:,} of {own.touched:,} instances would get another label"
        lines.append(f"     {told}, {own.covered:,} their first evidence")
    return lines


def _keys(question: Question) -> str:
    labels = [f"{i} {_clean(label)}" for i, label in enumerate(question.labels, start=1)]
    return "   ".join([*labels, "r reject", "s skip", "u undo", "q quit"])


def _choice(question: Question, key: str) -> str | None:
    """The choice that a key stands for: a number, a letter or a label's name."""
    if key in question.labels:
        return key
    if key.isascii() and key.isdigit() and 1 <= int(key) <= len(question.labels):
        return question.labels[int(key) - 1]
    return KEYS.get(key.lower())


def _shown(example: Example, width: int, blocks: bool) -> list[str]:
    """An example: its text with the feature marked, then a bar for each label."""
    text = " ".join(_marked(example).split())
    body = textwrap.wrap(f"{_clean(example.instance)}: {text}", max(width - 4, 20))
    longest = max((len(label) for label, _ in example.posterior), default=0)
    bars = [
        f"    {_clean(label):<{longest}} {_bar(share, blocks)} {share:4.0%}"
        for label, share in example.posterior
    ]
    return [*(f"  {line}" for line in body), *bars]


def _marked(example: Example) -> str:
    """The part of a text around its first span, every span in it marked."""
    first = min((start for start, _ in example.spans), default=0)
    begin = max(0, first - MOST_CHARACTERS // 2) if len(example.text) > MOST_CHARACTERS else 0
    end = min(len(example.text), begin + MOST_CHARACTERS)
    pieces, at = ["..." * (begin > 0)], begin
    for start, stop in sorted(example.spans):
        if at <= start < stop <= end:
            pieces += [_clean(example.text[at:start])]
            pieces += [_OPEN, _clean(example.text[start:stop]), _CLOSE]
            at = stop
    return "".join([*pieces, _clean(example.text[at:end]), "..." * (end < len(example.text))])


def _bar(share: float, blocks: bool) -> str:
    full = round(BAR * min(max(share, 0.0), 1.0))
    on, off = ("█", "░") if blocks else ("#", ".")
    return on * full + off * (BAR - full)


def _clean(text: str) -> str:
    """A text without what a terminal would obey: escapes, control characters, our own marks."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") else c for c in text)


def _has_blocks(output: TextIO) -> bool:
    """Whether a stream can show the characters of bars; a text in memory can."""
    try:
        "█░".encode(output.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
