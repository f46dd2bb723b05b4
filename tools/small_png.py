"""PNG files of pages, made small: a palette of 256 colours is all that a page shows."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
TRUE_COLOUR, PALETTE = 2, 3  # kinds of PNG

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]


def small_png(png: bytes) -> bytes:
    """The same picture with at most 256 colours: others become the nearest of these.

    It reads what browsers write: 8 bits a channel, red, green and blue, not interlaced.
    """
    pixels = _pixels(png)
    palette, codes = _palette(pixels)
    height, width = codes.shape
    head = struct.pack(">IIBBBBB", width, height, 8, PALETTE, 0, 0, 0)
    rows = np.hstack([np.zeros((height, 1), np.uint8), codes])  # 0: a row as it is
    body = zlib.compress(rows.tobytes(), 9)
    chunks = ((b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", body), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _palette(pixels: Bytes) -> tuple[Bytes, Bytes]:
    """Some of the colours, and the number of one of them for each pixel."""
    packed = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    found, code, count = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1).astype(np.int64)
    kept = _kept(colours, count)
    distance = ((colours[:, None] - colours[None, kept]) ** 2).sum(axis=2)
    nearest = distance.argmin(axis=1).astype(np.uint8)
    return colours[kept].astype(np.uint8), nearest[code].reshape(packed.shape)


def _kept(colours: Longs, count: Longs) -> list[int]:
    """The colours to keep, one after another: whichever is missed most by now.

    A colour is missed as its distance from those kept and the root of its frequency: a small mark
    of a colour of its own stays.
    """
    kept = [int(count.argmax())]
    away = np.full(len(colours), np.inf)
    while len(kept) < COLOURS:
        away = np.minimum(away, ((colours - colours[kept[-1]]) ** 2).sum(axis=1))
        missed = away * np.sqrt(count)
        if not missed.any():
            break
        kept.append(int(missed.argmax()))
    return kept


def _pixels(png: bytes) -> Bytes:
    """The colours of a PNG file, (height, width, 3)."""
    chunks = _chunks(png)
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if (depth, kind, interlaced) != (8, TRUE_COLOUR, 0):
        raise ValueError(f"a PNG of kind {kind} with {depth} bits, interlaced {interlaced}")
    raw = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    rows = np.zeros((height, width * 3), np.uint8)
    above = np.zeros(width * 3, np.uint8)
    for at, line in enumerate(raw):
        above = rows[at] = _unfiltered(int(line[0]), line[1:], above)
    return rows.reshape(height, width, 3)


def _unfiltered(kind: int, line: Bytes, above: Bytes) -> Bytes:
    """A row of a PNG file without its filter: 0 none, 1 left, 2 above, 3 mean, 4 Paeth."""
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line.reshape(-1, 3), axis=0, dtype=np.uint8).ravel()
    if kind == 2:
        return line + above
    given, up = line.tolist(), above.tolist()
    for at, value in enumerate(given):
        left, corner = (given[at - 3], up[at - 3]) if at >= 3 else (0, 0)
        guess = (left + up[at]) // 2 if kind == 3 else _paeth(left, up[at], corner)
        given[at] = (value + guess) & 255
    return np.array(given, np.uint8)


def _paeth(left: int, up: int, corner: int) -> int:
    """Whichever of the three is nearest to left + up - corner."""
    middle = left + up - corner
    return min((left, up, corner), key=lambda own: abs(middle - own))


def _chunks(png: bytes) -> dict[bytes, bytes]:
    """The parts of a PNG file; those of one kind as one."""
    found: dict[bytes, bytes] = {}
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind = png[at + 4 : at + 8]
        found[kind] = found.get(kind, b"") + png[at + 8 : at + 8 + length]
        at += 12 + length
    return found


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
