"""What a prompt says, as the demo model needs it: the request, its context, and what this turn did so far."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jupyter_linda.ports import Json

Language = Literal["en", "zh"]

_CALLED = re.compile(r"\[context\] the person calls [^\n]*\n<<guidance (\w+)>>\n(.*?)\n<<end \1>>\n.*", re.DOTALL)
_CONTEXT = re.compile(r"^\[context\] (?P<kind>[a-z]+)(?: in (?P<home>[^:]+))?: (?P<value>.*)$")
_NOTES = (
    "[this reply was cut off by the provider]",
    "[the user stopped this reply]",
    "[this reply failed]",
    "[no answer",
    "[ended here",
)


@dataclass(frozen=True)
class Situation:
    """What the person has open or attached."""

    notebook: str | None = None
    cell_id: str | None = None
    variables: tuple[str, ...] = ()
    file: str | None = None


@dataclass(frozen=True)
class Done:
    """A finished tool call: its arguments, the text the model sees, the structured copy or the problem."""

    name: str
    arguments: Mapping[str, Json]
    text: str
    data: Mapping[str, Json] | None
    problem: Mapping[str, Json] | None


@dataclass(frozen=True)
class Turn:
    """The newest request and everything its answer depends on."""

    text: str
    situation: Situation
    language: Language
    done: tuple[Done, ...] = ()
    before: tuple[str, ...] = ()
    """The person's earlier messages that our questions answered, newest first; empty when we asked nothing."""
    touched: tuple[str, str] | None = None
    """(path, cell_id) of the cell that earlier turns last inserted, ran or read."""
    history: tuple[tuple[str, str], ...] = field(default=())
    """(role, text) of earlier plain messages, oldest first."""


def read(messages: Sequence[Mapping[str, Json]]) -> Turn:
    """The turn a prompt ends with."""
    last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    if last < 0:
        return Turn(text="", situation=Situation(), language="en")
    situation, text = split_context(content_of(messages[last]))
    earlier = messages[:last]
    before = _asked_before(earlier)
    return Turn(
        text=text,
        situation=_completed(situation, earlier),
        language=language_of(text)
        if re.search(r"[a-z]{2}|[\u4e00-\u9fff]", text.lower())
        else language_of("".join(before)),
        done=_calls(messages[last + 1 :]),
        before=before,
        touched=_touched(_calls(earlier)),
        history=_history(earlier),
    )


def language_of(text: str) -> Language:
    """Zh when any Chinese character is in it outside code."""
    return "zh" if re.search(r"[\u3400-\u9fff]", re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)) else "en"


def content_of(message: Mapping[str, Json]) -> str:
    """A message's text; parts of other types are left out."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def split_context(content: str) -> tuple[Situation, str]:
    """Leading `[context] …` lines and the person's own words; of a command they called, what it says."""
    lines = content.splitlines()
    found: dict[str, str] = {}
    variables: list[str] = []
    at = 0
    while at < len(lines) and (match := _CONTEXT.match(lines[at])):
        at += 1
        kind, value = match["kind"], match["value"].strip()
        name, _, home = value.partition(" in ")
        if kind == "cell":
            found["cell"] = name
            found.setdefault("notebook", home)
        elif kind == "variable":
            variables.append(name)
            found.setdefault("notebook", home)
        elif kind == "selection":
            found.setdefault("notebook", match["home"] or "")
        else:
            found[kind] = value
    situation = Situation(
        notebook=found.get("notebook") or None,
        cell_id=found.get("cell"),
        variables=tuple(variables),
        file=found.get("file"),
    )
    words = "\n".join(lines[at:]).strip()
    called = _CALLED.fullmatch(words)
    return situation, words if called is None else called[2]


def _completed(situation: Situation, earlier: Sequence[Mapping[str, Json]]) -> Situation:
    """The notebook the chat was about, when nothing says otherwise now."""
    if situation.notebook:
        return situation
    for done in reversed(_calls(earlier)):
        path = str(done.arguments.get("path", ""))
        if path.endswith(".ipynb"):
            return Situation(path, situation.cell_id, situation.variables, situation.file)
    return situation


def _calls(messages: Sequence[Mapping[str, Json]]) -> tuple[Done, ...]:
    results = {str(message.get("tool_call_id")): message for message in messages if message.get("role") == "tool"}
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    return tuple(_done(call, results[str(call.get("id"))]) for call in calls if str(call.get("id")) in results)


def _done(call: Mapping[str, Json], result: Mapping[str, Json]) -> Done:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except ValueError:
        arguments = {}
    data = result.get("data")
    text = content_of(result)
    if isinstance(data, str):
        data = json.loads(data)
    problem: Mapping[str, Json] | None = None
    if not isinstance(data, dict):
        problem = {"kind": "failed", "message": text}
    elif data.get("problem"):
        found = data["problem"]
        problem = found if isinstance(found, dict) else {"kind": "failed", "message": str(found)}
    return Done(
        name=str(function.get("name", "")),
        arguments=arguments if isinstance(arguments, dict) else {},
        text=text,
        data=None if problem else data,
        problem=problem,
    )


def _asked_before(earlier: Sequence[Mapping[str, Json]]) -> tuple[str, ...]:
    """Back through the pairs of a person's message and our question about it, at most three."""
    found: list[str] = []
    at = len(earlier) - 1
    while at >= 0 and len(found) < 3 and _is_question(earlier[at]):
        while at >= 0 and earlier[at].get("role") != "user":
            at -= 1
        if at >= 0:
            found.append(split_context(content_of(earlier[at]))[1])
        at -= 1
    return tuple(found)


def _is_question(message: Mapping[str, Json]) -> bool:
    first_line = content_of(message).split("\n", 1)[0]
    is_reply = message.get("role") == "assistant" and not message.get("tool_calls")
    is_reply = is_reply and not first_line.startswith(_NOTES)
    return is_reply and ("?" in first_line or "？" in first_line)


def _touched(calls: Sequence[Done]) -> tuple[str, str] | None:
    for done in reversed(calls):
        cell_id = (done.data or {}).get("cell_id")
        if cell_id and done.name in ("insert_cell", "edit_cell", "run_cell", "read_cell"):
            return str((done.data or {}).get("path") or done.arguments.get("path", "")), str(cell_id)
    return None


def _history(earlier: Sequence[Mapping[str, Json]]) -> tuple[tuple[str, str], ...]:
    plain = []
    for message in earlier:
        role, text = str(message.get("role")), content_of(message)
        if role == "assistant" and text and not message.get("tool_calls") and not text.startswith(_NOTES):
            plain.append((role, text))
        elif role == "user":
            plain.append((role, split_context(text)[1]))
    return tuple(plain)
