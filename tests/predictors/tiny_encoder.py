"""A transformer so small that tests need no weights: random numbers, a few words, 32 wide."""

from functools import cache
from typing import Any

import torch

WORDS = "a and awful bad bland boring brilliant did dull film fine good great horrid it like"
WORDS += " love lovely movie nice not poor quite sad so superb the very was weak won"
MARKS = ["'", "t", "don", "x", "ray", "-", "!", ".", ","]
PIECES = ["##s", "##ly", "##ful", "##ing", "##er", *(f"##{letter}" for letter in "abcdefghij")]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@cache
def tiny_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = [*SPECIAL, *WORDS.split(), *MARKS, *PIECES]
    vocabulary = {word: code for code, word in enumerate(words)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(word, vocabulary[word]) for word in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=ends)
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
    )


def tiny_encoder(kind: str = "bert", *, dropout: float = 0.0, seed: int = 0) -> tuple[Any, Any]:
    """A model of two layers and its tokenizer; `kind` is one of transformers' model types."""
    from transformers import AutoConfig, AutoModel

    tokenizer = tiny_tokenizer()
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    if kind == "distilbert":
        sizes = {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
        sizes |= {"dropout": dropout, "attention_dropout": dropout}  # type: ignore[dict-item]
    else:
        sizes |= {"intermediate_size": 32, "hidden_dropout_prob": dropout}  # type: ignore[dict-item]
        sizes |= {"attention_probs_dropout_prob": dropout}  # type: ignore[dict-item]
    config = AutoConfig.for_model(
        kind, vocab_size=len(tokenizer), max_position_embeddings=66, pad_token_id=0, **sizes
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        model = AutoModel.from_config(config)
        for weights in model.parameters():  # the usual start is so small that texts look alike
            if weights.ndim > 1:
                torch.nn.init.normal_(weights, std=0.3)
    return model.eval(), tokenizer
