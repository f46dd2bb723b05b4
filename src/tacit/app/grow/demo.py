"""The part of `tacit demo` in which six words grow: by self-training, then by asking an expert."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tacit.app.console import NAME, Column, counted, print_table
from tacit.app.grow.additions import Addition, Asked, additions, questions

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.data import Task
    from tacit.logic.program import Program
    from tacit.s4 import S4

BUDGET = 20
# What the simulated expert knows: words that a person would name, chosen by hand from those that
# the gold labels of the training reviews bear out. `oracle_words` would need scikit-learn.
EXPERT = {
    "neg": """
        asleep avoid bad badly crawls dire drags excuse fooled forgotten hate hated nagging patchy
        poor refund ruined sadly seasick shame sighed skip sorry tedious thin trouble warn worst
        wrong
    """,
    "pos": """
        beauty best bravo charm clapped deserves glad gorgeous happily heart lifts love loved lovely
        luck perfect pleasant praise recommend smiled stars surprises sure-handed treat trust warm
    """,
}


@dataclass(frozen=True, slots=True)
class Grown:
    """What came of the seeds: without a person, and with one."""

    alone: S4
    asking: S4
    learned: tuple[Addition, ...]
    questions: tuple[Asked, ...]


def grow_seeds(task: Task, seeds: Program, tell: Callable[[str], None]) -> Grown:
    """Grow a program by itself, then go on with the same ledger and a simulated expert."""
    from tacit.review import Ledger, OracleReviewer
    from tacit.s4 import S4

    words = {label: own.split() for label, own in EXPERT.items()}
    expert = OracleReviewer(words, who="simulated expert")
    with (
        TemporaryDirectory(prefix="tacit-") as folder,
        Ledger(Path(folder) / "ledger.sqlite") as ledger,
    ):
        tell("six words grow")
        alone = S4().fit(task, seeds, ledger=ledger)
        tell("an expert is asked")
        asking = S4(budget=BUDGET, reviewer=expert).fit(task, seeds, ledger=ledger)
        return Grown(alone, asking, additions(ledger), questions(ledger))


def print_learned(console: Console, grown: Grown) -> None:
    """The words that were learned for each label, in their order."""
    from rich.text import Text

    by_label: dict[str, list[Addition]] = {}
    for one in grown.learned:
        by_label.setdefault(one.label, []).append(one)
    rows = [(label, ", ".join(_marked(own))) for label, own in sorted(by_label.items())]
    columns = (Column("label", style=NAME), Column("in the order learned"))
    print_table(console, "What S4 has learned from six words", columns, rows)
    yes = sum(one.answer in EXPERT for one in grown.questions)
    asked = counted(len(grown.questions), "question")
    told = (
        f"*word: said by a simulated expert, who answered {asked}, {yes} of them with yes, from a "
        "fixed list of words; that list was chosen with the gold labels of the training reviews "
        "in view."
    )
    reasons = dict.fromkeys(one.why for one in grown.learned if one.state == "rolled back")
    told += "".join(f" (word): taken back, because {why}." for why in reasons)
    for line in Text(told, style="dim").wrap(console, console.width - 2):
        console.print(Text("  ").append_text(line), soft_wrap=True)
    console.print()


def _marked(own: Sequence[Addition]) -> list[str]:
    """Words with a mark where a person has said them, or where they were taken back."""
    said = [f"*{one.words}" if one.round is None else one.words for one in own]
    return [w if one.state == "in force" else f"({w})" for w, one in zip(said, own, strict=True)]
