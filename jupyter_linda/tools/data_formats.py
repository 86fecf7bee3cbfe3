"""The beginnings of CSV, JSON, Parquet and Excel files: columns and first rows, without loading the whole."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import math
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import ToolFailed, ToolRetry
from .text import decode, human_size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..ports import Json

HEAD_BYTES = 1_000_000
"""How much of a text file is read."""
SAMPLE_ROWS = 200
"""Rows that types are guessed from."""
EXCEL_BYTES, EXCEL_UNPACKED_BYTES = 50_000_000, 500_000_000
"""An Excel file is read whole: not above these sizes, packed and unpacked."""
TEXT_CHARS = 200
_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d{0,17})$")
_NUMBER = re.compile(r"[+-]?(\d+\.\d*|\.\d+|(0|[1-9]\d*))([eE][+-]?\d+)?$")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$")


@dataclass
class Peek:
    """What the beginning of a data file tells. `rows_total` None: nobody knows without reading it all."""

    format: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Json]]
    rows_total: int | None = None
    sheets: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)


def _start(stream: BinaryIO) -> bytes:
    start = stream.read(8)
    stream.seek(0)
    return start


def _is_parquet(lowered: str, start: bytes) -> bool:
    return lowered.endswith((".parquet", ".pq")) or start.startswith(b"PAR1")


def is_packed(stream: BinaryIO, name: str) -> bool:
    """Whether what is in a file may be very much more than the file: its reader unpacks it by what it says itself."""
    return _is_parquet(name.lower(), _start(stream)) or name.lower().endswith(_SHEETS)


def peek(stream: BinaryIO, name: str, size: int, *, rows: int, sheet: str) -> Peek:
    """The first rows of a data file by its name, or by how it begins."""
    lowered = name.lower()
    start = _start(stream)
    if _is_parquet(lowered, start):
        return _parquet(stream, rows)
    if lowered.endswith(_SHEETS):
        return _excel(stream, name, size, rows, sheet)
    content, is_whole = _head(stream, packed=lowered.endswith(".gz") or start.startswith(b"\x1f\x8b"))
    lowered = lowered.removesuffix(".gz")
    text = _text(content, name, is_whole=is_whole)
    if lowered.endswith((".jsonl", ".ndjson")):
        return _json_lines(text, rows, is_whole=is_whole)
    if lowered.endswith(".json"):
        return _json(text, name, rows, is_whole=is_whole)
    if lowered.endswith((".csv", ".tsv", ".tab", ".txt", ".dat")):
        return _csv(text, lowered, rows, is_whole=is_whole)
    raise ToolRetry(f"{name!r} is no data file by its name. Known: csv, tsv, json, jsonl, parquet, xlsx, xls, ods.")


def _head(stream: BinaryIO, *, packed: bool) -> tuple[bytes, bool]:
    source: Any = gzip.GzipFile(fileobj=stream) if packed else stream  # both read bytes
    try:
        content: bytes = source.read(HEAD_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise ToolFailed("This file is not whole: it cannot be unpacked.", kind_of_failure="damaged") from None
    return content[:HEAD_BYTES], len(content) <= HEAD_BYTES


def _text(content: bytes, name: str, *, is_whole: bool) -> str:
    """The head as text; a character that the end of the head cuts is left out, and so is the line."""
    if not is_whole:
        codec = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else ""
        end = len(content) // 2 * 2 if codec else content.rfind(b"\n") + 1 or len(content)
        content = content[:end]
    return decode(content, name=name).text


# ---- text ---------------------------------------------------------------------------------------


def _csv(text: str, name: str, rows: int, *, is_whole: bool) -> Peek:
    text = text.lstrip("\ufeff")
    # The module's own limit of a field, for the whole process, is smaller than the head that is read here.
    csv.field_size_limit(max(csv.field_size_limit(), 2 * HEAD_BYTES))
    try:
        delimiter = "\t" if name.endswith((".tsv", ".tab")) else _delimiter(text)
        count = sum(1 for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if line)
        lines = list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), SAMPLE_ROWS + rows + 1))
    except csv.Error as error:
        raise ToolFailed(f"This is no CSV file that can be read: {error}.", kind_of_failure="damaged") from None
    lines = [line for line in lines if line]
    header, body = (lines[0], lines[1:]) if lines and _is_header(lines) else ([], lines)
    wide = max((len(line) for line in lines[:SAMPLE_ROWS]), default=0)
    names = [header[at] if at < len(header) else f"column {at + 1}" for at in range(wide)]
    body = [line + [""] * (wide - len(line)) for line in body]
    kinds = [_kind_of([line[at] for line in body[:SAMPLE_ROWS]]) for at in range(wide)]
    notes = [f"The columns are parted by {delimiter!r}."] if delimiter != "," else []
    notes += [] if header or not lines else ["No header was recognised."]
    total = count - bool(header) if is_whole else None
    return Peek(
        "csv", list(zip(names, kinds, strict=True)), [list(map(_cut, line)) for line in body[:rows]], total, (), notes
    )


def _delimiter(text: str) -> str:
    """The one that parts most of the first lines into the same number of fields."""
    head = "\n".join([line for line in text.split("\n")[:30] if line.strip()])

    def score(delimiter: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if row]
        most = max(set(counts), key=counts.count) if counts else 1
        return (counts.count(most) if most > 1 else 0, most)

    return max((",", ";", "\t", "|"), key=score)


def _is_header(lines: Sequence[Sequence[str]]) -> bool:
    """Names are there, differ, and are no numbers."""
    first = lines[0]
    texts = [cell.strip() for cell in first if cell.strip()]
    return bool(texts) and not any(_NUMBER.match(cell) or _MOMENT.match(cell) for cell in texts)


def _kind_of(cells: Sequence[str]) -> str:
    """What a column of texts seems to hold; `007` and `1,200` stay text."""
    known = [cell.strip() for cell in cells if cell.strip() not in ("", "NA", "N/A", "NaN", "nan", "null", "None")]
    empty = " with missing ones" if len(known) < len(cells) else ""
    if not known:
        return "empty"
    for words, pattern in (("whole numbers", _WHOLE), ("numbers", _NUMBER), ("moments", _MOMENT)):
        if all(pattern.match(cell) for cell in known):
            return words + empty
    if all(cell.lower() in ("true", "false") for cell in known):
        return "true or false" + empty
    return "text" + empty


def _json_lines(text: str, rows: int, *, is_whole: bool) -> Peek:
    lines = [line for line in text.splitlines() if line.strip()]
    records = []
    for number, line in enumerate(lines[: max(SAMPLE_ROWS, rows)], start=1):
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError):
            raise ToolFailed(f"Line {number} is no JSON.", kind_of_failure="damaged") from None
    return _of_records("jsonl", records, rows, len(lines) if is_whole else None)


def _json(text: str, name: str, rows: int, *, is_whole: bool) -> Peek:
    """A list of records, a dict of columns, or a record; of a large list the first records are read one by one."""
    try:
        value = json.loads(text) if is_whole else _first_records(text, max(SAMPLE_ROWS, rows))
    except (_NotRead, json.JSONDecodeError) as error:
        raise ToolFailed(f"{name!r} is no JSON that can be read: {error}.", kind_of_failure="damaged") from None
    except (ValueError, RecursionError):
        words = "a number in it is too long, or it is nested too deeply"
        raise ToolFailed(f"{name!r} is no JSON that can be read: {words}.", kind_of_failure="damaged") from None
    if isinstance(value, dict) and value and all(isinstance(one, list) for one in value.values()):
        most = max(len(one) for one in value.values())
        value = [{key: one[at] if at < len(one) else None for key, one in value.items()} for at in range(most)]
    if isinstance(value, dict):
        inner = next(
            (key for key, one in value.items() if isinstance(one, list) and one and isinstance(one[0], dict)), ""
        )
        found = _of_records("json", value[inner] if inner else [value], rows, len(value[inner]) if inner else 1)
        found.notes += [f"The records stand under {inner!r}."] if inner else []
        return found
    records = value if isinstance(value, list) else [value]
    return _of_records("json", records, rows, len(records) if is_whole else None)


class _NotRead(ValueError):
    """Why a large JSON file is not looked into, in words of ours."""


def _first_records(text: str, most: int) -> list[Json]:
    if not text.lstrip().startswith("["):
        raise _NotRead("it is larger than 1 MB and no list")
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    found: list[Json] = []
    while len(found) < most:
        at = re.compile(r"[\s,]*").match(text, at).end()  # type: ignore[union-attr]  # it matches nothing too
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            break
        found.append(value)
    if not found:
        raise _NotRead("its first record is larger than 1 MB")
    return found


def _of_records(form: str, records: Sequence[Json], rows: int, total: int | None) -> Peek:
    plain = [record if isinstance(record, dict) else {"value": record} for record in records]
    names = list(dict.fromkeys(str(key) for record in plain[:SAMPLE_ROWS] for key in record))
    columns = []
    for name in names:
        kinds = {type(record.get(name)) for record in plain[:SAMPLE_ROWS]}
        words = sorted(_JSON_WORDS[kind] for kind in kinds if kind is not type(None))
        columns.append((name, (" or ".join(words) or "empty") + (" with missing ones" if type(None) in kinds else "")))
    body = [[_plain(record.get(name)) for name in names] for record in plain[:rows]]
    return Peek(form, columns, body, total)


_JSON_WORDS: Mapping[type, str] = {
    str: "text", int: "whole numbers", float: "numbers", bool: "true or false", list: "lists", dict: "objects",
}  # fmt: skip


# ---- engines ------------------------------------------------------------------------------------


def _parquet(stream: BinaryIO, rows: int) -> Peek:
    # Heavy, and needed here only: loaded when the first Parquet file is looked at.
    import pyarrow  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    try:
        file = pyarrow.parquet.ParquetFile(stream, buffer_size=1 << 16, pre_buffer=False)
        schema, total = file.schema_arrow, file.metadata.num_rows
        names = [f.name for f in schema]
        first: list[list[Json]] = []
        if rows and total:
            wanted = list(range(len(names)))[:100]
            batch = next(file.iter_batches(batch_size=rows, use_threads=False, columns=[names[at] for at in wanted]))
            lists = [[_from_arrow(one) for one in batch.column(at)] for at in range(batch.num_columns)]
            first = [[_plain(one[row]) for one in lists] for row in range(batch.num_rows)]
    except MemoryError:  # pyarrow's is both
        raise
    except (pyarrow.ArrowException, OSError) as error:
        words = str(error).split("\n")[0][:200]
        raise ToolFailed(f"This Parquet file cannot be read: {words}.", kind_of_failure="damaged") from None
    notes = [] if len(names) <= 100 else ["(Rows show the first 100 columns.)"]
    return Peek("parquet", [(f.name, str(f.type)) for f in schema], first, total, (), notes)


def _from_arrow(scalar: Any) -> Json:  # of an untyped library
    """A value; a moment that no calendar of Python holds is its number, with the column's type beside it."""
    try:
        return scalar.as_py()
    except (ValueError, OverflowError, KeyError):  # the last: a time zone that this machine does not know
        number = getattr(scalar, "value", None)
        return "(cannot be shown)" if number is None else f"{number} as {scalar.type}"


