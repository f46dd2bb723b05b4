"""The book of a run: every step in the ledger, and from the ledger the place where to go on.

A step is recorded whole or not at all. What comes next depends on nothing but the ledger, so a run
that was killed goes on as if it had not been.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.identity import program_fingerprint
from tacit.logic.evidence import Declaration, Evidence
from tacit.logic.formula import Atom
from tacit.logic.program import Program
from tacit.logic.traverse import walk
from tacit.review.events import Event, Stamp
from tacit.review.ledger import Ledger
from tacit.review.questions import Answer, Question
from tacit.s4 import standing
from tacit.s4.asking import offered
from tacit.s4.health import Health
from tacit.s4.programs import Programs
from tacit.s4.standing import Round

WHO = "tacit"


class Book:
    """A run of S4, as its ledger tells it."""

    def __init__(
        self, ledger: Ledger, seed: Program, task: Task, clock: Callable[[], float] = time.time
    ) -> None:
        self.ledger, self.seed, self.clock = ledger, seed, clock
        self.data = task.fingerprint()
        self.known = Program(seed.declarations)
        self._programs = Programs(seed)
        self._offers: dict[str, tuple[Evidence, ...]] = {}  # by question, under what is known
        self._begin()

    def _begin(self) -> None:
        """Record the start, unless this run has begun before; another run's ledger is refused."""
        started = self._of_kind("started")
        if not started:
            self.ledger.start(self.seed, self._stamp())
            return
        first = started[0]
        for what, then, now in (
            ("program", first.stamp.program, program_fingerprint(self.seed)),
            ("data", first.stamp.data, self.data),
        ):
            if then != now:
                raise BadInput(
                    f"the ledger {self.ledger.path} is of a run on another {what}",
                    remedy="go on with what that run began with, or name another ledger",
                )

    # What has happened

    @property
    def program(self) -> Program:
        """The seed program with all that is in force."""
        return self._programs.of(self.ledger.in_force().values())

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds of self-training so far."""
        return standing.rounds(self.ledger.history())

    @property
    def last_round(self) -> Round | None:
        """The last round that holds, if nothing was added or taken out since."""
        holds = [own for own in self.rounds if not own.rolled_back]
        if not holds:
            return None
        names = tuple(self.ledger.in_force())
        return holds[-1] if names[-len(holds[-1].names) :] == holds[-1].names else None

    def program_before(self, last: Round) -> Program:
        """The program as it was before a round."""
        in_force = self.ledger.in_force().items()
        return self._programs.of(event for name, event in in_force if name not in last.names)

    def less_last_step(self, program: Program) -> Program:
        """A program of this run without what joined it last: a round, or answers in a row."""
        own = {one.name for one in program.evidence}
        added = [event for name, event in self.ledger.in_force().items() if name in own]
        return self._programs.of(standing.without_last_step(added))

    def program_to_ask(self, at_once: int) -> Program:
        """The program from which questions are chosen: as it was when the last few began."""
        latest = standing.latest_answers(self.ledger.history(), at_once)
        return self._programs.of(
            event for event in self.ledger.in_force().values() if event.question not in latest
        )

    @property
    def vouched_for(self) -> Program:
        """The seed program with what people have said yes to, and nothing that was self-taught."""
        in_force = self.ledger.in_force().values()
        return self._programs.of(event for event in in_force if event.question is not None)

    @property
    def is_settled(self) -> bool:
        """Whether self-training has ended, and nothing has changed the program since."""
        return standing.is_settled(self.ledger.history())

    @property
    def is_asking(self) -> bool:
        """Whether self-training has ended, and only answers have changed the program since."""
        return standing.is_asking(self.ledger.history())

    @property
    def health(self) -> tuple[Health, ...]:
        """The health of the program before each round, and when self-training ended."""
        return standing.health(self.ledger.history())

    @property
    def reason(self) -> str:
        """Why self-training ended."""
        return standing.reason(self.ledger.history())

    @property
    def n_asked(self) -> int:
        """How many questions were answered; what was skipped cost no answer."""
        return standing.n_asked(self.ledger.history())

    def wants_question(self, ahead: int, budget: int) -> bool:
        """Whether another question may wait beside those that do, and its answer be paid for."""
        history = self.ledger.history()  # one look: answers may come between two
        n_waiting, n_asked = len(standing.unanswered(history)), standing.n_asked(history)
        return n_waiting < min(ahead, budget - n_asked)

    @property
    def spoken_of(self) -> tuple[Evidence, ...]:
        """All evidence that was ever in the program, added, taken back or offered in a question."""
        return self.spoken_since(0)[0]

    def spoken_since(self, sequence: int) -> tuple[tuple[Evidence, ...], int]:
        """What was spoken of behind an event of the ledger, 0 for all, and the last event."""
        history = self.ledger.history()
        new = [event for event in history if event.sequence > sequence]
        texts = {str(e.payload["text"]): e for e in new if e.kind == "added"}
        added = [self._programs.line(event) for event in texts.values()]
        asked = [event for event in new if event.kind == "proposed"]
        offers = [one for event in asked for one in self._offered(event)]
        seeds = () if sequence else self.seed.evidence
        return (*seeds, *added, *offers), history[-1].sequence

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """The questions that were put and wait for their answers, the oldest first."""
        return _questions(standing.unanswered(self.ledger.history()))

    def to_wait_for(self, budget: int) -> tuple[Question, ...]:
        """The open questions, if an answer can still be paid for."""
        history = self.ledger.history()  # one look: answers may come between two
        has_budget = standing.n_asked(history) < budget
        return _questions(standing.unanswered(history)) if has_budget else ()

    @property
    def as_guessed(self) -> tuple[Evidence, ...]:
        """The evidence in force, and what open questions bring if the likeliest is said to each."""
        guessed = [
            offer
            for event in standing.unanswered(self.ledger.history())
            for offer, own in zip(self._offered(event), event.payload["offers"], strict=True)
            if own["label"] == event.payload.get("guess")
        ]
        return (*self._programs.evidence(self.ledger.in_force().values()), *guessed)

    @property
    def not_taken_up(self) -> tuple[Event, ...]:
        """Answers that chose a label and whose evidence was never added: they came by the queue."""
        return standing.not_taken_up(self.ledger.history())

    # What happens now

    def know(self, declarations: Iterable[Declaration]) -> None:
        """Declare the relations that proposals are made of, beside those of the seed program."""
        own = self.seed.declarations
        new = dict.fromkeys(d for d in declarations if d not in own)
        self.known = Program((*own, *new))  # nothing but declarations
        self._offers.clear()

    def add_round(
        self, number: int, evidence: Iterable[Evidence], borne_out: float, health: Health
    ) -> None:
        """Record a round of self-training, all of it at once."""
        stamp = self._stamp()
        facts = {"round": number, "borne_out": borne_out}
        with self.ledger.together():
            self.ledger.note("health", stamp, {"before": health.as_dict()})
            for one in evidence:
                self.ledger.add(one, stamp, declarations=self._of(one), health=facts)

    def roll_back(self, last: Round, why: str, health: Health) -> None:
        """Record that a round is taken back, and that self-training ends with it."""
        stamp = self._stamp()
        with self.ledger.together():
            in_force = self.ledger.in_force()  # a person may have taken some of it out meanwhile
            for name in filter(in_force.__contains__, last.names):
                self.ledger.roll_back(name, stamp, {"round": last.number, "why": why})
            self.ledger.note("health", stamp, {"before": health.as_dict(), "settled": why})

    def settle(self, why: str, health: Health) -> None:
        """Record that self-training has ended, and why."""
        self.ledger.note("health", self._stamp(), {"before": health.as_dict(), "settled": why})

    def put(self, question: Question) -> None:
        """Put a question into the queue."""
        self.ledger.propose(question, self._stamp())

    def take(self, answer: Answer, evidence: Evidence | None, turn: int) -> bool:
        """Record an answer, with the evidence that it brings; False if it no longer stands.

        Others write too: since the question was asked, in that turn of it, this answer may have
        been taken back, or another one been given.
        """
        stamp = self._stamp()
        with self.ledger.together():
            before = self.ledger.answer_to(answer.question)
            if before not in (None, answer) or self.ledger.turn_of(answer.question) != turn:
                return False
            # Whoever looked at it on a page may have left long ago.
            own = {"data": stamp.data, "program": stamp.program}
            self.ledger.answer(answer, **own, even_if_held=True)
            if evidence is not None:
                self.ledger.add(
                    evidence, stamp, question=answer.question, declarations=self._of(evidence)
                )
        return True

    def take_back(self, who: str) -> bool:
        """Take back the last answer of a reviewer, with the evidence that it brought."""
        last = self.ledger.last_answered(who)
        if last is None:
            return False
        self.ledger.take_back(last, self._stamp())
        return True

    def _offered(self, event: Event) -> tuple[Evidence, ...]:
        """What a question has offered, read once only."""
        key = str(event.question)
        if key not in self._offers:
            self._offers[key] = offered(Question.from_dict(event.payload), self.known)
        return self._offers[key]

    def _of_kind(self, kind: str) -> list[Event]:
        return [event for event in self.ledger.history() if event.kind == kind]

    def _stamp(self) -> Stamp:
        now = self._programs.fingerprint(self.ledger.in_force().values())
        return Stamp(WHO, self.clock(), self.data, now)

    def _of(self, evidence: Evidence) -> list[Declaration]:
        """The declarations that evidence needs and the seed program lacks."""
        used = {node.predicate for node in walk(evidence.formula) if isinstance(node, Atom)}
        own = set(self.seed.declarations)
        return [d for d in self.known.declarations if d not in own and d.name in used]


def _questions(put: Iterable[Event]) -> tuple[Question, ...]:
    return tuple(Question.from_dict(event.payload) for event in put)
