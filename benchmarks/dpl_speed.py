"""How fast training is: ours beside a plain loop in Hugging Face's style, and DPL end to end.

Both train the same encoder on the same texts, in batches of the same size and in the same precision
(bfloat16 on a GPU, or a CPU that has it, else float32), cut off at the same length, without gaps.
Tokens are real ones: padding does not count. A steady pace is what counts; the first steps, in
which memory is found and kernels are chosen or recorded, are left out of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain, islice, repeat
from typing import Any

import numpy as np

import tacit
from benchmarks.dpl_problems import problem_of_tokens
from benchmarks.dpl_sets import Corpus
from benchmarks.dpl_tokens import Tokens
from benchmarks.inference_serve import timed
from benchmarks.inference_sides import Record

BATCH, MAX_TOKENS = 64, 256
GPU_STEPS, GPU_FIRST = 1200, 400  # three passes over IMDb, of which the first is left out
CPU_STEPS, CPU_FIRST = 8, 2  # a step takes some seconds there


def training_speed(corpus: Corpus, device: str) -> Record:
    """Tokens a second of both, one behind the other."""
    import torch
    from transformers.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    steps, first = (GPU_STEPS, GPU_FIRST) if device == "cuda" else (CPU_STEPS, CPU_FIRST)
    some = np.random.default_rng(0).permutation(len(corpus.train))[: steps * BATCH]
    texts = [corpus.train.texts[row] for row in some]
    gold = corpus.train.gold[some]
    plain = plain_pace(texts, gold, device, steps, first)
    ours = our_pace(texts, gold, device, steps, first)
    return {
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "torch": torch.__version__,
        "steps": steps,
        "left_out_steps": first,
        "ours": ours,
        "plain": {"tokens_per_second": plain},
        "train_speedup_vs_hf": ours["tokens_per_second"] / plain,
    }


def our_pace(texts: list[str], gold: Any, device: str, steps: int, first: int) -> Record:
    """Tokens a second of our fine-tuning, at a steady pace and in all."""
    from tacit.predictors.pretrained.training_pace import endless_rows
    from tacit.predictors.transformer import Transformer

    predictor = Transformer(
        mode="fine_tuned",
        device=device,
        batch_size=BATCH,
        max_tokens=MAX_TOKENS,
        epochs=0,
        min_steps=steps,
        token_dropout=0,
    )
    prepared = predictor.prepare(texts)
    batches = islice(endless_rows(len(texts), BATCH, predictor.random_state), steps)
    tokens_by_step = np.cumsum([int(prepared.lengths[rows].sum()) for rows in batches])
    begun = time.perf_counter()
    told = [(0, begun)]
    predictor.fit_soft(
        prepared,
        np.eye(2)[gold],
        report=lambda done, steps, loss: told.append((done, time.perf_counter())),
    )
    whole = float(tokens_by_step[-1]) / (told[-1][1] - begun)
    steady = [(int(tokens_by_step[step - 1]), at) for step, at in told if step >= first]
    return {"tokens_per_second": _pace(steady), "with_first_steps_and_start": whole}


def plain_pace(texts: list[str], gold: Any, device: str, steps: int, first: int) -> float:
    """Tokens a second of the loop that anyone would write; the clock is read twice."""
    import torch
    from transformers import get_linear_schedule_with_warmup

    from tacit.predictors.pretrained.placement import Placement

    halved = Placement.of(device).for_training().dtype is not None
    model, batches = _plain_parts(texts, gold, device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-5, weight_decay=0.01)
    schedule = get_linear_schedule_with_warmup(optimiser, steps // 10, steps)  # type: ignore[no-untyped-call]
    tokens, clock = 0, []
    for step, batch in enumerate(islice(batches, steps), start=1):
        tokens += int(batch["attention_mask"].sum())
        given = {key: value.to(device) for key, value in batch.items()}
        with torch.autocast(device, torch.bfloat16, enabled=halved):
            loss = model(**given).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        if step in (first, steps):
            if device == "cuda":
                torch.cuda.synchronize()
            clock.append((tokens, time.perf_counter()))
    return _pace(clock)


def _plain_parts(texts: list[str], gold: Any, device: str) -> tuple[Any, Iterator[Any]]:
    """A model with a head for two labels, and batches without end, padded to their longest text."""
    import torch
    from torch.utils.data import DataLoader
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
    )

    from tacit.predictors.pretrained.encoders import minilm_folder

    torch.manual_seed(0)
    folder = minilm_folder()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=2)
    encoded = tokenizer(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]
    rows: Any = [{"input_ids": i, "labels": int(y)} for i, y in zip(encoded, gold, strict=True)]
    collate = DataCollatorWithPadding(tokenizer)
    loader = DataLoader(rows, BATCH, shuffle=True, drop_last=True, collate_fn=collate)
    return model.to(device).train(), chain.from_iterable(repeat(loader))


def dpl_seconds(corpus: Corpus, tokens: Tokens) -> Record:
    """Seconds of DPL with the linear predictor, from texts in memory to labels of test texts."""
    begun = time.perf_counter()
    problem = problem_of_tokens(corpus, tokens, 20)
    model = tacit.DPL(predictor="linear").fit(problem.task, problem.program)
    fitted = time.perf_counter() - begun
    predicted, _ = timed(lambda: model.predict_proba(corpus.test.texts))
    return {"set": problem.name, "texts": len(corpus.train), "fit": fitted, "predict": predicted}


def _pace(clock: list[tuple[int, float]]) -> float:
    """Tokens a second, from tokens done and the time at the begin and at the end."""
    (tokens_before, begun), (tokens, ended) = clock[0], clock[-1]
    return (tokens - tokens_before) / (ended - begun)