def _excel(stream: BinaryIO, name: str, size: int, rows: int, sheet: str) -> Peek:
    try:
        import python_calamine as calamine  # noqa: PLC0415  # an optional extra
    except ImportError:
        raise ToolFailed(
            f"{name!r} is an Excel file, and nothing that reads those is installed beside Linda.",
            remedy="Install the extra: pip install 'jupyter_linda[excel]'. Or read it with code in a notebook.",
            kind_of_failure="no_reader",
        ) from None
    if size > EXCEL_BYTES or _unpacked(stream) > EXCEL_UNPACKED_BYTES:
        raise ToolFailed(
            f"{name!r} is too large to be looked at ({human_size(size)}).",
            remedy="Read it with code in a notebook.",
            kind_of_failure="too_large",
        )
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(stream.read()))
        sheets = list(book.sheet_names)
        chosen = sheet or (sheets[0] if sheets else "")
        if chosen not in sheets:
            raise ToolRetry(f"There is no sheet {sheet!r}. There are: {', '.join(sheets) or 'none'}.")
        found = book.get_sheet_by_name(chosen)
        lines = found.to_python(skip_empty_area=True, nrows=max(rows, SAMPLE_ROWS) + 1)
    except calamine.CalamineError as error:
        raise ToolFailed(f"{name!r} cannot be read: {error}.", kind_of_failure="damaged") from None
    texts = [[str(cell) for cell in line] for line in lines[: SAMPLE_ROWS + 1]]
    has_header = bool(texts) and _is_header(texts)
    body = lines[has_header:]
    wide = max((len(line) for line in lines), default=0)
    names = [texts[0][at] if has_header and texts[0][at] else f"column {at + 1}" for at in range(wide)]
    kinds = [_excel_kind([line[at] for line in body[:SAMPLE_ROWS]]) for at in range(wide)]
    first = [[_plain(None if cell == "" else cell) for cell in line] for line in body[:rows]]
    notes = [f"This is the sheet {chosen!r}."]
    return Peek("excel", list(zip(names, kinds, strict=True)), first, found.height - has_header, sheets, notes)


