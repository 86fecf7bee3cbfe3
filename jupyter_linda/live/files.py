"""Notebook files nobody has open: read with a hash, replaced whole, their layout kept."""

from __future__ import annotations

import asyncio
import contextlib
import json
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import nbformat
from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.filemanager import AsyncFileContentsManager, FileContentsManager
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager, LargeFileManager
from tornado.web import HTTPError

from ..errors import Conflict, InvalidInput, NotFound, StaleRevision, ToolFailed
from ..permissions.paths import PathPolicy, open_checked, write_checked
from ..permissions.replacing import make_folder_of
from .layout import Layout, from_text, layout_of, to_bytes

if TYPE_CHECKING:
    from ..ports import Json

SIZE_LIMIT_BYTES = 200_000_000
TRUST_LIMIT_BYTES = 5_000_000
"""Larger notebooks lose their trust mark with an edit: nbformat takes seconds to read and sign them."""
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

    async def read(self, path: str) -> Snapshot:
        """The file now; `NotFound`, `ToolFailed` for what is no notebook."""

    async def replace(self, snapshot: Snapshot, content: Json, *, keeps_trust: bool = False) -> None:
        """Put `content` in place of exactly that snapshot, else `StaleRevision`.

        `keeps_trust`: no output was added, so a notebook the user trusts stays trusted.
        """

    async def create(self, path: str, content: Json) -> None:
        """A new file; `Conflict` if there is one."""


def parse_notebook(path: str, raw: bytes) -> tuple[Json, Layout, bool]:
    """File content to nbformat-4 JSON; older formats are converted for reading only."""
    try:
        text = raw.decode("utf-8")
        content = from_text(text.removeprefix("\ufeff"))
        major = content["nbformat"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ToolFailed(
            f"{path!r} is not a notebook: {error if isinstance(error, ValueError) else 'nbformat is missing'}.",
            remedy="Open it as text to see what is wrong.",
            kind_of_failure="not_a_notebook",
        ) from None
    layout = layout_of(text)
    if major == 4 and isinstance(content.get("cells"), list):
        return content, layout, False
    if major not in (1, 2, 3):
        raise ToolFailed(f"{path!r} has notebook format {major}, which is not known.", kind_of_failure="not_a_notebook")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = nbformat.reads(text, as_version=nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]  # untyped
        upgraded = nbformat.convert(old, 4)  # type: ignore[no-untyped-call]  # untyped
    plain = json.loads(json.dumps(upgraded))
    # The conversion's random ids would differ at every reading; ours are kept for the session.
    for cell in plain["cells"]:
        cell.pop("id", None)
    return {**plain, "nbformat_minor": 4}, layout, True


class DiskNotebooks:
    """Notebook files on this machine's disk."""

    def __init__(self, policy: PathPolicy, notary: Any = None) -> None:  # nbformat's, untyped
        self._policy = policy
        self._notary = notary

    async def read(self, path: str) -> Snapshot:
        """See `NotebookFiles`."""
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: str) -> Snapshot:
        raw = self._read_bytes(path)
        content, layout, is_upgraded = parse_notebook(path, raw)
        return Snapshot(path, content, raw, layout, is_upgraded)

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
        real = self._policy.locate(snapshot.path).real
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
        real = self._policy.locate(path).real
        try:
            await asyncio.to_thread(self._create, real, content, path)
        except StaleRevision:
            raise Conflict(f"{path!r} exists already.", remedy="Choose another name, or edit it.") from None

    def _read_bytes(self, path: str) -> bytes:
        real = self._policy.locate(path).real
        with open_checked(real, label=path) as stream:
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

    async def read(self, path: str) -> Snapshot:
        """See `NotebookFiles`."""
        model = await self._get(path)
        content, token = await asyncio.to_thread(_plain, model["content"])
        return Snapshot(path, content, token, Layout())

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


def refuse_upgrade(path: str) -> InvalidInput:
    """Editing a notebook of an old format would convert the whole file: that is the user's to decide."""
    return InvalidInput(
        f"{path!r} is in an old notebook format (before 4). Editing it would upgrade the whole file to format 4.",
        remedy="Ask the user to open it in JupyterLab and save it: that upgrades it. Reading it works as it is.",
    )
