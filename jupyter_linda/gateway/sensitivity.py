"""What of a prompt may go to a model elsewhere: passages by what they hold, against the levels. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from ..ports.held import RELEASED, Holds, held, passages, plain, stronger
from .levels import Level, strictest

if TYPE_CHECKING:
    from ..ports import Json

Message = Mapping[str, "Json"]

OUR_FAULTS = frozenset(
    {
        "ToolRetry",
        "no_frame",
        "not_installed",
        "not_possible",
        "NotFound",
        "NotAllowed",
        "StaleRevision",
        "Conflict",
        "KernelUnavailable",
        "CutArguments",
    }
)
"""Kinds of failures whose words are this program's own: they name things, and quote no data."""
WORDS_OF: Mapping[Holds, str] = {
    "words": "words",
    "names": "names and types",
    "source": "text",
    "statistics": "statistics",
    "samples": "rows and values",
    "values": "outputs and values",
}
OUR_KEYS = frozenset({"by", "told_by", "was_here", "read_from"})
"""What messages say beside the chat-completion form: who wrote them, and what they were read from."""
UNKNOWN_TOOL = "unknown_tool"
NO_SUCH_TOOL = "UnknownTool"
"""The kind of failure of a call of no tool."""
ECHO_CHARS = (3, 40)
"""The shortest argument that is looked for in a result, and how much of a long one."""
PLAIN_KEY = re.compile(r"[a-z_]{1,40}")
"""What arguments of tools are called: names of ours."""
LOCAL_ANSWER = (
    "[withheld: an answer of a model on this machine, which had seen what may not leave it. The person can read it.]"
)


@dataclass(frozen=True)
class Origin:
    """Where a tool's result comes from, and what its text holds at least."""

    holds: Holds = "values"
    paths: tuple[str, ...] = ()
    """The same place as asked for, and as resolved."""
    frames: tuple[str, ...] = ()
    is_data: bool = True
    """Its tool works on data, so that a failure may quote some."""
    echoes: tuple[str, ...] = ()
    """What was withheld of the call's arguments: words of the result that repeat it are no words of this program."""


UNKNOWN = Origin()
NO_TOOL = Origin("names")
OriginOf = Callable[[str, str], Origin]
"""(tool, argument text) -> origin; `UNKNOWN` for tools nobody knows."""
LevelAt = Callable[[Sequence[str], Sequence[str]], "Level"]
"""(paths, frames) -> what holds there; a path may also be one that a passage names."""


@dataclass(frozen=True)
class Part:
    """A piece of what leaves: `how` is the text level it is redacted by."""

    text: str
    how: Literal["redacted", "open", "ours"] = "redacted"


@dataclass(frozen=True)
class Withheld:
    """Something that stays here: what it is, of what, and the level that says so."""

    what: str
    of: str
    level: str

    def note(self) -> str:
        """What the model is told in its place."""
        of = f" of {self.of}" if self.of else ""
        return (
            f"[withheld: {self.what}{of}. The level for models elsewhere is {self.level}. The person can change it "
            "under Permissions > What may leave, or choose a model on this machine.]"
        )


@dataclass
class Outgoing:
    """A prompt taken apart: for each message its parts, and what is withheld."""

    messages: list[tuple[dict[str, Json], list[Part] | None]] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)
    highest: Holds = "words"
    """The most that leaves of anything but the person's own words."""
    calls_withheld: dict[str, str] = field(default_factory=dict)
    """Id -> arguments of calls that models here made of what stays."""
    names_withheld: set[str] = field(default_factory=set)
    """What models here called as tools, without there being such ones."""
    is_condensed: bool = False
    """A summary stands for older messages: what was withheld among them is not seen any more."""


def bare(message: Message) -> dict[str, Json]:
    """A message as a model on this machine gets it: without marks and without our own keys."""
    made = {key: value for key, value in message.items() if key not in OUR_KEYS}
    if isinstance(made.get("content"), str):
        made["content"] = plain(made["content"])
    return made


def inspect(
    messages: Sequence[Message], *, origin_of: OriginOf, level_at: LevelAt, is_here: Callable[[str], bool]
) -> Outgoing:
    """What of a prompt leaves. Tool results count as values unless their tool says less."""
    out = Outgoing()
    asked: dict[str, tuple[str, str]] = {}
    for message in messages:
        made = bare(message)
        for call in made.get("tool_calls") or ():
            asked[call["id"]] = (call["function"]["name"], call["function"]["arguments"])
        role = message.get("role")
        if role == "tool":
            name, arguments = asked.get(str(message.get("tool_call_id")), ("", ""))
            origin = origin_of(name, arguments)
            if name in out.names_withheld:
                made["name"] = UNKNOWN_TOOL
            elif origin is UNKNOWN and _is_no_tool(message):
                origin = NO_TOOL  # what it is told of that is our own, and the name is its own
            origin = _read_from(message, origin_of) or origin
            if withheld := out.calls_withheld.get(str(message.get("tool_call_id"))):
                origin = replace(origin, echoes=_echoes(withheld, origin.paths))
            _tool(out, message, made, origin, level_at)
        elif role == "assistant" and (out.withheld or out.is_condensed) and _is_from_here(message, is_here):
            _local_answer(out, made, origin_of)
        else:
            out.is_condensed = out.is_condensed or "told_by" in message
            _words(out, message, made, level_at, is_from_here="told_by" in message and _is_from_here(message, is_here))
    return out


