"""The loop of one run: read the transcript, do what comes next, until it ends or waits."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from ..errors import BudgetPassed, ConsentNeeded, LeaseLost, LindaError, ProviderFault
from ..events.payloads import ContextMeasured, MessageReplaced
from ..runs import questions, queue
from ..schemas import Problem, RunState
from ..storage.tables import chats, messages, runs
from ..usage.budget import REPLY_TOKENS
from . import asking, families
from .dispatch import Dispatcher
from .hands import ASK_USER_SCHEMA, Hands
from .inner import READ_RESULT_SCHEMA
from .prompting import Desk, Guide, Prompter, no_guidance
from .stream import ModelCaller, replace_streaming
from .transcript import Act, CallModel, End, Next, Transcript, Wait, decide_next, load
from .wording import problem_of_provider

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ..events.log import Transaction
    from ..ports import Json, Model, ModelRequest, Tokens, Tool
    from ..runs.lease import Lease
    from ..schemas import ContextMeter, Question
    from .prompting import Made

log = logging.getLogger(__name__)

EMPTY_REPLIES = 2
"""Model calls in a row without text or calls after which a run ends."""


async def _unknown_price(_model: str, _given: int, _taken: int) -> float | None:
    return None


@dataclass(frozen=True)
class Mind:
    """What every run of a worker thinks with."""

    model: Model
    resolve_model: Callable[[str], str]
    """The model id of a run ("" is the default) -> one that may be used; `ProviderFault` if none."""
    max_steps: int
    join_s: float
    root_dir: str
    tokens: Tokens
    window_tokens: int
    """Most tokens of a prompt, where the model takes as many."""
    writes_summaries: Callable[[str], bool]
    """Whether a model is good enough to write a summary of older messages."""
    standing: Callable[[], str]
    """The person's standing instructions, as they are now."""
    needs_all_tools: Callable[[str], bool]
    """Whether a model cannot ask for further families of tools."""
    price: Callable[[str, int, int], Awaitable[float | None]] = _unknown_price
    """(model, tokens in, tokens out) -> US dollars, None where the price is not known."""
    guidance: Guide = no_guidance
    """The instructions and skills in files that count for a chat."""


