"""Collaboration rooms of notebooks, where jupyter-collaboration is installed; nothing of it is needed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import StaleRevision
from .browser import api_path
from .shared import SharedNotebook

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

log = logging.getLogger(__name__)

EXTENSION = "jupyter_server_ydoc"
LOADING_TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Room:
    """A room that has a notebook now. It is one only until the next wait: ask `Rooms.find` again after that."""

    notebook: SharedNotebook
    has_clients: bool
    """False: the last one left; the room goes soon, and with it what was not saved."""


class Rooms:
    """The rooms of one server; none where the extension is not loaded.

    Found by the extension's `get_document`. Whether a room still loads its file, and whether one can be made
    meanwhile, only its own locks tell (seen in jupyter-server-ydoc 3.0); where those are not, we go without.
    """

    def __init__(self, serverapp: Any) -> None:  # a jupyter_server ServerApp, untyped
        self._serverapp = serverapp

    async def find(self, path: str) -> Room | None:
        """The room of a notebook, once its file is loaded; `StaleRevision` if that takes too long."""
        extension = self._extension()
        if extension is None or not extension.ywebsocket_server.rooms:
            return None
        file_id = self._file_id(path)
        if file_id is None:
            return None
        try:
            async with asyncio.timeout(LOADING_TIMEOUT_S):
                return await self._loaded(extension, api_path(path), _room_id(file_id))
        except TimeoutError:
            raise StaleRevision(f"The shared document of {path!r} is still loading.", remedy="Try again.") from None

    async def _loaded(self, extension: Any, path: str, room_id: str) -> Room | None:  # untyped library
        while True:
            document = await extension.get_document(room_id=room_id, copy=False)
            room = extension.ywebsocket_server.rooms.get(room_id)
            if document is None or room is None:
                return None
            loading = getattr(room, "_update_lock", None)
            if room.ready and not (loading is not None and loading.locked()):
                return Room(SharedNotebook(path, document), bool(room.clients))
            await room.ready_event.wait()
            async with loading or contextlib.nullcontext():
                pass

    @contextlib.asynccontextmanager
    async def kept_shut(self, path: str) -> AsyncIterator[bool]:
        """While a file is written no room of it is made, as that would have the old text; False: there is one."""
        extension = self._extension()
        file_id = None if extension is None else self._file_id(path, is_new=True)
        if extension is None or file_id is None:
            yield True
            return
        room_id = _room_id(file_id)
        locks = getattr(extension, "_room_locks", None)
        async with contextlib.nullcontext() if locks is None else locks.setdefault(room_id, asyncio.Lock()):
            yield room_id not in extension.ywebsocket_server.rooms

    def _extension(self) -> Any:  # untyped library; None where it is not loaded
        manager = getattr(self._serverapp, "extension_manager", None)
        apps = {} if manager is None else manager.extension_apps
        found = next(iter(apps.get(EXTENSION) or ()), None)
        return found if hasattr(found, "get_document") and hasattr(found, "ywebsocket_server") else None

    def _file_id(self, path: str, *, is_new: bool = False) -> str | None:
        """A file's id among rooms. `is_new`: it gets one if it has none; reading gives none."""
        ids = self._serverapp.web_app.settings.get("file_id_manager")
        if ids is None:
            return None
        found: str | None = ids.index(api_path(path)) if is_new else ids.get_id(api_path(path))
        return found


def _room_id(file_id: str) -> str:
    """How a room of a notebook is named."""
    return f"json:notebook:{file_id}"
