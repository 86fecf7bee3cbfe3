"""Reading the frames of the panel's WebSocket, and saying in words what is wrong with one (pure)."""

from __future__ import annotations

import json
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import InvalidInput
from ..schemas import Presence  # noqa: TC001  pydantic reads it when the class is made

Json = Any  # JSON of a client


class Frame(BaseModel):
    """Base of all frames; what a newer client says besides is not read."""

    model_config = ConfigDict(frozen=True)


class Hello(Frame):
    """The first frame: who speaks, and after which seqs to go on."""

    client_id: Annotated[str, Field(min_length=1, max_length=64)]
    home: int = 0
    chats: dict[str, int] = {}


class Follow(Frame):
    """One more chat."""

    chat_id: str
    after: int = 0


class Unfollow(Frame):
    """One chat less."""

    chat_id: str


class Present(Frame):
    """What this tab has open."""

    presence: Presence


class Progress(Frame):
    """Live text of a request that runs a cell."""

    request_id: str
    text: str = ""


class Reply(Frame):
    """The answer to a request."""

    request_id: str
    result: Json = None
    error: dict[str, Json] | None = None


class Ping(Frame):
    """Is anybody there?"""


KINDS: dict[str, type[Frame]] = {
    "hello": Hello,
    "follow": Follow,
    "unfollow": Unfollow,
    "presence": Present,
    "progress": Progress,
    "reply": Reply,
    "ping": Ping,
}


def parse(message: str | bytes) -> dict[str, Json]:
    """The JSON object in a frame; `InvalidInput` for anything else."""
    if isinstance(message, bytes):
        raise InvalidInput("malformed frame: it is binary, and frames are JSON text")
    try:
        value = json.loads(message, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"malformed frame: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput("malformed frame: it is not a JSON object")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def read(value: dict[str, Json]) -> Frame:
    """A JSON object as the frame its `type` names."""
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(f"malformed frame: its type is none of {', '.join(KINDS)}")
    try:
        return KINDS[kind].model_validate(value)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
        raise InvalidInput(f"malformed frame: {'; '.join(faults)}") from None
