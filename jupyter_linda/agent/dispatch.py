"""From a model's tool calls to their outcomes: judge, ask, begin, do, write down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from ..chats import store
from ..errors import LeaseLost, LindaError, ToolRetry
from ..events.payloads import CallChanged, CallProgress
from ..ports import Json, Tool, ToolContext, ToolResult, Unknown
from ..ports.held import each_plain, plain, released
from ..runs import questions
from ..schemas import CallState, GrantScope, Preview, Problem, Question
from ..storage.hidden import one_line, visible
from ..storage.tables import calls
from ..storage.texts import is_deep, whole_json, whole_text
from .context import shorten
from .degrading import nearest
from .families import MORE_TOOLS, open_family
from .fence import find_instructions, mark_of
from .guidance import USE_SKILL, skill_named, told_skill
from .hands import ASK_USER, Hands, Ready
from .inner import READ_RESULT, read_result
from .judging import Judge
from .transcript import AGAIN, HAPPENED, SKIP, Act, CallRow, Transcript, load, seen_for
from .wording import (
    as_asked,
    failed_inside,
    how_to_allow,
    no_such_tool,
    problem_of,
    title_of,
    told,
    told_in_full,
    told_instead,
    without_content,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..events.log import Transaction
    from ..runs.lease import Lease
    from .judging import Judged

log = logging.getLogger(__name__)


TOO_DEEP: Mapping[str, Json] = {
    "output_type": "stream",
    "name": "stderr",
    "text": "(An output nested too deeply is left out.)",
}


class Dispatcher:
    """Carries out the calls of one run's newest reply."""

    def __init__(self, lease: Lease, hands: Hands, *, mode: str) -> None:
        self._lease = lease
        self._hands = hands
        self._judge = Judge(lease, hands, mode=mode)

    async def act(self, act: Act) -> None:
        """Carry out what may be carried out, in order; then open the questions that are left, if any."""
        transcript = await self._read()
        waiting: list[tuple[CallRow, Judged]] = []
        batch: list[Ready] = []
        for row in act.calls:
            if row.name == ASK_USER:
                await self._run_batch(batch)
                batch = []
                if await self._ask_user(row, transcript):
                    return
                continue
            if row.name in (READ_RESULT, MORE_TOOLS, USE_SKILL):
                await self._tell(row, transcript)
                continue
            prepared = await self._prepare(row, transcript)
            if prepared is None:
                continue
            ready, asking = prepared
            if asking is not None:
                waiting.append(asking)
            elif ready is not None and not waiting:
                if ready.tool.action != "read":
                    await self._run_batch(batch)
                    batch = []
                    await self._run_one(ready)
                else:
                    batch.append(ready)
        await self._run_batch(batch)
        if waiting:
            await self._open_questions(waiting)

    async def _read(self) -> Transcript:
        def work() -> Transcript:
            with self._lease.log.database.read() as connection:
                return load(connection, self._lease.run)

        return await self._lease.log.database.run(work)

    # ---- before a call runs --------------------------------------------------------------------

    async def _prepare(
        self, row: CallRow, transcript: Transcript
    ) -> tuple[Ready | None, tuple[CallRow, Judged] | None] | None:
        """Parse, look up after a crash, judge. None: the call is over already."""
        tool = self._hands.tools.get(row.name)
        if tool is None:
            problem = no_such_tool(row.name, self._hands.tools)
            await self._close(row, "failed", told_in_full(problem), action="read", problem=problem)
            return None
        try:
            arguments = tool.parse(row.arguments)
            tool.resource(arguments)  # it may refuse them
        except ToolRetry as error:
            await self._close(row, "failed", error.message, action=tool.action, problem=problem_of(error))
            return None
        if row.state == "begun" and not await self._settle_cut_call(row, tool, arguments, transcript):
            return None
        try:
            judged = await self._judge.judge(row, tool, arguments, transcript, self._context(row))
        except ToolRetry as error:
            await self._close(row, "failed", error.message, action=tool.action, problem=problem_of(error))
            return None
        verdict = judged.verdict
        if verdict.effect == "ask":
            return None, (row, judged)
        if verdict.permit is None:
            await self._close(
                row,
                "refused",
                f"Not allowed: {verdict.reason} Nothing was done.",
                action=tool.action,
                problem=Problem(kind="NotAllowed", message=verdict.reason, remedy=how_to_allow(verdict)),
                title=title_of(judged.call, seen_for(row.call_id, transcript.questions)),
            )
            return None
        seen = seen_for(row.call_id, transcript.questions)
        return Ready(row, judged.tool, judged.arguments, judged.call, verdict.permit, seen, judged.instead), None

    async def _settle_cut_call(
        self, row: CallRow, tool: Tool, arguments: Mapping[str, Json], transcript: Transcript
    ) -> bool:
        """A call that was running when the worker died. True: (re)run it; False: it is over or asked about."""
        asked = [q for q in transcript.questions if q.call_id == row.call_id and q.kind == "outcome"]
        decided = next((q for q in asked if q.state not in ("open", "void")), None)
        if decided is not None:
            if decided.answer == AGAIN:
                return True
            text = "The run was cut while this was going on. " + (
                "The person says it happened."
                if decided.answer == HAPPENED
                else "Its outcome is unknown and it was not done again."
            )
            await self._close(row, "unknown", text, action=tool.action)
            return False
        try:
            found = await self._find(row, tool, arguments)
        except LindaError as error:
            log.warning("the outcome of %s cannot be looked up: %s", row.call_id, error.message)
            found = Unknown()
        if found is None:
            return True
        if isinstance(found, ToolResult):
            await self._close_with(row, tool, found)
            return False
        await self._ask_outcome(row, tool)
        return False

    async def _find(self, row: CallRow, tool: Tool, arguments: Mapping[str, Json]) -> ToolResult | Unknown | None:
        """Whether it happened, as it was wanted or as the nearest allowed thing."""
        other = nearest(tool.name, arguments, row.call_id)
        if other is not None and other.tool in self._hands.tools:
            other_tool = self._hands.tools[other.tool]
            text = json.dumps(other.arguments, ensure_ascii=False)
            with contextlib.suppress(LindaError):  # a place that nobody may look into holds no draft of ours
                found = await other_tool.find(other_tool.parse(text), self._context(row))
                if isinstance(found, ToolResult):
                    return told_instead(found, other.words)
        return await tool.find(arguments, self._context(row))

    async def _ask_outcome(self, row: CallRow, tool: Tool) -> None:
        preview = Preview(
            sentence=f"The run was cut during “{row.name}”, and nobody can tell whether it happened. What now?",
            code=row.arguments,
            language="json",
        )
        question = self._question(row, tool, kind="outcome", preview=preview, choices=(HAPPENED, AGAIN, SKIP))
        await self._lease.log.database.run(self._write_questions, [question])

    async def _ask_user(self, row: CallRow, transcript: Transcript) -> bool:
        """The model's own question to the person. True: it waits now."""
        asked = next((q for q in transcript.questions if q.call_id == row.call_id), None)
        if asked is not None and asked.state != "open":
            text = (
                f"The person answered: {asked.answer}"
                if asked.state == "answered"
                else "The person did not answer in time."
            )
            await self._close(row, "done", text, action="read", title="Asked you")
            return False
        try:
            wish = whole_json(json.loads(row.arguments or "{}"))
            sentence, choices = str(wish["question"]), tuple(str(choice) for choice in wish.get("choices") or ())[:6]
        except (ValueError, KeyError, TypeError, AttributeError):
            await self._close(row, "failed", 'ask_user needs {"question": text, "choices": [text, …]}.', action="read")
            return False
        question = self._question(row, None, kind="choice", preview=Preview(sentence=sentence), choices=choices)
        await self._lease.log.database.run(self._write_questions, [question])
        return True

    async def _tell(self, row: CallRow, transcript: Transcript) -> None:
        """What touches nothing but the conversation needs no leave."""
        if row.name == MORE_TOOLS:
            told = open_family(row, self._hands.known_tools())
        elif row.name == USE_SKILL:
            name, run = skill_named(row), self._lease.run
            told = told_skill(name, await self._hands.find_skill(run.owner_id, run.chat_id, name))
        else:
            told = await asyncio.to_thread(read_result, row, transcript, self._hands.results)
        if not told.is_done:
            await self._close(row, "failed", told.text, action="read")
            return
        values = {
            "state": "done",
            "action": "read",
            "title": one_line(whole_text(told.title)),
            "result": whole_text(told.text),
            "found": list(find_instructions(plain(told.text))),
        }
        await self._lease.log.database.run(self._write_end, row, values)

    async def _open_questions(self, waiting: Sequence[tuple[CallRow, Judged]]) -> None:
        opened: list[Question] = []
        for row, judged in waiting:
            tool, call = judged.tool, judged.call
            try:
                preview = as_asked(await tool.preview(judged.arguments, self._context(row)), judged)
            except LindaError as error:
                if opened:
                    break  # it may build on what is asked about before it: its turn comes after that
                # What cannot even be shown cannot be agreed to.
                problem = without_content(error) if judged.verdict.is_closed else problem_of(error)
                await self._close(row, "failed", told_in_full(problem), action=tool.action, problem=problem)
                await self._hands.gate.conclude(call, is_done=False, words=problem.message)
                continue
            scopes = self._hands.scopes_for(call)
            opened.append(self._question(row, tool, kind="approval", preview=preview, scopes=scopes, judged=judged))
        if opened:
            await self._lease.log.database.run(self._write_questions, opened)

    def _question(
        self,
        row: CallRow,
        tool: Tool | None,
        *,
        kind: str,
        preview: Preview,
        choices: tuple[str, ...] = (),
        scopes: tuple[GrantScope, ...] = (),
        judged: Judged | None = None,
    ) -> Question:
        now = self._lease.log.clock.now()
        call = judged.call if judged else None
        return Question.model_validate(
            {
                "question_id": self._hands.ids.new("question"),
                "chat_id": row.chat_id,
                "run_id": row.run_id,
                "call_id": row.call_id,
                "kind": kind,
                "state": "open",
                "tool": call.tool if call else row.name,
                "action": call.granted_action if call else tool.action if tool else "read",
                "resource": judged.verdict.resource if judged else "",
                "arguments": store.arguments_shown(call.arguments if call else row.arguments),
                "preview": preview,
                "choices": choices,
                "scopes": scopes,
                "opened_at": now,
                "expires_at": now + self._hands.limits.question_expiry,
            }
        )

    def _write_questions(self, opened: Sequence[Question]) -> None:
        with self._lease.transaction() as tx:
            for question in opened:
                questions.open_one(tx, question, self._lease.run.owner_id)
            questions.wait(tx, self._lease.run.run_id)

    # ---- the call itself -------------------------------------------------------------------------

    async def _run_batch(self, batch: Sequence[Ready]) -> None:
        """Reads side by side."""
        if batch:
            async with asyncio.TaskGroup() as group:
                for ready in batch:
                    group.create_task(self._run_one(ready))

    async def _run_one(self, ready: Ready) -> None:
        row, tool = ready.row, ready.tool
        self._hands.gate.check(ready.permit, ready.call)
        await self._lease.log.database.run(self._begin, ready)
        try:
            result = await tool.run(ready.permit, ready.arguments, replace(self._context(row), approved=ready.approved))
        except LeaseLost:
            raise
        except LindaError as error:  # ToolRetry and ToolFailed among them
            await self._fail(ready, error)
        except Exception as error:
            log.exception("%s failed inside", tool.name)
            await self._fail(ready, failed_inside(tool.name, error))
        else:
            told_result = told_instead(result, ready.instead)
            await self._close_with(row, tool, told_result, is_released=ready.call.sends_values)
            await self._hands.gate.conclude(ready.call, is_done=True, words=result.title)

    async def _fail(self, ready: Ready, error: LindaError) -> None:
        await self._close(ready.row, "failed", told(error), action=ready.tool.action, problem=problem_of(error))
        await self._hands.gate.conclude(ready.call, is_done=False, words=error.message)

    def _context(self, row: CallRow) -> ToolContext:
        loop = asyncio.get_running_loop()

        def report(text: str) -> None:
            loop.call_soon_threadsafe(lambda: self._report(row, text))

        return self._hands.make_context(row.call_id, self._lease.run, report)

    def _report(self, row: CallRow, text: str) -> None:
        task = asyncio.ensure_future(self._lease.log.database.run(self._write_progress, row, text[-2000:]))
        # A progress line that is not written is not missed; a lost lease shows itself at the next write.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _write_progress(self, row: CallRow, text: str) -> None:
        with self._lease.transaction() as tx:
            tx.append(row.chat_id, CallProgress(call_id=row.call_id, text=text), run_id=row.run_id)

    def _begin(self, ready: Ready) -> None:
        """Committed before the effect, so that a crash in the middle is seen."""
        row, title = ready.row, whole_text(title_of(ready.call, ready.approved))
        with self._lease.transaction() as tx:
            questions.spend(tx, row.call_id)
            self._change(tx, row, state="begun", action=ready.tool.action, title=title, begun_at=tx.now)

    # ---- after it --------------------------------------------------------------------------------

    async def _close_with(self, row: CallRow, tool: Tool, result: ToolResult, *, is_released: bool = False) -> None:
        text = whole_text(shorten(result.text, self._hands.limits.result_chars, mark_of(row.call_id)))
        digest = None
        if len(result.text) > self._hands.limits.result_chars:
            digest = await asyncio.to_thread(self._hands.results.put, result.text)
        values = {
            "state": "done",
            "action": tool.action,
            "title": one_line(whole_text(result.title)),
            "result": released(each_plain(text, visible)) if is_released else each_plain(text, visible),
            "result_hash": digest,
            "found": list(find_instructions(plain(text))),
            "images": await asyncio.to_thread(self._keep_images, result),
            "outputs": [TOO_DEEP if is_deep(output) else whole_json(output) for output in result.outputs],
            "diffs": whole_json([diff.model_dump() for diff in result.diffs]),
            "data": None if is_deep(result.data) else whole_json(result.data),
        }
        await self._lease.log.database.run(self._write_end, row, values)

    def _keep_images(self, result: ToolResult) -> list[list[str]]:
        """Pictures beside the long results, each once; the row names them by type and hash."""
        return [[mime, self._hands.results.put(content)] for mime, content in result.images]

    async def _close(
        self, row: CallRow, state: CallState, text: str, *, action: str, problem: Problem | None = None, title: str = ""
    ) -> None:
        values = {
            "state": state,
            "action": action,
            **({"title": whole_text(title)} if title else {}),  # else the one it began with
            "result": visible(whole_text(shorten(text, self._hands.limits.result_chars, mark_of(row.call_id)))),
            "found": list(find_instructions(text)) if state == "failed" else [],
            "problem": None if problem is None else whole_json(problem.model_dump()),
        }
        await self._lease.log.database.run(self._write_end, row, values)

    def _write_end(self, row: CallRow, values: Mapping[str, Any]) -> None:
        with self._lease.transaction() as tx:
            self._change(tx, row, **values, done_at=tx.now)

    def _change(self, tx: Transaction, row: CallRow, **values: object) -> None:
        tx.connection.execute(update(calls).where(calls.c.call_id == row.call_id).values(**values))
        changed = tx.connection.execute(select(calls).where(calls.c.call_id == row.call_id)).one()
        tx.append(row.chat_id, CallChanged(call=store.as_call(changed)), run_id=row.run_id)
