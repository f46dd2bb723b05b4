"""The transformer as a predictor, with a tiny random encoder: what the protocol promises."""

import json
import sys
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tacit.errors import BadFile, BadInput, TooLarge  # noqa: E402
from tacit.predictors.pretrained.encoders import Encoder  # noqa: E402
from tacit.predictors.pretrained.token_features import FeatureCache  # noqa: E402
from tacit.predictors.protocol import (  # noqa: E402
    Adapting,
    Attending,
    Embedding,
    Hiding,
    Predictor,
    Prepared,
)
from tacit.predictors.transformer import Transformer  # noqa: E402
from tests.predictors.tiny_encoder import tiny_encoder  # noqa: E402

GOOD = ["great", "superb", "lovely", "brilliant", "nice"]
BAD = ["awful", "dull", "boring", "horrid", "weak"]


def reviews(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Short texts with one word that tells, and whether it is a good one."""
    rng = np.random.default_rng(seed)
    filler = ["the", "film", "was", "it", "so", "very", "quite", "movie", "a", "and"]
    texts, labels = [], rng.integers(0, 2, n)
    for label in labels:
        words = list(rng.choice(filler, rng.integers(2, 9)))
        words.insert(int(rng.integers(0, len(words) + 1)), str(rng.choice((BAD, GOOD)[label])))
        texts.append(" ".join(words))
    return texts, np.eye(2)[labels]


@pytest.fixture(scope="module")
def encoder():
    torch.set_num_threads(1)
    return tiny_encoder()


@pytest.fixture
def make(encoder):
    def made(mode: str = "frozen", **settings) -> Transformer:
        usual = {"max_tokens": 32, "head_lr": 0.02, "head_steps": 20, "device": "cpu"}
        usual |= {"encoder_lr": 3e-3, "min_steps": 15, "epochs": 1, "batch_size": 16}
        return Transformer(encoder, mode=mode, **(usual | settings))

    return made


MODES = pytest.mark.parametrize("mode", ["frozen", "fine_tuned"])
TEXTS, TARGET = reviews(50)
ODD = ["", "!!!", "Ünïcödé 电影 🎬", "great " * 100, "don't", "[SEP]"]


def test_it_keeps_the_protocols(make) -> None:
    predictor = make()
    assert isinstance(predictor, Predictor)
    assert isinstance(predictor, Attending)
    assert isinstance(predictor, Embedding)
    assert isinstance(predictor, Adapting)
    assert isinstance(predictor, Hiding)
    assert isinstance(predictor.prepare(TEXTS), Prepared)


@MODES
def test_fifty_texts_are_learned_by_heart(make, mode: str) -> None:
    predictor = make(mode, min_steps=60, head_steps=60, head_lr=0.05, token_dropout=0)
    predictor.fit_soft(TEXTS, TARGET, np.full(50, 1000.0))  # so that the prior does not count
    log_probs = predictor.log_probs(TEXTS)
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-12)
    assert (log_probs.argmax(axis=1) == TARGET.argmax(axis=1)).mean() >= 0.96


@MODES
def test_same_seed_same_bits(make, mode: str) -> None:
    twice = [make(mode).fit_soft(TEXTS, TARGET) for _ in range(2)]
    first, second = (predictor.log_probs(TEXTS) for predictor in twice)
    np.testing.assert_array_equal(first, second)
    other = make(mode, random_state=1).fit_soft(TEXTS, TARGET).log_probs(TEXTS)
    assert np.abs(other - first).max() > 1e-6


@MODES
def test_company_does_not_matter(make, mode: str) -> None:
    predictor = make(mode).fit_soft(TEXTS, TARGET)
    together = predictor.log_probs(TEXTS + ODD)
    alone = np.concatenate([predictor.log_probs([text]) for text in TEXTS + ODD])
    np.testing.assert_allclose(together, alone, atol=2e-3)  # states are kept in float16
    order = np.random.default_rng(0).permutation(len(TEXTS + ODD))
    shuffled = predictor.log_probs([(TEXTS + ODD)[i] for i in order])
    np.testing.assert_allclose(shuffled, together[order], atol=2e-3)


@MODES
def test_prepared_texts_are_the_texts(make, mode: str) -> None:
    predictor = make(mode)
    prepared = predictor.prepare(TEXTS)
    assert predictor.prepare(prepared) is prepared
    rows = np.arange(0, 50, 2)
    from_texts = make(mode).fit_soft([TEXTS[i] for i in rows], TARGET[rows])
    predictor.fit_soft(prepared.take(rows), TARGET[rows])
    a, b = predictor.log_probs(prepared.take(rows)), from_texts.log_probs([TEXTS[i] for i in rows])
    np.testing.assert_allclose(a, b, atol=2e-2)  # other company, other roundings of states
    whole = make(mode).fit_soft(prepared, TARGET).log_probs(prepared)
    np.testing.assert_array_equal(whole, make(mode).fit_soft(TEXTS, TARGET).log_probs(TEXTS))


@MODES
def test_weight_zero_is_absence(make, mode: str) -> None:
    weight = np.ones(50)
    weight[::3] = 0
    kept = np.flatnonzero(weight)
    prepared = make().prepare(TEXTS)
    a = make(mode).fit_soft(prepared, TARGET, weight).log_probs(prepared)
    b = make(mode).fit_soft(prepared.take(kept), TARGET[kept]).log_probs(prepared)
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("steps", [0, 40])
def test_weight_two_is_a_text_twice(make, steps: int) -> None:
    target = 0.8 * TARGET + 0.1
    weight = np.ones(50)
    weight[:5] = 2
    twice = np.concatenate([np.arange(50), np.arange(5)])
    settings = {"head_steps": steps, "batch_size": 64}
    prepared = make().prepare(TEXTS)
    a = make(**settings).fit_soft(prepared, target, weight)
    b = make(**settings).fit_soft(prepared.take(twice), target[twice])
    np.testing.assert_allclose(a.log_probs(TEXTS), b.log_probs(TEXTS), atol=5e-3)


def test_soft_targets_are_met(make) -> None:
    target = np.tile([0.3, 0.5, 0.2], (50, 1))
    predictor = make(prior_spread=0.1).fit_soft(TEXTS, target)
    np.testing.assert_allclose(np.exp(predictor.log_probs(TEXTS)), target, atol=0.02)


@MODES
def test_one_text_is_enough(make, mode: str) -> None:
    predictor = make(mode).fit_soft(["great"], np.array([[0.0, 1.0]]))
    assert np.isfinite(predictor.log_probs(ODD)).all()
    assert predictor.log_probs(["great"])[0].argmax() == 1
    assert predictor.log_probs([]).shape == (0, 2)


@MODES
def test_warm_start_goes_on(make, mode: str) -> None:
    weight = np.full(50, 1000.0)  # so that the prior does not count
    settings = {"min_steps": 10, "head_steps": 10, "encoder_lr": 3e-4, "token_dropout": 0}
    predictor = make(mode, **settings)
    predictor.fit_soft(TEXTS, TARGET, weight)
    losses: list[float] = []
    before = -(predictor.log_probs(TEXTS) * TARGET).sum(axis=1).mean()
    predictor.fit_soft(
        TEXTS, TARGET, weight, warm_start=True, report=lambda *told: losses.append(told[2])
    )
    after = -(predictor.log_probs(TEXTS) * TARGET).sum(axis=1).mean()
    assert after < before
    assert losses
    with pytest.raises(BadInput, match="3 labels"):
        predictor.fit_soft(TEXTS, np.full((50, 3), 1 / 3), warm_start=True)
    anew = predictor.fit_soft(TEXTS, TARGET).log_probs(TEXTS)
    first = make(mode, **settings)
    first = first.fit_soft(TEXTS, TARGET).log_probs(TEXTS)
    np.testing.assert_array_equal(anew, first)


@MODES
def test_attention_falls_on_the_right_words(make, encoder, mode: str) -> None:
    predictor = make(mode, head_lr=0.05).fit_soft(TEXTS, TARGET, np.full(50, 1000.0))
    texts = [text.replace("film", "films") + " lovelyful" for text in TEXTS]  # several pieces each
    found = predictor.attention(texts)
    for i, text in enumerate(texts):
        mine = slice(found.first[i], found.first[i + 1])
        assert [found.words[word] for word in found.word[mine]] == text.split()
        tokens = encoder[1](text, return_tensors="pt")
        ids, mask = tokens["input_ids"], tokens["attention_mask"].bool()
        with torch.inference_mode():
            network = deepcopy(predictor.network_)
            network.encoder.set_attn_implementation("eager")  # which reads padded texts
            shares = network.head.shares(network.states(ids, mask), network.counts(ids, mask))[0]
        words = np.array([-1 if w is None else w for w in tokens.word_ids()])
        want = np.bincount(words[words >= 0], shares.numpy()[words >= 0])
        np.testing.assert_allclose(found.share[mine], want, atol=2e-3)
        assert found.share[mine].sum() == pytest.approx(1, abs=1e-5)


@MODES
def test_attention_to_odd_texts(make, mode: str) -> None:
    predictor = make(mode).fit_soft(TEXTS, TARGET)
    found = predictor.attention(ODD)
    lengths = np.diff(found.first)
    assert lengths.tolist() == [0, 0, 2, 100, 1, 1]
    long = found.share[found.first[3] : found.first[4]]
    assert long.sum() == pytest.approx(1, abs=1e-5)
    assert (long[:30] > 0).all()
    assert (long[30:] == 0).all()  # cut off: 32 tokens with begin and end
    again = predictor.attention(predictor.prepare(ODD).take(np.array([4, 3, 4])))
    assert np.diff(again.first).tolist() == [1, 100, 1]
    np.testing.assert_allclose(again.share[1:101], long, atol=1e-3)


@MODES
def test_embeddings_are_of_the_encoders_width(make, mode: str) -> None:
    predictor = make(mode).fit_soft(TEXTS, TARGET)
    found = predictor.embeddings(TEXTS)
    assert found.shape == (50, 32)
    assert found.dtype == np.float32
    head = predictor.network_.head
    from_them = head.log_probs(torch.from_numpy(found)).detach().numpy()
    np.testing.assert_allclose(from_them, predictor.log_probs(TEXTS), atol=1e-4)


@MODES
def test_what_the_task_has_made_of_pretraining(make, encoder, mode: str) -> None:
    predictor = make(mode).fit_soft(TEXTS, TARGET)
    some = predictor.prepare(TEXTS).take(np.array([3, 0, 3]))
    own, before = predictor.adapted(some)
    np.testing.assert_array_equal(own, predictor.embeddings(some))
    assert own.shape == before.shape == (3, 32)
    assert own.dtype == before.dtype == np.float32
    model, tokenizer = encoder
    read = tokenizer(TEXTS[3], return_tensors="pt")
    with torch.inference_mode():
        states = model(**read).last_hidden_state[0, 1:-1]  # without begin and end
    np.testing.assert_allclose(before[0], states.mean(dim=0).numpy(), atol=2e-3)
    np.testing.assert_array_equal(before[0], before[2])
    assert np.abs(own - before).max() > 1e-3


@MODES
def test_saved_and_loaded(make, mode: str, tmp_path) -> None:
    predictor = make(mode).fit_soft(TEXTS, TARGET)
    predictor.save(tmp_path / "there")
    loaded = Transformer.load(tmp_path / "there")
    np.testing.assert_array_equal(loaded.log_probs(TEXTS), predictor.log_probs(TEXTS))
    assert loaded.settings() | {"encoder": 0} == predictor.settings() | {"encoder": 0}
    names = {path.suffix for path in (tmp_path / "there").rglob("*") if path.is_file()}
    assert names <= {".json", ".safetensors"}
    loaded.save(tmp_path / "again")
    again = Transformer.load(tmp_path / "again")
    np.testing.assert_array_equal(again.log_probs(TEXTS), predictor.log_probs(TEXTS))
    again.fit_soft(TEXTS, TARGET, warm_start=True).save(tmp_path / "further")
    further = Transformer.load(tmp_path / "further").log_probs(TEXTS)
    np.testing.assert_array_equal(again.log_probs(TEXTS), further)
    assert np.abs(further - predictor.log_probs(TEXTS)).max() > 1e-6


def test_a_named_encoder_is_not_copied_but_checked(make, encoder, tmp_path) -> None:
    for part in encoder:
        part.save_pretrained(tmp_path / "encoder")
    named = Transformer(str(tmp_path / "encoder"), max_tokens=32, head_steps=5, device="cpu")
    named.fit_soft(TEXTS, TARGET).save(tmp_path / "saved")
    assert not (tmp_path / "saved" / "encoder").exists()
    loaded = Transformer.load(tmp_path / "saved")
    np.testing.assert_array_equal(loaded.log_probs(TEXTS), named.log_probs(TEXTS))
    settings = tmp_path / "saved" / "transformer.json"
    written = json.loads(settings.read_text())
    settings.write_text(json.dumps(written | {"encoder_fingerprint": "another"}))
    with pytest.raises(BadFile, match="not the one"):
        Transformer.load(tmp_path / "saved")


def test_half_precision_copies_are_the_same_encoder(encoder) -> None:
    other = tiny_encoder(seed=1)
    halved = tiny_encoder()[0].half().float()
    assert Encoder(halved, encoder[1]).fingerprint == Encoder(*encoder).fingerprint
    assert Encoder(*other).fingerprint != Encoder(*encoder).fingerprint


def test_states_are_computed_once_for_all_copies(make, monkeypatch) -> None:
    from tacit.predictors.pretrained import token_features

    calls, encode = [], token_features.encode
    monkeypatch.setattr(token_features, "encode", lambda *a: calls.append(1) or encode(*a))
    predictor = make(head_steps=3)
    prepared = predictor.prepare(TEXTS)
    for fold in range(3):
        copy = predictor.fresh(fold)
        copy.fit_soft(prepared.take(np.arange(fold, 50)), TARGET[fold:]).log_probs(prepared)
        copy.log_probs(TEXTS)  # the same texts, tokenised anew
    assert len(calls) == 1
    assert predictor.network_ is None


def test_large_states_lie_in_a_file_that_leaves_nothing_behind(make, tmp_path) -> None:
    small = make(head_steps=5).fit_soft(TEXTS, TARGET)
    folder = tmp_path / "new"
    large = make(head_steps=5, cache_limit=100, cache_folder=str(folder)).fit_soft(TEXTS, TARGET)
    assert list(folder.iterdir()) == []
    if sys.platform == "linux":
        assert f"{folder}/" in Path("/proc/self/maps").read_text()
    np.testing.assert_array_equal(small.log_probs(TEXTS), large.log_probs(TEXTS))


def test_a_disk_without_room_is_told_before_anything_is_computed(tmp_path) -> None:
    with pytest.raises(TooLarge, match=rf"need 7,680,000.0 GB in {tmp_path}, where .* GB are free"):
        FeatureCache(tmp_path, memory_limit=100).room(10**13, 384, torch.device("cpu"))
    assert list(tmp_path.iterdir()) == []


def test_the_cache_forgets_what_was_used_longest_ago(make) -> None:
    predictor = make(head_steps=2, cache_limit=40_000).fit_soft(TEXTS, TARGET)
    for seed in range(1, 20):
        predictor.log_probs(reviews(50, seed)[0])
    cache: FeatureCache = predictor._cache
    assert 1 <= len(cache._kept) <= 8
    assert cache._in_memory <= 40_000


@pytest.mark.parametrize(
    "settings",
    [{"mode": "thawed"}, {"device": "tpu"}, {"max_tokens": 0}, {"warm_up": 1}, {"batch_size": 0}],
)
def test_senseless_settings_are_refused(settings) -> None:
    with pytest.raises(BadInput):
        Transformer(**settings)


def test_mistakes_are_told(make, monkeypatch, tmp_path) -> None:
    with pytest.raises(BadInput, match="learned nothing"):
        make().log_probs(TEXTS)
    with pytest.raises(BadInput, match="max_tokens=66 at most"):
        make(max_tokens=100).prepare(TEXTS)
    with pytest.raises(BadInput, match="no encoder"):
        Transformer(3).prepare(TEXTS)
    with pytest.raises(BadFile, match="cannot be read"):
        Transformer(str(tmp_path)).prepare(TEXTS)
    monkeypatch.setenv("TACIT_MINILM", str(tmp_path))
    with pytest.raises(BadFile, match="TACIT_MINILM"):
        Transformer().prepare(TEXTS)
