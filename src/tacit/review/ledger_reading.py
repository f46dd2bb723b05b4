"""What a ledger says: events, questions, answers, second opinions, the evidence in force."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import BadInput
from tacit.review import ledger_queries as sql
from tacit.review.events import Event, EventKind
from tacit.review.ledger_file import LedgerFile
from tacit.review.questions import REJECT, Answer, Question


class LedgerReading:
    """The half of a ledger that only reads; what is read often is read by index."""

    def __init__(self, file: LedgerFile) -> None:
        self._file, self.path = file, file.path

    def history(self) -> tuple[Event, ...]:
        """Every event, the oldest first."""
        return self._file.history()

    def events_since(self, sequence: int) -> tuple[Event, ...]:
        """The events behind the one of that number, the oldest first."""
        return self._file.events("e.sequence > ?", (sequence,))

    def latest(self, n: int) -> tuple[Event, ...]:
        """The last n events, the oldest of them first."""
        return self._file.events(order="e.sequence DESC", most=n)[::-1]

    def question(self, question_id: str) -> Question:
        """The question of that id."""
        found = self._file.events(f"{sql.PROPOSED} AND {sql.ABOUT}", (question_id,))
        if not found:
            raise BadInput(f"the ledger {self.path} has no question '{question_id}'")
        return Question.from_dict(found[0].payload)

    def asked_ids(self) -> frozenset[str]:
        """The ids of all questions that were ever put into the queue."""
        return frozenset(self._file.questions(sql.PROPOSED))

    def open_ids(self) -> frozenset[str]:
        """The ids of the open questions."""
        return frozenset(self._file.questions(sql.OPEN))

    def answers(self) -> dict[str, Answer]:
        """The answers in force by question, the oldest first."""
        return {str(e.question): _answer(e) for e in self._file.events(sql.ANSWER)}

    def answer_to(self, question_id: str) -> Answer | None:
        """The answer in force to one question."""
        return self.first_answer([question_id])

    def first_answer(self, question_ids: Sequence[str]) -> Answer | None:
        """The oldest answer in force to any of some questions."""
        about = f"{sql.ANSWER} AND {sql.among(len(question_ids))}"
        found = self._file.events(about, question_ids, most=1)
        return _answer(found[0]) if found else None

    def turn_of(self, question_id: str) -> int:
        """How often an answer to a question was taken back."""
        return self._count("undone", question_id)

    @property
    def n_answered(self) -> int:
        """How many questions have an answer in force; what was skipped has none."""
        return self._file.count(sql.JUDGEMENT)

    def rejected(self) -> tuple[Question, ...]:
        """The questions whose every offer was rejected."""
        answers = self.answers().values()
        return tuple(self.question(a.question) for a in answers if a.choice == REJECT)

    def pending(self) -> tuple[Question, ...]:
        """The open questions, the oldest first."""
        return tuple(Question.from_dict(e.payload) for e in self._file.events(sql.OPEN))

    @property
    def n_pending(self) -> int:
        """How many questions are open."""
        return self._file.count(sql.OPEN)

    def last_answered(self, who: str) -> str | None:
        """The question that a reviewer answered last: the one that an undo is about."""
        own = f"{sql.ANSWER} AND {sql.BY}"
        found = self._file.events(own, (who,), order="e.sequence DESC", most=1)
        return found[0].question if found else None

    def in_force(self) -> dict[str, Event]:
        """The additions that were neither rolled back nor undone, by name, in their order."""
        found: dict[str, Event] = {}
        for event in self.history():
            if event.kind == "added":
                found[str(event.name)] = event
            elif event.kind not in ("rolled_back", "undone"):
                continue
            elif event.name is not None:
                found.pop(event.name, None)
            else:
                found = {n: e for n, e in found.items() if e.question != event.question}
        return found

    def opinions(self, question_id: str | None = None) -> dict[str, dict[str, Answer]]:
        """The second opinions in force, by question and reviewer; of one question, or of all."""
        about = f"{sql.OPINION} AND {sql.ABOUT}" if question_id else sql.OPINION
        found: dict[str, dict[str, Answer]] = {}
        for event in self._file.events(about, (question_id,) if question_id else ()):
            found.setdefault(str(event.question), {})[event.stamp.who] = _answer(event)
        return found

    def next_for_opinion(self, who: str) -> Question | None:
        """The question answered first on which a reviewer has said nothing yet."""
        found = self._file.events(sql.WITHOUT_OPINION, {"who": who}, most=1)
        return self.question(str(found[0].question)) if found else None

    def _count(self, kind: EventKind, question: str) -> int:
        return self._file.count(f"{sql.ABOUT} AND e.kind = ?", (question, kind))


def _answer(event: Event) -> Answer:
    return Answer.from_dict(event.payload)
