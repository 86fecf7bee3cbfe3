"""A worker's desk without processes: real database, runs, loop and dispatcher; scripted model, counted tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from jupyter_linda.agent.claims import Claims, Times, WatchedQueue
from jupyter_linda.agent.hands import Hands, Limits
from jupyter_linda.agent.loop import Mind
from jupyter_linda.chats import store
from jupyter_linda.events.log import EventLog
from jupyter_linda.ports import (
    CallDraft,
    Finished,
    GateCall,
    ModelEvent,
    ModelRequest,
    Permit,
    Resource,
    TextDelta,
    ToolContext,
    ToolResult,
    Unknown,
    Verdict,
)
from jupyter_linda.runs import questions, queue
from jupyter_linda.schemas import ChatView, GrantScope, Message, NewChat, Run
from jupyter_linda.storage.files import Results
from jupyter_linda.toolkit import tool
from tests.fakes.journal import FakeJournal
from tests.fakes.tokens import FakeTokens

Step = Any  # a model event, an exception to raise, or an asyncio.Event to wait for


class FakeModel:
    """Answers the n-th model call after the last user message with the n-th script of the first key in it."""

    def __init__(self) -> None:
        self.scripts: dict[str, list[list[Step]]] = {}
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        messages = list(request.messages)
        last = max(index for index, message in enumerate(messages) if message["role"] == "user")
        key = next(key for key in self.scripts if key in messages[last]["content"])
        answered = sum(1 for message in messages[last:] if message["role"] == "assistant")
        steps = self.scripts[key][min(answered, len(self.scripts[key]) - 1)]
        for step in steps:
            if isinstance(step, Exception):
                raise step
            if isinstance(step, asyncio.Event):
                await step.wait()
            else:
                yield step


def says(text: str) -> list[Step]:
    return [TextDelta(text), Finished("stop")]


def uses(*calls: tuple[str, dict[str, Any]]) -> list[Step]:
    drafts = tuple(CallDraft(f"p{index}", name, json.dumps(arguments)) for index, (name, arguments) in enumerate(calls))
    return [Finished("tool_calls", calls=drafts)]


class FakeGate:
    """Reads pass; the rest asks, unless `auto`; an answer decides."""

    def __init__(self, *, auto: bool = True) -> None:
        self.auto = auto
        self.judged: list[GateCall] = []
        self.hidden: set[str] = set()
        self.concluded: list[tuple[str, bool]] = []

    async def judge(self, call: GateCall) -> Verdict:
        self.judged.append(call)
        if call.answer in ("no", "expired"):
            return Verdict("deny", "the person said no", "The person said no.")
        if call.action == "read" or self.auto or call.answer in ("once", "always"):
            return Verdict(
                "auto", "test", "", Permit(call.call_id, call.tool, call.arguments, "test", call.resource, object())
            )
        return Verdict("ask", "default", "asks")

    async def conclude(self, call: GateCall, *, is_done: bool, words: str) -> None:
        self.concluded.append((call.tool, is_done))

    def check(self, permit: Permit, call: GateCall) -> None:
        assert (permit.call_id, permit.tool, permit.arguments) == (call.call_id, call.tool, call.arguments)

    def hidden_tools(self, tools: Sequence[tuple[str, str]]) -> frozenset[str]:
        return frozenset(name for name, _action in tools if name in self.hidden)


@dataclass
class Effects:
    """What the tools really did, kept outside the database like any real effect."""

    done: list[str] = field(default_factory=list)
    by_request: dict[str, str] = field(default_factory=dict)
    block: dict[str, asyncio.Event] = field(default_factory=dict)
    begun: dict[str, asyncio.Event] = field(default_factory=dict)
    active: int = 0
    most_active: int = 0


def make_tools(effects: Effects) -> Mapping[str, Any]:
    async def pause(name: str) -> None:
        effects.begun.setdefault(name, asyncio.Event()).set()
        effects.active += 1
        effects.most_active = max(effects.most_active, effects.active)
        try:
            if name in effects.block:
                await effects.block[name].wait()
            await asyncio.sleep(0)
        finally:
            effects.active -= 1

    def nowhere(_arguments: Mapping[str, Any]) -> Resource:
        return Resource("none")

    @tool(action="read", family="test", resource=nowhere)
    async def look(context: ToolContext, name: str) -> ToolResult:
        """Look."""
        await pause(name)
        effects.done.append(f"look {name}")
        return ToolResult(f"saw {name}", title=f"Looked at {name}")

    @tool(action="write", family="test", resource=nowhere)
    async def put(context: ToolContext, name: str) -> ToolResult:
        """Put."""
        effects.done.append(f"put {name}")
        effects.by_request[context.request_id] = name
        await pause(name)
        return ToolResult(f"put {name}")

    @put.finds
    async def find_put(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult | None:
        return ToolResult("put before") if context.request_id in effects.by_request else None

    @tool(action="run", family="test", resource=nowhere)
    async def fire(context: ToolContext, name: str) -> ToolResult:
        """Fire."""
        effects.done.append(f"fire {name}")
        await pause(name)
        return ToolResult(f"fired {name}")

    @tool(action="read", family="test", resource=nowhere)
    async def flood(context: ToolContext) -> ToolResult:
        """Two million characters."""
        return ToolResult("x" * 1_000_000 + "MIDDLE" + "y" * 1_000_000 + "LAST")

    return {one.name: one for one in (look, put, fire, flood)}


class Desk:
    """Chats and runs of one owner, and workers that can be started, killed and started again."""

    def __init__(self, log: EventLog, folder: Path, ids: Any) -> None:
        self.log = log
        self.ids = ids
        self.model = FakeModel()
        self.gate = FakeGate()
        self.effects = Effects()
        self.tools = make_tools(self.effects)
        self.results = Results(folder / "results")
        self.max_steps = 20
        self.window_tokens = 75_000
        self.max_input_tokens: int | None = None
        self.writes_summaries = True
        self.needs_all_tools = False
        self.standing = ""
        self.chat_id = ""
        self._count = 0

    def new_chat(self) -> str:
        with self.log.transaction() as tx:
            self.chat_id = store.create(tx, self.ids.new("chat"), "local", NewChat()).chat_id
        return self.chat_id

    def send(self, text: str, *, server_id: str = "s1", root_dir: str = "/root") -> Run:
        if not self.chat_id:
            self.new_chat()
        with self.log.transaction() as tx:
            message = Message(
                message_id=self.ids.new("message"),
                chat_id=self.chat_id,
                run_id=None,
                role="user",
                text=text,
                parent_id=store.newest_message_id(tx.connection, self.chat_id),
                created_at=tx.now,
            )
            store.add_message(tx, message)
            run = Run(
                run_id=self.ids.new("run"),
                chat_id=self.chat_id,
                owner_id="local",
                state="queued",
                model="fake",
                message_id=message.message_id,
                queued_at=tx.now,
            )
            return queue.enqueue(tx, run, server_id=server_id, root_dir=root_dir, client_id=self.ids.new("client"))

    def worker(self, *, server_id: str = "s1", root_dir: str = "/root", lease_s: float = 15.0) -> Worker:
        self._count += 1
        return Worker(self, f"w{self._count}", server_id, root_dir, lease_s)

    @asynccontextmanager
    async def working(self, **options: Any) -> AsyncIterator[Worker]:
        worker = self.worker(**options)
        worker.start()
        try:
            yield worker
        finally:
            await worker.kill()

    def view(self) -> ChatView:
        with self.log.database.read() as connection:
            return store.view(connection, self.chat_id, "local")

    def run_of(self, run_id: str) -> Run:
        with self.log.database.read() as connection:
            return queue.get(connection, run_id)

    def answer(self, answer: str, *, by: str = "panel") -> None:
        with self.log.transaction() as tx:
            open_ones = questions.list_open(tx.connection, "local")
            questions.answer(tx, open_ones[0].question_id, "local", answer=answer, by=by)

    def stop(self, run_id: str) -> Run:
        with self.log.transaction() as tx:
            return queue.ask_to_stop(tx, run_id)

    async def until(self, condition: Callable[[], bool], *, seconds: float = 5.0) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.005)

    async def until_state(self, run_id: str, *states: str) -> Run:
        await self.until(lambda: self.run_of(run_id).state in states)
        return self.run_of(run_id)

    async def finish(self, run_id: str) -> Run:
        return await self.until_state(run_id, "done", "failed", "stopped", "interrupted")

    def kinds(self) -> Sequence[str]:
        return [event.kind for event in self.log.read(self.chat_id, 0)]


class Worker:
    """One desk of a worker process; `kill` stops it at once, as a crash does, without tidying anything."""

    def __init__(self, desk: Desk, worker_id: str, server_id: str, root_dir: str, lease_s: float) -> None:
        self.worker_id = worker_id
        self._desk = desk
        self.queue = WatchedQueue()
        mind = Mind(
            model=desk.model,
            resolve_model=lambda model: model,
            max_steps=desk.max_steps,
            join_s=0.001,
            root_dir=root_dir,
            tokens=FakeTokens(desk.max_input_tokens),
            window_tokens=desk.window_tokens,
            writes_summaries=lambda model: desk.writes_summaries,
            standing=lambda: desk.standing,
            needs_all_tools=lambda model: desk.needs_all_tools,
        )

        def make_context(request_id: str, run: Run, report: Callable[[str], None]) -> ToolContext:
            return ToolContext(
                live=None,
                root_dir=root_dir,
                request_id=request_id,
                chat_id=run.chat_id,
                run_id=run.run_id,
                model=run.model,
                report=report,
                admit_path=lambda path, _action: path,
                is_visible=lambda _path: True,
                journal=FakeJournal(),
                tasks=None,
            )

        def scopes(call: GateCall) -> tuple[GrantScope, ...]:
            return (GrantScope(label="this", action=call.action),)

        hands = Hands(
            tools=desk.tools,
            gate=desk.gate,
            make_context=make_context,
            scopes_for=scopes,
            results=desk.results,
            ids=desk.ids,
            limits=Limits(20_000, timedelta(hours=72)),
        )
        me = queue.Claimant(worker_id, server_id, root_dir)
        times = Times(lease_s=lease_s, idle_s=1e6, chunk_keep=timedelta(hours=1), look_s=0.01)
        self.claims = Claims(desk.log, mind, hands, self.queue, me=me, server_pid=1, times=times)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.ensure_future(self.claims.work())

    async def kill(self) -> None:
        """Nothing more is written by this worker; what it held stays held."""
        tasks = [held.task for held in self.claims._held.values()]
        for task in [*tasks, *([self._task] if self._task else [])]:
            task.cancel()
        await asyncio.gather(*tasks, *([self._task] if self._task else []), return_exceptions=True)
        # A real process dies with its threads; here what the database's thread had begun for it comes to its end first.
        await self._desk.log.database.run(lambda: None)

    def bury(self) -> None:
        """What the supervisor does when it finds this worker dead."""
        with self._desk.log.transaction() as tx:
            queue.free(tx, self.worker_id)


__all__ = ["Desk", "Effects", "FakeGate", "FakeModel", "Unknown", "Worker", "says", "uses"]
