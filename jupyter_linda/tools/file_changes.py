"""Changing files: patch a passage, move, copy; nothing that is there is overwritten."""

from __future__ import annotations

import asyncio
import difflib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import NotFound, StaleRevision, ToolFailed, ToolRetry
from ..journal.files import GONE
from ..journal.moves import mark_of, noted_mark
from ..journal.nodes import node_of
from ..permissions.paths import open_checked
from ..permissions.placing import check_new, make_folder, move_into_place, place, temporary_beside
from ..ports import Resource, ToolContext, ToolResult, Unknown
from ..schemas import Diff, Preview
from ..toolkit import tool
from .file import admit_text, named, read_whole, version_of, write_noted
from .text import decode, human_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json

KEPT_BYTES = 100_000_000
"""Files above it are not read for the journal: a copy of them cannot be undone, a move can."""
MOST_INSIDE = 2_000
"""Most things in a folder that is moved or deleted."""
NEAR_CHARS = 1_500

FilePath = Annotated[str, "The file, relative to the notebook folder."]


def one_file(arguments: Mapping[str, Json]) -> Resource:
    """What a tool touches that takes one `path`."""
    return Resource("file", named(arguments["path"]))


def _moved(arguments: Mapping[str, Json]) -> Resource:
    return Resource("file", named(arguments["path"]), ((named(arguments["to"]), "write"),))


def _copied(arguments: Mapping[str, Json]) -> Resource:
    return Resource("file", named(arguments["to"]), ((named(arguments["path"]), "read"),))


# ---- patch --------------------------------------------------------------------------------------


def _patched(content: bytes, path: str, old_text: str, new_text: str) -> tuple[str, str, bytes]:
    """(text before, text after, bytes after); `ToolRetry` unless the passage occurs exactly once."""
    decoded = decode(content, name=path)
    text, codec = decoded.text, decoded.encoding
    if decoded.newline == "\r\n":
        old_text, new_text = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old_text, new_text))
    if text.encode(codec, errors="replace") != content:
        raise ToolFailed(
            f"{path!r} cannot be patched: it would not be the same {codec} text afterwards.",
            remedy="Change it with code, or in its own program.",
            kind_of_failure="encoding",
        )
    count = text.count(old_text)
    if count != 1:
        how = "does not occur" if count == 0 else f"occurs {count} times"
        raise ToolRetry(f"The passage {how} in {path!r}; it must occur exactly once. {_current(text, old_text)}")
    after = text.replace(old_text, new_text)
    try:
        return text, after, after.encode(codec)
    except UnicodeEncodeError:
        raise ToolRetry(f"{path!r} is {codec} text, which has no such characters. Use others.") from None


def _current(text: str, wanted: str) -> str:
    """The part of the text now that is most like what was looked for."""
    if len(text) <= NEAR_CHARS:
        return f"It reads now:\n{text}"
    lines, first = text.splitlines(keepends=True), wanted.strip().split("\n")[0]
    near = difflib.get_close_matches(first, [line.strip() for line in lines[:5000]], n=1, cutoff=0.5)
    at = next((number for number, line in enumerate(lines) if near and line.strip() == near[0]), 0)
    part = "".join(lines[max(0, at - 5) : at + 15])[:NEAR_CHARS]
    return f"Lines {max(0, at - 5) + 1} and on read now:\n{part}"


@tool(action="write", family="file", resource=one_file, writes=("new_text",), holds="words")
async def patch_file(
    context: ToolContext,
    path: FilePath,
    old_text: Annotated[str, Field(min_length=1, max_length=200_000, description="A passage that occurs once.")],
    new_text: Annotated[str, Field(max_length=200_000, description="What to put in its place.")],
) -> ToolResult:
    """Replace one passage of a text file; everything else stays as it is. Not for notebooks (.ipynb)."""
    # `data` holds path, version, size_bytes
    real = admit_text(context, path, "write")
    content = await asyncio.to_thread(read_whole, real, path)
    before, after, new = _patched(content, path, old_text, new_text)
    if context.approved is not None and [diff.old for diff in context.approved.diffs] not in ([], [before]):
        raise StaleRevision(f"{path!r} changed since this was asked, so it was not done.", remedy="Ask again.")
    await write_noted(context, path, real, new, content)
    return _was_patched(path, new, before, after)


