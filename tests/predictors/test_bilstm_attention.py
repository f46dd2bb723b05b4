"""The BiLSTM with attention: what it reads, what it learns, what it looks at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

from tacit.data.tokens import tokenise
from tacit.errors import BadFile, BadInput
from tacit.predictors.bilstm_attention import BiLSTMAttention
from tacit.predictors.graph_lstm import GraphLSTM
from tacit.predictors.protocol import Attending, Embedding, Predictor, Prepared
from tacit.predictors.recurrent.mentions import MENTION, Mention, passage
from tacit.predictors.recurrent.soft_training import portions

torch.set_num_threads(1)

SMALL: dict[str, Any] = {"dim": 12, "hidden": 8, "device": "cpu"}
QUICK: dict[str, Any] = SMALL | {"epochs": 1, "min_steps": 3}
SIGNS = ("awful", "superb", "middling")


def some_texts(n: int, n_labels: int = 2, seed: int = 0) -> list[str]:
    """Random texts with one word in each that tells the label, row modulo labels."""
    rng = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(40)]
    texts = []
    for row in range(n):
        text = [str(word) for word in rng.choice(words, rng.integers(3, 12))]
        text.insert(int(rng.integers(len(text))), SIGNS[row % n_labels])
        texts.append(" ".join(text))
    return texts


def labels(n: int, n_labels: int = 2) -> Any:
    return np.eye(n_labels)[np.arange(n) % n_labels]


def trained(**settings: Any) -> BiLSTMAttention:
    return BiLSTMAttention(**QUICK | settings).fit_soft(some_texts(20), labels(20))


TEXTS = ["", "superb w1 w2", "nothing known here", "w3 " * 30, "Superb, W1!"]


@pytest.mark.parametrize(
    ("text", "mention", "expected"),
    [
        ("a EGFR b", "EGFR", (1, 2)),
        ("a EGFR-mutant b", "EGFR", (1, 2)),
        ("a b (c d) e", "(c d)", (2, 4)),
        ("a + b", "+", (1, 1)),
        ("İİ EGFR b", "EGFR", (1, 2)),
        ("EGFR", "EGFR", (0, 1)),
    ],
)
def test_a_mention_is_found_among_the_words(
    text: str, mention: str, expected: tuple[int, int]
) -> None:
    start = text.index(mention)
    assert passage(Mention(text, start, start + len(mention))).mention == expected


def test_the_words_around_a_mention_are_read() -> None:
    text = " ".join(f"w{at}" for at in range(30))
    model = BiLSTMAttention(min_count=1, window=3)
    start = text.index("w20")
    read = model.prepare([Mention(text, start, start + len("w20 w21")), text])
    vocabulary = model.vocabulary_
    assert vocabulary is not None
    before, after = (
        vocabulary.numbers(["w17", "w18", "w19"]),
        vocabulary.numbers(["w22", "w23", "w24"]),
    )
    assert read.lengths.tolist() == [7, 30]
    assert read.read.value[:7].tolist() == [*before, MENTION, *after]
    assert BiLSTMAttention(min_count=1, max_words=5).prepare([text]).lengths.tolist() == [5]


def test_all_forms_of_a_mention_are_read_alike() -> None:
    model, text = trained(), "w1 superb w2 w3"
    mention = Mention(text, 3, 9)
    forms = [mention, (text, 3, 9), {"text": text, "start": 3, "end": 9}, mention.to_json()]
    log_probs = model.log_probs(forms)
    assert np.ptp(log_probs, axis=0).max() < 1e-6
    assert np.abs(log_probs[0] - model.log_probs([text])[0]).max() > 1e-6


def test_texts_that_look_like_json_stay_texts() -> None:
    assert passage('{"text": "a"}').words == ["text", "a"]
    assert passage("{a}").words == ["a"]
    assert passage(None).words == []


def test_it_is_a_predictor_with_attention_and_embeddings() -> None:
    model = trained()
    for protocol in (Predictor, Attending, Embedding):
        assert isinstance(model, protocol)
    assert isinstance(model.prepare(TEXTS), Prepared)
    assert model.embeddings(TEXTS).shape == (5, 16)
    assert model.embeddings(TEXTS).dtype == np.float32


def test_rows_do_not_depend_on_their_batch() -> None:
    model = trained()
    together = model.log_probs(TEXTS)
    alone = np.concatenate([model.log_probs([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    moved = model.log_probs(model.prepare(TEXTS).take(np.array([4, 0, 2])))
    np.testing.assert_allclose(moved, together[[4, 0, 2]], atol=1e-6)
    np.testing.assert_allclose(np.exp(together).sum(axis=1), 1)
    assert model.log_probs([]).shape == (0, 2)
    columns = pa.array([*TEXTS, None]), np.array(TEXTS)
    np.testing.assert_allclose(model.log_probs(columns[0]), together[[0, 1, 2, 3, 4, 0]], atol=1e-6)
    np.testing.assert_allclose(model.log_probs(columns[1]), together, atol=1e-6)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_it_learns_and_looks_at_what_tells_the_label(n_labels: int) -> None:
    model = BiLSTMAttention(**SMALL, lr=0.01)
    model.fit_soft(some_texts(90, n_labels), labels(90, n_labels))
    new = some_texts(60, n_labels, seed=7)
    assert (model.log_probs(new).argmax(axis=1) == np.arange(60) % n_labels).mean() > 0.9
    attention = model.attention(new)
    telling = np.isin(np.array(attention.words)[attention.word], SIGNS)
    assert attention.share[telling].mean() > 1.5 * attention.share[~telling].mean()


def test_shares_of_attention_belong_to_words() -> None:
    model, text = trained(max_words=4, window=1), "W1 w2 superb thing w3 w4"
    mention, nowhere = Mention(text, 6, 18), Mention("w1 + w2", 3, 4)
    attention = model.attention([text, mention, nowhere, "", Mention("+", 0, 1)])
    assert attention.first.tolist() == [0, 6, 12, 14, 14, 14]
    assert [attention.words[word] for word in attention.word[:6]] == tokenise(text)
    sums = [attention.share[i:j].sum() for i, j in zip([0, 6, 12], [6, 12, 14], strict=True)]
    np.testing.assert_allclose(sums, 1, rtol=1e-5)
    assert (attention.share[:4] > 0).all()
    assert (attention.share[4:6] == 0).all()  # cut off
    around = attention.share[6:12]
    assert around[2] == around[3] > 0  # the two words of the mention
    assert (around[[0, 5]] == 0).all()  # beyond the window


def test_portions_hold_every_row_once() -> None:
    lengths = np.array([3, 1, 40_000, 2, 16_000, 900])
    parts = list(portions(lengths))
    assert sorted(np.concatenate(parts).tolist()) == list(range(6))
    assert parts[0].tolist() == [2]


def test_soft_targets_and_weights() -> None:
    texts = some_texts(20)
    model = BiLSTMAttention(**QUICK)
    read = model.prepare(texts)
    weight = np.arange(20) % 4.0
    kept = np.flatnonzero(weight)
    target = np.random.default_rng(0).dirichlet([1, 1, 1], 20)
    full = model.fit_soft(read, target, weight).log_probs(read)
    fewer = model.fresh(0).fit_soft(read.take(kept), target[kept], weight[kept]).log_probs(read)
    assert (full == fewer).all()
    assert (full != model.fresh(0).fit_soft(read, target).log_probs(read)).any()


def test_the_same_seed_gives_the_same_bits_and_another_does_not() -> None:
    first = trained()
    assert (first.log_probs(TEXTS) == trained().log_probs(TEXTS)).all()
    assert (first.log_probs(TEXTS) != trained(random_state=1).log_probs(TEXTS)).any()
    again = first.fresh(0).fit_soft(some_texts(20), labels(20))
    assert (first.log_probs(TEXTS) == again.log_probs(TEXTS)).all()
    assert first.fresh(3).vocabulary_ is first.vocabulary_


def test_a_warm_start_goes_on_and_a_cold_one_begins_anew() -> None:
    model = trained()
    once = model.log_probs(TEXTS)
    model.fit_soft(some_texts(20), labels(20), warm_start=True)
    assert (model.log_probs(TEXTS) != once).any()
    model.fit_soft(some_texts(20), labels(20))
    assert (model.log_probs(TEXTS) == once).all()
    with pytest.raises(BadInput, match="had 2 labels, this target has 3"):
        model.fit_soft(some_texts(3), labels(3, 3), warm_start=True)


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    model = trained()
    model.save(tmp_path / "model")
    loaded = BiLSTMAttention.load(tmp_path / "model")
    assert (loaded.log_probs(TEXTS) == model.log_probs(TEXTS)).all()
    for each in (model, loaded):
        each.fit_soft(some_texts(20), labels(20), warm_start=True)
    assert (loaded.log_probs(TEXTS) == model.log_probs(TEXTS)).all()
    assert {path.suffix for path in (tmp_path / "model").iterdir()} == {".json", ".safetensors"}
    with pytest.raises(BadFile, match="of a 'bilstm_attention'"):
        GraphLSTM.load(tmp_path / "model")


def test_word_vectors_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("superb 1 0 0\nW1 0 1 0\nunseen 0 0 1\n", encoding="utf-8")
    model = trained(dim=None, vectors=path, lr=1e-9)
    assert model.word_vectors_ is not None
    assert model.word_vectors_.n_found == 2
    assert model.network_ is not None
    assert model.vocabulary_ is not None
    number = model.vocabulary_.numbers(["superb"])[0]
    learned = model.network_.word_vectors.weight.detach().numpy()
    np.testing.assert_allclose(learned[number], [1, 0, 0], atol=1e-4)
    model.save(tmp_path / "model")
    path.unlink()
    fresh = BiLSTMAttention.load(tmp_path / "model").fresh(0)
    fresh.fit_soft(some_texts(20), labels(20))
    assert (fresh.log_probs(TEXTS) == model.log_probs(TEXTS)).all()
    with pytest.raises(BadFile, match="cannot be read"):
        trained(vectors=path)


def test_one_input_and_inputs_without_words_are_learned_from() -> None:
    for inputs in (["superb"], ["", "", "..."]):
        n = len(inputs)
        model = BiLSTMAttention(**QUICK).fit_soft(inputs, labels(n))
        assert np.isfinite(model.log_probs(inputs)).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([("a", 0, 2)], "input 0: a mention stands at 0:2"),
        ([("a", 1, 0)], "stands at 1:0"),
        ([("a", 0.5, 1)], "no whole number"),
        ([(7, 0, 1)], "is a str, not int"),
        (["fine", 7], "input 1: a int is neither"),
        ("one text", "put it in a list"),
    ],
)
def test_mistakes_in_inputs_are_told(given: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        BiLSTMAttention().prepare(given)


def test_other_mistakes_are_told() -> None:
    with pytest.raises(BadInput, match="not been trained"):
        BiLSTMAttention().log_probs(["a"])
    for wrong in ({"window": 0}, {"dim": 0}, {"dropout": 1.0}, {"hidden": -1}):
        with pytest.raises(BadInput, match=rf"{next(iter(wrong))}=.* must be at least"):
            BiLSTMAttention(**wrong).prepare(["a"])
    with pytest.raises(BadInput, match="lr=0"):
        BiLSTMAttention(lr=0.0).fit_soft(["a"], labels(1))
    with pytest.raises(BadInput, match="another vocabulary"):
        trained().log_probs(BiLSTMAttention().prepare(["a a", "b b"]))


def test_records_load_without_torch() -> None:
    code = (
        "import sys, tacit, tacit.predictors, tacit.predictors.recurrent.mentions\n"
        "import tacit.predictors.recurrent.sentence_graphs\n"
        "import tacit.predictors.recurrent.word_vectors\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
