"""Algorithm 2 (self-supervised self-supervision): the program grows itself, and asks a person.

Structured self-training adds what the network has learned to recognise, round by round, until the
labels by the evidence alone settle, the network no longer bears the proposals out, or the guard
takes a round back. Then a person is asked about one feature at a time; a yes joins the program as
evidence, from which self-training goes on. Nothing is proposed or asked twice.
"""

from __future__ import annotations

from tacit.learning.dpl import DPL
from tacit.s4.config import S4Config
from tacit.s4.health import Health, measure, symptom
from tacit.s4.proposing import Batch, propose_batch, propose_question
from tacit.s4.run import ALL_ROUNDS, Run


def grow(run: Run) -> DPL:
    """Self-training, then questions until the budget is spent, then self-training from them."""
    book = run.book
    run.take_up()
    if not book.is_asking:
        self_train(run)
    while book.n_asked < run.config.budget and ask(run):
        run.take_up()
    return self_train(run)


def self_train(run: Run) -> DPL:
    """Structured self-training: fit, look after the program's health, propose, add; until done."""
    book, config = run.book, run.config
    while True:
        model = run.fit(book.program)
        if book.is_settled and not run.has_rounds_left:
            return model
        last = book.last_round
        before = run.fit(book.program_before(last)) if last else None
        health = measure(run.views(model), run.seeds, run.views(before) if before else None)
        run.tell(health, model)
        why = symptom(health, run.start_health, config) if last and config.guard else None
        if last and why:
            book.roll_back(last, why, health)
            continue
        batches = [
            propose_batch(model, views, run.left(name), config)
            for name, views in run.views(model).items()
        ]
        why = reason_to_stop(run, batches, health)
        if why:
            book.settle(why, health)
        else:
            run.add([batch for batch in batches if is_borne_out(batch, config)], health)


def reason_to_stop(run: Run, batches: list[Batch], health: Health) -> str | None:
    """Why no round follows, in words; None if one does."""
    config, n_rounds = run.config, len(run.book.rounds)
    if n_rounds >= config.rounds:
        return ALL_ROUNDS
    if n_rounds and health.changed < config.settled:
        return f"labels have settled: the last round changed {health.changed:.1%} of them"
    if not any(len(batch) for batch in batches):
        return "nothing is left to propose"
    if not any(is_borne_out(batch, config) for batch in batches):
        best = max(batch.borne_out for batch in batches)
        return f"the network bears out the best proposals by {best:.0%} only"
    return None


def is_borne_out(batch: Batch, config: S4Config) -> bool:
    """Whether the network gives the labels of a batch to enough of its instances."""
    return not config.guard or batch.borne_out >= config.borne_out


def ask(run: Run) -> bool:
    """Put one question to a person and take the answer; False when nobody can be asked any more."""
    question = run.book.open_question
    if question is None:
        program = run.book.program
        model = run.fit(run.book.program_to_ask(run.config.at_once))
        if run.book.n_asked:
            run.tell(measure(run.views(model), run.seeds, None), model)
        found = [
            (proposal, name)
            for name, views in run.views(model).items()
            if (proposal := propose_question(views, run.left(name), program, run.config))
        ]
        if not found:
            return False
        question = run.question(model, *max(found, key=lambda each: each[0].score))
    return run.take_answer(question)
