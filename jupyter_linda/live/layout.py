"""The text of a notebook file: its layout, reading and writing it piece by piece, so that others run meanwhile."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json.decoder import JSONDecoder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..ports import Json

PIECES_DEPTH = 5
"""Levels that are read in pieces: notebook, cells, cell, outputs, output. What is deeper is read in one go."""
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder()


@dataclass(frozen=True)
class Layout:
    """How a JSON file was written: what an edit must leave as it was."""

    indent: str | None = " "
    is_ascii: bool = False
    ending: str = "\n"
    has_bom: bool = False
    has_carriage_returns: bool = False
    has_tight_items: bool = False


def layout_of(text: str) -> Layout:
    """Recognise a file's layout from its text."""
    body = text.removeprefix("\ufeff")
    first = re.match(r"\s*\{\r?\n([ \t]+)", body)
    return Layout(
        indent=first[1] if first else ("" if re.match(r"\s*\{\r?\n", body) else None),
        is_ascii=body.isascii() and "\\u" in body and re.search(r"\\u[0-9a-fA-F]{4}", body) is not None,
        ending=body[len(body.rstrip()) :].replace("\r\n", "\n"),
        has_bom=text.startswith("\ufeff"),
        has_carriage_returns="\r\n" in body,
        has_tight_items=first is None and '": ' not in body,
    )


def to_bytes(content: Json, layout: Layout) -> bytes:
    """JSON in a given layout."""
    one_line = (",", ":") if layout.has_tight_items else (", ", ": ")
    separators = one_line if layout.indent is None else (",", ": ")

    def dumped(*, is_ascii: bool) -> str:
        encoder = json.JSONEncoder(indent=layout.indent, ensure_ascii=is_ascii, separators=separators)
        return "".join(encoder.iterencode(content))  # unlike `encode`, never in one go that stops every thread

    text = dumped(is_ascii=layout.is_ascii) + layout.ending
    if layout.has_carriage_returns:
        text = text.replace("\n", "\r\n")
    try:
        return (("\ufeff" if layout.has_bom else "") + text).encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can carry
        return (dumped(is_ascii=True) + layout.ending).encode()


def from_text(text: str) -> Json:
    """What `json.loads` gives, and its `ValueError`; that one would stop every thread for a whole large file."""
    value, end = _value(text, _space(text, 0), PIECES_DEPTH)
    end = _space(text, end)
    if end != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:  # any JSON value
    opening = text[at : at + 1]
    if depth and opening == "{":
        return _object(text, at, depth)
    if depth and opening == "[":
        return _array(text, at, depth)
    return _DECODER.raw_decode(text, at)


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = _space(text, at + 1)
    if text[at : at + 1] == "}":
        return found, at + 1
    while True:
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        key, at = _DECODER.raw_decode(text, at)
        at = _space(text, at)
        if text[at : at + 1] != ":":
            raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
        found[key], at = _value(text, _space(text, at + 1), depth - 1)
        at, is_last = _next(text, at, "}")
        if is_last:
            return found, at


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _space(text, at + 1)
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        value, at = _value(text, at, depth - 1)
        found.append(value)
        at, is_last = _next(text, at, "]")
        if is_last:
            return found, at


def _next(text: str, at: int, closing: str) -> tuple[int, bool]:
    """Behind an item: where the next one begins, or the end."""
    at = _space(text, at)
    if text[at : at + 1] == closing:
        return at + 1, True
    if text[at : at + 1] != ",":
        raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    return _space(text, at + 1), False
