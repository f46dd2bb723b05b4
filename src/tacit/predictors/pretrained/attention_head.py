"""The last layer: attention by a global context, then a softmax over labels.

Of the tokens of a text, with states h_j, it makes (the chapter's layer, of Yang et al., 2016)

    u_j = tanh(W z_j + b),   a_j = softmax_j(u_j . c),   log Psi(y) = log-softmax_y(V m + v),

where c is the global context (5 numbers), m = sum_j a_j (h_j - centre) / spread, and z_j is h_j
less the centre, over the spread of single tokens. Centre and spreads are set once from the data, so
that the sizes of W and V mean the same for every encoder: a text's m has a length of about 1.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.nn.utils import skip_init

CONTEXT_SPREAD = 0.3  # of c before any text is seen: some tokens count half as much again as others
FAINT = 0.1  # the first size of c: attention is nearly even, and yet its gradient is not zero


class AttentionHead(nn.Module):
    """Attention over the states of tokens, and labels from what was seen.

    States are (texts, tokens, width) with a mask (texts, tokens); or, where texts are packed one
    behind the other, (tokens, width) with the same mask, that says which tokens are whose.
    """

    look: nn.Linear
    label: nn.Linear
    centre: Tensor
    token_spread: Tensor
    spread: Tensor

    def __init__(self, width: int, n_labels: int, context_dim: int = 5, seed: int = 0) -> None:
        super().__init__()
        # Without torch's own first numbers, which would use up others' random ones.
        self.look = skip_init(nn.Linear, width, context_dim)  # type: ignore[no-untyped-call]
        self.context = nn.Parameter(torch.empty(context_dim))
        self.label = skip_init(nn.Linear, width, n_labels)  # type: ignore[no-untyped-call]
        self.register_buffer("centre", torch.zeros(width))
        self.register_buffer("token_spread", torch.ones(()))
        self.register_buffer("spread", torch.ones(()))
        self._begin(torch.Generator().manual_seed(seed))

    @torch.no_grad()
    def _begin(self, generator: torch.Generator) -> None:
        self.look.weight.normal_(0.0, self.look.in_features**-0.5, generator=generator)
        self.look.bias.zero_()
        self.context.normal_(0.0, FAINT, generator=generator)
        self.label.weight.zero_()
        self.label.bias.zero_()

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.label.out_features

    def shares(self, states: Tensor, mask: Tensor) -> Tensor:
        """(texts, tokens): how much each token counts in each text; 0 where the mask is."""
        # W (h - centre) / spread + b, with the scales on W's side: h is large, and W is not.
        look = self.look.weight / self.token_spread
        seen = torch.tanh(linear(states, look, self.look.bias - look @ self.centre))
        scores = (seen @ self.context).masked_fill(~mask, torch.finfo(torch.float32).min)
        return torch.softmax(scores, dim=-1)

    def pooled(self, states: Tensor, shares: Tensor) -> Tensor:
        """(texts, width): the states of each text, each as much as it counts."""
        return torch.matmul(shares.unsqueeze(-2), states).squeeze(-2)

    def log_probs(self, pooled: Tensor) -> Tensor:
        """(texts, labels): from what was seen of each text."""
        scores = self.label((pooled - self.centre) / self.spread)
        return torch.log_softmax(scores, dim=-1)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(texts, labels): the log-probability of each label."""
        return self.log_probs(self.pooled(states, self.shares(states, mask)))

    @torch.no_grad()
    def add_prior(self, prior_spread: float, share: float) -> None:
        """Add the gradient of minus the log of the prior, as much as it counts, to the loss's.

        Before anything is seen, a label's score has the standard deviation `prior_spread`; the
        input of each tanh about 1. The context is held tighter: attention that picks single tokens
        makes m many times longer, and a few hundred texts would be learned by heart.
        """
        precisions = (
            (self.look.weight, self.look.in_features),
            (self.label.weight, prior_spread**-2),
            (self.context, CONTEXT_SPREAD**-2),
        )
        for numbers, precision in precisions:
            if numbers.grad is not None:
                numbers.grad.add_(numbers, alpha=precision * share)
