"""Notebook files nobody has open: read with a hash, replaced whole, their layout kept."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import nbformat
from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.filemanager import AsyncFileContentsManager, FileContentsManager
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager, LargeFileManager
from tornado.web import HTTPError

from ..errors import Conflict, InvalidInput, LindaError, NotFound, StaleRevision, ToolFailed
from ..permissions.paths import PathPolicy, open_checked, refuse_outside, write_checked
from ..permissions.replacing import make_folder_of
from .layout import Layout, from_text, layout_of, to_bytes
from .shape import fault_of, format_of

if TYPE_CHECKING:
    from ..ports import Json

SIZE_LIMIT_BYTES = 200_000_000
TRUST_LIMIT_BYTES = 5_000_000
"""Larger notebooks lose their trust mark with an edit: nbformat takes seconds to read and sign them."""
MOST_AGES = 200
"""Of open notebooks, whose format is remembered as long as their file stays as it is."""
_OLD_FORMAT = re.compile(rb'"nbformat"\s*:\s*[0-3]\b')
"""What a file of an old format holds somewhere; others may, in an output."""
_PLAIN_MANAGERS = (FileContentsManager, AsyncFileContentsManager, LargeFileManager, AsyncLargeFileManager)


@dataclass(frozen=True)
class Snapshot:
    """A notebook file at one moment: its JSON and what is needed to replace exactly that."""

    path: str
    content: Json
    token: bytes
    layout: Layout
    is_upgraded: bool = False


class NotebookFiles(Protocol):
    """Where notebook files live."""

    def only(self, real: str) -> NotebookFiles:
        """The same, for the one file at this real path: a path that leads elsewhere is refused."""

    async def read(self, path: str) -> Snapshot:
        """The file now; `NotFound`, `ToolFailed` for what is no notebook."""

    async def is_old(self, path: str) -> bool:
        """Whether the file is of a format before 4, whatever a tab or room has made of it; False where it cannot tell.

        Whoever has it open has it in format 4, and writes that with the next save.
        """

    async def replace(self, snapshot: Snapshot, content: Json, *, keeps_trust: bool = False) -> None:
        """Put `content` in place of exactly that snapshot, else `StaleRevision`.

        `keeps_trust`: no output was added, so a notebook the user trusts stays trusted.
        """

    async def create(self, path: str, content: Json) -> None:
        """A new file; `Conflict` if there is one."""


def parse_notebook(path: str, raw: bytes) -> tuple[Json, Layout, bool]:
    """File content to nbformat-4 JSON that can be worked with; older formats are converted for reading only."""
    text = _text_of(path, raw)
    try:
        content = from_text(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        cause = f"it is not valid JSON at line {error.lineno}, column {error.colno}" if text.strip() else "it is empty"
        raise _not_a_notebook(path, cause) from None
    except ValueError:
        raise _not_a_notebook(path, "a number in it is too long") from None
    except RecursionError:
        raise _not_a_notebook(path, "it is nested too deeply") from None
    major, fault = format_of(content)
    is_old = not fault and major < 4
    if is_old:
        content = _upgraded(path, text, major)
    fault = fault or fault_of(content)
    if fault:
        raise _not_a_notebook(path, fault)
    return content, layout_of(text), is_old


def _text_of(path: str, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_a_notebook(path, f"it is not UTF-8 text at byte {error.start}") from None


def _not_a_notebook(path: str, cause: str) -> ToolFailed:
    return ToolFailed(
        f"{path!r} is not a notebook that can be worked with: {cause}.",
        remedy="Read it with read_file to see it as text, and ask the user to mend it.",
        kind_of_failure="not_a_notebook",
    )


def _upgraded(path: str, text: str, major: int) -> Json:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old = nbformat.reads(text, as_version=nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]  # untyped
            plain = json.loads(json.dumps(nbformat.convert(old, 4)))  # type: ignore[no-untyped-call]  # untyped
            cells = [{name: value for name, value in cell.items() if name != "id"} for cell in plain["cells"]]
    except (AttributeError, IndexError, LookupError, RecursionError, TypeError, ValueError, nbformat.ValidationError):
        raise _not_a_notebook(path, f"it says format {major}, but what is in it is not as that format says") from None
    # The conversion's random ids would differ at every reading; ours are kept for the session.
    return {**plain, "cells": cells, "nbformat_minor": 4}


class DiskNotebooks:
    """Notebook files on this machine's disk."""

    def __init__(self, policy: PathPolicy, notary: Any = None) -> None:  # nbformat's, untyped
        self._policy = policy
        self._only = ""
        self._notary = notary
        self._is_old_as = lru_cache(MOST_AGES)(self._look_for_age)

    def only(self, real: str) -> DiskNotebooks:
        """See `NotebookFiles`."""
        narrowed = copy.copy(self)
        narrowed._only = real
        return narrowed

    def _real(self, path: str) -> str:
        real = self._policy.locate(path).real
        if self._only not in ("", real):
            raise refuse_outside(path)
        return real

    async def read(self, path: str) -> Snapshot:
        """See `NotebookFiles`."""
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: str) -> Snapshot:
        raw = self._read_bytes(path)
        content, layout, is_upgraded = parse_notebook(path, raw)
        return Snapshot(path, content, raw, layout, is_upgraded)

    async def is_old(self, path: str) -> bool:
        """See `NotebookFiles`."""
        return await asyncio.to_thread(self._is_old, path)

    def _is_old(self, path: str) -> bool:
        try:
            found = Path(self._real(path)).stat()
            return self._is_old_as(path, (found.st_ino, found.st_size, found.st_mtime_ns))
        except (LindaError, OSError):
            return False

    def _look_for_age(self, path: str, _stamp: tuple[int, int, int]) -> bool:
        """Of the file with this stamp: the whole of it is read, so it is asked once for each."""
        raw = self._read_bytes(path)
        return bool(_OLD_FORMAT.search(raw)) and parse_notebook(path, raw)[2]

    async def replace(self, snapshot: Snapshot, content: Json, *, keeps_trust: bool = False) -> None:
        """See `NotebookFiles`."""
        raw = await asyncio.to_thread(self._replace, snapshot, content)
        if raw is not None and keeps_trust and self._notary is not None and len(raw) <= TRUST_LIMIT_BYTES:
            # The file is written: whatever nbformat thinks of it now must not make that a failure.
            with contextlib.suppress(Exception):
                await self._trust_as_before(snapshot.token, raw)

    def _replace(self, snapshot: Snapshot, content: Json) -> bytes | None:
        """The file's new bytes; None if nothing is to be changed."""
        raw = to_bytes(content, snapshot.layout)
        if raw == snapshot.token:
            return None
        real = self._real(snapshot.path)
        write_checked(real, raw, expect=snapshot.token, label=snapshot.path)
        return raw

    async def _trust_as_before(self, before: bytes, after: bytes) -> None:
        """Sign what was signed: else the user's own outputs would be hidden after a change of a source."""
        store, algorithm = self._notary.store, self._notary.algorithm  # its database belongs to this thread
        _ = self._notary.secret  # made at the first use, by one thread
        old = await asyncio.to_thread(self._signature, before)
        if store.check_signature(old, algorithm):
            store.store_signature(await asyncio.to_thread(self._signature, after), algorithm)

    def _signature(self, raw: bytes) -> Any:  # untyped library
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.reads(raw.decode("utf-8-sig"), as_version=4)  # type: ignore[no-untyped-call]
        return self._notary.compute_signature(notebook)

    async def create(self, path: str, content: Json) -> None:
        """See `NotebookFiles`."""
        real = self._real(path)
        try:
            await asyncio.to_thread(self._create, real, content, path)
        except StaleRevision:
            raise Conflict(f"{path!r} exists already.", remedy="Choose another name, or edit it.") from None

    def _read_bytes(self, path: str) -> bytes:
        with open_checked(self._real(path), label=path) as stream:
            raw = stream.read(SIZE_LIMIT_BYTES + 1)
        if len(raw) > SIZE_LIMIT_BYTES:
            raise ToolFailed(f"{path!r} is larger than 200 MB.", kind_of_failure="too_large")
        return raw

    def _create(self, real: str, content: Json, path: str) -> None:
        make_folder_of(real, label=path)
        write_checked(real, to_bytes(content, Layout()), expect=None, label=path)


