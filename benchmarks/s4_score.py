"""What the benchmark of S4 stands beside, and what its figures mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.dpl_score import CHAPTER as DPL_CHAPTER
from benchmarks.dpl_score import CHAPTER_SUPERVISED
from benchmarks.dpl_score import MEANINGS as DPL_MEANINGS
from benchmarks.inference_sides import Record

_COLUMNS = ("sst", "s4", "fal5", "fal10", "fal20", "sst_entropy")
_TABLE = {  # by set and number of seed tokens, in per cent
    ("imdb", 6): (85.5, 85.6, 79.0, 79.5, 82.7, 82.1),
    ("imdb", 20): (86.4, 86.9, 84.0, 85.0, 85.8, 84.9),
    ("imdb", 40): (86.6, 86.8, 85.9, 86.0, 86.4, 85.5),
    ("sst2", 6): (73.0, 81.4, 71.4, 72.3, 77.1, 77.2),
    ("sst2", 20): (83.3, 84.4, 82.5, 82.5, 83.4, 85.1),
    ("sst2", 40): (84.9, 85.4, 83.9, 83.7, 84.0, 85.7),
}
_PAIRS = {  # S4-SST + J, S4 + J
    ("sst2", 6): (76.2, 81.4),
    ("sst2", 20): (85.1, 84.4),
    ("sst2", 40): (86.3, 85.4),
}
_YAHOO = {  # Snorkel, DPL, S4-SST, self-training
    50: (37.2, 41.8, 49.1, 38.4),
    100: (36.5, 41.7, 52.3, 38.2),
}
_SUPERVISED = {name: own["supervised"] for name, own in CHAPTER_SUPERVISED.items()}
_SUPERVISED["yahoo_answers_1k"] = 0.798
# The chapter's S4 goes by attention, and its questions by entropy: what it has beside our defaults
# stands beside those rows as well.
_SAME = {"sst_attention": "sst", "fal20_entropy": "fal20"}
# Mean and standard deviation over ten draws of 20 random oracle tokens.
CHAPTER_DRAWS = {"imdb": {"dpl": (0.715, 0.065), "sst": (0.852, 0.009)}}

MEANINGS = {
    "predictors": DPL_MEANINGS["predictors"],
    "accuracy": "per cent of test texts, by the predictor alone; labels that tie count as a coin "
    "would. The mean over seeds +- the standard deviation. The linear predictor has no chance in "
    "it, so it has one seed, but for Snorkel's labels and the labelled texts of self-training",
    "|I|": "the number of seed tokens, as many for each label: the first of the oracle's, which "
    "are the 100 of each label with the largest weights in a sparse L1 unigram model of the gold "
    "train labels. They stand for an expert; but for them, self-training of the predictor, and the "
    "supervised row, no gold label is read except to score",
    "Snorkel labels + predictor": "train texts with a seed are labelled once by Snorkel's label "
    "model (the same evidence, 100 epochs, class balance not given), and the predictor is trained "
    "on these labels: soft ones, all labels weighing the same",
    "DPL": "tacit.DPL as it comes: the fit of the seeds that every run of S4 begins with, unless "
    "the predictor learns in stages. Then S4 begins with its first stage, and DPL is a run of its "
    "own. With a round more: rounds=4, by which an encoder is trained as often as in the end of "
    "S4",
    "S4": "tacit.S4 as it comes, without questions; by attention, by entropy: with these scores; "
    "beginning anew: with warm_start='never'; without the guard: with guard=False; n questions "
    "only: rounds=0 and a budget of n, answered "
    "from the oracle's tokens (a label for a word on its list, else a no); by entropy: asked by "
    "the highest entropy. Then self-training and 20 questions, and both with 100 similar pairs a "
    "round (pairs=100). A row that differs from another by "
    "a larger budget alone goes on where that one has ended, and its seconds count both",
    "told of shares": "the expert says that all labels are equally common, as they are in most of "
    "these sets: expect 1/k +- 0.02 for each of k labels",
    "told of pairs": "the expert ties 100 pairs of train texts: those whose similarity grows most "
    "when the predictor learns the gold labels, no text in two of them",
    "self-training of the predictor": "from |I| gold labels, alike many for each label, drawn anew "
    "for each seed; then from its own surest labels of the other train texts, in three rounds",
    "F1": "the mean over labels of F1 on test texts, by the predictor alone: of what S4 begins "
    "with, and at the end",
    "words, right": "what was added, and how often that is right by gold where it speaks: a mean "
    "over all that was added, of train texts. It is told here and used nowhere",
    "pairs, alike": "the similar pairs that were added, and how many of them have one gold label",
    "rounds": "of self-training; -1: one of them was taken back",
    "seconds": "of one run, from texts in memory; scoring on test texts is not counted",
    "the chapter's": "with BERT-base (110 million parameters; MiniLM-L6 has 22) and its own "
    "tokens, as printed there. Its S4 scores by attention and asks by entropy. Its row with 20 "
    "questions has similar pairs on SST-2, and stands beside both of ours. Its Yahoo has "
    "140,000 train texts; yahoo_answers_1k has 500, every other one of its thousand, so that no "
    "gap there means much",
    "agnews_skewed, ..._few_...": "sets with fewer texts of some labels, in train and test alike",
    "random tokens": "10 for each label, drawn from the oracle's 100; the number of the draw is "
    "the seed of all else",
    "gaps": "the mean over problems of a row's accuracy less DPL's, or less the chapter's",
}


def chapter_of(name: str, n_tokens: int) -> dict[str, float]:
    """The chapter's figures for a set and a number of seeds, by row."""
    found: dict[str, float] = dict(DPL_CHAPTER.get((name, n_tokens), {}))
    tables: list[tuple[tuple[str, ...], tuple[float, ...] | None]] = [
        (_COLUMNS, _TABLE.get((name, n_tokens))),
        (("sst_pairs", "s4_pairs"), _PAIRS.get((name, n_tokens))),
    ]
    if name == "yahoo_answers_1k":
        tables.append((("snorkel", "dpl", "sst", "self_training"), _YAHOO.get(n_tokens)))
    for rows, told in tables:
        if told:
            found |= {row: share / 100 for row, share in zip(rows, told, strict=True)}
    found |= {row: found[same] for row, same in _SAME.items() if same in found}
    if name in _SUPERVISED:
        found["supervised"] = _SUPERVISED[name]
    return found


