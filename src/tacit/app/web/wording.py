"""Questions in words: what is asked, what can be answered and with which key."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tacit.review.questions import REJECT, SKIP, UNDO, Offer, Question

WIDE = 4  # with so many labels each has room for its rule in full
COLOURS = 7  # of labels; the next one is for what is summed up
LONGEST = 120  # characters of a feature in a sentence
MOST_SHARES = 4  # of an example: the labels that matter; others are summed up


def shown_question(question: Question) -> dict[str, Any]:
    """A question as its page shows it, as JSON holds it."""
    width = len(str(len(question.offers)))
    known = _known_labels(question)
    colours = {own: at for at, own in enumerate(known)} if len(known) <= COLOURS else {}
    keys = [f"{number:0{width}}" for number in range(1, len(question.offers) + 1)]
    return {
        "id": question.id,
        "kind": question.kind,
        "heading": heading(question),
        "function": question.function,
        "feature": question.feature,
        "touched": question.touched,
        "rule": question.rule,
        "score": question.score,
        "covered": _covered(question),
        "layout": "tiles" if len(question.offers) <= WIDE else "grid",
        "offers": [
            _offer(question, own, key, colours.get(own.label))
            for own, key in zip(question.offers, keys, strict=True)
        ],
        "others": others(question),
        "examples": [
            {
                "instance": example.instance,
                "text": example.text,
                "spans": [list(span) for span in example.spans],
                "posterior": shares(example.posterior),
            }
            for example in question.examples
        ],
    }


def short(text: str, most: int = LONGEST) -> str:
    """A text that fits in a line: what is no language, such as a sequence, may have no end."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def heading(question: Question) -> str:
    """What is asked, in one sentence."""
    if question.kind == "extraction":
        return "Does the text say this?"
    return {
        "feature": f"What does “{short(question.feature)}” say about {question.function}?",
        "pair": "Do these two belong together?",
        "group": f"Is {question.function} {_one_of(question.labels)} for at least one of these?",
        "undo-check": f"Is this still right about {question.function}?",
    }[question.kind]


def _one_of(labels: tuple[str, ...]) -> str:
    return " or ".join(f"“{label}”" for label in labels)


def others(question: Question) -> list[dict[str, str]]:
    """The answers beside the labels, each with its key and what it means."""
    skip = _other(SKIP, "Skip", "s", "Costs no question; it is not asked again")
    if question.kind == "extraction":
        return [_other(SKIP, "Cannot tell", "s", "It counts neither as right nor as wrong")]
    if question.kind == "undo-check":
        return [_other(UNDO, "Take it out", "r", "The rule leaves the program"), skip]
    text, title = {
        "pair": ("No, they do not", "Nothing is added"),
        "group": ("No, none of them", "Nothing is added"),
    }.get(question.kind, ("None of these", "The rule says nothing; nothing is added"))
    return [_other(REJECT, text, "r", title), skip]


def choice_in_words(choice: str) -> str:
    """A recorded choice as people say it."""
    return {REJECT: "rejected", SKIP: "skipped", UNDO: "taken out"}.get(choice, choice)


def shares(posterior: tuple[tuple[str, float], ...]) -> list[dict[str, Any]]:
    """The probabilities of an example: all of a few labels, or the largest and the rest in one.

    Each has the number of its label's colour, which is the same in every example.
    """
    coloured = [(label, share, at % COLOURS) for at, (label, share) in enumerate(posterior)]
    if len(coloured) > MOST_SHARES:
        largest = sorted(coloured, key=lambda own: -own[1])[: MOST_SHARES - 1]
        rest = max(0.0, 1.0 - sum(share for _, share, _ in largest))
        coloured = [*largest, (f"{len(coloured) - len(largest)} others", rest, COLOURS)]
    return [{"label": name, "share": share, "colour": colour} for name, share, colour in coloured]


def _covered(question: Question) -> int | None:
    """How many instances would have evidence for the first time, whatever the label."""
    effects = [offer.effect for offer in question.offers if offer.effect is not None]
    return max((effect.covered for effect in effects), default=None)


def _known_labels(question: Question) -> tuple[str, ...]:
    """The labels of the function, as its examples have them."""
    return tuple(label for example in question.examples[:1] for label, _ in example.posterior)


def _offer(question: Question, offer: Offer, key: str, colour: int | None) -> dict[str, Any]:
    words = offer.words.removeprefix(f"{offer.label}: ")
    if question.kind == "feature" and words == f"{question.feature} => {offer.label}":
        words = f"“{short(question.feature)}” speaks for “{offer.label}”"
    return {
        "choice": offer.label,
        "words": words,
        "formula": offer.formula,
        "key": key,
        "colour": colour,
        "effect": None if offer.effect is None else asdict(offer.effect),
    }


def _other(choice: str, text: str, key: str, title: str) -> dict[str, str]:
    return {"choice": choice, "text": text, "key": key, "title": title}
