"""What training reads of a text: without some tokens by chance, and mostly without hidden words."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tacit.data.tokens import token_spans, tokenise  # noqa: E402
from tacit.errors import BadInput  # noqa: E402
from tacit.predictors.ensemble import Ensemble  # noqa: E402
from tacit.predictors.linear import Linear  # noqa: E402
from tacit.predictors.pretrained.encoders import Encoder  # noqa: E402
from tacit.predictors.pretrained.token_batches import (  # noqa: E402
    SHORT,
    PreparedTexts,
    tokenise_texts,
)
from tacit.predictors.protocol import Hiding  # noqa: E402
from tacit.predictors.transformer import Transformer  # noqa: E402
from tests.predictors.tiny_encoder import tiny_encoder  # noqa: E402

ENCODER = Encoder(*tiny_encoder())
WORDS = ["the", "Film", "was", "GREAT", "not", "good", "lovely", "don't", "x-ray", "!", "Ünï"]
ENTRIES = ["film", "great", "not good", "was not good", "lovely", "don't", "x-ray", "absent"]
texts_of_words = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), max_size=6)
chosen = st.lists(st.sampled_from(ENTRIES), unique=True)


def tokens(texts: PreparedTexts) -> list[list[int]]:
    """The tokens of each text."""
    source = texts.source
    return [source.ids[source.first[row] : source.first[row + 1]].tolist() for row in texts.rows]


def hidden_spans(text: str, entries: Sequence[str]) -> list[tuple[int, int]]:
    """Where the entries stand in a text, word by word."""
    words, begin, end = token_spans(text)
    found = []
    for entry in map(str.split, entries):
        for at in range(len(words) - len(entry) + 1):
            if words[at : at + len(entry)] == entry:
                found += [(begin[at + k], end[at + k]) for k in range(len(entry))]
    return found


@given(texts_of_words, chosen)
@settings(deadline=None)
def test_tokens_of_hidden_words_are_found_as_anyone_would(
    texts: list[str], entries: list[str]
) -> None:
    prepared = tokenise_texts(texts, ENCODER, 16)
    hidden = prepared.source.words.tokens_of(entries)
    wanted: list[bool] = []
    for text in texts:
        spans = hidden_spans(text, entries)
        places = ENCODER.tokenizer(
            text, truncation=True, max_length=16, return_offsets_mapping=True
        )["offset_mapping"]
        wanted += [any(a < end and begin < b for begin, end in spans) for a, b in places]
    assert hidden.tolist() == wanted


@given(texts_of_words, chosen, st.floats(0, 0.9), st.integers(0, 3))
@settings(deadline=None)
def test_what_is_left_keeps_its_order_and_no_text_is_lost(
    texts: list[str], entries: list[str], dropout: float, seed: int
) -> None:
    prepared = tokenise_texts(texts, ENCODER, 16).hiding(entries)
    read = prepared.with_gaps(dropout, np.random.default_rng(seed))
    assert len(read) == len(texts)
    markers = set(ENCODER.markers)
    for whole, left in zip(tokens(prepared), tokens(read), strict=True):
        remaining = iter(whole)
        assert all(token in remaining for token in left)
        assert [t for t in left if t in markers] == [t for t in whole if t in markers]
        assert any(t not in markers for t in left) == any(t not in markers for t in whole)


def test_without_reason_nothing_is_left_out() -> None:
    prepared = tokenise_texts(["the film was great"], ENCODER, 16)
    assert prepared.with_gaps(0.0, np.random.default_rng(0)) is prepared
    assert prepared.hiding(["great"]).hiding([]).hidden is None


@pytest.mark.parametrize("n_tokens", [12, 50, 100])
def test_tokens_are_left_out_as_often_as_asked_and_less_of_longer_texts(n_tokens: int) -> None:
    prepared = tokenise_texts(["film " * n_tokens] * 1000, ENCODER, 128)
    lengths = prepared.with_gaps(0.5, np.random.default_rng(0)).lengths
    left_out = 0.5 * np.exp(-((n_tokens / SHORT) ** 2))
    assert (lengths.mean() - 2) / n_tokens == pytest.approx(1 - left_out, abs=0.01)


@pytest.mark.parametrize("n_others", [2, 40, 100])
def test_hidden_words_go_together_and_the_more_often_the_more_else_there_is(n_others: int) -> None:
    text = "superb " + "film " * n_others + "superb"
    prepared = tokenise_texts([text] * 3000, ENCODER, 128).hiding(["superb"])
    lengths = prepared.with_gaps(0.0, np.random.default_rng(0)).lengths
    assert set(lengths.tolist()) <= {n_others + 2, n_others + 4}
    often = (lengths == n_others + 2).mean()
    assert often == pytest.approx(1 - np.exp(-((n_others / SHORT) ** 2)), abs=0.03)


TEXTS = ["the film was great", "awful and dull", "a superb movie", "so boring it was sad"] * 6
TARGET = np.eye(2)[[1, 0, 1, 0] * 6]


def made(mode: str = "fine_tuned", **given: float) -> Transformer:
    torch.set_num_threads(1)
    usual = {"max_tokens": 32, "head_steps": 10, "min_steps": 20, "epochs": 1, "batch_size": 8}
    return Transformer(tiny_encoder(), mode=mode, device="cpu", encoder_lr=3e-3, **(usual | given))


def test_a_trained_encoder_knows_nothing_of_words_that_were_always_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tacit.predictors.pretrained.token_batches.SHORT", 1e-9)
    moved = []
    for words in ([], ["superb"]):
        model = made(token_dropout=0.0, weight_decay=0.0)
        model.fit_soft(model.hiding(TEXTS, words), TARGET)
        code = model._pretrained().tokenizer.convert_tokens_to_ids("superb")
        before, after = (
            own.model.get_input_embeddings().weight[code].detach()
            for own in (model._pretrained(), model._tuned)
        )
        moved.append(not torch.equal(before, after))
    assert moved == [True, False]


def test_predictions_read_all_words() -> None:
    model = made().fit_soft(TEXTS, TARGET)
    hidden = model.hiding(TEXTS, ["great", "superb"])
    assert np.array_equal(model.log_probs(hidden), model.log_probs(TEXTS))


def test_a_frozen_encoder_hides_nothing() -> None:
    assert made("frozen").hiding(TEXTS, ["great"]).hidden is None


def test_chance_is_seeded() -> None:
    one, same, other = (
        made(random_state=seed, token_dropout=0.5).fit_soft(TEXTS, TARGET).log_probs(TEXTS)
        for seed in (0, 0, 1)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_an_ensemble_hides_words_from_members_that_can_do_without() -> None:
    model = Ensemble([Linear(), made()])
    assert isinstance(model, Hiding)
    linear, transformer = model.hiding(TEXTS, ["great"]).members
    assert isinstance(transformer, PreparedTexts)
    assert transformer.hidden is not None
    assert transformer.hidden.sum() == 6
    assert len(linear) == len(TEXTS)


def test_a_share_of_all_tokens_is_refused() -> None:
    with pytest.raises(BadInput, match=r"token_dropout=1.0 is no share of the tokens"):
        made(token_dropout=1.0)


def test_settings_and_words_of_a_wrong_kind_are_refused() -> None:
    with pytest.raises(BadInput, match=r"token_dropout='some' is no number"):
        made(token_dropout="some")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="the hidden words are one text, 'great'"):
        made().hiding(TEXTS, "great")


def test_words_are_those_of_the_tokeniser() -> None:
    assert tokenise("Don't X-ray") == ["don't", "x-ray"]
    prepared = tokenise_texts(["Don't X-ray it"], ENCODER, 16).hiding(["don't", "x-ray"])
    assert prepared.hidden is not None
    assert prepared.hidden.tolist() == [False, *[True] * 6, False, False]