def _is_from_here(message: Message, is_here: Callable[[str], bool]) -> bool:
    """Whether a model that is, or then was, on this machine wrote it or had a part in it."""
    writers = [message.get("by"), *(message.get("told_by") or ())]
    return bool(message.get("was_here")) or any(is_here(str(one)) for one in writers if one)


def _read_from(message: Message, origin_of: OriginOf) -> Origin | None:
    """Of a part of an earlier result: where that one came from."""
    earlier = message.get("read_from")
    return origin_of(str(earlier["name"]), str(earlier["arguments"])) if isinstance(earlier, dict) else None


def _words(
    out: Outgoing, message: Message, made: dict[str, Json], level_at: LevelAt, *, is_from_here: bool = False
) -> None:
    """What a person or a model wrote; what was attached is marked. A summary of what a model here said is values."""
    content = message.get("content")
    if isinstance(content, str) and is_from_here:
        content = "".join(
            piece.text if piece.holds is None else held(piece.text, "values", piece.path) for piece in passages(content)
        )
    parts = _parts(out, content, Origin("words"), level_at) if isinstance(content, str) else None
    out.messages.append((made, parts))


def _tool(out: Outgoing, message: Message, made: dict[str, Json], origin: Origin, level_at: LevelAt) -> None:
    content = str(message.get("content") or "")
    level = level_at(origin.paths, origin.frames)
    if RELEASED in content and level.text != "local":
        out.highest = "values"
        out.messages.append((made, [Part(plain(content), "open" if level.text == "open" else "redacted")]))
        return
    parts = _parts(out, content, _when_failed(origin, message), level_at)
    if made.get("images") and not level.lets_out("values"):
        found = Withheld("pictures", _named(origin), level.says("values"))
        out.withheld.append(found)
        made = {**made, "images": []}
        parts.append(Part("\n" + found.note(), "ours"))
    elif made.get("images"):
        out.highest = "values"
    out.messages.append((made, parts))


def _when_failed(origin: Origin, message: Message) -> Origin:
    """Why something failed may quote what it met: data for tools that show data, else text."""
    data = message.get("data")
    problem = data.get("problem") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(problem, dict) or set(data) != {"problem"}:
        return origin
    if not origin.is_data:
        return replace(origin, holds=stronger(origin.holds, "source"))
    return replace(origin, holds="names" if origin is NO_TOOL or problem.get("kind") in OUR_FAULTS else "values")


def _is_no_tool(message: Message) -> bool:
    """Whether a result only says that there is no such tool."""
    data = message.get("data")
    problem = data.get("problem") if isinstance(data, dict) else None
    return isinstance(problem, dict) and problem.get("kind") == NO_SUCH_TOOL


def _parts(out: Outgoing, content: str, origin: Origin, level_at: LevelAt) -> list[Part]:
    made: list[Part] = []
    pieces = passages(content)
    named = {piece.path for piece in pieces if piece.path}
    for piece in pieces:
        holds = stronger(origin.holds, piece.holds)
        if piece.holds is None and any(echo in piece.text for echo in origin.echoes):
            holds = "values"
        paths = sorted(named) if piece.is_torn else [piece.path] if piece.path else []
        level = _level(origin, paths, level_at)
        if level.lets_out(holds):
            out.highest = stronger(out.highest, holds)
            made.append(Part(piece.text, "open" if level.text == "open" and holds != "words" else "redacted"))
            continue
        found = Withheld(WORDS_OF[holds], ", ".join(paths) or _named(origin), level.says(holds))
        note = "[withheld]" if found in out.withheld else found.note()
        if found not in out.withheld:
            out.withheld.append(found)
        made.append(Part(note, "ours"))
    return made


def _level(origin: Origin, paths: Sequence[str], level_at: LevelAt) -> Level:
    """Of a passage: that of the files it names, and of the whole where the whole holds more than names."""
    own = level_at(origin.paths, origin.frames)
    if not paths:
        return own
    levels = [level_at((path,), ()) for path in paths]
    is_listing = origin.holds in ("words", "names")
    return strictest(levels if is_listing else [*levels, own])


def _echoes(arguments: str, paths: Sequence[str]) -> tuple[str, ...]:
    """How a result may repeat arguments, as they are and as they are quoted; of long ones, how they begin.

    Names of files are not held back.
    """
    try:
        leaves = list(_leaves(json.loads(arguments)))
    except (ValueError, RecursionError):
        leaves = [arguments]
    said = {leaf for leaf in leaves if len(leaf) >= ECHO_CHARS[0] and leaf not in paths}
    return tuple(form[: ECHO_CHARS[1]] for leaf in sorted(said) for form in dict.fromkeys((leaf, repr(leaf)[1:-1])))


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from (*(() if PLAIN_KEY.fullmatch(key) else (key,)), *_leaves(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _named(origin: Origin) -> str:
    return " in ".join(filter(None, [", ".join(origin.frames), origin.paths[0].rstrip("/") if origin.paths else ""]))


def _local_answer(out: Outgoing, made: dict[str, Json], origin_of: OriginOf) -> None:
    """An answer of a model here may quote what was withheld: neither its words nor its arguments leave.

    Nor do the names of tools that do not exist.
    """
    if made.get("tool_calls"):
        calls = []
        for call in made["tool_calls"]:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            if origin_of(name, arguments) is UNKNOWN:
                out.names_withheld.add(name)
                name = UNKNOWN_TOOL
            out.calls_withheld[str(call["id"])] = arguments
            calls.append({**call, "function": {"name": name, "arguments": json.dumps({"withheld": "arguments"})}})
        made["tool_calls"] = calls
    parts = [Part(LOCAL_ANSWER, "ours")] if made.get("content") else None
    out.messages.append((made, parts))