def _was_patched(path: str, new: bytes, before: str, after: str) -> ToolResult:
    return ToolResult(
        text=f"Changed {path}, now version {version_of(new)}.",
        title=f"Changed {path}",
        diffs=(Diff(label=path, old=before, new=after),),
        data={"path": path, "version": version_of(new), "size_bytes": len(new)},
    )


@patch_file.previews
async def _preview_patch(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    path = arguments["path"]
    content = await asyncio.to_thread(read_whole, admit_text(context, path, "read"), path)
    before, after, _ = _patched(content, path, arguments["old_text"], arguments["new_text"])
    return Preview(sentence=f"Change the file {path}.", diffs=(Diff(label=path, old=before, new=after),))


@patch_file.finds
async def _find_patch(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    path, old, new = arguments["path"], arguments["old_text"], arguments["new_text"]
    content = await asyncio.to_thread(read_whole, context.admit_path(path, "read"), path)
    text = decode(content, name=path).text.replace("\r\n", "\n")
    if text.count(old) == 1 and (not new or new not in text):
        return None
    return _was_patched(path, content, "", "") if new and text.count(new) == 1 and old not in text else Unknown()


# ---- move, copy, delete -------------------------------------------------------------------------


def _is_link(context: ToolContext, path: str) -> bool:
    return os.path.islink(os.path.normpath(Path(context.root_dir) / path))  # noqa: PTH114  # as it is spelled


def _inside(context: ToolContext, path: str, real: str) -> int:
    """How many things lie in a folder; each must be open to reading and writing, Jupyter's checkpoints apart."""
    count = 0
    for folder, names, files in os.walk(real):
        names[:] = [name for name in names if name != ".ipynb_checkpoints"]
        for name in [*names, *files]:
            count += 1
            if count > MOST_INSIDE:
                raise ToolFailed(f"{path!r} holds more than {MOST_INSIDE} things.", remedy="Do that by hand.")
            inner = (Path(folder) / name).relative_to(real).as_posix()
            context.admit_path(f"{path.rstrip('/')}/{inner}", "read")  # at its new place it could be
            context.admit_path(f"{path.rstrip('/')}/{inner}", "write")
    return count


def _lies_in(context: ToolContext, path: str, real: str) -> bool:
    return Path(os.path.realpath(Path(context.root_dir) / path)).is_relative_to(real)


async def refuse_open(context: ToolContext, real: str) -> None:
    """Refuse what a tab has open, or a folder of it: it would be saved at its old place again."""
    for entry in await context.live.list_notebooks():
        if await asyncio.to_thread(_lies_in, context, str(entry["path"]), real):
            raise ToolRetry(f"{entry['path']!r} is open in JupyterLab. Ask the user to close it first.")


def check_source(context: ToolContext, path: str, real: str) -> bool:
    """Whether it is a folder; refuses what is not there, links, and the notebook folder itself."""
    if _is_link(context, path):
        raise ToolRetry(f"{path!r} is a link; links are left alone. Name what it leads to.")
    if not os.path.lexists(real):
        raise NotFound(f"{path!r} does not exist.", remedy="List the folder to see what there is.")
    if Path(context.root_dir).is_relative_to(real):
        raise ToolRetry(f"{path!r} is the notebook folder, or holds it.")
    if Path(real).is_dir():
        _inside(context, path, real)
        return True
    with open_checked(real, label=path):
        return False


def _move(real: str, target: str, to: str) -> None:
    make_folder(target, label=to)
    if Path(target).is_relative_to(real):
        raise ToolRetry(f"{to!r} lies inside what is to be moved.")
    move_into_place(real, target, label=to)


@tool(action="write", family="file", resource=_moved, holds="words")
async def move_file(
    context: ToolContext, path: FilePath, to: Annotated[str, "Its new path, the name included. Must be free."]
) -> ToolResult:
    """Move or rename a file or a folder. Nothing is overwritten; folders above the new place are made."""
    # `data` holds path, to
    real, target = context.admit_path(path, "write"), context.admit_path(to, "write")
    await refuse_open(context, real)
    await asyncio.to_thread(check_source, context, path, real)
    await asyncio.to_thread(check_new, target, label=to)
    mark = await asyncio.to_thread(noted_mark, real, path, fault=ToolFailed)
    change = {"op": "move", "path": path, "to": to, "mark": mark, "node": await asyncio.to_thread(node_of, real)}
    entry = await context.journal.note("file", path, [change])
    try:
        await asyncio.to_thread(_move, real, target, to)
    except Exception:
        await context.journal.forget(entry)
        raise
    return _was_moved(path, to)


def _was_moved(path: str, to: str) -> ToolResult:
    return ToolResult(text=f"Moved {path} to {to}.", title=f"Moved {path} to {to}", data={"path": path, "to": to})


@tool(action="write", family="file", resource=_copied, holds="words")
async def copy_file(
    context: ToolContext, path: FilePath, to: Annotated[str, "The copy's path, the name included. Must be free."]
) -> ToolResult:
    """Copy a file. Nothing is overwritten; folders above the new place are made."""
    # `data` holds path, to, size_bytes
    real, target = context.admit_path(path, "read"), context.admit_path(to, "write")
    await asyncio.to_thread(check_new, target, label=to)
    size = await asyncio.to_thread(size_of, real, path)
    kept = await keep_content(context, real, path, size)
    change = {"op": "write", "path": to, "old": GONE, "new": kept, "real": target}
    entry = await context.journal.note("file", to, [change])
    try:
        await asyncio.to_thread(_copy, real, path, target, to)
    except Exception:
        await context.journal.forget(entry)
        raise
    return _was_copied(path, to, size)


def size_of(real: str, path: str) -> int:
    """Size of a checked file, in bytes."""
    with open_checked(real, label=path) as stream:
        return os.fstat(stream.fileno()).st_size


async def keep_content(context: ToolContext, real: str, path: str, size: int) -> str:
    """Keep a file's content for the journal; its name there, or nothing where it is too large."""
    if size > KEPT_BYTES:
        return ""

    def read() -> bytes:
        with open_checked(real, label=path) as stream:
            return stream.read()

    return await context.journal.keep(await asyncio.to_thread(read))


def _copy(real: str, path: str, target: str, to: str) -> None:
    with open_checked(real, label=path) as stream, temporary_beside(target, label=to) as temporary:
        with temporary.open("wb") as written:
            shutil.copyfileobj(stream, written, 1 << 20)
        temporary.chmod(os.fstat(stream.fileno()).st_mode & 0o777)
        place(temporary, target, label=to)


def _was_copied(path: str, to: str, size: int) -> ToolResult:
    return ToolResult(
        text=f"Copied {path} to {to} ({human_size(size)}).",
        title=f"Copied {path} to {to}",
        data={"path": path, "to": to, "size_bytes": size},
    )


# ---- what a question shows, and what a crash left -----------------------------------------------


@move_file.previews
async def _preview_move(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    path = arguments["path"]
    inside = await asyncio.to_thread(inside_words, context.admit_path(path, "read"))
    return Preview(sentence=f"Move {path}{inside} to {arguments['to']}.")


def inside_words(real: str) -> str:
    """What a question adds to the name of a folder: how much lies in it; nothing of a file."""
    if not os.path.isdir(real):  # noqa: PTH112  # pathlib raises for long names
        return ""
    count = 0
    for _, names, files in os.walk(real):
        names[:] = [name for name in names if name != ".ipynb_checkpoints"]
        count += len(names) + len(files)
        if count > MOST_INSIDE:
            return f" (a folder with more than {MOST_INSIDE} things in it)"
    return f" (a folder with {count} {'thing' if count == 1 else 'things'} in it)" if count else " (an empty folder)"


@copy_file.previews
async def _preview_copy(arguments: Mapping[str, Json], _context: ToolContext) -> Preview:
    return Preview(sentence=f"Copy {arguments['path']} to {arguments['to']}.")


def _there(path: str) -> bool:
    return os.path.lexists(path)


@move_file.finds
async def _find_move(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    path, to = arguments["path"], arguments["to"]
    old = await asyncio.to_thread(_there, context.admit_path(path, "read"))
    new = await asyncio.to_thread(_there, context.admit_path(to, "read"))
    return {(True, False): None, (False, True): _was_moved(path, to)}.get((old, new), Unknown())


@copy_file.finds
async def _find_copy(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    real, target = context.admit_path(arguments["path"], "read"), context.admit_path(arguments["to"], "read")
    if not await asyncio.to_thread(_there, target):
        return None
    size = await asyncio.to_thread(size_of, real, arguments["path"])
    is_whole = await asyncio.to_thread(mark_of, real) == await asyncio.to_thread(mark_of, target)
    return _was_copied(arguments["path"], arguments["to"], size) if is_whole else Unknown()


TOOLS = (patch_file, move_file, copy_file)
"""The tools of this file."""
