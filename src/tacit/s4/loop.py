"""Algorithm 2 (self-supervised self-supervision): the program grows itself, and asks a person.

Structured self-training adds what the network has learned to recognise, round by round, until the
labels by the evidence alone settle, the network no longer bears the proposals out, or the guard
takes a round back. Then a person is asked about one feature at a time, or several people about
several that wait; a yes joins the program as evidence, from which self-training goes on. Nothing is
proposed or asked twice. Where it is asked for, a round adds similar pairs of instances too.
"""

from __future__ import annotations

from tacit.learning.dpl import DPL
from tacit.s4.config import S4Config
from tacit.s4.health import Health, measure
from tacit.s4.proposing import Batch, propose_batch, propose_question
from tacit.s4.run import ALL_ROUNDS, Run

NOTHING_ALIKE = "nothing is left that keeps the company of the seeds"


def grow(run: Run) -> DPL:
    """Self-training, then questions until the budget is spent, then self-training from them."""
    run.take_up()
    if not run.book.is_asking:
        self_train(run)
    while True:
        can_ask = ask_all(run)
        model = self_train(run)
        # Answers may come, or be taken back, while it goes on.
        if not run.take_up() and not (can_ask and has_budget(run)):
            return model


def self_train(run: Run) -> DPL:
    """Structured self-training: fit, look after the program's health, propose, add; until done."""
    book, config = run.book, run.config
    while True:
        model = run.fit(book.program)
        if book.is_settled and not run.has_rounds_left:
            return model
        last = book.last_round
        before = run.fit(book.program_before(last)) if last else None
        health = measure(
            run.views(model),
            run.seeds,
            run.views(before) if before else None,
            run.recognised(model) if config.guard else None,
        )
        run.tell(health, model)
        why = symptom(run, model, before) if before and config.guard else None
        if last and why:
            book.roll_back(last, why, health)
            continue
        batches = [
            propose_batch(
                model, views, run.left(name), run.expected[name], config, run.among(model, name)
            )
            for name, views in run.views(model).items()
        ]
        why = reason_to_stop(run, batches, health)
        if why:
            book.settle(why, health)
        else:
            borne_out = [batch for batch in batches if is_borne_out(batch, config)]
            run.add(model, borne_out, health)


def symptom(run: Run, model: DPL, before: DPL) -> str | None:
    """What the last round has made worse than the guard allows, in words; None if nothing."""
    return run.yardstick.symptom(run.views(model), run.config) or run.unlearned(model, before)


def reason_to_stop(run: Run, batches: list[Batch], health: Health) -> str | None:
    """Why no round follows, in words; None if one does."""
    config, n_rounds = run.config, len(run.book.rounds)
    if n_rounds >= config.rounds:
        return ALL_ROUNDS
    if n_rounds and health.changed < config.settled:
        return f"labels have settled: the last round changed {health.changed:.1%} of them"
    if not any(len(batch) for batch in batches):
        kept = any(len(batch.candidates) for batch in batches)
        return NOTHING_ALIKE if kept else "nothing is left to propose"
    if not any(is_borne_out(batch, config) for batch in batches):
        best = max(batch.borne_out for batch in batches)
        return f"the network bears out the best proposals by {best:.0%} only"
    return None


def is_borne_out(batch: Batch, config: S4Config) -> bool:
    """Whether the network gives the labels of a batch to enough of its instances."""
    return not config.guard or batch.borne_out >= config.borne_out


def ask_all(run: Run) -> bool:
    """Ask until the budget is spent; False when nobody can be asked any more."""
    can_ask = True
    while can_ask and has_budget(run):
        can_ask = ask(run)
        run.take_up()
    return can_ask


def has_budget(run: Run) -> bool:
    """Whether more questions may be answered."""
    return run.book.n_asked < run.config.budget


def ask(run: Run) -> bool:
    """Keep questions waiting and take one answer; False when nobody can be asked any more."""
    found = True
    while found and run.wants_question:
        found = put_question(run)
    return bool(found or run.book.open_questions) and run.take_answer()


def put_question(run: Run) -> bool:
    """Put a question, chosen as if those that wait were answered; False if there is none."""
    book, config = run.book, run.config
    model = run.fit(book.program_to_ask(config.at_once))
    if book.n_asked:
        run.tell(measure(run.views(model), run.seeds, None), model)
    proposals = [
        (proposal, name)
        for name, views in run.views(model).items()
        if (proposal := propose_question(views, run.left(name), book.as_guessed, config))
    ]
    if proposals:
        run.question(model, *max(proposals, key=lambda each: each[0].score))
    return bool(proposals)
