"""Attention over packed texts on a CPU: against attention that reads one text at a time."""

from itertools import pairwise

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from tacit.predictors.pretrained.packed_attention import (  # noqa: E402
    SIDE_BY_SIDE,
    packed_attention,
)

HEADS, WIDTH = 2, 8


def one_by_one(query, key, value, begins):
    """(1, tokens, heads, width of a head), from the definition: softmax(q k' / sqrt(width)) v."""
    parts = []
    for begin, end in pairwise(begins.tolist()):
        q, k, v = (states[0, :, begin:end] for states in (query, key, value))
        parts.append(torch.softmax(q @ k.mT / WIDTH**0.5, dim=-1) @ v)
    return torch.cat(parts, dim=1).transpose(0, 1).unsqueeze(0)


@settings(deadline=None, max_examples=40)
@given(
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=2 * SIDE_BY_SIDE + 3),
    seed=st.integers(0, 1000),
)
def test_is_that_of_one_text_at_a_time(lengths: list[int], seed: int) -> None:
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(seed)
    begins = torch.tensor([0, *lengths]).cumsum(0).int()
    shape = (4, 1, HEADS, sum(lengths), WIDTH)
    *states, wanted = torch.randn(shape, generator=generator, dtype=torch.float64)
    found, gradients = [], []
    for attend in (packed, one_by_one):
        own = [each.clone().requires_grad_() for each in states]
        found.append(attend(*own, begins))
        (found[-1] * wanted.transpose(1, 2)).sum().backward()
        gradients.append([each.grad for each in own])
    torch.testing.assert_close(*found)
    torch.testing.assert_close(*gradients)


def packed(query, key, value, begins):
    module = torch.nn.Module()
    longest = int(begins.diff().max())
    found, _ = packed_attention(
        module, query, key, value, None, cu_seq_lens_q=begins, max_length_q=longest
    )
    return found


def test_drops_some_of_what_it_attends_to() -> None:
    states = torch.ones(1, HEADS, 40, WIDTH)
    begins = torch.arange(0, 41, 2, dtype=torch.int32)
    found, _ = packed_attention(
        torch.nn.Module(), states, states, states, None,
        cu_seq_lens_q=begins, max_length_q=2, dropout=0.5,
    )  # fmt: skip
    assert set(found.unique().tolist()) == {0.0, 1.0, 2.0}
