"""What all pictures are made of: SVG elements, text that is cut to its room, and the frame.

Colours are classes only: `f0` to `f7` fill and `s0` to `s7` draw lines in the colours of labels and
series, the others are in `colours.css`. No element has a style of its own, which pages forbid.
"""

from __future__ import annotations

from importlib.resources import files

from markupsafe import Markup, escape

from tacit.report.pictures.lettering import FONT, cut_to, readable

WIDTH = 420.0  # of most pictures: two stand beside each other on a desk, one fits a phone
BROAD = 560.0
N_COLOURS = 8
OTHER = N_COLOURS - 1  # the grey one, for what is summed up
SMALL = 11.0
SVG = "http://www.w3.org/2000/svg"

Value = str | float | int | None


def element(tag: str, *inside: str, **attributes: Value) -> Markup:
    """An SVG element; `class_` is its class, other underscores become hyphens.

    What is inside is escaped unless it is an element itself. Attributes that are None are left out.
    """
    shown = Markup("").join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), _value(value))
        for name, value in attributes.items()
        if value is not None
    )
    body = Markup("").join(inside)
    if not body:
        return Markup("<{}{}/>").format(Markup(tag), shown)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), shown, body)


def group(*inside: Markup, **attributes: Value) -> Markup:
    """Elements that belong together."""
    return element("g", *inside, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str = "axis") -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def rectangle(
    x: float,
    y: float,
    width: float,
    height: float,
    class_: str,
    *inside: Markup,
    opacity: float | None = None,
    round_: float | None = None,
) -> Markup:
    """A rectangle, whose width and height are never below 0."""
    size = {"width": max(width, 0.0), "height": max(height, 0.0)}
    return element(
        "rect", *inside, class_=class_, x=x, y=y, **size, rx=round_, fill_opacity=opacity
    )


def told(words: object) -> Markup:
    """What shows when one points at an element."""
    return element("title", readable(words))


def text(
    x: float,
    y: float,
    words: object,
    class_: str | None = None,
    *,
    anchor: str | None = None,
    size: float | None = None,
    room: float | None = None,
    full: object = None,
    turn: float | None = None,
) -> Markup:
    """A text, cut to its room; `full`, or what was cut, shows when one points at it."""
    whole = readable(words)
    shown = whole if room is None else cut_to(whole, room, size or FONT)
    behind = readable(full) if full is not None else whole if shown != whole else ""
    return element(
        "text",
        shown,
        *([told(behind)] if behind else []),
        x=x,
        y=y,
        class_=class_,
        text_anchor=anchor,
        font_size=size,
        transform=None if turn is None else f"rotate({_number(turn)} {_number(x)} {_number(y)})",
    )


def picture(
    title: object,
    description: object,
    width: float,
    height: float,
    *inside: Markup,
) -> Markup:
    """The whole picture, with a name and a description for those who do not see it.

    A wide one does not shrink to the width of a phone: it is to be scrolled. Beside a broad one
    there is no room for another.
    """
    size = "broad" if width > BROAD else "wide" if width > WIDTH else ""
    return element(
        "svg",
        element("title", readable(title)),
        element("desc", readable(description)),
        *inside,
        xmlns=SVG,
        class_=f"picture {size}".strip(),
        role="img",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        font_size=FONT,
    )


def words_only(title: object, words: str) -> Markup:
    """A picture of nothing but words, where there is nothing to draw."""
    shown = text(0, 20, words, "muted", room=WIDTH)
    return picture(title, words, WIDTH, 30, shown)


def filled(number: int) -> str:
    """The class that fills in the colour of a label or a series."""
    return f"f{number % N_COLOURS}"


def stroked(number: int) -> str:
    """The class that draws a line in the colour of a label or a series."""
    return f"s{number % N_COLOURS}"


def points(*pairs: tuple[float, float]) -> str:
    """Places as SVG lists them."""
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in pairs)


def path(*steps: str | float) -> str:
    """The steps of a path: letters and numbers."""
    return " ".join(step if isinstance(step, str) else _number(step) for step in steps)


def colours() -> str:
    """The style sheet that pictures need: colours for light and dark, and what wears them."""
    return (files("tacit.report") / "templates" / "colours.css").read_text(encoding="utf-8")


def _value(value: Value) -> str | Markup:
    return escape(value) if isinstance(value, str) else _number(float(value or 0.0))


def _number(value: float) -> str:
    """A number with two decimals at most; what is not finite is a mistake in a picture."""
    if not abs(value) < 1e9:
        raise ValueError(f"{value} is no place in a picture")
    return f"{round(value, 2) + 0.0:.12g}"  # + 0.0: there is no -0
