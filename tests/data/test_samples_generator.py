"""The shipped samples are what the generator makes, and as hard as the documentation says."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from tools.make_samples.copies import TOO_CLOSE, shingles
from tools.make_samples.oncology import write_oncology
from tools.make_samples.opinion_words import SEED_WORDS
from tools.make_samples.reviews import write_reviews

SHIPPED = Path(__file__).parents[2] / "src" / "tacit" / "data" / "samples"
HAND_WRITTEN = {"reviews": {"rules.tacit"}, "oncology": {"rules.tacit", "rules.py"}}

Row = dict[str, str]


def rows(sample: str, table: str) -> list[Row]:
    with (SHIPPED / sample / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(sample: str, table: str) -> dict[str, str]:
    return {next(iter(row.values())): row["label"] for row in rows(sample, table)}


def tokens(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def votes(texts: list[Row], class_of: Mapping[str, str]) -> Iterator[tuple[str, int, bool]]:
    """(id, votes for pos minus votes for neg, whether any word is known) of every text."""
    for row in texts:
        known = [class_of[word] for word in tokens(row["text"]) if word in class_of]
        yield row["id"], known.count("pos") - known.count("neg"), bool(known)


def vote_figures(class_of: Mapping[str, str]) -> tuple[float, float, float]:
    """Accuracy (a tie counts half), coverage and precision of a majority vote on the test set."""
    gold = labels("reviews", "test_gold")
    accuracy = covered = right = decided = 0.0
    for id, margin, known in votes(rows("reviews", "test"), class_of):
        hit = margin != 0 and (margin > 0) == (gold[id] == "pos")
        accuracy += hit if margin else 0.5
        covered += known
        right += hit
        decided += margin != 0
    return accuracy / len(gold), covered / len(gold), right / decided


def balance(table: str) -> float:
    gold = labels("reviews", table)
    return list(gold.values()).count("pos") / len(gold)


@pytest.mark.parametrize(
    ("sample", "write"), [("reviews", write_reviews), ("oncology", write_oncology)]
)
def test_generator_makes_the_shipped_bytes(tmp_path, sample, write):
    write(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shipped = {path.name: path.read_bytes() for path in (SHIPPED / sample).glob("*.*")}
    assert set(shipped) - HAND_WRITTEN[sample] == set(made)
    assert all(shipped[name] == content for name, content in made.items())


def test_samples_are_small_and_have_one_kind_of_line_ending():
    files = [path for path in SHIPPED.glob("*/*.*") if path.is_file()]
    contents = [path.read_bytes() for path in files]
    assert sum(map(len, contents)) < 1_500_000
    assert not any(b"\r" in content for content in contents)


def test_reviews_have_the_documented_counts():
    assert [len(rows("reviews", name)) for name in ("review", "gold")] == [2000, 2000]
    assert [len(rows("reviews", name)) for name in ("test", "test_gold")] == [1000, 1000]
    assert rows("reviews", "review")[0]["id"] == "r0001"
    assert rows("reviews", "test")[0]["id"] == "t0001"
    assert 55 <= len(rows("reviews", "lexicon")) <= 75


@pytest.mark.parametrize("table", ["gold", "test_gold"])
def test_review_classes_are_balanced(table):
    assert 0.48 <= balance(table) <= 0.52


def test_seed_words_of_the_rules_are_those_of_the_generator():
    rules = (SHIPPED / "reviews" / "rules.tacit").read_text(encoding="utf-8")
    seeds = re.findall(r'token\(r, "(\w+)"\) => sentiment\(r\) = (neg|pos)', rules)
    assert sorted(seeds) == sorted((w, side) for side, ws in SEED_WORDS.items() for w in ws)


def test_seed_words_alone_are_not_enough():
    seeds = {word: side for side, members in SEED_WORDS.items() for word in members}
    accuracy, coverage, precision = vote_figures(seeds)
    assert 0.55 <= accuracy < 0.75
    assert 0.15 <= coverage <= 0.35
    assert 0.75 <= precision <= 0.90


def test_lexicon_is_useful_and_noisy():
    accuracy, _, _ = vote_figures({row["word"]: row["class"] for row in rows("reviews", "lexicon")})
    assert 0.55 <= accuracy < 0.75


def test_supervised_words_do_well_but_not_perfectly():
    feature_extraction = pytest.importorskip("sklearn.feature_extraction.text")
    linear_model = pytest.importorskip("sklearn.linear_model")
    gold, test_gold = labels("reviews", "gold"), labels("reviews", "test_gold")
    train, test = rows("reviews", "review"), rows("reviews", "test")
    vectorizer = feature_extraction.TfidfVectorizer(ngram_range=(1, 2))
    model = linear_model.LogisticRegression(max_iter=1000)
    model.fit(vectorizer.fit_transform([r["text"] for r in train]), [gold[r["id"]] for r in train])
    accuracy = model.score(
        vectorizer.transform([r["text"] for r in test]), [test_gold[r["id"]] for r in test]
    )
    assert 0.88 < accuracy < 0.95


def test_press_verdicts_agree_with_most_reviews():
    verdict = {row["item"]: row["class"] for row in rows("reviews", "verdict")}
    gold = labels("reviews", "gold") | labels("reviews", "test_gold")
    about = rows("reviews", "about")
    agree = [verdict[r["item"]] == gold[r["review"]] for r in about if r["item"] in verdict]
    assert len(about) == 3000
    assert 0.28 <= len(verdict) / len({r["item"] for r in about}) <= 0.38
    assert 0.70 <= sum(agree) / len(agree) <= 0.76


def test_near_pairs_are_unique_within_train_and_mostly_agree():
    gold = labels("reviews", "gold")
    pairs = [(row["review"], row["other"]) for row in rows("reviews", "near")]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert all(left in gold and right in gold and left != right for left, right in pairs)
    agree = [gold[left] == gold[right] for left, right in pairs]
    assert 0.87 <= sum(agree) / len(agree) <= 0.93


def test_near_duplicates_do_not_straddle_train_and_test():
    holders = defaultdict(list)
    sizes = {}
    for row in rows("reviews", "review"):
        runs = shingles(row["text"])
        sizes[row["id"]] = len(runs)
        for run in runs:
            holders[run].append(row["id"])
    for row in rows("reviews", "test"):
        runs = shingles(row["text"])
        shared = defaultdict(int)
        for run in runs:
            for id in holders.get(run, ()):
                shared[id] += 1
        union = {id: len(runs) + sizes[id] - common for id, common in shared.items()}
        assert all(common / union[id] <= TOO_CLOSE for id, common in shared.items()), row


def test_texts_and_ids_do_not_give_the_gold_away():
    for table in ("review", "test"):
        assert set(rows("reviews", table)[0]) == {"id", "text", "item"}
        assert not any({"neg", "pos"} & tokens(row["text"]) for row in rows("reviews", table))
    ordered = list(labels("reviews", "gold").values())
    assert 0.45 <= sum(a == b for a, b in pairwise(ordered)) / 1999 <= 0.55


def test_oncology_has_the_documented_counts():
    gold = labels("oncology", "gold_treats")
    assert len(rows("oncology", "document")) == 150
    assert 600 <= len(gold) <= 900
    assert 0.35 <= list(gold.values()).count("yes") / len(gold) <= 0.45
    assert len(rows("oncology", "kb")) == 40
    assert [r["id"] for r in rows("oncology", "candidate")] == list(gold)
    assert [r["id"] for r in rows("oncology", "mention")] == list(labels("oncology", "gold_link"))


@pytest.mark.parametrize("table", ["mention", "other_mention"])
def test_mention_offsets_point_at_the_mention(table):
    texts = {row["id"]: row["text"] for row in rows("oncology", "document")}
    for row in rows("oncology", table):
        surface = texts[row["document"]][int(row["start"]) : int(row["end"])]
        assert f"[[{surface}]]" in row["text"]
        assert surface.removeprefix("p.").lower() == row["name"].lower()
        assert (row["kind"] == "gene") == (table == "mention")


def test_candidates_mark_their_arguments_and_name_their_gene_mentions():
    mentions = {row["id"]: row for row in rows("oncology", "mention")}
    args = {row["candidate"]: row for row in rows("oncology", "args")}
    linked = defaultdict(list)
    for row in rows("oncology", "mention_of"):
        linked[row["candidate"]].append(mentions[row["mention"]])
    for row in rows("oncology", "candidate"):
        for kind in ("drug", "gene", "variant"):
            marked = re.findall(rf"<{kind}>(?:p\.)?(.+?)</{kind}>", row["text"])
            assert {each.lower() for each in marked} == {args[row["id"]][kind].lower()}
        assert linked[row["id"]]
        assert {each["name"] for each in linked[row["id"]]} == {args[row["id"]]["gene"]}


def test_stated_relations_have_real_genes():
    treats, link = labels("oncology", "gold_treats"), labels("oncology", "gold_link")
    for row in rows("oncology", "mention_of"):
        assert treats[row["candidate"]] == "no" or link[row["mention"]] == "yes"
    assert 0.80 <= list(link.values()).count("yes") / len(link) <= 0.95


def test_knowledge_base_is_incomplete_and_states_nothing_by_itself():
    treats = labels("oncology", "gold_treats")
    kb = {tuple(row.values()) for row in rows("oncology", "kb")}
    labels_of = defaultdict(set)
    for row in rows("oncology", "args"):
        labels_of[row["drug"], row["gene"], row["variant"]].add(treats[row["candidate"]])
    assert sum(labels_of[fact] == {"no", "yes"} for fact in kb) >= 15  # at least one, not all
    assert sum("yes" in seen for fact, seen in labels_of.items() if fact not in kb) >= 15