class ContentsNotebooks:
    """Notebooks behind a contents manager that is not plain files (object storage, Jupytext).

    Its `save` takes no hash: between the look and the save somebody else may still write. Real-path rules do not
    apply there either; the API path is all there is.
    """

    def __init__(self, contents_manager: Any) -> None:  # untyped library
        self._contents = contents_manager

    def only(self, real: str) -> ContentsNotebooks:
        """See `NotebookFiles`; where no real paths are, none is looked at."""
        return self

    async def read(self, path: str) -> Snapshot:
        """See `NotebookFiles`."""
        model = await self._get(path)
        content, token = await asyncio.to_thread(_plain, model["content"])
        fault = format_of(content)[1] or fault_of(content)
        if fault:
            raise _not_a_notebook(path, fault)
        return Snapshot(path, content, token, Layout())

    async def is_old(self, path: str) -> bool:
        """See `NotebookFiles`; this manager gives format 4 whatever it keeps."""
        return False

    async def replace(self, snapshot: Snapshot, content: Json, *, keeps_trust: bool = False) -> None:
        """See `NotebookFiles`; this manager signs by its own rules."""
        if (await self.read(snapshot.path)).token != snapshot.token:
            raise StaleRevision(f"{snapshot.path!r} changed meanwhile.", remedy="Read it again.")
        await self._save(snapshot.path, content)

    async def create(self, path: str, content: Json) -> None:
        """See `NotebookFiles`."""
        if await ensure_async(self._contents.file_exists(path)):
            raise Conflict(f"{path!r} exists already.", remedy="Choose another name, or edit it.")
        await self._save(path, content)

    async def _get(self, path: str) -> Any:  # untyped library
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return await ensure_async(self._contents.get(path, content=True, type="notebook"))
        except HTTPError as error:
            raise NotFound(f"{path!r} cannot be read: {error.log_message or error.reason}.") from None

    async def _save(self, path: str, content: Json) -> None:
        node = await asyncio.to_thread(nbformat.from_dict, content)
        model = {"type": "notebook", "format": "json", "content": node}
        try:
            await ensure_async(self._contents.save(model, path))
        except HTTPError as error:
            raise ToolFailed(f"{path!r} cannot be saved: {error.log_message or error.reason}.") from None


def _plain(content: Any) -> tuple[Json, bytes]:  # a manager's own kind of dictionaries
    """The plain JSON of a notebook and what stands for its state."""
    text = json.dumps(content, sort_keys=True)
    return json.loads(json.dumps(content)), text.encode()


def choose_files(contents_manager: Any, policy: PathPolicy) -> NotebookFiles:  # untyped library
    """Plain files where the server's contents manager keeps plain files, else through that manager."""
    if type(contents_manager) in _PLAIN_MANAGERS:
        return DiskNotebooks(policy, contents_manager.notary)
    return ContentsNotebooks(contents_manager)


def refuse_upgrade(path: str, *, is_open: bool = False) -> InvalidInput:
    """Editing a notebook of an old format would convert the whole file: that is the user's to decide."""
    upgrading = (
        "The user may save it in JupyterLab, which upgrades it, or close it; then upgrade_notebook works."
        if is_open
        else "upgrade_notebook upgrades it, if the user wants that."
    )
    return InvalidInput(
        f"{path!r} is in an old notebook format (before 4). Editing it would upgrade the whole file to format 4.",
        remedy=f"Reading it works as it is. {upgrading}",
    )
