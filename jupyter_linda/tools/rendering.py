"""Notebook cells and outputs as text for a model: no pictures as text, no colour codes, bounded."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from .text import human_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json

OUTPUT_CHARS = 2_000
"""Most characters of one cell's outputs in a reading of the notebook."""
TRACEBACK_HEAD, TRACEBACK_TAIL = 6, 12
"""Lines kept of a long traceback."""
_IMAGE_LIMIT_CHARS = 2_000_000
_MOST_IMAGES = 3

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|\x1b")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/]{120,}={0,2}")
_TEXT_KINDS = ("text/markdown", "text/latex", "application/json")


def clean(text: str) -> str:
    """Terminal text as a reader sees it: colours gone, only the last frame of what overwrote itself."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    lines = [_last_frame(line) for line in text.split("\n")]
    return _without_data(_CONTROLS.sub("", "\n".join(lines)))


def _last_frame(line: str) -> str:
    if "\r" not in line:
        return line
    frames = [frame for frame in line.split("\r") if frame]
    return frames[-1] if frames else ""


def _without_data(text: str) -> str:
    """Long base64 runs say nothing to a reader; a row of equal letters or a gene sequence is no base64."""

    def placeholder(found: re.Match[str]) -> str:
        run = found[0]
        return f"[{human_size(len(run) * 3 // 4)} of base64 data]" if len(set(run)) > 18 else run

    return _BASE64_RUN.sub(placeholder, text)


def shorten(text: str, most: int) -> str:
    """Head and tail of a long text, with a note of what is missing."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]}\n… {len(text) - head - tail} characters left out …\n{text[-tail:]}"


def joined(value: Json) -> str:
    """Nbformat's multi-line text as one; JSON that is no text, as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return json.dumps(value, ensure_ascii=False)


def output_text(output: Mapping[str, Json]) -> str:
    """One output."""
    kind = output.get("output_type")
    if kind == "stream":
        return clean(joined(output.get("text", ""))).rstrip("\n")
    if kind == "error":
        return _error_text(output)
    data = output.get("data")
    return _bundle_text(data if isinstance(data, dict) else {})


def error_line(outputs: Sequence[Mapping[str, Json]]) -> str:
    """`ZeroDivisionError: division by zero` of the first error, or nothing."""
    for output in outputs:
        if output.get("output_type") == "error":
            return clean(f"{output.get('ename')}: {output.get('evalue')}").strip()
    return ""


def raised(outputs: Sequence[Mapping[str, Json]]) -> str:
    """`It raised ZeroDivisionError.` of the first error, or nothing: the name of its class, never its words."""
    names = [str(output.get("ename")) for output in outputs if output.get("output_type") == "error"]
    return (
        f"It raised {names[0]}." if names and names[0].replace(".", "_").isidentifier() and len(names[0]) < 80 else ""
    )


def _error_text(output: Mapping[str, Json]) -> str:
    trace = output.get("traceback")
    lines = clean("\n".join(map(str, trace if isinstance(trace, list) else ()))).split("\n")
    if len(lines) > TRACEBACK_HEAD + TRACEBACK_TAIL + 1:
        left_out = len(lines) - TRACEBACK_HEAD - TRACEBACK_TAIL
        lines = [*lines[:TRACEBACK_HEAD], f"… {left_out} lines left out …", *lines[-TRACEBACK_TAIL:]]
    said = error_line([output])
    text = "\n".join(lines).strip()
    return text if text.endswith(said) and text else f"{text}\n{said}".strip()


def _bundle_text(data: Mapping[str, Json]) -> str:
    parts = [_placeholder(mime, value) for mime, value in data.items() if mime.startswith("image/")]
    if "text/plain" in data:
        parts.append(clean(joined(data["text/plain"])))
    elif texts := [kind for kind in _TEXT_KINDS if kind in data]:
        parts.append(clean(joined(data[texts[0]])))
    else:
        parts += [_placeholder(mime, value) for mime, value in data.items() if not mime.startswith("image/")]
    return "\n".join(parts)


def _placeholder(mime: str, value: Json) -> str:
    text = joined(value)
    is_binary = mime.startswith("image/") and mime != "image/svg+xml"
    size = len(text.rstrip().rstrip("=")) * 3 // 4 if is_binary else len(text.encode(errors="replace"))
    return f"[{mime}, {size} bytes]"


def outputs_text(outputs: Sequence[Mapping[str, Json]], most: int = OUTPUT_CHARS) -> str:
    """All outputs of a cell, bounded."""
    return shorten("\n".join(filter(None, map(output_text, outputs))), most)


def cell_source(cell: Mapping[str, Json]) -> str:
    """A cell's source as one text."""
    return joined(cell.get("source", ""))


def images_of(outputs: Sequence[Mapping[str, Json]]) -> tuple[tuple[str, str], ...]:
    """Pictures among outputs, for models that see."""
    found = [
        (mime, joined(value).strip())
        for output in outputs
        for mime, value in (output.get("data") or {}).items()
        if mime in ("image/png", "image/jpeg")
    ]
    return tuple(pair for pair in found if len(pair[1]) <= _IMAGE_LIMIT_CHARS)[:_MOST_IMAGES]
