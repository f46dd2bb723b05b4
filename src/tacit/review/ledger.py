"""The ledger: all that was proposed, asked, answered and added, in a file that only grows.

A question is open from its proposal to its answer, and again when the answer is taken back: its
next *turn*. While it is open it can be leased: shown to one reviewer, and to no other for a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from os import PathLike
from pathlib import Path
from typing import Any

from tacit.errors import BadInput, DuplicateName, TacitError, did_you_mean, listed
from tacit.logic.evidence import Declaration, Evidence
from tacit.logic.program import Program
from tacit.logic.show import show_declaration, show_evidence
from tacit.review import ledger_queries as sql
from tacit.review.events import Event, EventKind, Stamp
from tacit.review.ledger_file import PATIENCE_S, LedgerFile
from tacit.review.ledger_reading import LedgerReading
from tacit.review.questions import SKIP, UNDO, Answer, Question

LEASE_S = 600.0  # a reviewer who has been away for longer is not waited for


class QuestionTaken(TacitError):
    """A question that another reviewer has answered, or is looking at."""


class Ledger(LedgerReading):
    """An append-only record that several processes and threads may use at once.

    `most_answers` is how many answers, skips not counted, may be given through this opened ledger:
    then no more questions are handed out, even if some are open.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        create: bool = True,
        patience_s: float = PATIENCE_S,
        most_answers: int | None = None,
    ) -> None:
        super().__init__(LedgerFile(Path(path), create=create, patience_s=patience_s))
        self.most_answers = most_answers

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def together(self) -> AbstractContextManager[None]:
        """What is recorded in this context is recorded as one: all of it, or nothing."""
        return self._file.writing()

    # The queue

    def propose(self, question: Question, stamp: Stamp) -> bool:
        """Put a question into the queue; False if it was there before, answered or not."""
        with self._file.writing():
            if self._count("proposed", question.id):
                return False
            self._file.append("proposed", stamp, question.as_dict(), question=question.id)
        return True

    def lease(self, question_id: str, who: str, *, now: float, until: float) -> bool:
        """Reserve an open question for one reviewer; False if another has it or it is answered."""
        with self._file.writing():
            self.question(question_id)
            is_free = (
                self.answer_to(question_id) is None
                and self._holder(question_id, now) in (None, who)
                and self._has_room(who, now)
            )
            if is_free:
                self._lease(question_id, who, now, until)
        return is_free

    def next_question(self, who: str, *, now: float, hold_s: float = LEASE_S) -> Question | None:
        """The open question that a reviewer should see now, leased; None if there is none.

        What the reviewer was shown and has not answered comes first, so that reloading a page
        shows the same question.
        """
        with self._file.writing():
            found = self._file.events(
                sql.FREE_FOR,
                {"who": who, "now": now},
                tables=sql.WITH_LEASE,
                order=sql.HELD_BY_FIRST,
                most=1,
            )
            if not found or not self._has_room(who, now):
                return None
            question = Question.from_dict(found[0].payload)
            self._lease(question.id, who, now, now + hold_s)
        return question

    def hand_over(self, who: str, to: str, *, now: float, hold_s: float = LEASE_S) -> None:
        """Let the question that a reviewer looks at go to another name, such as a new one."""
        with self._file.writing():
            held = self.next_question(who, now=now, hold_s=hold_s)
            if held is not None:
                self._lease(held.id, to, now, now + hold_s)

    def answer(
        self, answer: Answer, *, data: str = "", program: str = "", even_if_held: bool = False
    ) -> Answer:
        """Record an answer; it is on the disk when this returns. The same answer twice is one.

        With `even_if_held`, it does not matter that another one looks at the question.
        """
        question = self.question(answer.question)
        question.check(answer.choice)
        if answer.choice == UNDO and question.kind != "undo-check":
            raise BadInput("'undo' is no answer to be recorded", remedy="use Ledger.take_back")
        with self._file.writing():
            before = self.answer_to(answer.question)
            if before is None:
                if not even_if_held:
                    self._require_free(answer)
                self._require_room(answer)
                stamp = Stamp(answer.who, answer.when, data, program)
                turn = self.turn_of(question.id)
                self._append("answered", stamp, answer.as_dict(), question.id, turn)
                return answer
        if (before.choice, before.who) != (answer.choice, answer.who):
            raise QuestionTaken(
                f"question {answer.question} was answered by {before.who}: {before.choice}",
                remedy="take that answer back first, or go on with the next question",
            )
        return before

    def take_back(self, question_id: str, stamp: Stamp) -> None:
        """Take an answer back, with the evidence that it brought; the question is open again."""
        with self._file.writing():
            answer = self.answer_to(question_id)
            if answer is None:
                raise BadInput(f"question '{question_id}' has no answer to take back")
            turn = self.turn_of(question_id)
            self._append("undone", stamp, {"answer": answer.as_dict()}, question_id, turn)

    # Second opinions

    def give_opinion(self, opinion: Answer, *, data: str = "", program: str = "") -> Answer:
        """Record what another reviewer would have said; the program stays as it is.

        The last opinion of a reviewer on a question is the one in force.
        """
        question = self.question(opinion.question)
        question.check(opinion.choice)
        if opinion.choice == UNDO and question.kind != "undo-check":
            raise BadInput("'undo' is no opinion", remedy="give another opinion instead")
        with self._file.writing():
            answer = self.answer_to(opinion.question)
            if answer is None or answer.who == opinion.who:
                by = "nobody" if answer is None else f"{answer.who} themselves"
                raise BadInput(
                    f"question {opinion.question} was answered by {by}: no second opinion on that",
                    remedy="answer it" if answer is None else "take the answer back, and answer",
                )
            before = self.opinions(opinion.question).get(opinion.question, {}).get(opinion.who)
            if before is not None and before.choice == opinion.choice:
                return before
            stamp = Stamp(opinion.who, opinion.when, data, program)
            turn = self._count("opinion", question.id)
            self._append("opinion", stamp, opinion.as_dict(), question.id, turn)
        return opinion

    # The program

    def start(self, seed: Program, stamp: Stamp, facts: Mapping[str, Any] | None = None) -> None:
        """Record the start of a run: its seed program and whatever is to be known of it."""
        self.note("started", stamp, {"seed": seed.show(), **(facts or {})})

    def add(
        self,
        evidence: Evidence,
        stamp: Stamp,
        *,
        question: str | None = None,
        declarations: Iterable[Declaration] = (),
        health: Mapping[str, Any] | None = None,
    ) -> bool:
        """Record evidence that joins the program; False if the same is in force already.

        `declarations` are those that the seed program may lack.
        """
        payload = {
            "text": show_evidence(evidence),
            "declarations": [show_declaration(declaration) for declaration in declarations],
            "health": dict(health or {}),
        }
        with self._file.writing():
            before = self.in_force().get(evidence.name)
            if before is None:
                self._file.append("added", stamp, payload, question=question, name=evidence.name)
                return True
        if before.payload["text"] != payload["text"]:
            raise DuplicateName(
                f"the ledger has other evidence called '{evidence.name}' in force",
                remedy="undo that first, or choose another name",
            )
        return False

    def roll_back(self, name: str, stamp: Stamp, facts: Mapping[str, Any] | None = None) -> None:
        """Record that the guard took evidence out of the program, and why."""
        self._remove("rolled_back", name, stamp, facts)

    def undo(self, name: str, stamp: Stamp, facts: Mapping[str, Any] | None = None) -> None:
        """Record that a person took evidence out of the program."""
        self._remove("undone", name, stamp, facts)

    def note(self, kind: EventKind, stamp: Stamp, facts: Mapping[str, Any]) -> None:
        """Record facts that are about no question: health numbers, the start or end of a run."""
        if kind not in ("health", "started", "finished"):
            raise BadInput(f"'{kind}' has a method of its own")
        with self._file.writing():
            self._file.append(kind, stamp, dict(facts))

    # Only in a turn of writing

    def _remove(
        self, kind: EventKind, name: str, stamp: Stamp, facts: Mapping[str, Any] | None
    ) -> None:
        with self._file.writing():
            names = list(self.in_force())
            if name not in names:
                raise BadInput(
                    f"the ledger has no evidence '{name}' in force; it has: {listed(names)}",
                    remedy=did_you_mean(str(name), names),
                )
            self._file.append(kind, stamp, dict(facts or {}), name=name)

    def _append(
        self, kind: EventKind, stamp: Stamp, payload: dict[str, Any], question: str, turn: int
    ) -> None:
        self._file.append(kind, stamp, payload, question=question, turn=turn)

    def _holder(self, question: str, now: float) -> str | None:
        """The reviewer who has a question on lease."""
        last = self._last_lease(question)
        return last.stamp.who if last and last.payload["until"] > now else None

    def _last_lease(self, question: str) -> Event | None:
        about = f"{sql.LEASE} AND {sql.ABOUT}"
        found = self._file.events(about, (question,), order="e.sequence DESC", most=1)
        return found[0] if found else None

    def _lease(self, question: str, who: str, now: float, until: float) -> None:
        last = self._last_lease(question)
        if last and last.stamp.who == who and last.payload["until"] >= (now + until) / 2:
            return  # half the time is left: a page that is reloaded often writes nothing
        turn = self._count("asked", question)
        self._append("asked", Stamp(who, now), {"until": until}, question, turn)

    def _has_room(self, who: str, now: float) -> bool:
        """Whether a reviewer may look at a question: one more, or the one that they have."""
        if self.most_answers is None:
            return True
        n_left = self.most_answers - self.n_answered
        values = {"who": who, "now": now}
        if self._file.count(sql.HELD_BY, values, tables=sql.WITH_LEASE):
            return n_left > 0
        return self._file.count(sql.HELD_BY_OTHERS, values, tables=sql.WITH_LEASE) < n_left

    def _require_room(self, answer: Answer) -> None:
        most = self.most_answers
        if most is not None and answer.choice != SKIP and self.n_answered >= most:
            raise QuestionTaken(
                f"question {answer.question} needs no answer: all {most} are given",
                remedy="take an answer back, or allow for more of them",
            )

    def _require_free(self, answer: Answer) -> None:
        holder = self._holder(answer.question, answer.when)
        if holder not in (None, answer.who):
            raise QuestionTaken(
                f"question {answer.question} is being answered by {holder}",
                remedy="go on with the next question",
            )
