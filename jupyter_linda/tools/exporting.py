"""Data frames to files: CSV, JSON, JSON Lines, Parquet, Excel; whole or not at all, over nothing that is there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..errors import ToolFailed, ToolRetry
from ..journal.files import GONE
from ..permissions.placing import check_new, place, temporary_beside
from ..ports import Resource, ToolContext, ToolResult, Unknown
from ..schemas import Preview
from ..toolkit import tool
from .file_changes import KEPT_BYTES
from .frame_kinds import KINDS
from .frames import Conditions, FrameName, ask_frame, check_name
from .naming import NotebookPath, api_path, notebook_path
from .text import human_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json

EXPORT_TIME_S = 300.0
FORMATS: Mapping[str, str] = {
    ".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".xlsx": "xlsx",
}  # fmt: skip

EXPORT = (
    KINDS
    + r'''

import csv, os, re

CHUNK = 20000
EXCEL_ROWS, EXCEL_COLUMNS, EXCEL_TEXT = 1048575, 16384, 32767
NO_XML = re.compile("[\\x00-\\x08\\x0b-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")
told_apart = {"kinds": 0, "cut": 0}
"""How many values were written as the name of their kind, and how many texts were cut."""


def exported(user, name, where, columns, target, form):
    told_apart.update(kinds=0, cut=0)
    frame = open_frame(user, name)
    if not (os.path.isfile(target) and os.path.getsize(target) == 0):
        words = "The kernel does not see that folder: it runs on another machine. Save it with code there."
        raise Trouble(words, False)
    if frame.length < frame.total:
        raise Trouble("%s is too long to be exported as it is: make a data frame of it first." % name, False)
    marks = frame.fit(where)
    places = None if marks is None else [int(place) for place in frame.places(marks)]
    chosen = [frame.find(one) for one in columns] or kept_levels(frame) + list(range(frame.width))
    names = unique([(frame.names + frame.levels)[place] for place in chosen])
    rows = frame.length if places is None else len(places)
    if form == "xlsx" and (rows > EXCEL_ROWS or len(chosen) > EXCEL_COLUMNS):
        raise Trouble("An Excel sheet holds %d rows and %d columns at most." % (EXCEL_ROWS, EXCEL_COLUMNS))
    try:
        {"csv": to_csv, "json": to_json, "jsonl": to_json, "parquet": to_parquet, "xlsx": to_excel}[form](
            frame, chosen, names, places, rows, target, form)
    except ImportError as error:
        missing = getattr(error, "name", None) or str(error).split("\n")[0]
        words = "The kernel's environment lacks a library for %s files (%s)." % (form, missing)
        raise Trouble(words, False, "not_installed")
    size = os.path.getsize(target)
    found = {"name": name, "kind": frame.kind, "rows": rows, "columns": len(chosen), "size_bytes": size}
    return dict(found, **told_apart)


def kept_levels(frame):
    """Index levels with a name are part of the data."""
    return [frame.width + at for at in range(len(frame.levels))]


def unique(names):
    """Each name once; one that repeats gets a number that no other has."""
    taken, told, found = set(names), set(), []
    for name in names:
        made, number = name, 0
        while made in told or (made != name and made in taken):
            number += 1
            made = "%s#%d" % (name, number)
        told.add(made)
        found.append(made)
    return found


def part_of(frame, chosen, names, places):
    """The chosen part, in the frame's own library."""
    if isinstance(frame, Pandas):
        series = [frame.column(place).reset_index(drop=True) for place in chosen]
        made = frame.pd.DataFrame(dict(zip(names, series)))
        return made if places is None else made.iloc[places]
    made = frame.pl.DataFrame([frame.column(place).alias(name) for place, name in zip(chosen, names)])
    return made if places is None else made[places]


def chunks(frame, chosen, places, rows):
    for start in range(0, rows, CHUNK):
        at = range(start, min(rows, start + CHUNK)) if places is None else places[start : start + CHUNK]
        for row in zip(*[frame.values(place, at) for place in chosen]) if chosen else [()] * len(at):
            yield row


