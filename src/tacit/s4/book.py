"""The book of a run: every step in the ledger, and from the ledger the place where to go on.

A step is recorded whole or not at all. What comes next depends on nothing but the ledger, so a run
that was killed goes on as if it had not been.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.identity import program_fingerprint
from tacit.logic.evidence import Declaration, Evidence
from tacit.logic.formula import Atom
from tacit.logic.program import Program
from tacit.logic.traverse import walk
from tacit.review.events import Event, Stamp
from tacit.review.ledger import Ledger
from tacit.review.questions import REJECT, SKIP, UNDO, Answer, Question
from tacit.review.replaying import replay
from tacit.s4.asking import offered
from tacit.s4.health import Health

WHO = "tacit"
LINES = 4096  # of a ledger that are read once only: more than a run adds


@dataclass(frozen=True, slots=True)
class Round:
    """A round of self-training: what it added, and whether that still holds."""

    number: int  # from 1
    names: tuple[str, ...]  # of the evidence
    borne_out: float
    rolled_back: bool


class Book:
    """A run of S4, as its ledger tells it."""

    def __init__(
        self, ledger: Ledger, seed: Program, task: Task, clock: Callable[[], float] = time.time
    ) -> None:
        self.ledger, self.seed, self.clock = ledger, seed, clock
        self.data = task.fingerprint()
        self.known = Program(seed.declarations)
        self._replayed: tuple[tuple[int, ...], Program] = (), seed  # what was in force, and made
        self._begin()

    def _begin(self) -> None:
        """Record the start, unless this run has begun before; another run's ledger is refused."""
        started = self._of_kind("started")
        if not started:
            self.ledger.start(self.seed, self._stamp(self.seed))
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
        in_force = tuple(event.sequence for event in self.ledger.in_force().values())
        if in_force != self._replayed[0]:  # to read a long program takes longer than an answer may
            self._replayed = in_force, replay(self.ledger, self.seed)
        return self._replayed[1]

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds of self-training so far."""
        names: dict[int, list[str]] = {}
        share: dict[int, float] = {}
        gone: set[int] = set()
        for event in self.ledger.history():
            number = int(event.payload.get("health", {}).get("round", 0))
            if event.kind == "added" and number:
                names.setdefault(number, []).append(str(event.name))
                share[number] = float(event.payload["health"]["borne_out"])
            elif event.kind == "rolled_back":
                gone.add(int(event.payload["round"]))
        return tuple(Round(n, tuple(own), share[n], n in gone) for n, own in names.items())

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
        return self.program.without(*last.names)

    def program_to_ask(self, at_once: int) -> Program:
        """The program from which questions are chosen: as it was when the last few began.

        Self-training goes on from all answers, so they are counted from its end.
        """
        answered: list[str | None] = []
        for event in self.ledger.history():
            if event.kind == "health" and "settled" in event.payload:
                answered = []
            elif event.kind == "answered" and event.payload["choice"] != SKIP:
                answered.append(event.question)
            elif event.kind == "undone" and event.question in answered:
                answered.remove(event.question)
        latest = answered[len(answered) // at_once * at_once :]
        in_force = self.ledger.in_force().items()
        return self.program.without(*(n for n, event in in_force if event.question in latest))

    @property
    def is_settled(self) -> bool:
        """Whether self-training has ended, and nothing has changed the program since."""
        settled = False
        for event in self.ledger.history():
            if event.kind == "health" and "settled" in event.payload:
                settled = True
            elif event.kind in ("added", "undone"):
                settled = False
        return settled

    @property
    def is_asking(self) -> bool:
        """Whether self-training has ended, and only answers have changed the program since."""
        ended = False
        for event in self.ledger.history():
            if event.kind == "health" and "settled" in event.payload:
                ended = True
            elif event.kind in ("added", "undone") and event.question is None:
                ended = False
        return ended

    @property
    def health(self) -> tuple[Health, ...]:
        """The health of the program before each round, and when self-training ended."""
        found = []
        for event in self.ledger.history():
            told = event.payload.get("before") if event.kind == "health" else None
            if told is not None:
                found.append(Health.from_dict(told))
        return tuple(found)

    @property
    def reason(self) -> str:
        """Why self-training ended."""
        ends = [e.payload["settled"] for e in self._of_kind("health") if "settled" in e.payload]
        return str(ends[-1]) if ends else ""

    @property
    def n_asked(self) -> int:
        """How many questions were answered; what was skipped cost no answer."""
        return sum(answer.choice != SKIP for answer in self.ledger.answers().values())

    @property
    def spoken_of(self) -> tuple[Evidence, ...]:
        """All evidence that was ever in the program, added, taken back or offered in a question."""
        history = self.ledger.history()
        texts = {str(e.payload["text"]): e for e in history if e.kind == "added"}
        added = [parsed(text, self._declared(event)) for text, event in texts.items()]
        asked = [Question.from_dict(e.payload) for e in history if e.kind == "proposed"]
        offers = [one for question in asked for one in offered(question, self.known)]
        return (*self.seed.evidence, *added, *offers)

    @property
    def open_question(self) -> Question | None:
        """A question that was put and waits for its answer."""
        pending = self.ledger.pending()
        return pending[0] if pending else None

    @property
    def not_taken_up(self) -> tuple[Answer, ...]:
        """Answers that chose a label and whose evidence was never added: they came by the queue."""
        found: dict[str | None, Answer] = {}
        for event in self.ledger.history():
            if event.kind == "answered" and is_yes(answer := Answer.from_dict(event.payload)):
                found[event.question] = answer
            elif event.kind in ("added", "undone"):
                found.pop(event.question, None)
        return tuple(found.values())

    # What happens now

    def know(self, declarations: Iterable[Declaration]) -> None:
        """Declare the relations that proposals are made of, beside those of the seed program."""
        own = self.seed.declarations
        new = dict.fromkeys(d for d in declarations if d not in own)
        self.known = Program((*own, *new))  # nothing but declarations

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
            for name in last.names:
                self.ledger.roll_back(name, stamp, {"round": last.number, "why": why})
            self.ledger.note("health", stamp, {"before": health.as_dict(), "settled": why})

    def settle(self, why: str, health: Health) -> None:
        """Record that self-training has ended, and why."""
        self.ledger.note("health", self._stamp(), {"before": health.as_dict(), "settled": why})

    def put(self, question: Question) -> None:
        """Put a question into the queue."""
        self.ledger.propose(question, self._stamp())

    def take(self, answer: Answer, evidence: Evidence | None) -> None:
        """Record an answer, with the evidence that it brings."""
        stamp = self._stamp()
        with self.ledger.together():
            self.ledger.answer(answer, data=stamp.data, program=stamp.program)
            if evidence is not None:
                self.ledger.add(
                    evidence, stamp, question=answer.question, declarations=self._of(evidence)
                )

    def take_back(self, who: str) -> bool:
        """Take back the last answer of a reviewer, with the evidence that it brought."""
        last = self.ledger.last_answered(who)
        if last is None:
            return False
        self.ledger.take_back(last, self._stamp())
        return True

    def _of_kind(self, kind: str) -> list[Event]:
        return [event for event in self.ledger.history() if event.kind == kind]

    def _stamp(self, program: Program | None = None) -> Stamp:
        own = self.program if program is None else program
        return Stamp(WHO, self.clock(), self.data, program_fingerprint(own))

    def _of(self, evidence: Evidence) -> list[Declaration]:
        """The declarations that evidence needs and the seed program lacks."""
        used = {node.predicate for node in walk(evidence.formula) if isinstance(node, Atom)}
        own = set(self.seed.declarations)
        return [d for d in self.known.declarations if d not in own and d.name in used]

    def _declared(self, event: Event) -> str:
        """The declarations under which an addition was recorded."""
        known = Program(self.seed.declarations).show().splitlines()
        new = [line for line in event.payload["declarations"] if line not in known]
        return "\n".join([*known, *new])


@lru_cache(maxsize=LINES)
def parsed(text: str, declared: str) -> Evidence:
    """Evidence from its line of program text."""
    (found,) = Program.parse(f"{declared}\n{text}", source="the ledger").evidence
    return found


def is_yes(answer: Answer) -> bool:
    """Whether an answer chooses a label."""
    return answer.choice not in (REJECT, SKIP, UNDO)
