"""Lists that an address can search, filter, order and leaf through; no script is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from starlette.requests import Request

Item = TypeVar("Item")
ORIGINS = {"sst": "self-training", "fal": "answer"}  # others are told by their own name


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks of a list: `/evidence?find=good&sort=-weight`."""

    path: str
    values: tuple[tuple[str, str], ...]  # without those that are empty

    @staticmethod
    def of(request: Request, path: str, names: Iterable[str]) -> Asked:
        """The values of these names in a request; others are ignored."""
        given = {name: request.query_params.get(name, "").strip() for name in names}
        return Asked(path, tuple((name, value) for name, value in given.items() if value))

    def get(self, name: str, default: str = "") -> str:
        """One of the values."""
        return dict(self.values).get(name, default)

    def number(self, name: str) -> int:
        """A count from 1; whatever is none is 1."""
        given = self.get(name)
        return max(1, int(given)) if given.isdecimal() and len(given) < 9 else 1

    def address(self, **changes: str) -> str:
        """The same list, asked otherwise; from its beginning, unless a page is named."""
        values = {**dict(self.values), "page": "", **changes}
        kept = {name: value for name, value in values.items() if value}
        return f"{self.path}?{urlencode(kept)}" if kept else self.path

    def kept(self, *but: str) -> list[dict[str, str]]:
        """What a form must carry on, so that a search keeps the order: hidden fields."""
        return [
            {"name": name, "value": value}
            for name, value in self.values
            if name not in (*but, "page")
        ]


def one_page(items: Sequence[Item], asked: Asked, size: int) -> tuple[list[Item], dict[str, Any]]:
    """The items of the page that is asked for, and where it stands among the others."""
    pages = pages_of(len(items), asked, size)
    return list(items[pages["offset"] : pages["last"]]), pages


def pages_of(total: int, asked: Asked, size: int) -> dict[str, Any]:
    """Where the page that is asked for stands in a list of so many items."""
    count = max(1, -(-total // size))
    number = min(asked.number("page"), count)
    offset = (number - 1) * size
    return {
        "number": number,
        "count": count,
        "offset": offset,
        "first": offset + 1 if total else 0,
        "last": min(offset + size, total),
        "total": total,
        "previous": asked.address(page=str(number - 1)) if number > 1 else None,
        "next": asked.address(page=str(number + 1)) if number < count else None,
    }


def in_order(
    items: Iterable[Item], key: Callable[[Item], Any], *, descending: bool = False
) -> list[Item]:
    """Items by a key; those without one come last, whatever the direction."""
    every = list(items)
    there = [item for item in every if key(item) is not None]
    there.sort(key=key, reverse=descending)
    return [*there, *(item for item in every if key(item) is None)]


def heads(columns: Sequence[tuple[str, str, str]], asked: Asked, sort: str) -> list[dict[str, Any]]:
    """The columns of a table, each with the address that orders by it.

    A column is a name, its title and "text" or "number"; texts begin with the first, numbers with
    the largest, and a second click turns the order round.
    """
    found = []
    for name, title, kind in columns:
        first = name if kind == "text" else f"-{name}"
        other = f"-{name}" if kind == "text" else name
        current = sort.removeprefix("-") == name
        found.append(
            {
                "name": name,
                "title": title,
                "number": kind == "number",
                "order": ("descending" if sort[0] == "-" else "ascending") if current else None,
                "href": asked.address(sort=other if sort == first else first),
            }
        )
    return found


def instance_path(function: str, instance: str) -> str:
    """Where the page of one instance is.

    A slash behind an id that ends with ".json" tells it from the twin of another's page.
    """
    end = "/" if instance.endswith((".json", "/")) else ""
    return f"/instance/{quote(function, safe='')}/{quote(instance, safe='')}{end}"


def instance_of(path: str) -> str:
    """The id in the address of a page: the inverse of `instance_path`."""
    return path.removesuffix("/")


def origin_words(kind: str) -> str:
    """Who or what proposed a rule, as people call it."""
    return ORIGINS.get(kind, kind)
