"""A second person in a collaboration room: a real client with a copy of the notebook of its own."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

from tornado.websocket import websocket_connect


class _Channel:
    """What pycrdt's provider talks through, over tornado's client."""

    def __init__(self, connection, path):
        self.connection = connection
        self.path = path

    def __aiter__(self):
        return self

    async def __anext__(self):
        message = await self.connection.read_message()
        if message is None:
            raise StopAsyncIteration
        return message

    async def recv(self):
        return await self.__anext__()

    async def send(self, message):
        await self.connection.write_message(message, binary=True)


class Person:
    """Types into the cells of a copy that follows the room."""

    def __init__(self, notebook):
        self.notebook = notebook

    def cell(self, cell_id):
        return next(cell for cell in self.notebook.ycells if cell["id"] == cell_id)

    def sources(self):
        return [str(cell["source"]) for cell in self.notebook.ycells]

    def types(self, cell_id, text, *, at=None):
        ytext = self.cell(cell_id)["source"]
        ytext.insert(len(ytext) if at is None else at, text)

    async def sees(self, condition, *, seconds=10.0):
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.01)


@asynccontextmanager
async def joined(jp_fetch, http_port, base_url, path):
    """Somebody who has the notebook open through collaboration."""
    from jupyter_ydoc import YNotebook
    from pycrdt import Provider

    body = json.dumps({"format": "json", "type": "notebook"})
    answer = await jp_fetch("api/collaboration/session", path, method="PUT", body=body)
    session = json.loads(answer.body)
    room = f"{session['format']}:{session['type']}:{session['fileId']}"
    address = f"ws://127.0.0.1:{http_port}{base_url}api/collaboration/room/{room}?sessionId={session['sessionId']}"
    connection = await websocket_connect(address)
    person = Person(YNotebook())
    try:
        async with Provider(person.notebook.ydoc, _Channel(connection, room)):
            await person.sees(lambda: len(person.notebook.ycells) > 0)
            yield person
    except BaseExceptionGroup as group:  # the provider's task group wraps what the test itself raised
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise
    finally:
        connection.close()