class Runner:
    """Carries one run as far as it goes. Cancelling it leaves the run to whoever cancelled."""

    def __init__(self, lease: Lease, mind: Mind, hands: Hands) -> None:
        self._lease = lease
        self._mind = mind
        self._hands = hands
        self._empty = 0
        self._most: int | None = None
        """A smaller window than the model is thought to have, once its provider found a prompt too long."""
        self._prompter = Prompter(desk_of(mind, hands), lease, self._write, self._signed)
        self._asked: Sequence[Question] = ()

    async def run(self) -> None:
        """Go on until the run is over, waits, or belongs to somebody else."""
        try:
            await self._go_on()
        except* LeaseLost:  # reads run in a task group, which wraps what it raises
            log.info("run %s went to another worker", self._lease.run.run_id)

    async def _go_on(self) -> None:
        database = self._lease.log.database
        if self._lease.attempts > queue.MAX_ATTEMPTS:
            await self._end(
                "failed",
                Problem(
                    kind="crashed",
                    message=f"The worker died {queue.MAX_ATTEMPTS} times without finishing a step of this run.",
                    remedy="See the worker's log (`jupyter linda doctor` names it), then try again.",
                ),
            )
            return
        await database.run(self._recover)
        while True:
            transcript, steps, mode = await database.run(self._read)
            step: Next = decide_next(transcript, steps=steps, max_steps=self._mind.max_steps)
            match step:
                case Wait():
                    if await database.run(self._wait):
                        return
                case End(state, reason, kind):
                    await self._end(
                        state,
                        Problem(kind=kind, message=f"Stopped: {reason}.", remedy="Say “continue” to go on.")
                        if reason
                        else None,
                    )
                    return
                case Act():
                    if await self._act(step, mode):
                        return
                case CallModel(parent_id):
                    if not await self._call_model(transcript, parent_id):
                        return

    # ---- steps -----------------------------------------------------------------------------------

    async def _act(self, act: Act, mode: str) -> bool:
        """Carry out calls. True: the run waits now."""
        dispatcher = Dispatcher(self._lease, self._hands, mode=mode)
        await dispatcher.act(act)
        return await self._lease.log.database.run(self._is_waiting)

    async def _call_model(self, transcript: Transcript, parent_id: str) -> bool:
        """Call the model. False: the run ended in a fault."""
        caller = ModelCaller(self._lease, self._mind.model, self._hands.ids, join_s=self._mind.join_s)
        made: Made | None = None
        self._asked = transcript.questions
        try:
            model = self._mind.resolve_model(self._lease.run.model)
            made = await self._prompter.make(transcript, model, self._schemas(transcript, model), most=self._most)
            meter = await self._priced(made.meter)
            await self._write(lambda tx: self._tell(tx, meter))
            await caller.call(replace(made.request, tokens=made.meter.used), parent_id)
        except (ConsentNeeded, BudgetPassed) as needed:
            await self._ask_person(needed)
            return False
        except ProviderFault as fault:
            if await self._tries_again(fault, made):
                return True
            problem = problem_of_provider(fault)
            await self._end("interrupted" if fault.kind_of_fault == "cut_stream" else "failed", problem)
            return False
        self._empty = 0
        return True

    def _signed(self, request: ModelRequest) -> ModelRequest:
        """Whose request it is, and what the person let this run do."""
        run = self._lease.run
        return replace(
            request,
            owner_id=run.owner_id,
            chat_id=run.chat_id,
            run_id=run.run_id,
            agreed=asking.agreed(self._asked),
            agreed_always=asking.agreed_always(self._asked),
            refused=asking.refused(self._asked),
        )

    async def _ask_person(self, needed: ConsentNeeded | BudgetPassed) -> None:
        """Nothing was sent: the run waits for the person's word and holds no worker, or ends: they said no before."""
        if needed.about in asking.refused(self._asked):
            await self._end("failed", asking.refusal(needed, self._asked))
            return
        question = asking.question_for(
            needed,
            self._lease.run,
            self._hands.ids.new("question"),
            now=self._lease.log.clock.now(),
            expiry=self._hands.limits.question_expiry,
        )

        def work(tx: Transaction) -> None:
            questions.open_one(tx, question, self._lease.run.owner_id)
            questions.wait(tx, self._lease.run.run_id)

        await self._write(work)

    async def _tries_again(self, fault: ProviderFault, made: Made | None) -> bool:
        """Whether the call is made once more: after an empty reply, or condensed to half of what was too long."""
        if fault.kind_of_fault == "empty" and self._empty + 1 < EMPTY_REPLIES:
            self._empty += 1
        elif fault.kind_of_fault == "context_overflow" and made is not None and self._most is None:
            self._most = made.meter.used // 2
        else:
            return False
        await self._lease.log.database.run(self._hide_failed)
        return True

    async def _priced(self, meter: ContextMeter) -> ContextMeter:
        usd = await self._mind.price(meter.model, meter.used, REPLY_TOKENS)
        return meter.model_copy(update={"step_usd": usd})

    def _tell(self, tx: Transaction, meter: ContextMeter) -> None:
        tx.append(self._lease.run.chat_id, ContextMeasured(meter=meter), run_id=self._lease.run.run_id)

    async def _write(self, work: Callable[[Transaction], None]) -> None:
        def write() -> None:
            with self._lease.transaction() as tx:
                work(tx)

        await self._lease.log.database.run(write)

    def _schemas(self, transcript: Transcript, model: str) -> Sequence[Mapping[str, Json]]:
        """What models are told of tools, always in the same order: providers keep what begins alike."""
        known = self._hands.known_tools()
        if self._mind.needs_all_tools(model):
            return [*map(schema_of, known), ASK_USER_SCHEMA, READ_RESULT_SCHEMA]
        more = families.schema(known)
        ours = [ASK_USER_SCHEMA, READ_RESULT_SCHEMA, *([] if more is None else [more])]
        # Families that were opened come last: what stands before them stays what it was.
        listed = sorted(families.offered(known, transcript.calls), key=families.is_on_demand)
        there = sum(not families.is_on_demand(tool) for tool in listed)
        return [*map(schema_of, listed[:there]), *ours, *map(schema_of, listed[there:])]

    async def _end(self, state: RunState, problem: Problem | None) -> None:
        def work() -> None:
            with self._lease.transaction() as tx:
                queue.end(tx, self._lease.run.run_id, state, problem)

        await self._lease.log.database.run(work)

    # ---- database ----------------------------------------------------------------------------------

    def _recover(self) -> None:
        with self._lease.transaction() as tx:
            replace_streaming(tx, self._lease)

    def _read(self) -> tuple[Transcript, int, str]:
        with self._lease.log.database.read() as connection:
            run = self._lease.run
            steps = connection.execute(select(runs.c.steps).where(runs.c.run_id == run.run_id)).scalar()
            mode = connection.execute(select(chats.c.mode).where(chats.c.chat_id == run.chat_id)).scalar()
            return load(connection, run), int(steps or 0), str(mode or "ask")

    def _is_waiting(self) -> bool:
        with self._lease.log.database.read() as connection:
            state = connection.execute(select(runs.c.state).where(runs.c.run_id == self._lease.run.run_id)).scalar()
            return bool(state == "waiting")

    def _wait(self) -> bool:
        """A resumed run with open questions goes back to waiting; False if they were answered meanwhile."""
        with self._lease.transaction() as tx:
            if not any(
                question.state == "open" for question in questions.of_run(tx.connection, self._lease.run.run_id)
            ):
                return False
            questions.wait(tx, self._lease.run.run_id)
            return True

    def _hide_failed(self) -> None:
        """An empty reply that is asked for again is not shown."""
        run = self._lease.run
        with self._lease.transaction() as tx:
            rows = tx.connection.execute(
                select(messages.c.message_id).where(messages.c.run_id == run.run_id, messages.c.status == "failed")
            ).all()
            for row in rows:
                tx.connection.execute(
                    update(messages).where(messages.c.message_id == row.message_id).values(status="replaced")
                )
                tx.append(run.chat_id, MessageReplaced(message_id=row.message_id), run_id=run.run_id)


def desk_of(mind: Mind, hands: Hands) -> Desk:
    """What prompts are made with."""
    return Desk(
        model=mind.model,
        tokens=mind.tokens,
        ids=hands.ids,
        root_dir=mind.root_dir,
        window_tokens=mind.window_tokens,
        picture=hands.results.get,
        writes_summaries=mind.writes_summaries,
        standing=mind.standing,
        guidance=mind.guidance,
    )


def schema_of(tool: Tool) -> Mapping[str, Json]:
    """A tool as models are told of it."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


async def end_in_bug(lease: Lease, error: BaseException) -> None:
    """Something nobody foresaw: end the run visibly; the traceback is in the log. Our own errors keep their words."""
    if isinstance(error, LindaError):
        problem = Problem(kind=error.kind, message=error.message, remedy=error.remedy)
    else:
        problem = Problem(
            kind="bug",
            message=f"Linda failed here: {type(error).__name__}: {error}",
            remedy="The worker's log has the details; `jupyter linda support` packs it for a report.",
        )

    def work() -> None:
        with lease.transaction() as tx:
            queue.end(tx, lease.run.run_id, "failed", problem)

    try:
        await lease.log.database.run(work)
    except LindaError:
        log.exception("the end of run %s could not be written", lease.run.run_id)
