"""The attention head: against a loop from its definition, and its gradients."""

import numpy as np
import pytest

from tests.oracles import attention_head as oracle

torch = pytest.importorskip("torch")

from tacit.predictors.pretrained.attention_head import CONTEXT_SPREAD, AttentionHead  # noqa: E402
from tacit.predictors.pretrained.mean_pool import logistic  # noqa: E402

LENGTHS = [4, 1, 6]


@pytest.fixture
def head():
    made = AttentionHead(7, 3, context_dim=5, seed=3).double()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for part in (made.context, made.label.weight, made.label.bias, made.look.bias, made.centre):
            part.normal_(0, 1, generator=generator)
        made.spread.fill_(2.0)
        made.token_spread.fill_(1.5)
    return made


@pytest.fixture
def states():
    return torch.randn(3, 6, 7, dtype=torch.double, generator=torch.Generator().manual_seed(2))


@pytest.fixture
def mask():
    return torch.arange(6) < torch.tensor(LENGTHS)[:, None]


def test_equals_a_loop_over_tokens(head, states, mask) -> None:
    numbers = {name: part.numpy() for name, part in head.state_dict().items()}
    shares = head.shares(states, mask)
    for i in range(3):
        want = oracle.attention_head(states[i].numpy(), mask[i].numpy(), numbers)
        found = shares[i], head.pooled(states, shares)[i], head(states, mask)[i]
        for mine, right in zip(found, want, strict=True):
            np.testing.assert_allclose(mine.detach().numpy(), right, atol=1e-12)


def test_packed_texts_give_the_same(head, states, mask) -> None:
    packed = states[mask]  # text behind text
    owner = torch.repeat_interleave(torch.arange(3), torch.tensor(LENGTHS))
    mine = owner == torch.arange(3)[:, None]
    torch.testing.assert_close(head(packed, mine), head(states, mask))


def test_what_is_masked_does_not_matter(head, states, mask) -> None:
    other = torch.where(mask[..., None], states, 1e3)
    torch.testing.assert_close(head(other, mask), head(states, mask), atol=0, rtol=0)


def test_gradients_equal_finite_differences(head, states, mask) -> None:
    parameters = dict(head.named_parameters())

    def outcome(*values):
        named = dict(zip(parameters, values, strict=True))
        return torch.func.functional_call(head, named, (states, mask))

    assert torch.autograd.gradcheck(outcome, tuple(parameters.values()))


def test_the_start_has_nearly_even_attention_and_a_gradient() -> None:
    head = AttentionHead(16, 2)
    states = torch.randn(2, 5, 16)
    shares = head.shares(states, torch.ones(2, 5, dtype=torch.bool))
    assert (shares - 0.2).abs().max() < 0.1
    torch.nn.init.normal_(head.label.weight)
    head(states, torch.ones(2, 5, dtype=torch.bool))[:, 0].sum().backward()
    assert head.look.weight.grad.abs().max() > 0


def test_the_prior_pulls_as_it_should(head, states, mask) -> None:
    (-head(states, mask)[:, 0].sum()).backward()
    without = {name: part.grad.clone() for name, part in head.named_parameters()}
    head.add_prior(prior_spread=2.0, share=0.1)
    pulls = {"look.weight": 0.7, "label.weight": 0.025, "context": 0.1 / CONTEXT_SPREAD**2}
    for name, part in head.named_parameters():
        torch.testing.assert_close(part.grad, without[name] + pulls.get(name, 0.0) * part.detach())


def test_logistic_is_at_its_optimum() -> None:
    rng = np.random.default_rng(0)
    x, target = rng.normal(size=(40, 3)), rng.dirichlet([1, 1, 1], size=40)
    weight = rng.uniform(0.5, 2, 40)
    v, b = logistic(x, target, weight, prior_spread=2.0, n_labels=3)
    scores = x @ v.T + b
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    gradient = (weight[:, None] * (p - target)).T @ x + v / 4
    assert np.abs(gradient).max() < 1e-4
