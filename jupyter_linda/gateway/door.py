"""The door to the models: everything that goes out and comes in passes here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..ports import Model, ModelEvent, ModelRequest
from ..ports.held import plain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from ..ports import Json


class Door(Model):
    """A model behind which the real ones stand."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """See `ports.Model`."""
        messages = [_bare(message) for message in request.messages]
        async for event in self._model.stream(replace(request, messages=messages)):
            yield event


def _bare(message: Mapping[str, Json]) -> Mapping[str, Json]:
    """A message without the marks of what its passages hold."""
    content = message.get("content")
    return {**message, "content": plain(content)} if isinstance(content, str) else message