def cell(value):
    """A value for a text file, exact and strict."""
    if is_empty(value):
        return None
    of = family(type(value))
    if of == "truth":
        return bool(value)
    if of == "text":
        return str(value)
    if of == "number":
        inner = value.item() if package(type(value)) == "numpy" else value
        if type(inner) is int:
            return inner
        return float(inner) if type(inner) is float and not math.isinf(inner) else str(inner)
    if type(value) in (list, dict):
        return deep(value)
    if package(type(value)) == "numpy" and getattr(value, "ndim", 1) == 0 and hasattr(type(value), "item"):
        value = value.item()
    if type(value) is complex:
        return str(value)
    shown = plain(value, 1000)
    if type(shown) is str and shown.startswith("<"):
        told_apart["kinds"] += 1
    return shown


def flat(value):
    """The same for a file that has no lists: those as JSON."""
    shown = cell(value)
    return json.dumps(shown, allow_nan=False, ensure_ascii=False) if type(shown) in (list, dict) else shown


def deep(value, level=0):
    if level > 20:
        return None
    if type(value) is dict:
        return dict((str(plain(key)), deep(one, level + 1)) for key, one in value.items())
    return [deep(one, level + 1) for one in value] if type(value) in (list, tuple) else cell(value)


def to_csv(frame, chosen, names, places, rows, target, form):
    if isinstance(frame, Polars) and all(fits_csv(frame.pl, frame.column(place).dtype) for place in chosen):
        part_of(frame, chosen, names, places).write_csv(target)
        return
    quick = isinstance(frame, Pandas) and frame.kind.startswith("pandas")
    if quick and not any(frame.sort_of(frame.column(place)) in ("objects", "moment", "category") for place in chosen):
        part_of(frame, chosen, names, places).to_csv(target, index=False, encoding="utf-8", lineterminator="\n")
        return
    with open(target, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        for row in chunks(frame, chosen, places, rows):
            writer.writerow(["" if value is None else value for value in (flat(one) for one in row)])


def fits_csv(pl, dtype):
    """Whether polars writes such a column to CSV itself."""
    return not (dtype.is_nested() or dtype in (pl.Object, pl.Binary, pl.Duration))


def to_json(frame, chosen, names, places, rows, target, form):
    with open(target, "w", encoding="utf-8", newline="") as stream:
        before = "[" if form == "json" else ""
        for row in chunks(frame, chosen, places, rows):
            text = json.dumps(dict(zip(names, [cell(one) for one in row])), allow_nan=False, ensure_ascii=False)
            stream.write(before + text)
            before = ",\n" if form == "json" else "\n"
        stream.write(("]\n" if rows else "[]\n") if form == "json" else "\n" if rows else "")


def to_parquet(frame, chosen, names, places, rows, target, form):
    if isinstance(frame, Polars):
        part_of(frame, chosen, names, places).write_parquet(target)
    elif isinstance(frame, Pandas):
        part_of(frame, chosen, names, places).to_parquet(target, index=False)
    else:
        import pyarrow, pyarrow.parquet

        columns = [frame.values(place, places) for place in chosen]
        pyarrow.parquet.write_table(pyarrow.table(dict(zip(names, columns))), target)


def to_excel(frame, chosen, names, places, rows, target, form):
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("data")

    def kept(value):
        """Text stays text: it is no formula and no error of Excel's, whatever it looks like."""
        if type(value) is not str:
            return value
        made = openpyxl.cell.WriteOnlyCell(sheet)
        made.value, made.data_type = excel_text(value), "s"
        return made

    sheet.append([kept(name) for name in names])
    for row in chunks(frame, chosen, places, rows):
        sheet.append([kept(excel_cell(one)) for one in row])
    with open(target, "wb") as stream:
        book.save(stream)


def excel_cell(value):
    """Excel holds 15 digits, milliseconds since 1900 and no time zones: what does not fit is written as text."""
    of = family(type(value))
    if of == "moment" and not is_empty(value) and getattr(value, "tzinfo", None) is None and hasattr(value, "year"):
        parts = (getattr(value, "microsecond", 0) % 1000, getattr(value, "nanosecond", 0))
        if value.year >= 1900 and parts == (0, 0):
            return value.to_pydatetime(warn=False) if hasattr(value, "to_pydatetime") else value
    shown = flat(value)
    return str(shown) if type(shown) is int and abs(shown) >= 10 ** 15 else shown


def excel_text(text):
    """What a cell of Excel takes: no characters that XML has not, and so many at most."""
    clean = NO_XML.sub("", text)
    told_apart["cut"] += len(clean) > EXCEL_TEXT
    return clean[:EXCEL_TEXT]
'''
)


def _target(arguments: Mapping[str, Json]) -> Resource:
    if not arguments["file"].strip():
        raise ToolRetry("`file` is empty. Name the file to write, relative to the notebook folder.")
    return Resource("file", arguments["file"])


def _form(file: str, wanted: str) -> str:
    form = wanted or FORMATS.get(Path(file).suffix.lower(), "")
    if not form:
        raise ToolRetry(f"{file!r} says no format by its name: end it in {', '.join(FORMATS)}, or give `format`.")
    return form


@tool(action="write", family="dataframe", resource=_target, holds="words")
async def export_dataframe(
    context: ToolContext,
    path: NotebookPath,
    name: FrameName,
    file: Annotated[str, "The new file, relative to the notebook folder."],
    format: Annotated[Literal["", "csv", "json", "jsonl", "parquet", "xlsx"], "Empty: by the file's name."] = "",
    columns: Annotated[list[str], Field(max_length=2000, description="Only these columns; empty: all.")] = [],  # noqa: B006
    where: Conditions = [],  # noqa: B006
) -> ToolResult:
    """Write a data frame of a notebook's running kernel to a new file. Nothing that exists is overwritten.

    Named index levels become columns; numbers stay exact, missing values are empty or null.
    """
    # `data` holds path, file, format, name, rows, columns, size_bytes, kinds and cut (values not written as they were)
    check_name(name)
    form = _form(file, format)
    notebook = api_path(context, notebook_path(path))
    context.admit_path(notebook, "read")
    real = context.admit_path(file, "write")
    check_new(real, label=file)
    with temporary_beside(real, label=file) as temporary:
        asked = {
            "name": name, "where": [dict(one) for one in where], "columns": columns, "target": str(temporary),
            "form": form,
        }  # fmt: skip
        found = await ask_frame(
            context, notebook, text=EXPORT, work="exported", arguments=asked, timeout_s=EXPORT_TIME_S
        )
        if temporary.stat().st_size != found["size_bytes"]:
            raise ToolFailed(f"{file!r} was not written whole.", remedy="Try again.", kind_of_failure="cut")
        await _place_noted(context, temporary, real, file)
    size = human_size(found["size_bytes"])
    notes = _notes(found)
    return ToolResult(
        text=f"Wrote {found['rows']} rows x {found['columns']} columns of {name} to {file} ({form}, {size}).{notes}",
        title=f"Exported {name} to {file}, {found['rows']} rows",
        data={"path": notebook, "file": file, "format": form, **found},
    )


def _notes(found: Mapping[str, Json]) -> str:
    """What of the data is not in the file as it was."""
    words = ""
    if found["kinds"]:
        words += (
            f" {found['kinds']} values have no form in such a file and are written as their kind, as in <set of 2>."
        )
    if found["cut"]:
        words += f" {found['cut']} texts are longer than a cell of Excel holds and were cut."
    return words


def _content(temporary: Path) -> bytes | None:
    """What was written; None where it is too much for the journal."""
    return temporary.read_bytes() if temporary.stat().st_size <= KEPT_BYTES else None


async def _place_noted(context: ToolContext, temporary: Path, real: str, file: str) -> None:
    """Give a whole file its name, noted so that it can be undone."""
    content = await asyncio.to_thread(_content, temporary)
    kept = "" if content is None else await context.journal.keep(content)
    change = {"op": "write", "path": file, "old": GONE, "new": kept, "real": real}
    entry = await context.journal.note("file", file, [change])
    try:
        await asyncio.to_thread(place, temporary, real, label=file)
    except Exception:
        await context.journal.forget(entry)
        raise


@export_dataframe.previews
async def _preview_export(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    form = _form(arguments["file"], arguments["format"])
    part = "the rows that fit" if arguments["where"] else "all rows"
    words = f"Write {part} of {arguments['name']} in {arguments['path']} to the new file {arguments['file']} ({form})."
    return Preview(sentence=words)


@export_dataframe.finds
async def _find_export(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    real = context.admit_path(arguments["file"], "read")
    return Unknown() if await asyncio.to_thread(Path(real).exists) else None


TOOLS = (export_dataframe,)
"""The tools of this file."""
