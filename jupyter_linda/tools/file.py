"""Files: list, read, write, search. Every path passes the gate's path check, then is opened as checked."""

from __future__ import annotations

import asyncio
import fnmatch
import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import NotAllowed, NotFound, StaleRevision, ToolFailed, ToolRetry
from ..journal.files import GONE
from ..permissions.paths import open_checked, write_checked
from ..permissions.replacing import make_folder_of
from ..ports import Resource, ToolContext, ToolResult, Unknown
from ..ports.held import Holds, held
from ..schemas import Diff, Preview
from ..toolkit import tool
from .folders import Bounds, list_folder, told_over, walk
from .searching import Match, make_finder, search_content
from .text import Decoded, amount, decode, encode_like, human_size, is_same_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json
    from ..schemas import Action
    from .searching import Finder

READ_LIMIT_BYTES = 20_000_000
SEARCH_FILE_LIMIT_BYTES = 2_000_000
"""Of a notebook as much as is read at all: what makes it large are outputs, and its cells are searched."""
SEARCH_LIMIT_BYTES = 100_000_000
SEARCH_TIME_S = 5.0
LIST_LIMIT = 500
MOST_NAME_BYTES = 255
"""Of one part of a path, on the usual file systems."""
DATA_ENDINGS = (
    ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".geojson", ".parquet", ".feather", ".arrow", ".xls", ".xlsx",
    ".xml", ".dta", ".sav", ".sas7bdat", ".arff", ".dat", ".sql", ".ipynb", ".html",
)  # fmt: skip
"""Names of files whose text counts as data."""


def _file(arguments: Mapping[str, Json]) -> Resource:
    return Resource("file", named(arguments["path"]))


def _folder(arguments: Mapping[str, Json]) -> Resource:
    return Resource("folder", arguments["path"])


def named(path: str) -> str:
    """A path that names something; `ToolRetry` for none, and for what no file system takes."""
    if not path.strip():
        raise ToolRetry("The path is empty: invalid path. Name a file, relative to the notebook folder.")
    if any(len(part.encode("utf-8", "surrogatepass")) > MOST_NAME_BYTES for part in Path(path).parts):
        raise ToolRetry(f"A name in this path is longer than {MOST_NAME_BYTES} bytes. Choose a shorter one.")
    return path


def admit_text(context: ToolContext, path: str, action: Action) -> str:
    """The checked real path of a text file. A notebook is none, however it is spelled and whatever link leads there."""
    real = context.admit_path(path, action)
    if real.lower().endswith(".ipynb"):
        raise ToolRetry(
            f"{path!r} is a notebook: make it with create_notebook, change it with insert_cell, edit_cell, delete_cell."
        )
    return real


def version_of(content: bytes) -> str:
    """A file's version for `replaces`: the first 16 digits of its sha256."""
    return hashlib.sha256(content).hexdigest()[:16]


def read_whole(real: str, path: str) -> bytes:
    """A checked file's whole content; `ToolFailed` when it is larger than a tool reads."""
    with open_checked(real, label=path) as stream:
        content: bytes | None = stream.read(READ_LIMIT_BYTES + 1)
    if content is None:  # no file of a disk: it would have to be waited for
        raise ToolFailed(f"{path!r} gives nothing to read now.", kind_of_failure="not_ready")
    if len(content) > READ_LIMIT_BYTES:
        raise ToolFailed(
            f"{path!r} is larger than {human_size(READ_LIMIT_BYTES)}.",
            remedy="Read it with code in a notebook, or search it.",
            kind_of_failure="too_large",
        )
    return content


@tool(action="read", family="file", resource=_folder, holds="names")
async def list_files(
    context: ToolContext, path: Annotated[str, "Folder, relative to the notebook folder; empty for that folder."] = ""
) -> ToolResult:
    """List the files and folders in one folder. Hidden and secret files are not shown."""
    # `data` holds path, files (path, is_folder, size_bytes), truncated
    entries = await asyncio.to_thread(list_folder, context, path)
    shown = entries[:LIST_LIMIT]
    lines = [
        f"{entry.path}/" if entry.is_folder else f"{entry.path}  {human_size(entry.size_bytes)}" for entry in shown
    ]
    if len(entries) > len(shown):
        lines.append(f"({len(entries) - len(shown)} more are not shown; list a folder inside.)")
    files = [{"path": e.path, "is_folder": e.is_folder, "size_bytes": e.size_bytes} for e in shown]
    many = amount(len(entries), "entry", "entries")
    return ToolResult(
        text="\n".join(lines) or "The folder is empty.",
        title=f"Listed {path or 'the notebook folder'}, {many}",
        data={"path": path, "files": files, "truncated": len(entries) > len(shown)},
    )