def _unpacked(stream: BinaryIO) -> int:
    """What a zipped file unpacks to; the old binary format is not packed."""
    try:
        with zipfile.ZipFile(stream) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        return 0
    finally:
        stream.seek(0)


def _excel_kind(cells: Sequence[Json]) -> str:
    known = [cell for cell in cells if cell != ""]
    empty = " with missing ones" if len(known) < len(cells) else ""
    words: Mapping[type, str] = {**_JSON_WORDS, datetime: "moments", date: "dates", time: "times", timedelta: "spans"}
    found = {words.get(type(cell), "text") for cell in known}
    if found == {"numbers"} and all(float(cell).is_integer() for cell in known):
        found = {"whole numbers"}
    return (" or ".join(sorted(found)) or "empty") + (empty if known else "")


# ---- values -------------------------------------------------------------------------------------


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1] + "…"


def _number(value: float) -> Json:
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isfinite(value) else str(value)
    return value if abs(value) <= 2**53 else str(value)


_PLAIN: Sequence[tuple[type | tuple[type, ...], Callable[[Any], Json]]] = (
    (bool, bool), (str, _cut), ((int, float), _number), ((datetime, date, time), lambda one: one.isoformat()),
    ((timedelta, Decimal), str), (bytes, lambda one: f"<{len(one)} bytes>"),
)  # fmt: skip


def _plain(value: Json) -> Json:
    """One value as strict JSON, bounded."""
    if value is None:
        return None
    for kinds, made in _PLAIN:
        if isinstance(value, kinds):
            return made(value)
    return _cut(json.dumps(value, ensure_ascii=False, default=str))
