"""Bytes to text, naming file, line and byte where they are not UTF-8."""

from __future__ import annotations

import codecs

from tacit.errors import BadFile, Place

_SHOWN = 120  # characters of a line that an error quotes

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def check_bytes(shown: str, data: bytes) -> None:
    """Refuse UTF-16 and NUL bytes, which would otherwise be read as text with holes in it."""
    if data.startswith(_UTF16):
        raise BadFile(
            f"{shown} is UTF-16, not UTF-8",
            place=Place(shown, 1),
            remedy="save it as UTF-8 (spreadsheets call UTF-16 'Unicode text')",
        )
    at = data.find(b"\0")
    if at >= 0:
        raise BadFile(
            f"{shown} holds a NUL byte (byte {at})",
            place=Place(shown, line_of_byte(data, at)),
            remedy="is it a text file? save it as UTF-8, or remove the NUL bytes",
        )


def decode_text(shown: str, data: bytes) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        at = error.start + mark
        line = line_of_byte(data, at)
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        text = data[start : end if end >= 0 else len(data)].decode("utf-8", "replace")
        raise BadFile(
            f"{shown} is not UTF-8: line {line} has the byte 0x{data[at]:02x} (byte {at})",
            place=Place(shown, line, text=clipped(text)),
            remedy="save it as UTF-8",
        ) from error


def line_of_byte(data: bytes, at: int) -> int:
    """The line, counted from 1, in which a byte stands."""
    return data.count(b"\n", 0, at) + 1


def clipped(line: str) -> str:
    """The beginning of a line, short enough to quote."""
    line = line.rstrip("\r\n")
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."
