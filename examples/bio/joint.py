"""Relations and gene linking together: as the chapter does it, and as one program.

The chapter trains a linker first. Its probability is then evidence on relations (`filtered`), and
drops candidates at test. In one program (`joint`) both are hidden labels, and each corrects the
other: a relation that is told for sure speaks for the gene that it is told of.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa

import tacit
from examples.bio import linking, relations
from examples.bio.candidates import matches
from examples.bio.joint_candidates import Unfiltered
from examples.bio.linking import Knowledge
from examples.bio.mention_facts import SHAPES
from examples.bio.reading import Document
from examples.bio.triples import NameBook, Triple, candidate_tables, reading, triple_table

FOLDER = Path(__file__).parent
P_TRN, P_TST = 0.6, 0.3  # the chapter's
LINKER = ("ds", "dp", "ji")  # the families of linking.tacit that the chapter has
READS = ("candidate.graph", "mention.window")


@tacit.predicate(table="candidate")
def doubtful_gene(linked: float) -> bool:
    """The linker does not take the candidate's gene for one."""
    return linked < P_TRN


def linker() -> tacit.Program:
    """The chapter's linker."""
    return linking.program(*LINKER)


def filtered() -> tacit.Program:
    """The chapter's relations, with the linker's doubts as evidence."""
    return relations.program() + _read("joint_filter.tacit")


def joint() -> tacit.Program:
    """Relations and linking in one program."""
    return relations.program() + linker() + _read("joint.tacit")


def relation_task(
    some: Sequence[Unfiltered],
    book: NameBook,
    triples: Sequence[Triple] | None,
    linked: Sequence[float] | None = None,
) -> tacit.Task:
    """Candidates as a task for `relations.tacit`; without triples, no knowledge base is asked.

    `linked` is the linker's probability of each candidate's gene.
    """
    candidates = [own.candidate for own in some]
    tables = candidate_tables(candidates, [reading(own, blind=book) for own in candidates])
    if triples is None:
        del tables["args"]
    else:
        tables["kb"] = triple_table(triples)
    functions = [*relations.ENTITY, *relations.RELATION]
    if linked is not None:
        candidate = tables["candidate"]
        assert isinstance(candidate, pa.Table)
        tables["candidate"] = candidate.append_column("linked", pa.array(linked, pa.float64()))
        functions.append(doubtful_gene)
    return tacit.Task(tables, text=READS[0], predicates=functions)


def joint_task(
    relation: tacit.Task, some: Sequence[Unfiltered], mentions: Sequence[tacit.Task]
) -> tacit.Task:
    """Candidates with mentions of one or more tasks, which `spelt` has made."""
    tables = {name: table.arrow for name, table in relation.tables.items()}
    for name in dict.fromkeys(name for task in mentions for name in task.tables):
        own = [task.table(name).arrow for task in mentions if name in task.tables]
        tables[name] = pa.concat_tables(own, promote_options="permissive")
    tables["gene_of"] = pa.table(
        {
            "candidate": [one.candidate.id for one in some],
            "mention": [one.mention for one in some],
        }
    )
    functions = (*relation.predicates, *mentions[0].predicates)
    return tacit.Task(tables, text=READS, predicates=functions)


def mention_task(
    documents: Sequence[Document], known: Knowledge, *, beside: Sequence[Document], cased: bool
) -> tacit.Task:
    """All matches in documents as a task for `linking.tacit`.

    Few documents may give no fact of some kind, and a table without rows is no table; other
    documents `beside` them help to make all tables, and are then left out.
    """
    every = [*documents, *beside]
    task = linking.linking_task(every, matches(every, known.lexicon), known)
    return spelt(task, cased=cased, only={document.id for document in documents})


def spelt(mentions: tacit.Task, *, cased: bool, only: Collection[str] | None = None) -> tacit.Task:
    """Mentions that small letters speak against only where the text has capitals as well.

    The function `plain` becomes a table, which lower-cased text does not have. With `only`, the
    mentions are those of some documents.
    """
    tables = {name: table.arrow for name, table in mentions.tables.items()}
    if cased:
        tables["plain"] = mentions.table("plain").arrow
    if only is not None:
        tables = {name: _of_documents(table, only) for name, table in tables.items()}
    functions = [own for own in SHAPES if own.name != "plain"]
    filled = {name: table for name, table in tables.items() if table.num_rows}
    return tacit.Task(filled, text=READS[1], predicates=functions)


def _of_documents(table: pa.Table, documents: Collection[str]) -> pa.Table:
    """The rows whose mention, the first column, is in some documents."""
    mentions = table.column(0).to_pylist()
    return table.filter(pa.array([one.rpartition(":")[0] in documents for one in mentions]))


def _read(file: str) -> tacit.Program:
    return tacit.Program.parse((FOLDER / file).read_text(), file)