def gaps(records: Sequence[Record]) -> Record:
    """By row, the mean over problems of its accuracy less DPL's and less the chapter's."""
    problems = [each for record in records for each in record["problems"]]
    found: Record = {}
    for row in dict.fromkeys(row for each in problems for row in each["rows"]):
        own = [each for each in problems if "accuracy" in each["rows"].get(row, {})]
        dpl = [(each, each["rows"].get("dpl", {}).get("accuracy")) for each in own if row != "dpl"]
        chapter = [(each, each["chapter"].get(row)) for each in own]
        found[row] = {"dpl": _gap(row, dpl), "chapter": _gap(row, chapter)}
    return found


def _gap(row: str, rivals: Sequence[tuple[Record, float | None]]) -> Record:
    """The mean gap over the problems that have both, and how many these are."""
    values = [each["rows"][row]["accuracy"] - its for each, its in rivals if its is not None]
    return {"mean": sum(values) / len(values) if values else None, "n": len(values)}


def over_draws(draws: Sequence[Record]) -> Record:
    """What random seeds do: mean and spread of both rows, and which draws end below their start.

    That is DPL of the network that the program grew with; `dpl` is of the whole network.
    """
    start, dpl, end = (
        np.array([each[key] for each in draws]) for key in ("start", "dpl", "accuracy")
    )
    lost = np.maximum(start - end, 0)
    return {
        "start": {"mean": float(start.mean()), "deviation": deviation(start.tolist())},
        "dpl": {"mean": float(dpl.mean()), "deviation": deviation(dpl.tolist())},
        "sst": {"mean": float(end.mean()), "deviation": deviation(end.tolist())},
        "n_draws": len(draws),
        "n_below_start": int((lost > 0).sum()),
        "n_below_dpl": int((end < dpl).sum()),
        "most_lost": float(lost.max()),
        "draws": list(draws),
    }


def deviation(values: Sequence[float]) -> float | None:
    """The standard deviation, as far as some values tell; None of a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None
