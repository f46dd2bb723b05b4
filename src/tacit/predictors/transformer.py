"""The predictor of S4: a pretrained transformer with attention by a global context.

Its encoder either stays as it is (`mode="frozen"`: each text is encoded once, and training takes
seconds) or is trained along (`mode="fine_tuned"`: better, and dearer). In between, `mode="staged"`
trains the head alone when it begins, from the few texts that there is evidence of, and the encoder
with it whenever it goes on (`warm_start`), from all the texts that have got a label by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from numbers import Real
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tacit.errors import BadInput
from tacit.predictors.pretrained.attention_head import AttentionHead
from tacit.predictors.pretrained.encoders import MINILM, Encoder, as_encoder
from tacit.predictors.pretrained.fine_tuning import Tuning, fine_tune
from tacit.predictors.pretrained.frozen import HeadTraining, start_head, train_head
from tacit.predictors.pretrained.placement import DEVICES, PRECISIONS, Placement
from tacit.predictors.pretrained.text_network import BatchReader, TextNetwork
from tacit.predictors.pretrained.token_batches import PreparedTexts, tokenise_texts
from tacit.predictors.pretrained.token_features import (
    TOKENS_AT_ONCE,
    FeatureCache,
    TokenFeatures,
    encode,
)
from tacit.predictors.pretrained.token_rows import by_length, places
from tacit.predictors.protocol import Attention, Floats, Longs, Report, checked_target

T = TypeVar("T", HeadTraining, Tuning)

MODES = ("auto", "frozen", "staged", "fine_tuned")
COMPILING = ("auto", "graph", "fused", "none")
HEAD_LR = {HeadTraining: 3e-3, Tuning: 1e-3}
START_ROWS = 2000  # texts from which a fine-tuned head starts: plenty for 384 numbers a label


@dataclass(eq=False)
class Transformer:
    """P(label given text) by a pretrained transformer; the constructor only stores settings."""

    encoder: Any = MINILM  # a name on the hub, a folder, or (model, tokenizer)
    _: KW_ONLY
    mode: str = "auto"  # "staged" on a GPU; "frozen" on the CPU, where training encoders takes long
    max_tokens: int = 256  # more than half of IMDb's reviews fit; 512 cost a third more time
    batch_size: int = 64
    context_dim: int = 5  # the chapter's
    prior_spread: float = 1.0  # of a label's score before any text is seen; lower: more cautious
    head_steps: int = 300  # frozen: steps behind the start, whatever the number of texts
    head_lr: float | None = None  # None: 0.003 where it is frozen, 0.001 beside an encoder
    epochs: float = 3.0  # fine-tuned: passes over the texts ...
    min_steps: int = 500  # ... but never fewer steps: some thousand short texts need five passes;
    # staged: half of min_steps, and of epochs where it goes on from what it has learned, since
    # labels are noisy
    encoder_lr: float = 5e-5  # 2e-5 to 5e-5 is usual; small encoders take the larger
    warm_up: float = 0.1  # the share of steps in which rates rise; then they fall to 0
    clip_norm: float = 1.0
    weight_decay: float = 0.01  # fine-tuned: of the encoder; the head has its prior
    token_dropout: float = 0.4  # fine-tuned: tokens of a short text left out whenever it is read
    random_state: int = 0
    device: str = "auto"  # the GPU where there is one
    precision: str = "auto"  # bfloat16 on a GPU, and to train where a CPU has it; else float32
    compile: str = "auto"  # fine-tuned on a GPU: "graph" records steps, "fused" compiles them too
    cache_folder: str | None = None  # of states too large for memory; None: a temporary one
    cache_limit: float = 2e9  # bytes of states that are kept in memory
    network_: TextNetwork | None = field(default=None, init=False, repr=False)
    _encoder: Encoder | None = field(default=None, init=False, repr=False)
    _tuned: Encoder | None = field(default=None, init=False, repr=False)
    _cache: FeatureCache | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant."""
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise BadInput(
                    f"{name}={getattr(self, name)!r} is unknown",
                    remedy="one of " + ", ".join(known),
                )
        for name in (*_LEAST, "warm_up", "token_dropout"):
            if not isinstance(getattr(self, name), Real):
                raise BadInput(f"{name}={getattr(self, name)!r} is no number")
        for name, least in _LEAST.items():
            if not getattr(self, name) >= least:
                raise BadInput(f"{name}={getattr(self, name)!r} is less than {least}")
        for name, of in (("warm_up", "steps"), ("token_dropout", "tokens")):
            if not 0 <= getattr(self, name) < 1:
                raise BadInput(f"{name}={getattr(self, name)!r} is no share of the {of}")

    def prepare(self, inputs: Any) -> PreparedTexts:
        """Texts as tokens; what is prepared already comes back as it is."""
        if isinstance(inputs, PreparedTexts):
            return inputs
        reader = self._tuned or self._pretrained()
        if self.max_tokens > reader.most_tokens:
            raise BadInput(
                f"max_tokens={self.max_tokens} is more than this encoder reads",
                remedy=f"max_tokens={reader.most_tokens} at most",
            )
        return tokenise_texts(inputs, reader, self.max_tokens)

    def hiding(self, inputs: Any, words: Sequence[str]) -> PreparedTexts:
        """Texts that an encoder learns from without these words; one that is frozen reads all."""
        if isinstance(words, str):
            raise BadInput(f"the hidden words are one text, {words!r}", remedy=f"[{words!r}]")
        texts = self.prepare(inputs)
        return texts.hiding(words) if self.memorises else texts

    def fit_soft(
        self,
        inputs: Any,
        target: Floats,
        sample_weight: Floats | None = None,
        *,
        warm_start: bool = False,
        report: Report | None = None,
    ) -> Self:
        """Train on probabilities of labels; anew, or from where the last training ended.

        In stages, one that goes on trains its encoder, also where it has learned nothing yet.
        """
        texts = self.prepare(inputs)
        target, weight = checked_target(len(texts), target, sample_weight)
        kept = np.flatnonzero(weight > 0)
        texts, target, weight = texts.take(kept), target[kept], weight[kept]
        if not warm_start:
            self.network_ = self._tuned = None
        elif self.network_ is not None and self.network_.head.n_labels != target.shape[1]:
            raise BadInput(
                f"the target has {target.shape[1]} labels; what was learned, "
                f"{self.network_.head.n_labels}",
                remedy="warm_start=False",
            )
        fit = self._fit_head if self._trains_head_alone(goes_on=warm_start) else self._fit_all
        fit(texts, target, weight, report)
        return self

    @property
    def memorises(self) -> bool:
        """Whether the encoder is trained: it has room for every label, a head has not."""
        return self._chosen_mode() != "frozen"

    def _chosen_mode(self) -> str:
        if self.mode != "auto":
            return self.mode
        return "frozen" if self._placement().device.type == "cpu" else "staged"

    def _trains_head_alone(self, *, goes_on: bool) -> bool:
        """Whether the next training leaves the encoder as it was pretrained."""
        mode = self._chosen_mode()
        return self._tuned is None and (mode == "frozen" or (mode == "staged" and not goes_on))

    def log_probs(self, inputs: Any) -> Floats:
        """(texts, labels): the log-probability of each label."""
        texts = self.prepare(inputs)
        head = self._trained().head
        found = np.empty((len(texts), head.n_labels))
        with torch.inference_mode():
            for rows, states, mask in self._states(texts):
                found[rows] = head(states, mask).double().cpu().numpy()
        # Log-softmax in float32 adds up to 1 within 1e-6; callers are promised float64.
        return np.asarray(found - np.log(np.exp(found).sum(axis=1, keepdims=True)))

    def embeddings(self, inputs: Any) -> NDArray[np.float32]:
        """(texts, width): the states of each text, each as much as attention gives it."""
        texts = self.prepare(inputs)
        network = self._trained()
        found = np.empty((len(texts), network.head.look.in_features), dtype=np.float32)
        with torch.inference_mode():
            for rows, states, mask in self._states(texts):
                pooled = network.head.pooled(states, network.head.shares(states, mask))
                found[rows] = pooled.cpu().numpy()
        return found

    def adapted(self, inputs: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The embeddings, and the mean states of texts under the encoder as it was pretrained."""
        texts = self.prepare(inputs)
        before = self._features(texts).means[texts.rows]
        return self.embeddings(texts), before.astype(np.float32)

    def attention(self, inputs: Any) -> Attention:
        """How much each word of each text counted: the shares of its tokens, added up."""
        texts = self.prepare(inputs)
        source, head = texts.source, self._trained().head
        share = np.zeros(len(source.ids), dtype=np.float32)
        counted = np.flatnonzero(source.counts)
        with torch.inference_mode():
            for rows, states, mask in self._states(texts):
                shares = head.shares(states, mask)
                at = counted[places(source.first_counted, texts.rows[rows])]
                share[at] = shares[mask].cpu().numpy()
        return source.words.attention(texts.rows, source.first, share)

    def first_stage(self) -> Self | None:
        """The same with an encoder that stays as it is, if this one learns in stages."""
        return self._like(mode="frozen") if self._chosen_mode() == "staged" else None

    def fresh(self, random_state: int) -> Self:
        """The same settings, nothing learned; encoder and cached states are shared."""
        return self._like(random_state=random_state)

    def _like(self, **changed: Any) -> Self:
        copy = replace(self, **changed)
        copy._encoder = self._encoder
        copy._cache = self._cached()
        return copy

    def save(self, folder: Path) -> None:
        """Write settings and head; and the encoder, if it was trained or has no name."""
        from tacit.predictors.pretrained.transformer_files import save

        save(self, Path(folder))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` has written."""
        from tacit.predictors.pretrained.transformer_files import load

        return load(cls, Path(folder))

    def settings(self) -> dict[str, Any]:
        """What the constructor was given, by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def _fit_head(
        self, texts: PreparedTexts, target: Floats, weight: Floats, report: Report | None
    ) -> None:
        """Train the head alone, on states that were computed once."""
        features = self._features(texts)
        if self.network_ is None:
            pretrained, placement = self._pretrained(), self._placement()
            head = self._new_head(target.shape[1])
            start_head(head, features, texts.rows, target, weight, self.prior_spread)
            self.network_ = TextNetwork(pretrained.placed(placement), head, pretrained.markers)
        training = self._only(HeadTraining)
        train_head(self.network_.head, features, texts.rows, target, weight, training, report)

    def _fit_all(
        self, texts: PreparedTexts, target: Floats, weight: Floats, report: Report | None
    ) -> None:
        """Train encoder and head together; the head starts from some texts' first states."""
        pretrained, placement = self._pretrained(), self._placement()
        begins = self.network_ is None
        if self._tuned is None:
            head = self._started_head(texts, target, weight) if begins else None
            self._tuned = Encoder(pretrained.copy(placement), pretrained.tokenizer)
            head = head or self._trained().head
            self.network_ = TextNetwork(self._tuned.model, head, pretrained.markers)
        assert self.network_ is not None
        tuning, placement = self._only(Tuning), placement.for_training(self.precision)
        if self._chosen_mode() == "staged":
            epochs = self.epochs if begins else self.epochs / 2
            tuning = replace(tuning, epochs=epochs, min_steps=self.min_steps // 2)
        fine_tune(self.network_, texts, target, weight, tuning, placement, report)

    def _started_head(self, texts: PreparedTexts, target: Floats, weight: Floats) -> AttentionHead:
        """A head that has learned from the first states of some texts."""
        head = self._new_head(target.shape[1])
        some = np.random.default_rng(self.random_state).permutation(len(texts))[:START_ROWS]
        some.sort()
        alone = texts.take(some).alone()
        features = encode(alone.source, self._pretrained(), self._placement())
        start_head(head, features, alone.rows, target[some], weight[some], self.prior_spread)
        return head

    def _states(self, texts: PreparedTexts) -> Iterator[tuple[Longs, Tensor, Tensor]]:
        """Rows of texts, the states of their tokens, and the mask of those that count."""
        placement, network = self._placement(), self._trained()
        batches = by_length(texts.lengths, 4096, TOKENS_AT_ONCE[placement.device.type])
        if self._tuned is None:
            features = self._features(texts)
            for rows in batches:
                yield rows, *features.batch(texts.rows[rows], placement.device)
        else:
            reader = BatchReader(network, texts, placement)
            for rows in batches:
                yield rows, *reader.states(reader.on_device(reader.batch(rows)))

    def _features(self, texts: PreparedTexts) -> TokenFeatures:
        return self._cached().features(texts.source, self._pretrained(), self._placement())

    def _new_head(self, n_labels: int) -> AttentionHead:
        width = self._pretrained().width
        head = AttentionHead(width, n_labels, self.context_dim, self.random_state)
        return head.to(self._placement().device)

    def _only(self, kind: type[T]) -> T:
        """Those of the settings that one kind of training takes."""
        chosen = {each.name: getattr(self, each.name) for each in fields(kind)}
        if self.head_lr is None:
            chosen["head_lr"] = HEAD_LR[kind]
        return kind(**chosen)

    def _placement(self) -> Placement:
        return Placement.of(self.device, self.precision)

    def _pretrained(self) -> Encoder:
        """The encoder as it was pretrained, loaded when it is first needed."""
        if self._encoder is None:
            self._encoder = as_encoder(self.encoder)
        return self._encoder

    def _cached(self) -> FeatureCache:
        if self._cache is None:
            self._cache = FeatureCache(self.cache_folder, self.cache_limit)
        return self._cache

    def _trained(self) -> TextNetwork:
        if self.network_ is None:
            raise BadInput("this predictor has learned nothing yet", remedy="call fit_soft first")
        return self.network_


_CHOICES = {"mode": MODES, "device": DEVICES, "precision": PRECISIONS, "compile": COMPILING}
_LEAST = {
    "max_tokens": 3,
    "batch_size": 1,
    "context_dim": 1,
    "prior_spread": 1e-6,
    "head_steps": 0,
    "epochs": 0,
    "min_steps": 0,
    "encoder_lr": 0,
    "clip_norm": 1e-12,
    "weight_decay": 0,
    "cache_limit": 0,
}
