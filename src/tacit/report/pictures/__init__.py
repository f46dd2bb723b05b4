"""Pictures: pure functions from values to SVG text, for reports and pages alike.

Each answer is `Markup`, which Jinja shows as it is. Names are escaped, and nothing in a picture
needs a script or a style of its own: colours are classes, whose variables are in `colours.css`
(`colours()` gives its text). With nothing to draw, a picture is one line of words.
"""

from __future__ import annotations

from tacit.report.pictures.calibration import calibration
from tacit.report.pictures.confusion import confusion
from tacit.report.pictures.contributions import contributions
from tacit.report.pictures.curves import Line, curves, learning_curves
from tacit.report.pictures.drawing import colours
from tacit.report.pictures.evidence import evidence_overview
from tacit.report.pictures.flow import label_flow
from tacit.report.pictures.health import health_over_time
from tacit.report.pictures.neighbourhood import has_neighbours, neighbourhood
from tacit.report.pictures.shares import label_probabilities, label_shares
from tacit.report.pictures.sureness import sureness

__all__ = [
    "Line",
    "calibration",
    "colours",
    "confusion",
    "contributions",
    "curves",
    "evidence_overview",
    "has_neighbours",
    "health_over_time",
    "label_flow",
    "label_probabilities",
    "label_shares",
    "learning_curves",
    "neighbourhood",
    "sureness",
]
