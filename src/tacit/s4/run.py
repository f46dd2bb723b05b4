"""A run of S4: the fits, the candidates, the reviewer and the book that Algorithm 2 works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from math import isfinite

from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.dpl import DPL
from tacit.learning.label_model import LabelModel
from tacit.learning.predictor_step import nearest_shares
from tacit.learning.shares import MANY, bounds_of, expected_shares
from tacit.learning.views import Views
from tacit.logic.evidence import Evidence, Learned, Origin
from tacit.logic.naming import Names, identifier
from tacit.logic.program import Program
from tacit.predictors.protocol import memorises
from tacit.proposals import Candidates, Proposal, Scores
from tacit.review.origins import accepted_by, proposed_by
from tacit.review.questions import UNDO, Answer, Question
from tacit.review.reviewers import (
    NotAnsweredYet,
    Reviewer,
    ReviewerLeft,
    first_answer,
    n_ahead,
)
from tacit.s4.asking import offered, question_of
from tacit.s4.book import Book
from tacit.s4.company import in_good_company
from tacit.s4.config import S4Config
from tacit.s4.health import Health, Yardstick
from tacit.s4.pairing import propose_similar, require_pretrained
from tacit.s4.proposing import Batch, all_candidates, still_new
from tacit.s4.recognised import Recognition
from tacit.s4.standing import is_yes

WHOSE = "the seeds and the answers"  # once there are answers
ALL_ROUNDS = "all rounds are done"
SST = "sst"  # the origin of what self-training adds
# Fits: of the seeds, of this program, of the one before the last round, of what is vouched for.
KEPT = 4

# Told of each program: how many fits there were, its health, and what it and its network learned.
Progress = Callable[[int, Health, DPL], None]
BeforeFit = Callable[[Program], None]  # told of each program before it is fitted, which takes time


class Run:
    """All that Algorithm 2 works with. What it does is in the ledger; the rest can be had again."""

    def __init__(
        self,
        task: Task,
        dpl: DPL,
        book: Book,
        config: S4Config,
        *,
        reviewer: Reviewer | None = None,
        progress: Progress | None = None,
        before_fit: BeforeFit | None = None,
        another_learns_last: bool = False,
    ) -> None:
        if config.budget and reviewer is None:
            raise BadInput(
                f"there is nobody to answer {config.budget} questions",
                remedy="give a reviewer, such as TerminalReviewer(), or budget=0",
            )
        self.task, self.dpl, self.book = task, dpl, book
        self.config = config
        self.reviewer, self.progress, self.before_fit = reviewer, progress, before_fit
        self.n_fits = 0
        self._told: DPL | None = None
        self._fits: dict[Program, DPL] = {}  # the latest last
        self._views: dict[Program, dict[str, Views]] = {}
        self._left: dict[str, tuple[int, Candidates]] = {}  # up to which event, and what is left
        seed = self.fit(book.seed)
        is_weak = _has_weak_seeds(seed)
        n_pieces = {name: 0 if is_weak else _n_pieces(seed, name) for name in seed.predictors_}
        self.held = held = seed.shares_
        self.config = config.where(
            another_learns_last=another_learns_last, held=set(held) == set(seed.predictors_)
        )
        self.expected = {
            name: expected_shares(own, n_pieces[name], stated=seed.states_shares(name))
            for name, own in self.views(seed).items()
        }
        self.expected |= {name: nearest_shares(self.expected[name], held[name]) for name in held}
        self.bounds = {
            name: held[name] if name in held else bounds_of(own, n_pieces[name])
            for name, own in self.expected.items()
            if name in held or (len(own) >= MANY and not seed.states_shares(name))
        }
        if is_weak:
            self._trust_seeds_less()
        require_pretrained(seed.predictors_, config)
        self.functions = tuple(seed.predictors_)
        self.candidates = all_candidates(task, book.seed, self.functions, config)
        book.know(d for own in self.candidates.values() for d in own.declarations)
        self._yardstick = book.seed, Yardstick.of(self.views(seed), held)
        self.seeds = self._yardstick[1].says  # progress is told against these, to the end
        self._recognition = Recognition(book.seed, self.seeds, task, self.functions)

    def _trust_seeds_less(self) -> None:
        """Seeds that say little are no yardstick: what is better than they are may outvote them.

        Their weights stay as given in every round, as learning would silence some labels. Nor is
        the network heard that has learned from them alone, unless it is asked for.
        """
        self.dpl = self.dpl.clone()
        self.dpl.label_model = copy(self.dpl.label_model or LabelModel())
        self.dpl.label_model.keywords = "plausible"
        warm = "never" if self.config.warm_start == "auto" else self.config.warm_start
        self.config = replace(
            self.config,
            borne_out=self.config.borne_out / 2,
            company=0.0,
            most_forgotten=1.0,
            most_unlearned=float("inf"),
            warm_start=warm,
        )

    def fit(self, program: Program) -> DPL:
        """What a program and a network teach each other.

        What is known of the data is not worked out again, and a program that was fitted of late is
        not fitted again.
        """
        if program not in self._fits:
            self._fits[program] = self._new_fit(program)
            self.n_fits += 1
        self._fits[program] = self._fits.pop(program)  # the latest last
        for old in [own for own in self._fits if own != self.book.seed][: -(KEPT - 1)]:
            del self._fits[old]
            self._views.pop(old, None)
        return self._fits[program]

    def _new_fit(self, program: Program) -> DPL:
        """A fit that depends on nothing but what is in force: a run that resumes has the same."""
        seed = self._fits.get(self.book.seed)
        heard = [] if seed is None else [name for name in seed.predictors_ if self._is_heard(name)]
        said, shares = {}, {}
        if heard:
            before = self.fit(self.book.less_last_step(program)).said()
            said = {name: before[name] for name in heard}
        if seed is not None:
            freely = set(heard) - set(self.held)
            shares = {name: own for name, own in self.bounds.items() if name not in freely}
        if self.before_fit is not None:
            self.before_fit(program)
        dpl = self.dpl.clone()
        if seed is not None:
            dpl.hold_shares = False  # what the seeds tell of shares stands
        if seed is not None and len(heard) == len(seed.predictors_):
            dpl.rounds = 1  # all others were done for the smaller program
        return dpl.fit(self.task, program, previous=seed, said=said, shares=shares)

    def _is_heard(self, name: str) -> bool:
        """Whether what a network has learned from a program goes into the next, larger one."""
        if self.config.warm_start != "auto":
            return self.config.warm_start == "always"
        seed = self._fits[self.book.seed]
        return memorises(seed.predictors_[name]) and seed.votes_unseen(name)

    def views(self, model: DPL) -> dict[str, Views]:
        """What evidence and network say, by label function."""
        if model.program_ not in self._views:
            self._views[model.program_] = {name: model.views(name) for name in model.predictors_}
        return self._views[model.program_]

    @property
    def yardstick(self) -> Yardstick:
        """What the guard measures by: the seeds, and what people have said yes to by now."""
        vouched = self.book.vouched_for
        if vouched != self._yardstick[0]:
            model = self.fit(vouched)
            held = self._fits[self.book.seed].shares_
            self._yardstick = vouched, Yardstick.of(self.views(model), held, WHOSE)
        return self._yardstick[1]

    @property
    def has_rounds_left(self) -> bool:
        """Whether self-training ended for want of rounds, and more are allowed now."""
        return self.book.reason == ALL_ROUNDS and len(self.book.rounds) < self.config.rounds

    def left(self, name: str) -> Candidates:
        """The candidates of a label function that were never proposed and never asked about."""
        since, left = self._left.get(name, (0, self.candidates[name]))
        spoken_of, last = self.book.spoken_since(since)
        if spoken_of:  # what was spoken of once stays so: only what is new is looked at
            left = still_new(left, spoken_of, self.book.known)
        self._left[name] = last, left
        return left

    def among(self, model: DPL, name: str) -> Callable[[Scores], Scores]:
        """What may be proposed: all, or under the guard what keeps good company."""
        config, left = self.config, self.left(name)
        if not config.guard or not config.company:
            return lambda scores: scores
        return lambda scores: in_good_company(scores, left, model, self.seeds, self.task, config)

    def unlearned(self, model: DPL, before: DPL) -> str | None:
        """What the networks no longer recognise since the last round, in words, if it is much."""
        return self._recognition.lost(model, before, float(self.config.most_unlearned))

    def recognised(self, model: DPL) -> float | None:
        """The share of the seeds' texts that is recognised without their words, a mean."""
        return (
            self._recognition.share(model) if isfinite(float(self.config.most_unlearned)) else None
        )

    def tell(self, health: Health, model: DPL) -> None:
        """Tell of the progress, once of each program."""
        if self.progress is not None and model is not self._told:
            self._told = model
            self.progress(self.n_fits, health, model)

    def add(self, model: DPL, batches: list[Batch], health: Health) -> None:
        """A round of self-training joins the program: features, then similar pairs."""
        number = len(self.book.rounds) + 1
        spoken_of = self.book.spoken_of
        names = Names(e.name for e in spoken_of)
        borne_out = max(batch.borne_out for batch in batches)
        new = [
            self._evidence(proposal, batch.candidates, names, {"round": number})
            for batch in batches
            for proposal in batch.proposals
        ]
        for label in (batch.candidates.label for batch in batches):
            views = self.views(model)[label.name]
            for pair in propose_similar(model, views, label, self.task, spoken_of, self.config):
                origin = self._origin(SST, pair.score, {"round": number})
                new.append(pair.evidence(label, origin=origin, name=names.new(pair.name)))
        self.book.add_round(number, new, borne_out, health)

    def question(self, model: DPL, proposal: Proposal, name: str) -> Question:
        """A question about a proposal, in the queue."""
        views = self.views(model)[name]
        weight = self.config.asked_weight
        question = question_of(proposal, self.candidates[name], views, self.task, weight)
        self.book.put(question)
        return question

    @property
    def wants_question(self) -> bool:
        """Whether another question may wait beside those that do."""
        assert self.reviewer is not None
        return self.book.wants_question(n_ahead(self.reviewer), self.config.budget)

    def take_answer(self) -> bool:
        """Wait for an answer, and record it with what it brings; False if nobody answers."""
        assert self.reviewer is not None
        waiting = {own.id: own for own in self.book.to_wait_for(self.config.budget)}
        if not waiting:
            return True  # enough were answered meanwhile
        turns = {key: self.book.ledger.turn_of(key) for key in waiting}
        try:
            answer = first_answer(self.reviewer, tuple(waiting.values()))
        except (NotAnsweredYet, ReviewerLeft):
            return False
        if answer is None:
            return True  # other questions wait now
        if answer.choice == UNDO:
            self.book.take_back(answer.who)
            return True
        question = waiting.get(answer.question)
        if question is None:
            raise BadInput(f"question {answer.question} was answered, but others were asked")
        question.check(answer.choice)
        chosen = self._chosen(question, answer) if is_yes(answer.choice) else None
        self.book.take(answer, chosen, turns[question.id])
        return True

    def take_up(self) -> bool:
        """Take the answers that came into the queue while nobody waited; False if none has."""
        found = self.book.not_taken_up
        for event in found:
            answer = Answer.from_dict(event.payload)
            question = self.book.ledger.question(answer.question)
            self.book.take(answer, self._chosen(question, answer), event.turn)
        return bool(found)

    def _chosen(self, question: Question, answer: Answer) -> Evidence:
        """The evidence that an answer brings."""
        origin = proposed_by(question.rule, score=question.score, when=self.book.clock())
        found = offered(question, self.book.known)[question.labels.index(answer.choice)]
        names = Names(e.name for e in self.book.spoken_of)
        return replace(
            found,
            name=names.new(identifier(answer.choice, question.feature)),
            weight=Learned(self.config.asked_weight),
            origin=accepted_by(origin, answer),
        )

    def _evidence(
        self, proposal: Proposal, own: Candidates, names: Names, facts: Mapping[str, int]
    ) -> Evidence:
        """A proposal as evidence that says where it comes from."""
        origin = self._origin(proposal.rule, proposal.score, facts)
        name = names.new(identifier(str(proposal.label), proposal.feature.words))
        return proposal.evidence(own.label, weight=self.config.weight, origin=origin, name=name)

    def _origin(self, rule: str, score: float, facts: Mapping[str, int]) -> Origin:
        return proposed_by(rule, score=score, when=self.book.clock(), facts=dict(facts))


def _n_pieces(seed: DPL, name: str) -> int:
    """How many pieces of evidence speak of a label function."""
    assert isinstance(seed.label_model_, LabelModel)  # it was fitted here, and not loaded
    return seed.label_model_.votes_[name].n_sources


def _has_weak_seeds(seed: DPL) -> bool:
    """Whether the seeds are so weak that learning would leave nothing of some label's."""
    return bool(getattr(seed.label_model_, "silenced_", {}))
