"""From a parsed tool call to the gate's verdict on it, or on the nearest allowed thing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ..chats import store
from ..errors import LindaError
from ..permissions.beside import is_alone, is_posing
from ..permissions.code import UNREADABLE
from ..permissions.taint import asked_in, findings_of
from ..ports import GateCall
from .degrading import nearest
from .transcript import answer_for, sources_before

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json, Tool, ToolContext, Verdict
    from ..runs.lease import Lease
    from .hands import Hands
    from .transcript import CallRow, Transcript


@dataclass(frozen=True)
class Judged:
    """What is judged, and how. With `instead`, tool and arguments are not those that the model chose."""

    tool: Tool
    arguments: Mapping[str, Json]
    call: GateCall
    verdict: Verdict
    instead: str = ""


class Judge:
    """Puts the calls of one run before the gate."""

    def __init__(self, lease: Lease, hands: Hands, *, mode: str) -> None:
        self._run = lease.run
        self._hands = hands
        self._mode = mode

    async def judge(
        self, row: CallRow, tool: Tool, arguments: Mapping[str, Json], transcript: Transcript, context: ToolContext
    ) -> Judged:
        """The verdict. `ToolRetry` from the tool that is to be called instead."""
        found = await self._ask_gate(row, tool, arguments, row.arguments, transcript, context)
        other = nearest(tool.name, arguments, row.call_id) if found.verdict.may_degrade else None
        if other is None or other.tool not in self._hands.tools:
            return found
        text = json.dumps(other.arguments, ensure_ascii=False)
        other_tool = self._hands.tools[other.tool]
        second = await self._ask_gate(row, other_tool, other_tool.parse(text), text, transcript, context)
        return replace(second, instead=other.words)

    async def _ask_gate(
        self,
        row: CallRow,
        tool: Tool,
        arguments: Mapping[str, Json],
        text: str,
        transcript: Transcript,
        context: ToolContext,
    ) -> Judged:
        tainted_by = sources_before(row, transcript, self._hands.tools)
        answer, answered_for = _answer_to(row, tool, text, transcript)
        call = GateCall(
            call_id=row.call_id,
            tool=tool.name,
            action=tool.action,
            resource=tool.resource(arguments),
            arguments=text,
            owner_id=self._run.owner_id,
            chat_id=self._run.chat_id,
            run_id=self._run.run_id,
            mode=self._mode,  # type: ignore[arg-type]  # the column holds one of the modes
            answer=answer,
            answered_for=answered_for,
            sends_values=self._hands.needs_leave(self._run.model, tool, arguments),
            always_asks=tool.always_asks,
            tainted_by=tainted_by,
            asked=asked_in(transcript.history),
            findings=await _findings(tool, arguments, context) if tainted_by else (),
            size_bytes=tool.written_bytes(arguments),
        )
        return Judged(tool, arguments, call, await self._hands.gate.judge(call))


def _answer_to(row: CallRow, tool: Tool, text: str, transcript: Transcript) -> tuple[str | None, str]:
    """The person's answer, if they saw this very tool and these arguments: rules may have changed what it became.

    And where its paths led then.
    """
    answer = answer_for(row.call_id, transcript.questions)
    if answer not in ("once", "always"):
        return answer, ""
    asked = [q for q in transcript.questions if q.call_id == row.call_id and q.state in ("answered", "void")][-1]
    is_same = (asked.tool, asked.arguments) == (tool.name, store.arguments_shown(text))
    return (answer, asked.resource) if is_same else (None, "")


async def _findings(tool: Tool, arguments: Mapping[str, Json], context: ToolContext) -> tuple[str, ...]:
    """What the code that would run, or the text that would be written, seems to do."""
    if tool.action == "read":
        return ()
    try:
        preview = await tool.preview(arguments, context)
        folder = Path(context.root_dir, *PurePosixPath(tool.resource(arguments).path).parts[:-1])
        alone, posing = await asyncio.to_thread(lambda: (is_alone(folder), is_posing(folder)))
        return findings_of(tool.name, tool.action, preview, is_alone=alone, is_posing=posing)
    except LindaError:
        return (UNREADABLE,)
