"""Relations and gene linking together: as the chapter does it, and as one program.

The chapter trains a linker first. Its probability is then evidence on relations (`filtered`), and
drops candidates at test. In one program (`joint`) both are hidden labels, and each corrects the
other: a relation that is told for sure speaks for the gene that it is told of.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

import tacit
from examples.bio import linking, relations
from examples.bio.joint_candidates import Unfiltered
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
    """Candidates with the mentions of one or more tasks for `linking.tacit`."""
    tables = {name: table.arrow for name, table in relation.tables.items()}
    tables["mention"] = pa.concat_tables([task.table("mention").arrow for task in mentions])
    tables["gene_of"] = pa.table(
        {
            "candidate": [one.candidate.id for one in some],
            "mention": [one.mention for one in some],
        }
    )
    functions = (*relation.predicates, *linking.PREDICATES)
    return tacit.Task(tables, text=READS, predicates=functions)


def _read(file: str) -> tacit.Program:
    return tacit.Program.parse((FOLDER / file).read_text(), file)
