"""A cell's outputs as nbformat keeps them, collected as they come and bounded: head, tail and a note."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json

MOST_OUTPUTS = 400
"""Most separate outputs of a cell that are kept (a loop of displays makes thousands)."""


class _Stream:
    """One stream's text: the head stays, the tail rolls, what falls between is counted."""

    def __init__(self, name: str, limit_bytes: int) -> None:
        self.name = name
        self._half = max(1, limit_bytes // 2)
        self._head: list[str] = []
        self._head_bytes = 0
        self._tail: deque[str] = deque()
        self._tail_bytes = 0
        self._left_out = 0

    def add(self, text: str) -> None:
        """More text, in any portions."""
        if not self._tail:
            room = self._half - self._head_bytes
            head = _cut(text, room)
            if head:
                self._head.append(head)
                self._head_bytes += _size(head)
            text = text[len(head) :]
        if not text:
            return
        self._tail.append(text)
        self._tail_bytes += _size(text)
        while self._tail_bytes > self._half:
            oldest = self._tail.popleft()
            size, excess = _size(oldest), self._tail_bytes - self._half
            kept = _cut_front(oldest, size - excess) if size > excess else ""
            if kept:
                self._tail.appendleft(kept)
            self._left_out += size - _size(kept)
            self._tail_bytes -= size - _size(kept)

    def text(self) -> str:
        """Head, a note where something is missing, tail."""
        note = f"\n… {self._left_out} bytes of output left out …\n" if self._left_out else ""
        return "".join(self._head) + note + "".join(self._tail)

    def last(self, chars: int) -> str:
        """The newest text, for progress."""
        return ("".join(list(self._tail)[-64:]) or "".join(self._head[-64:]))[-chars:]


def _size(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _cut(text: str, size_bytes: int) -> str:
    """The longest start of a text that fits."""
    if size_bytes <= 0:
        return ""
    return text.encode(errors="replace")[:size_bytes].decode(errors="ignore") if _size(text) > size_bytes else text


def _cut_front(text: str, size_bytes: int) -> str:
    """The longest end of a text that fits."""
    return text.encode(errors="replace")[-size_bytes:].decode(errors="ignore")


class OutputCollector:
    """Follows the messages of one execution. `limit_bytes` bounds what `outputs` gives."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._items: list[Json | _Stream] = []
        self._displays: dict[str, list[int]] = {}
        self._clears_next = False
        self._left_out = 0
        self._used = 0
        self.execution_count: int | None = None
        self.has_error = False

    def take(self, kind: str, content: Mapping[str, Json]) -> None:
        """One iopub message of this execution."""
        if kind == "execute_input":
            self.execution_count = content.get("execution_count")
        elif kind == "clear_output":
            if content.get("wait"):
                self._clears_next = True
            else:
                self._clear()
        elif kind == "update_display_data":
            self._update(content)
        elif kind in ("stream", "display_data", "execute_result", "error"):
            if self._clears_next:
                self._clear()
            self._add(kind, content)

    def last_text(self, chars: int = 2000) -> str:
        """The newest stream text, for progress."""
        return next((item.last(chars) for item in reversed(self._items) if isinstance(item, _Stream)), "")

    def outputs(self) -> list[Json]:
        """The outputs so far, in nbformat's form."""
        found: list[Json] = []
        for item in self._items:
            if isinstance(item, _Stream):
                found.append({"name": item.name, "output_type": "stream", "text": item.text()})
            else:
                found.append(item)
        if self._left_out:
            note = f"… {self._left_out} more outputs left out …\n"
            found.append({"name": "stderr", "output_type": "stream", "text": note})
        return found

    def _clear(self) -> None:
        self._items.clear()
        self._displays.clear()
        self._clears_next = False
        self._left_out = self._used = 0
        self.has_error = False

    def _add(self, kind: str, content: Mapping[str, Json]) -> None:
        if kind == "stream":
            self._add_stream(str(content.get("name", "stdout")), str(content.get("text", "")))
            return
        if kind == "error":
            self.has_error = True
        elif len(self._items) >= MOST_OUTPUTS:
            self._left_out += 1
            return
        self._items.append(self._bounded(_as_output(kind, content)))
        display_id = (content.get("transient") or {}).get("display_id")
        if display_id:
            self._displays.setdefault(str(display_id), []).append(len(self._items) - 1)

    def _add_stream(self, name: str, text: str) -> None:
        last = self._items[-1] if self._items else None
        if not (isinstance(last, _Stream) and last.name == name):
            if len(self._items) >= MOST_OUTPUTS:
                # Streams that alternate a thousand times are joined to the last of their name instead.
                last = next((item for item in reversed(self._items) if isinstance(item, _Stream)), None)
            else:
                last = _Stream(name, self._limit // (2 if not self._items else 8))
                self._items.append(last)
        if isinstance(last, _Stream):
            last.add(text)

    def _update(self, content: Mapping[str, Json]) -> None:
        display_id = str((content.get("transient") or {}).get("display_id"))
        for index in self._displays.get(display_id, []):
            item = self._items[index]
            if not isinstance(item, _Stream):
                new = {**item, "data": content.get("data", {}), "metadata": content.get("metadata", {})}
                self._items[index] = self._bounded(new)

    def _bounded(self, output: Json) -> Json:
        """An output too large for what is left is replaced by what it was."""
        size = len(json.dumps(output, ensure_ascii=False, default=str).encode(errors="replace"))
        if self._used + size <= self._limit // 2:
            self._used += size
            return output
        if output["output_type"] == "error":
            trace = [str(line) for line in output["traceback"]]
            return {**output, "evalue": _cut(output["evalue"], 2000), "traceback": [*trace[:5], "…", *trace[-5:]]}
        kinds = ", ".join(sorted(output["data"]))
        text = f"… an output of {size} bytes left out ({kinds}) …"
        return {**output, "data": {"text/plain": text}, "metadata": {}}


def _as_output(kind: str, content: Mapping[str, Json]) -> dict[str, Json]:
    """A message's content as an nbformat output, its keys in nbformat's order."""
    if kind == "error":
        return {
            "ename": str(content.get("ename", "")),
            "evalue": str(content.get("evalue", "")),
            "output_type": "error",
            "traceback": list(content.get("traceback") or ()),
        }
    output: dict[str, Json] = {"data": content.get("data", {})}
    if kind == "execute_result":
        output["execution_count"] = content.get("execution_count")
    return {**output, "metadata": content.get("metadata", {}), "output_type": kind}


def bound_outputs(outputs: Json, limit_bytes: int) -> list[Json]:
    """Outputs that were collected elsewhere (a browser tab), bounded the same way."""
    collector = OutputCollector(limit_bytes)
    for output in outputs or ():
        kind = str(output.get("output_type", ""))
        text = output.get("text")
        if kind == "stream":
            output = {**output, "text": "".join(text) if isinstance(text, list) else text}
        collector.take(kind, output)
    return collector.outputs()


KEPT_BYTES = 200_000
"""Most bytes of one output that a reading of a notebook carries; larger ones are named by kind and size."""
READING_BYTES = 4_000_000
"""Most bytes of a reading: beyond it outputs are named only (the channel's frames end at 8 MB)."""


def slim(cells: list[Json]) -> list[Json]:
    """Cells for reading: large outputs and attachments are named by kind and size instead of carried."""
    most, slimmed = KEPT_BYTES, cells
    while True:
        slimmed = [_slim_cell(cell, most) for cell in cells]
        # Cell by cell: `dumps` of them all would stop every thread meanwhile.
        if most < 500 or sum(len(json.dumps(cell)) for cell in slimmed) <= READING_BYTES:
            return slimmed
        most //= 10


def _slim_cell(cell: Json, most: int) -> Json:
    if cell.get("outputs"):
        return {**cell, "outputs": [_slim_output(output, most) for output in cell["outputs"]]}
    if cell.get("attachments") and len(json.dumps(cell["attachments"])) > most:
        return {**cell, "attachments": {name: {} for name in cell["attachments"]}}
    return cell


def _slim_output(output: Json, most: int) -> Json:
    if len(json.dumps(output)) <= most:
        return output
    if output.get("output_type") == "stream":
        stream = _Stream(str(output.get("name", "stdout")), most)
        stream.add("".join(output.get("text", "")))
        return {**output, "text": stream.text()}
    if output.get("output_type") == "error":
        trace = [str(line)[:400] for line in output.get("traceback") or ()]
        return {**output, "evalue": str(output.get("evalue"))[:400], "traceback": [*trace[:2], *trace[-2:]]}
    data = output.get("data") or {}
    sizes = {mime: len(value if isinstance(value, str) else json.dumps(value)) for mime, value in data.items()}
    kept = {mime: value for mime, value in data.items() if sizes[mime] <= most // 2}
    named = " ".join(f"[{mime}, {_decoded(mime, sizes[mime])} bytes]" for mime in data if mime not in kept)
    text = "".join(kept.get("text/plain", ""))
    return {**output, "data": {**kept, "text/plain": f"{named}\n{text}".strip()}}


def _decoded(mime: str, size: int) -> int:
    return size * 3 // 4 if mime.startswith("image/") and "svg" not in mime else size
