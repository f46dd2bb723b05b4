"""What the benchmark of deep probabilistic logic stands beside, and what its figures mean."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.inference_sides import Record

# Test accuracy with BERT-base, as the chapter reports it: by set and number of seed tokens.
CHAPTER: dict[tuple[str, int], dict[str, float]] = {
    ("imdb", 6): {"snorkel": 0.766, "dpl": 0.807},
    ("imdb", 20): {"snorkel": 0.824, "dpl": 0.789},
    ("imdb", 40): {"snorkel": 0.846, "dpl": 0.852},
    ("sst2", 6): {"snorkel": 0.635, "dpl": 0.572},
    ("sst2", 20): {"snorkel": 0.730, "dpl": 0.724},
    ("sst2", 40): {"snorkel": 0.736, "dpl": 0.770},
}
CHAPTER_SUPERVISED: dict[str, dict[str, float]] = {
    "imdb": {"supervised": 0.910, "bag_of_words": 0.871},
    "sst2": {"supervised": 0.909, "bag_of_words": 0.789},
}

MEANINGS = {
    "predictors": "all as they come. linear: n-grams, on the CPU. frozen: MiniLM-L6 as it was "
    "pretrained, with attention on top. transformer: the same; on a GPU it is trained along, by "
    "DPL from the second round on. ensemble: linear and transformer",
    "oracle tokens": "|I| tokens, half for each label: those with the largest weights in the "
    "sparsest L1 unigram model of the gold train labels that has 100 tokens for each label. They "
    "stand for an expert, for all methods alike; beyond that, and the supervised rows, no gold "
    "label is read but to score",
    "given votes, keywords": "the votes that come with a set; keywords written by hand from the "
    "names of labels, before any score was seen",
    "majority vote, label model, Snorkel labels + predictor": "the train texts are labelled once, "
    "and the predictor is trained on these labels: soft ones, of texts of which anything is said, "
    "all labels weighing the same. Snorkel: its label model on the same evidence, 100 epochs, "
    "class balance not given; on all texts: also on those of which nothing is said, whose labels "
    "it takes for equally likely",
    "DPL": "tacit.DPL(predictor) with its default settings",
    "supervised": "the predictor trained on gold labels of all train texts; bag of words: linear "
    "on single words",
    "accuracy": "per cent of test texts, by the predictor alone; labels that tie count as a coin "
    "would. The mean over seeds, and in brackets the lowest and the highest. The linear predictor "
    "has no chance in it, so it has one seed, but for Snorkel's labels, which do",
    "labels of train texts": "how right the labels are that the predictor was trained on; DPL: "
    "those of its last round, by evidence and network; what nothing is said of counts as a coin "
    "would",
    "the chapter's": "with BERT-base (110 million parameters; MiniLM-L6 has 22) and its own "
    "tokens, as printed there",
    "gaps": "the mean over problems of our DPL's accuracy less another's",
    "train_speedup_vs_hf": "real tokens a second of our fine-tuning, over those of a plain loop in "
    "Hugging Face's style in the same run: batches of 64 texts of IMDb, cut off at 256 tokens, "
    "bfloat16 on a GPU and float32 on the CPU, first steps left out. On the CPU two steps "
    "count: from run to run the ratio there may differ by a factor of two, and says little",
    "linear DPL": "seconds from texts in memory to a fitted model, tokens being given; and to "
    "label as many test texts",
}


def gaps(records: Sequence[Record]) -> Record:
    """The mean over problems of DPL less each other method, and less the chapter's DPL."""
    problems = [each for record in records for each in record["problems"]]
    found: dict[str, float | None] = {}
    for rival in ("majority", "label_model", "snorkel", "snorkel_all"):
        pairs = [
            (each["methods"].get("dpl", {}), each["methods"].get(rival, {})) for each in problems
        ]
        found[f"dpl_minus_{rival}"] = _mean(
            [
                ours["accuracy"] - its["accuracy"]
                for ours, its in pairs
                if "accuracy" in ours and "accuracy" in its
            ]
        )
    known = [each for each in problems if each["chapter"]]
    found["dpl_minus_chapters_dpl"] = _mean(
        [
            each["methods"]["dpl"]["accuracy"] - each["chapter"]["dpl"]
            for each in known
            if "dpl" in each["methods"]
        ]
    )
    return found


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
