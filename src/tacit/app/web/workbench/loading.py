"""How far the process is that explains instances: it is started when first needed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from tacit.app.explain.explainer import RUN
from tacit.app.web.site import Site

State = Literal["none", "loading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class Loading:
    """Whether any instance can be explained, and if not, why."""

    state: State
    error: str = ""
    remedy: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether an answer comes at once."""
        return self.state == "ready"

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def not_ready(site: Site) -> dict[str, Any]:
    """What a page shows while there is no record: whether to wait for one, or what to do."""
    status = site.worker.status()["state"] if site.worker is not None else "none"
    return {"ready": False, "learning": status}


def loading(site: Site) -> Loading:
    """How far it is; a visit to its pages starts it, where there is a run to explain."""
    explainer = site.explainer
    if explainer is None or not (explainer.run / RUN).exists():
        return Loading("none")
    if explainer.is_ready:
        return Loading("ready")
    explainer.start()
    told = explainer.status()
    if told["state"] == "failed":
        return Loading("failed", str(told.get("error", "")), str(told.get("remedy") or ""))
    return Loading("loading")