def _content_of(path: str) -> Holds:
    """What the text of a file holds: data where its name says so (outputs, in a notebook), else words of somebody."""
    return "values" if path.lower().endswith(DATA_ENDINGS) else "source"


def _shown_data(arguments: Mapping[str, Json]) -> Holds | None:
    return "values" if _content_of(arguments["path"]) == "values" else None


def _beside(arguments: Mapping[str, Json]) -> Holds:
    return "names" if _shown_data(arguments) else "source"


@tool(action="read", family="file", resource=_file, shows_values=_shown_data, holds=_beside)
async def read_file(
    context: ToolContext,
    path: Annotated[str, "File, relative to the notebook folder."],
    start_line: Annotated[int, Field(ge=1, description="First line to read, from 1.")] = 1,
    max_lines: Annotated[int, Field(ge=1, le=5000, description="Most lines to read.")] = 400,
    encoding: Annotated[
        str, Field(max_length=40, description="Only when the file is not UTF-8: its encoding, such as gb18030.")
    ] = "",
) -> ToolResult:
    """Read lines of a text file. The answer names the file's version, which write_file needs to replace it.

    For notebooks use read_notebook.
    """
    # `data` holds path, text, start_line, lines, total_lines, version, encoding
    real = context.admit_path(named(path), "read")
    content = await asyncio.to_thread(read_whole, real, path)
    decoded = decode(content, name=path, encoding=encoding)
    lines = decoded.text.splitlines(keepends=True)
    chosen = lines[start_line - 1 : start_line - 1 + max_lines]
    if start_line > max(1, len(lines)):
        raise ToolRetry(f"{path!r} has {amount(len(lines), 'line')}; start_line {start_line} is past its end.")
    last = start_line - 1 + len(chosen)
    version = version_of(content)
    head = f"{path}, lines {start_line}-{last} of {len(lines)}, version {version}"
    notes = " ".join(filter(None, [decoded.note, "" if last >= len(lines) else f"Go on at start_line {last + 1}."]))
    body = "".join(chosen)
    return ToolResult(
        text=f"{head}\n{notes + chr(10) if notes else ''}{held(body, _content_of(path), path)}",
        title=f"Read {path}, {amount(len(lines), 'line')}",
        data={
            "path": path,
            "text": body,
            "start_line": start_line,
            "lines": len(chosen),
            "total_lines": len(lines),
            "version": version,
            "encoding": decoded.encoding,
        },
    )


def _old(real: str, path: str) -> tuple[bytes | None, Decoded | None]:
    """What stands there now, and as text where it is text."""
    try:
        content = read_whole(real, path)
    except NotFound:
        if os.path.exists(real):  # noqa: PTH110  # pathlib raises for long names
            raise
        return None, None
    try:
        return content, decode(content, name=path)
    except ToolFailed:
        return content, None


@tool(action="write", family="file", resource=_file, writes=("content",), holds="words")
async def write_file(
    context: ToolContext,
    path: Annotated[str, "File, relative to the notebook folder."],
    content: Annotated[str, Field(max_length=2_000_000, description="The file's whole new text.")],
    replaces: Annotated[str, "To replace a file: the version read_file named. Empty: the file must be new."] = "",
) -> ToolResult:
    """Write a text file: a new one, or the whole new text of one that was read. Not for notebooks (.ipynb)."""
    # `data` holds path, version, size_bytes, created
    real = admit_text(context, named(path), "write")
    before, old = await asyncio.to_thread(_old, real, path)
    if before is None and replaces:
        raise StaleRevision(f"{path!r} does not exist any more.", remedy="Leave `replaces` empty to create it.")
    if before is not None and not replaces:
        raise ToolRetry(f"{path!r} exists. Read it with read_file, then pass its version as `replaces`.")
    if before is not None and version_of(before) != replaces:
        raise StaleRevision(f"{path!r} changed since it was read.", remedy="Read it again.")
    if before is not None and old is None:
        raise ToolFailed(f"{path!r} is a binary file; it is not replaced by text.", kind_of_failure="binary")
    new = encode_like(content, old)
    await write_noted(context, path, real, new, before)
    return _written(path, new, old, content)


async def write_noted(context: ToolContext, path: str, real: str, new: bytes, before: bytes | None) -> None:
    """Write a file whose content still is `before` (None: there is none), noted so that it can be undone."""
    old = GONE if before is None else await context.journal.keep(before)
    change = {"op": "write", "path": path, "old": old, "new": await context.journal.keep(new), "real": real}
    entry = await context.journal.note("file", path, [change])
    try:
        await asyncio.to_thread(_write, real, new, before, path)
    except Exception:
        await context.journal.forget(entry)
        raise


