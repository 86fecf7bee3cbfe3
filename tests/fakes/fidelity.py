"""Whether edits, moves and their undoing leave everything else of a notebook file as it was."""

from __future__ import annotations

import copy
import json
import random
import re
from pathlib import Path
from typing import Any

from jupyter_linda.errors import LindaError
from jupyter_linda.journal.cells import take_back
from jupyter_linda.tools.naming import version_of
from jupyter_linda.tools.notebook_edits import edit_cell, insert_cell
from jupyter_linda.tools.notebook_structure import move_cell
from tests.fakes.tool_bench import ToolBench

Json = Any
WORDS = "an edit\nof two lines ✓"


def text_of(cell: Json) -> str:
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else source


def layout(raw: bytes) -> tuple[Any, ...]:
    """Indentation, final newline, byte order mark, carriage returns."""
    text = raw.decode("utf-8").removeprefix("\ufeff")
    first = re.match(r"\s*\{\r?\n([ \t]*)", text)
    ending = text[len(text.rstrip()) :]
    return (first[1] if first else None, ending, raw.startswith(b"\xef\xbb\xbf"), b"\r\n" in raw)


def _without_new_ids(content: Json, before: Json) -> Json:
    """Formats with ids get those that were missing, and twins their own: that is meant."""
    had = {cell["id"] for cell in before["cells"] if "id" in cell}
    if len(had) < sum("id" in cell for cell in before["cells"]):
        had = set()
    cells = [c if c.get("id") in had else {k: v for k, v in c.items() if k != "id"} for c in content["cells"]]
    return {**content, "cells": cells}


class Fidelity:
    """Works on one file with the real tools; `faults` gathers what was not as it should be."""

    def __init__(self, bench: ToolBench, folder: Path) -> None:
        self.bench = bench
        self.file = folder / "n.ipynb"
        self.faults: list[str] = []
        self.operations = 0
        self.refused = 0
        self.same_bytes = 0

    async def try_all(self, raw: bytes, chance: random.Random) -> None:
        """Edit, insert and move, each undone."""
        self.file.write_bytes(raw)
        before = json.loads(raw.decode("utf-8").removeprefix("\ufeff"))
        if before.get("nbformat") != 4:
            await self._stays(raw, insert_cell, source="x")
            return
        count = len(before["cells"])
        ids = [cell["id"] for cell in (await self._view())["cells"]]
        await self._insert(raw, before, chance.randint(0, count))
        if not count or len(set(ids)) < count:
            return
        await self._edit(raw, before, chance.randrange(count))
        await self._move(raw, before, chance.randrange(count), chance.randrange(count))

    async def _view(self) -> Json:
        return (await self.bench.live.read_notebook("n.ipynb")).content

    async def _stays(self, raw: bytes, tool: Any, **arguments: Any) -> None:
        self.operations += 1
        try:
            await self.bench.call(tool, path="n.ipynb", **arguments)
        except LindaError:
            self.refused += 1
        else:
            self.faults.append("an old format was written")
        if self.file.read_bytes() != raw:
            self.faults.append("a refused edit changed the file")

    async def _do(self, raw: bytes, expected: Json, before: Json, tool: Any, touched: int, **arguments: Any) -> None:
        """One operation and its way back; only the cell at `touched` may have a mark and another source."""
        self.operations += 1
        self.file.write_bytes(raw)
        self.bench.journal.entries.clear()
        await self.bench.call(tool, path="n.ipynb", **arguments)
        written = self.file.read_bytes()
        got = _without_new_ids(json.loads(written.decode("utf-8").removeprefix("\ufeff")), before)
        if touched >= 0:
            (got["cells"][touched].get("metadata") or {}).pop("linda", None)
            got["cells"][touched]["source"] = text_of(got["cells"][touched])
        if got != expected:
            self.faults.append(f"{tool.name}: something else changed in {raw[:200]!r}")
        if layout(written) != layout(raw):
            self.faults.append(f"{tool.name}: layout {layout(raw)} became {layout(written)}")
        await self._undo(raw, before, tool)

    async def _undo(self, raw: bytes, before: Json, tool: Any) -> None:
        self.operations += 1
        ((_, _, changes),) = self.bench.journal.entries.values()
        await self.bench.live.edit_notebook("n.ipynb", take_back((await self._view())["cells"], changes))
        written = self.file.read_bytes()
        if _without_new_ids(json.loads(written.decode("utf-8").removeprefix("\ufeff")), before) != before:
            self.faults.append(f"{tool.name} undone: not as before in {raw[:200]!r}")
        if layout(written) != layout(raw):
            self.faults.append(f"{tool.name} undone: layout {layout(raw)} became {layout(written)}")
        self.same_bytes += written == raw

    async def _insert(self, raw: bytes, before: Json, at: int) -> None:
        self.operations += 1
        self.bench.journal.entries.clear()
        await self.bench.call(insert_cell, path="n.ipynb", source=WORDS, index=at)
        written = self.file.read_bytes()
        got = _without_new_ids(json.loads(written.decode("utf-8").removeprefix("\ufeff")), before)
        new = got["cells"].pop(at)
        if text_of(new) != WORDS or got != _without_new_ids(before, before):
            self.faults.append(f"insert_cell: something else changed in {raw[:200]!r}")
        if layout(written) != layout(raw):
            self.faults.append(f"insert_cell: layout {layout(raw)} became {layout(written)}")
        if self.bench.journal.entries:
            await self._undo(raw, before, insert_cell)

    async def _edit(self, raw: bytes, before: Json, at: int) -> None:
        self.file.write_bytes(raw)
        cell_id = (await self._view())["cells"][at]["id"]
        expected = copy.deepcopy(before)
        expected["cells"][at]["source"] = WORDS
        version = version_of(text_of(before["cells"][at]))
        expected["cells"][at].setdefault("metadata", {})
        await self._do(raw, expected, before, edit_cell, at, cell_id=cell_id, source=WORDS, version=version)

    async def _move(self, raw: bytes, before: Json, at: int, to: int) -> None:
        self.file.write_bytes(raw)
        cell_id = (await self._view())["cells"][at]["id"]
        expected = copy.deepcopy(before)
        expected["cells"].insert(to, expected["cells"].pop(at))
        if to != at:
            await self._do(raw, expected, before, move_cell, -1, cell_id=cell_id, index=to)


