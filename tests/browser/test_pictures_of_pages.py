"""The pictures in the documentation: small files that show what the browser showed."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tools.screenshots import MOST_BYTES, OUT
from tools.small_png import SIGNATURE, _chunk, _pixels, small_png

if TYPE_CHECKING:
    from playwright.sync_api import Page

DOCS = Path(__file__).parents[2] / "docs"
STRIPES = [(200, 30, 40), (12, 120, 90), (240, 240, 245), (20, 24, 32)]
READ = """address => new Promise(done => {
    const image = new Image();
    image.onload = () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0);
        const colour = y => [...pen.getImageData(50, y, 1, 1).data].slice(0, 3);
        done([image.width, image.height, ...[5, 15, 25, 35].map(colour)]);
    };
    image.src = address;
})"""


def test_a_small_file_shows_the_same(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 40})
    words = "some words on a page that is not empty, and some more beside them"
    bars = "".join(f"<div style='background:rgb{own}'>{words}</div>" for own in STRIPES)
    style = "div { height: 10px; padding-left: 100px; color: #777; font: 8px sans-serif }"
    page.set_content(f"<style>{style}</style><body style='margin:0'>{bars}")
    large = page.screenshot()
    small = small_png(large)
    assert len(small) < len(large)
    address = f"data:image/png;base64,{base64.b64encode(small).decode()}"
    assert page.evaluate(READ, address) == [400, 40, *map(list, STRIPES)]


@pytest.mark.parametrize("kind", range(5))
def test_every_filter_of_png_is_read(kind: int) -> None:
    pixels = np.random.default_rng(kind).integers(0, 256, (7, 5, 3), dtype=np.uint8)
    assert np.array_equal(_pixels(_filtered(pixels, kind)), pixels)


def test_few_colours_are_all_kept() -> None:
    colours = np.random.default_rng(0).integers(0, 256, (200, 3), dtype=np.uint8)
    pixels = colours[np.random.default_rng(1).integers(0, 200, (40, 50))]
    head, body, palette = _parts(small_png(_filtered(pixels, 0)))
    assert struct.unpack(">II", head[:8]) == (50, 40)
    codes = np.frombuffer(zlib.decompress(body), np.uint8).reshape(40, 51)[:, 1:]
    assert np.array_equal(np.frombuffer(palette, np.uint8).reshape(-1, 3)[codes], pixels)


def test_the_documentation_has_each_picture_and_each_is_small() -> None:
    there = {path.name for path in OUT.glob("*.png")}
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    assert len(there) >= 15
    for name in there:
        assert f"pictures/{name}" in text, f"no page shows {name}"
        assert (OUT / name).stat().st_size <= MOST_BYTES


def _filtered(pixels: np.ndarray, kind: int) -> bytes:
    """A PNG file, each row with the filter of that number, by the definition."""
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, -1).astype(int)
    body = b""
    for y in range(height):
        body += bytes([kind])
        for x in range(rows.shape[1]):
            left = rows[y, x - 3] if x >= 3 else 0
            up = rows[y - 1, x] if y else 0
            corner = rows[y - 1, x - 3] if y and x >= 3 else 0
            nearest = min((left, up, corner), key=lambda own: abs(left + up - corner - own))
            guess = (0, left, up, (left + up) // 2, nearest)[kind]
            body += bytes([(rows[y, x] - guess) % 256])
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(body)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _parts(png: bytes) -> tuple[bytes, bytes, bytes]:
    from tools.small_png import _chunks

    found = _chunks(png)
    return found[b"IHDR"], found[b"IDAT"], found[b"PLTE"]