def _write(real: str, new: bytes, before: bytes | None, path: str) -> None:
    if before is None:
        make_folder_of(real, label=path)
    write_checked(real, new, expect=before, label=path)


def _written(path: str, new: bytes, old: Decoded | None, content: str) -> ToolResult:
    version = version_of(new)
    word = "Created" if old is None else "Changed"
    return ToolResult(
        text=f"{word} {path} ({human_size(len(new))}), now version {version}.",
        title=f"{word} {path}",
        diffs=(Diff(label=path, old="" if old is None else old.text, new=content),),
        data={"path": path, "version": version, "size_bytes": len(new), "created": old is None},
    )


@write_file.previews
async def _preview_write(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    path = arguments["path"]
    real = admit_text(context, path, "read")
    before, old = await asyncio.to_thread(_old, real, path)
    verb = "Create" if before is None else "Change"
    diff = Diff(label=path, old="" if old is None else old.text, new=arguments["content"])
    return Preview(sentence=f"{verb} the file {path}.", diffs=(diff,))


@write_file.finds
async def _find_write(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    path, content = arguments["path"], arguments["content"]
    real = context.admit_path(path, "read")
    before, old = await asyncio.to_thread(_old, real, path)
    if before is None:
        return None if not arguments["replaces"] else Unknown()
    if old is not None and is_same_text(old.text, content):
        return _written(path, before, None if not arguments["replaces"] else old, content)
    return None if version_of(before) == arguments["replaces"] else Unknown()


@tool(action="read", family="file", resource=_folder, holds="names")
async def search_files(
    context: ToolContext,
    query: Annotated[str, Field(max_length=500, description="Text to look for in the lines of files and cells.")],
    path: Annotated[str, "Folder to search in; empty for the whole notebook folder."] = "",
    name: Annotated[str, "Only files whose name fits this pattern, such as *.py."] = "",
    is_regex: Annotated[bool, "Take the query as a regular expression."] = False,
    is_case_sensitive: Annotated[bool, "Tell upper from lower case."] = False,
    max_matches: Annotated[int, Field(ge=1, le=500, description="Most matches to give.")] = 50,
) -> ToolResult:
    """Find lines in text files and notebook cells below a folder. Hidden, secret and binary files are left out."""
    # `data` holds matches (path, line, text, and cell_id in notebooks), truncated, passed_over (paths)
    finder = make_finder(query, is_regex=is_regex, is_case_sensitive=is_case_sensitive)
    bounds = Bounds(most_entries=20_000, until=time.monotonic() + SEARCH_TIME_S)
    found = await asyncio.to_thread(_search, context, path, name, finder, max_matches, bounds)
    lines = [
        f"{m.path}, cell {m.cell_id}, line {m.line}: {held(m.text, 'source', m.path)}"
        if m.cell_id
        else f"{m.path}:{m.line}: {held(m.text, _content_of(m.path), m.path)}"
        for m in found
    ] or [f"No line contains {query!r}."]
    if bounds.is_cut:
        lines.append("(There may be more: the search was cut. Narrow it with `path` or `name`.)")
    title = f"Searched for {query!r}, {amount(len(found), 'match', 'matches')}"
    if over := bounds.passed_over:
        lines += told_over(bounds, "Too large to be searched")
        title += f", {amount(len(over), 'file')} too large"
    return ToolResult(
        text="\n".join(lines),
        title=title,
        data={"matches": [match.as_json() for match in found], "truncated": bounds.is_cut, "passed_over": over},
    )


def _search(context: ToolContext, folder: str, name: str, finder: Finder, most: int, bounds: Bounds) -> list[Match]:
    found: list[Match] = []
    spent = 0
    for entry in walk(context, folder, bounds):
        if name and not fnmatch.fnmatch(Path(entry.path).name, name):
            continue
        limit = READ_LIMIT_BYTES if entry.path.lower().endswith(".ipynb") else SEARCH_FILE_LIMIT_BYTES
        if entry.size_bytes > limit:
            bounds.passed_over.append(entry.path)
            continue
        if spent > SEARCH_LIMIT_BYTES:
            bounds.is_cut = True
            return found
        spent += entry.size_bytes
        for match in _search_one(context, entry.path, finder):
            if len(found) == most:
                bounds.is_cut = True
                return found
            found.append(match)
            if time.monotonic() > bounds.until:
                bounds.is_cut = True
                return found
    return found


def _search_one(context: ToolContext, path: str, finder: Finder) -> list[Match]:
    try:
        content = read_whole(context.admit_path(path, "read"), path)
    except (NotAllowed, NotFound, ToolFailed):
        return []
    return list(search_content(path, content, finder))


TOOLS = (list_files, read_file, write_file, search_files)
"""The family, as `worker` registers it."""
