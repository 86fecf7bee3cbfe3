"""Where a tool call's result comes from and what it holds: for the door, which judges what leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LindaError
from ..gateway.sensitivity import UNKNOWN, Origin
from .families import OURS
from .guidance import USE_SKILL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..ports import Json, Resource, Tool

FRAMES = ("name", "left", "right")
"""Arguments of the data-frame tools that name a frame."""


def origin_of(tools: Mapping[str, Tool], places: Callable[[str], tuple[str, ...]], name: str, arguments: str) -> Origin:
    """The origin of a call's result; a tool that is not known, or arguments that do not parse, count as values."""
    if name in (*OURS, USE_SKILL):
        return Origin(
            "words", is_data=False
        )  # our own words, the person's answer, or a text that says where it is from
    tool = tools.get(name)
    if tool is None:
        return UNKNOWN
    try:
        parsed = tool.parse(arguments)
        resource = tool.resource(parsed)
    except LindaError:
        return UNKNOWN
    is_data = tool.reads_data or tool.family == "kernel"
    return Origin(tool.holds(parsed), paths_of(resource, places), frames_of(tool, parsed), is_data)


def paths_of(resource: Resource, places: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """Every path a call touches, as asked for and as resolved; of folders with a slash at the end."""
    slash = "/" if resource.kind == "folder" else ""
    touched = (resource.path, *(path for path, _ in resource.also))
    return tuple(dict.fromkeys(place + slash for path in touched if path for place in places(path)))


def frames_of(tool: Tool, arguments: Mapping[str, Json]) -> tuple[str, ...]:
    """The data frames a call names."""
    if tool.family != "dataframe":
        return ()
    return tuple(dict.fromkeys(str(arguments[key]) for key in FRAMES if arguments.get(key)))
