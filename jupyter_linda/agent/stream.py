"""One model call: its stream joined into events, and its end written in one transaction."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from ..chats import store
from ..errors import ProviderFault
from ..events.payloads import CallChanged, MessageAdded, MessageDelta, MessageDone, MessageReplaced, ModelRetrying
from ..ports import CallDraft, Finished, Ids, Model, ModelRequest, Notice, ReasoningDelta, Retrying, Sending, TextDelta
from ..runs import queue
from ..schemas import Message, MessageStatus, Problem, ToolCall
from ..storage.tables import calls, messages, runs
from .recording import CallRecorder
from .transcript import CUT_ARGUMENTS
from .wording import problem_of_provider

if TYPE_CHECKING:
    from ..events.log import Transaction
    from ..runs.lease import Lease


@dataclass
class Draft:
    """What has been streamed and not yet written, and all of it so far."""

    message_id: str
    model: str
    """Who answers; another one after a fallback."""
    recorder: CallRecorder
    notices: list[str] = field(default_factory=list)
    text: str = ""
    reasoning: str = ""
    pending_text: str = ""
    pending_reasoning: str = ""
    is_added: bool = False
    flusher: asyncio.Task[None] | None = field(default=None, repr=False)

    def take(self) -> tuple[str, str]:
        """What to write now."""
        taken = (self.pending_text, self.pending_reasoning)
        self.pending_text = self.pending_reasoning = ""
        return taken


class ModelCaller:
    """Streams model calls of one run into its chat."""

    def __init__(self, lease: Lease, model: Model, ids: Ids, *, join_s: float) -> None:
        self._lease = lease
        self._model = model
        self._ids = ids
        self._join_s = join_s

    async def call(self, request: ModelRequest, parent_id: str) -> None:
        """One model call, whole: the message, its calls, the step. Raises `ProviderFault` after writing it down."""
        message_id = self._ids.new("message")
        recorder = CallRecorder(self._lease, self._ids, message_id, purpose="reply", asked_model=request.model)
        draft = Draft(message_id, request.model, recorder)
        fault: ProviderFault | None = None
        finished = Finished(reason="")
        try:
            finished = await self._stream(request, parent_id, draft)
        except ProviderFault as error:
            fault = error
        finally:
            if draft.flusher is not None:
                draft.flusher.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await draft.flusher
        await self._lease.log.database.run(self._finish, draft, parent_id, finished, fault)
        if fault is not None:
            raise fault

    async def _stream(self, request: ModelRequest, parent_id: str, draft: Draft) -> Finished:
        finished: Finished | None = None
        async for event in self._model.stream(request):
            match event:
                case TextDelta(text):
                    draft.text += text
                    draft.pending_text += text
                    await self._piece_came(draft, parent_id)
                case ReasoningDelta(text):
                    draft.reasoning += text
                    draft.pending_reasoning += text
                    await self._piece_came(draft, parent_id)
                case Sending():
                    draft.model = event.model
                    await self._lease.log.database.run(self._write_sending, draft, event)
                case Retrying():
                    await self._lease.log.database.run(self._write_retrying, draft, event)
                case Notice(text):
                    draft.notices.append(text)
                case Finished():
                    finished = event
        if finished is None:
            raise ProviderFault(
                "cut_stream", "The model's reply broke off before its end.", remedy="Continue, or try again."
            )
        return finished

    async def _piece_came(self, draft: Draft, parent_id: str) -> None:
        draft.recorder.piece_came()
        if draft.flusher is None or draft.flusher.done():
            if draft.flusher is not None:
                await draft.flusher  # an error of the last write belongs to this call
            # The first chunk goes out at once; later ones wait for company.
            delay = self._join_s if draft.is_added else 0.0
            draft.flusher = asyncio.create_task(self._flush_after(delay, parent_id, draft))

    async def _flush_after(self, delay_s: float, parent_id: str, draft: Draft) -> None:
        await asyncio.sleep(delay_s)
        text, reasoning = draft.take()
        if text or reasoning:
            write = asyncio.ensure_future(
                self._lease.log.database.run(self._write_delta, draft, parent_id, text, reasoning)
            )
            write.add_done_callback(_look_at)
            await asyncio.shield(write)

    def _write_sending(self, draft: Draft, sending: Sending) -> None:
        with self._lease.transaction() as tx:
            draft.recorder.begin(tx, sending)

    def _write_retrying(self, draft: Draft, retrying: Retrying) -> None:
        """The try that failed, and that another comes: in one commit."""
        run = self._lease.run
        told = ModelRetrying(
            message_id=draft.message_id,
            kind=retrying.kind,
            message=retrying.message,
            wait_s=round(retrying.wait_s, 1),
            model=draft.model,
            next_model=retrying.next_model,
        )
        with self._lease.transaction() as tx:
            draft.recorder.end(tx, retrying.kind)
            tx.append(run.chat_id, told, run_id=run.run_id)

    def _write_delta(self, draft: Draft, parent_id: str, text: str, reasoning: str) -> None:
        with self._lease.transaction() as tx:
            self._add(tx, draft, parent_id)
            tx.append(
                self._lease.run.chat_id,
                MessageDelta(message_id=draft.message_id, text=text, reasoning=reasoning),
                run_id=self._lease.run.run_id,
            )
        draft.is_added = True

    def _add(self, tx: Transaction, draft: Draft, parent_id: str) -> None:
        if draft.is_added:
            return
        message = Message(
            message_id=draft.message_id,
            chat_id=self._lease.run.chat_id,
            parent_id=parent_id,
            run_id=self._lease.run.run_id,
            role="assistant",
            status="streaming",
            model=draft.model,
            created_at=tx.now,
        )
        store.add_message(tx, message)
        tx.append(message.chat_id, MessageAdded(message=message), run_id=message.run_id)

    def _finish(self, draft: Draft, parent_id: str, finished: Finished, fault: ProviderFault | None) -> None:
        """Message, calls, step count and events in one commit."""
        text, reasoning = draft.take()
        status, problem = _ending(draft, finished, fault)
        drafts = () if fault else finished.calls
        asked = tuple(
            ToolCall(call_id=self._ids.new("call"), name=one.name, arguments=one.arguments, provider_id=one.call_id)
            for one in drafts
        )
        notice = "\n".join(dict.fromkeys(draft.notices))
        run = self._lease.run
        with self._lease.transaction() as tx:
            draft.recorder.end(tx, "done" if fault is None else fault.kind_of_fault, finished.usage)
            self._add(tx, draft, parent_id)
            if text or reasoning:
                tx.append(
                    run.chat_id,
                    MessageDelta(message_id=draft.message_id, text=text, reasoning=reasoning),
                    run_id=run.run_id,
                )
            tx.connection.execute(
                update(messages)
                .where(messages.c.message_id == draft.message_id)
                .values(
                    text=draft.text,
                    reasoning=draft.reasoning,
                    status=status,
                    tool_calls=[call.model_dump() for call in asked],
                    usage=None if finished.usage is None else finished.usage.model_dump(),
                    error=None if problem is None else problem.model_dump(),
                    notice=notice,
                )
            )
            done = MessageDone(
                message_id=draft.message_id,
                status=status,
                tool_calls=asked,
                usage=finished.usage,
                error=problem,
                notice=notice,
            )
            tx.append(run.chat_id, done, run_id=run.run_id)
            for position, (call, one) in enumerate(zip(asked, drafts, strict=True)):
                self._ask(tx, draft.message_id, position, call, one, finished.reason)
            if fault is None:
                tx.connection.execute(
                    update(runs).where(runs.c.run_id == run.run_id).values(steps=runs.c.steps + 1, attempts=0)
                )

    def _ask(
        self, tx: Transaction, message_id: str, position: int, call: ToolCall, draft: CallDraft, reason: str
    ) -> None:
        """Write a call down; one whose arguments arrived cut or broken never runs."""
        run = self._lease.run
        result, state, problem, done_at = "", "asked", None, None
        if not draft.is_whole:
            cause = (
                f"arguments cut off (finish_reason={reason})" if reason == "length" else "arguments are not valid JSON"
            )
            result = f"{cause}, nothing was done. Send the call again, whole and shorter if need be."
            state, done_at = "failed", tx.now
            problem = Problem(
                kind=CUT_ARGUMENTS,
                message=f"{call.name}: {cause}, nothing was done.",
                remedy="The model is told to send the call again.",
            )
        tx.connection.execute(
            insert(calls).values(
                call_id=call.call_id,
                run_id=run.run_id,
                chat_id=run.chat_id,
                message_id=message_id,
                position=position,
                name=call.name,
                arguments=call.arguments,
                state=state,
                result=result,
                problem=None if problem is None else problem.model_dump(),
                done_at=done_at,
            )
        )
        row = tx.connection.execute(select(calls).where(calls.c.call_id == call.call_id)).one()
        tx.append(run.chat_id, CallChanged(call=store.as_call(row)), run_id=run.run_id)


def _ending(draft: Draft, finished: Finished, fault: ProviderFault | None) -> tuple[MessageStatus, Problem | None]:
    """How a message ends, and the problem to show with it."""
    if fault is not None:
        problem = problem_of_provider(fault)
        return ("interrupted" if draft.text else "failed"), problem
    if finished.reason == "length":
        return "interrupted", Problem(
            kind="length",
            message="The reply was cut at the model's output limit.",
            remedy="Say “continue”, or ask for less at a time.",
        )
    return "complete", None


def _look_at(write: asyncio.Task[None]) -> None:
    """A write that outlives a cancelled call may fail, as when its chat was deleted: nobody else hears of that."""
    if not write.cancelled():
        write.exception()


def replace_streaming(tx: Transaction, lease: Lease) -> int:
    """Mark half-streamed messages of this run replaced: their model call is made again. Returns how many."""
    queue.close_model_calls(tx, lease.run.run_id, "cut")
    rows = tx.connection.execute(
        select(messages.c.message_id).where(messages.c.run_id == lease.run.run_id, messages.c.status == "streaming")
    ).all()
    for row in rows:
        tx.connection.execute(update(messages).where(messages.c.message_id == row.message_id).values(status="replaced"))
        tx.append(lease.run.chat_id, MessageReplaced(message_id=row.message_id), run_id=lease.run.run_id)
    return len(rows)
