"""Whether probabilities can be believed: a reliability diagram."""

from __future__ import annotations

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    SMALL,
    element,
    line,
    picture,
    points,
    rectangle,
    text,
    told,
    words_only,
)
from tacit.report.pictures.numbers import count_shown, finite, percent_shown
from tacit.report.pictures.scales import Scale
from tacit.report.record import GoldScores

WIDTH, PLOT, LEFT, TOP = 340.0, 250.0, 48.0, 14.0
BARS = 44.0  # the height of the strip that says how many there are
BASE = TOP + PLOT + 40 + BARS  # where the bars stand
SPANS = ((0.8, 0.05), (0.5, 0.1), (0.4, 0.2), (0.2, 0.2), (0.0, 0.2))  # from where, in what steps
LARGEST_DOT, SMALLEST_DOT = 9.0, 2.5


_Bin = tuple[int, float, float]  # how many labels, how probable they were held, how right they are


def calibration(gold: GoldScores) -> Markup:
    """How often labels are right against how probable they were held, with how many there are."""
    title = "Calibration"
    bins = _bins(gold)
    if not bins:
        return words_only(title, "There are no gold labels to compare with.")
    least = min(min(confidence, accuracy) for _, confidence, accuracy in bins)
    low, step = next(span for span in SPANS if span[0] <= max(0.0, least))
    x, y = Scale(low, 1, LEFT, LEFT + PLOT), Scale(low, 1, TOP + PLOT, TOP)
    through = points(*((x(c), y(a)) for _, c, a in sorted(bins, key=lambda own: own[1])))
    parts = [
        *_axes(x, y, low, step),
        _name_of_diagonal(bins, x, y),
        element("polyline", points=through, class_="open s0 thin"),
        *_strip(max(n for n, _, _ in bins)),
        *(part for own in bins for part in _dot_and_bar(own, bins, x, y)),
    ]
    error = finite(gold.calibration_error)
    if error is not None:
        said = f"error {percent_shown(error)}"
        parts.append(text(x(1) - 4, y(low) - 8, said, "strong halo", anchor="end", size=SMALL))
    told_bins = (f"held {percent_shown(c)}, right {percent_shown(a)}, {n:,}" for n, c, a in bins)
    described = f"Labels by how probable they were held: {'; '.join(told_bins)}."
    return picture(title, described, WIDTH, BASE + 22, *parts)


def _bins(gold: GoldScores) -> list[_Bin]:
    """The bins that hold labels."""
    return [
        (one.n, confidence, accuracy)
        for one in gold.calibration
        if one.n > 0
        and (confidence := finite(one.confidence)) is not None
        and (accuracy := finite(one.accuracy)) is not None
    ]


def _dot_and_bar(own: _Bin, bins: list[_Bin], x: Scale, y: Scale) -> list[Markup]:
    """A bin: a dot, the larger the more labels it holds, and a bar below that counts them."""
    n, confidence, accuracy = own
    share = n / max(m for m, _, _ in bins)
    full = f"{n:,} labels held {percent_shown(confidence)} probable: "
    full += f"{percent_shown(accuracy)} are right"
    radius = SMALLEST_DOT + (LARGEST_DOT - SMALLEST_DOT) * share**0.5
    dot = {"cx": x(confidence), "cy": y(accuracy), "r": radius}
    tall = BARS * share
    return [
        element("circle", told(full), **dot, class_="f0 ring", fill_opacity=0.9),
        rectangle(x(confidence) - 4, BASE - tall, 8, tall, "bar f7", told(full), round_=1),
    ]


def _strip(most: int) -> list[Markup]:
    """The axis of the bars below."""
    return [
        line(LEFT, BASE, LEFT + PLOT, BASE, "axis"),
        text(LEFT - 6, BASE - BARS + 8, count_shown(most), "muted", anchor="end", size=10),
        text(LEFT - 6, BASE, "0", "muted", anchor="end", size=10),
        text(LEFT, BASE + 14, "how many labels", "muted", size=SMALL),
    ]


def _axes(x: Scale, y: Scale, low: float, step: float) -> list[Markup]:
    """The square, its diagonal, and shares on both sides."""
    parts = []
    for at in range(round((1 - low) / step) + 1):
        value = low + at * step
        said = f"{100 * value:.0f} %"
        parts += [
            line(x(low), y(value), x(1), y(value), "grid"),
            text(x(low) - 6, y(value) + 4, said, "muted", anchor="end", size=SMALL),
            text(x(value), y(low) + 15, said, "muted", anchor="middle", size=SMALL),
        ]
    return [
        *parts,
        line(x(low), y(low), x(1), y(low), "axis"),
        line(x(low), y(low), x(1), y(1), "dashed"),
        text(x(low) + 2, y(1) - 3, "right", "muted", size=SMALL),
        text(x(1), y(low) + 30, "held probable", "muted", anchor="end", size=SMALL),
    ]


def _name_of_diagonal(bins: list[_Bin], x: Scale, y: Scale) -> Markup:
    """The words for the diagonal, on the side of it where fewer dots are."""
    is_below = sum(accuracy > confidence for _, confidence, accuracy in bins) > len(bins) / 2
    at = x.low + (0.5 if is_below else 0.8) * (1 - x.low)
    right, down, anchor = (8, 14, "start") if is_below else (-8, -8, "end")
    style = "muted halo"
    return text(x(at) + right, y(at) + down, "as right as held", style, anchor=anchor, size=10)
