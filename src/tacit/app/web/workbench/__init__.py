"""The workbench: pages that only look, at the evidence, at instances and at the run."""

from __future__ import annotations

from tacit.app.web.pages import Page
from tacit.app.web.workbench.evidence import PAGE as EVIDENCE
from tacit.app.web.workbench.instance import PAGE as INSTANCE
from tacit.app.web.workbench.instances import PAGE as INSTANCES
from tacit.app.web.workbench.ledger import PAGE as LEDGER
from tacit.app.web.workbench.program import PAGE as PROGRAM
from tacit.app.web.workbench.rounds import PAGE as ROUNDS
from tacit.app.web.workbench.scores import PAGE as SCORES

PAGES: tuple[Page, ...] = (EVIDENCE, INSTANCES, INSTANCE, ROUNDS, SCORES, PROGRAM, LEDGER)