# ---- notebooks as they come ----------------------------------------------------------------------

_TEXTS = (
    "",
    "x = 1",
    "x = 1\n",
    "α = 'ü'\nprint(α)\n\n",
    "# Title\r\nold ends",
    "'\\u00e9' + \"\\\\n\"",
    "\t- 中文\n" * 3,
)
_VALUES = (
    None,
    True,
    0,
    -3,
    2**70,
    1.5,
    1e-7,
    1e300,
    "",
    "ü \u2028 \x7f",
    [],
    {},
    [1, [2, {"a": None}]],
    {"z": 1, "a": 2},
)


def made(chance: random.Random) -> bytes:
    """A notebook of format 3 or 4.0 to 4.5, with unknown fields and whatever layout."""
    minor = chance.randint(-1, 5)
    content = _old(chance) if minor < 0 else _new(chance, minor)
    indent = chance.choice([None, 1, 2, 3, 4, 8, "\t", 1, 2])
    separators = chance.choice([None, (",", ":")]) if indent is None else None
    text = json.dumps(content, indent=indent, ensure_ascii=chance.random() < 0.3, separators=separators)
    text += chance.choice(["", "\n", "\n", "\n\n"])
    if chance.random() < 0.2 and indent is not None:
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if chance.random() < 0.1 else b"") + text.encode()


def _some(chance: random.Random) -> Json:
    """Unknown fields."""
    return {f"x_{chance.randint(0, 99)}": chance.choice(_VALUES) for _ in range(chance.randint(0, 3))}


def _source(chance: random.Random, *, as_list: bool) -> Json:
    text = "".join(chance.choice(_TEXTS) for _ in range(chance.randint(0, 3)))
    return text.splitlines(keepends=True) if as_list else text


def _new(chance: random.Random, minor: int) -> Json:
    as_list, with_ids = chance.random() < 0.7, minor >= 5 and chance.random() < 0.9
    cells = []
    for at in range(chance.randint(0, 6)):
        kind = chance.choice(["code", "code", "markdown", "raw"])
        cell: Json = {"cell_type": kind, "metadata": _some(chance), "source": _source(chance, as_list=as_list)}
        if kind == "code":
            cell |= {"execution_count": chance.choice([None, 1, 7]), "outputs": _outputs(chance)}
        elif chance.random() < 0.3:
            cell["attachments"] = {"a b.png": {"image/png": "eA=="}}
        if with_ids:
            cell["id"] = f"c-{at}-{chance.randint(0, 999)}"
        keys = list({**cell, **_some(chance)}.items())
        chance.shuffle(keys)
        cells.append(dict(keys))
    metadata = {"kernelspec": {"name": "python3", "display_name": "P", **_some(chance)}, **_some(chance)}
    parts = list(
        {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": minor, **_some(chance)}.items()
    )
    chance.shuffle(parts)
    return dict(parts)


def _outputs(chance: random.Random) -> Json:
    kinds = [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"], **_some(chance)},
        {"output_type": "display_data", "metadata": _some(chance), "data": {"text/plain": "x", "a/b": {"k": [1]}}},
        {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"image/png": "eA==\n"}},
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["\x1b[31mE\x1b[0m"]},
    ]
    return [chance.choice(kinds) for _ in range(chance.randint(0, 3))]


def _old(chance: random.Random) -> Json:
    code = {"cell_type": "code", "input": ["1"], "language": "python", "metadata": {}, "outputs": [], **_some(chance)}
    sheets = [{"metadata": {}, "cells": [code]}]
    return {"metadata": {"name": "o"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets, **_some(chance)}
