"""Texts as tokens and words: what is kept, how batches are laid out, where words stand."""

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tacit.data.tokens import token_spans
from tacit.errors import BadInput
from tacit.predictors.pretrained.encoders import Encoder
from tacit.predictors.pretrained.token_batches import packed_batch, padded_batch, tokenise_texts
from tacit.predictors.pretrained.token_rows import by_length, grid, places
from tacit.predictors.pretrained.training_pace import endless_rows, pace
from tests.predictors.tiny_encoder import tiny_encoder

TEXTS = ["the film was great", "", "awful !", "it was so very dull and boring , not good"]


@pytest.fixture(scope="module")
def texts():
    return tokenise_texts(TEXTS, Encoder(*tiny_encoder()), 8)


def test_tokens_are_cut_and_counted(texts) -> None:
    assert texts.lengths.tolist() == [6, 2, 4, 8]
    assert texts.n_tokens == 20
    assert texts.take(np.array([3, 1])).lengths.tolist() == [8, 2]
    # All but begin and end count; in the empty text these do.
    assert np.diff(texts.source.first_counted).tolist() == [4, 2, 2, 6]


def test_texts_alone_are_the_same_texts(texts) -> None:
    alone = texts.take(np.array([3, 0])).alone()
    assert alone.source.texts == (TEXTS[3], TEXTS[0])
    again = tokenise_texts([TEXTS[3], TEXTS[0]], texts.source.encoder, 8)
    assert alone.source.digest == again.source.digest != texts.source.digest


def test_padded_and_packed_batches_hold_the_same(texts) -> None:
    rows = np.array([3, 1, 0])
    padded, packed = padded_batch(texts, rows), packed_batch(texts, rows, first_position=2)
    assert padded.ids.shape == (3, 8)
    n_real = packed.bounds[-2]
    np.testing.assert_array_equal(padded.ids[padded.mask], packed.ids[:n_real])
    assert len(packed.ids) % 512 == 0
    assert packed.bounds[-1] == len(packed.ids) > n_real
    assert packed.positions[:n_real].tolist() == [*range(2, 10), 2, 3, *range(2, 8)]
    assert packed.owner[:n_real].tolist() == [-1, *[0] * 6, -1, 1, 1, -1, *[2] * 4, -1]
    assert (packed.owner[n_real:] == -1).all()


def test_flat_rows() -> None:
    first = np.array([0, 2, 2, 5])
    assert places(first, np.array([2, 0, 1])).tolist() == [2, 3, 4, 0, 1]
    at, mask = grid(first, np.array([0, 2]))
    assert at[mask].tolist() == [0, 1, 2, 3, 4]
    batches = by_length(np.array([3, 9, 1, 2]), most_rows=10, most_elements=9)
    assert [batch.tolist() for batch in batches] == [[1], [0, 3, 2]]


@pytest.mark.parametrize(
    "text",
    ["Don\u2019t x-ray İstanbul twice!", "", "...", "naïve café हिन्दी", "ΣΑΣ İİ snake_case a-"],
)
def test_words_stand_where_they_stand(text: str) -> None:
    words, begin, end = token_spans(text)
    shown = [text[a:b].lower().replace("\u2019", "'") for a, b in zip(begin, end, strict=True)]
    assert [word.replace("σ", "ς") for word in words] == [w.replace("σ", "ς") for w in shown]


def test_tokens_fall_on_their_words() -> None:
    text = "Lovely, don't x-ray goods"
    texts = tokenise_texts([text], Encoder(*tiny_encoder()), 32)
    found = texts.source.words
    assert [found.words[w] for w in found.word] == ["lovely", "don't", "x-ray", "goods"]
    # [CLS] lovely , don ' t x - ray good ##s [SEP]
    assert found.place_of_token.tolist() == [-1, 0, -1, 1, 1, 1, 2, 2, 2, 3, 3, -1]


@pytest.mark.parametrize(("inputs", "said"), [("one text", "one text"), (["a", 3], "input 1")])
def test_what_is_no_text_is_refused(inputs, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        tokenise_texts(inputs, Encoder(*tiny_encoder()), 8)


def test_rows_are_all_seen_equally_often() -> None:
    stream = endless_rows(7, 3, seed=0)
    seen = np.concatenate([next(stream) for _ in range(7)])
    assert np.bincount(seen).tolist() == [3] * 7
    assert sorted(next(endless_rows(4, 9, seed=0)).tolist()) == [0, 1, 2, 3]


def test_pace_rises_and_falls() -> None:
    paces = np.array([pace(step, 100, 0.1) for step in range(100)])
    assert paces.argmax() in (8, 9, 10)
    assert paces[0] == pytest.approx(0.1)
    assert 0 < paces[-1] < 0.02
    assert paces.max() == pytest.approx(1.0, abs=0.02)
    assert pace(0, 1, 0.1) > 0
