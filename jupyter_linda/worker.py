"""The worker process: claims runs, carries them, answers the server's calls over its pipes."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .agent.claims import Claims, Times, WatchedQueue
from .agent.condensing import Condensing
from .agent.hands import Hands, Limits
from .agent.loop import Mind, desk_of
from .agent.origins import frames_of, origin_of, paths_of
from .channel.live import RemoteLive
from .channel.pipes import Channel
from .errors import LindaError
from .events.log import EventLog
from .gateway.asking import Timeouts
from .gateway.client import LitellmModel
from .gateway.consents import ConsentBook
from .gateway.detect import detect_local_servers
from .gateway.door import Door, Rules
from .gateway.level_file import LevelFile
from .gateway.levels import level_of
from .gateway.local import DemoModel
from .gateway.placeholders import PlaceholderBooks
from .gateway.providers import DEMO_MODEL, Providers
from .gateway.redaction_names import NameFinder
from .gateway.retrying import Patience, RetryingModel
from .gateway.tokens import ModelTokens
from .gateway.trying import try_connection
from .gateway.weights import find_weights
from .instructions.library import Library
from .instructions.reading import OwnFolder, Workspace
from .journal.files import FileUndo
from .journal.store import CallJournal, trim
from .journal.store import Limits as UndoLimits
from .journal.undo import Undoing
from .permissions.approvals import SqlGrants
from .permissions.audit import SqlAudit
from .permissions.closed import closed_places
from .permissions.gate import RuleGate
from .permissions.paths import PathPolicy, Places
from .permissions.policy import find_policies
from .permissions.watch import RuleFile
from .ports import Model, Tool, ToolContext
from .runs.process import GRACE_S, end_own_group, leave
from .runs.queue import Claimant
from .schemas import ProviderInput, Run, Undo
from .seeds import RandomIds, SystemClock
from .storage.database import Database
from .storage.files import Results
from .storage.standing import Standing
from .storage.upgrade import upgrade
from .tasks.store import SqlTasks
from .tools import catalogue
from .tools.trash import put_in_trash
from .usage.limits import BudgetFile
from .usage.purse import Purse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

log = logging.getLogger("jupyter_linda.worker")

Json = Any  # JSON from the channel

TOOLS = {tool.name: tool for tool in catalogue.TOOLS}


class Worker:
    """Everything the process holds once the server has said hello."""

    def __init__(self, channel: Callable[[], Channel]) -> None:
        self._channel = channel
        self.finished = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._claims: Claims | None = None
        self._queue = WatchedQueue()

    def handlers(self) -> Mapping[str, Any]:
        """What the server may call."""
        return {
            "hello": self._hello,
            "ping": self._ping,
            "runs": self._runs,
            "stop": self._stop,
            "settings": self._settings_changed,
            "test_provider": self._test_provider,
            "detect": self._detect,
            "tools": self._tools,
            "rules": self._runs,
            "undo": self._undo,
            "condense": self._condense,
        }

    async def _hello(
        self,
        _progress: object,
        settings: dict[str, Json],
        server_id: str,
        worker_id: str,
        root_dir: str,
        server_pid: int,
    ) -> Json:
        logging.getLogger("jupyter_linda").setLevel(settings["log_level"])
        clock = SystemClock()
        database = Database(settings["database_url"])
        await database.run(lambda: upgrade(database, now=clock.now()))
        event_log = EventLog(
            database, clock, lambda chat_ids: self._channel().note("changed", {"chat_ids": list(chat_ids)})
        )
        mind = self._make_mind(settings, root_dir, database)
        hands = self._make_hands(settings, root_dir, event_log)
        self._condensing = Condensing(event_log, desk_of(mind, hands), self._providers.resolve)
        times = Times(
            lease_s=settings["lease_s"],
            idle_s=settings["worker_idle_s"],
            chunk_keep=timedelta(hours=settings["chunk_keep_h"]),
        )
        me = Claimant(worker_id, server_id, root_dir)
        self._claims = Claims(
            event_log, mind, hands, self._queue, me=me, server_pid=server_pid, times=times, tidy=self._trim_journal
        )
        self._own(self._work())
        return {"pid": os.getpid()}

    def _make_mind(self, settings: dict[str, Json], root_dir: str, database: Database) -> Mind:
        """The models."""
        clock = SystemClock()
        data_dir = Path(settings["data_dir"])
        weights = find_weights(data_dir, configured=settings["demo_weights"])
        self._providers = Providers(
            data_dir,
            clock,
            default_model=settings["default_model"],
            allowed_models=settings["allowed_models"],
            is_demo_ready=lambda: weights is not None,
            fallbacks=settings["fallback_models"],
            shared=settings["providers"],
        )
        demo = DemoModel(weights=weights)
        timeouts = Timeouts(
            connect_s=settings["provider_connect_timeout_s"],
            first_s=settings["provider_timeout_s"],
            gap_s=settings["provider_gap_timeout_s"],
        )
        self._model = LitellmModel(self._providers, RandomIds(), demo, timeouts=timeouts)
        self._providers.knows = self._model.knows
        patience = Patience(
            tries=settings["model_tries"],
            total_s=settings["model_retry_total_s"],
            longest_wait_s=settings["model_wait_max_s"],
            first_wait_s=settings["model_wait_first_s"],
        )
        patient = RetryingModel(self._model, self._providers, patience=patience, fallbacks=self._providers.fallbacks)
        if self._providers.default_model not in ("", DEMO_MODEL):
            self._model.warm_up()
        return Mind(
            model=self._make_door(patient, settings, root_dir, database),
            resolve_model=self._providers.resolve,
            max_steps=settings["max_steps"],
            join_s=settings["delta_join_ms"] / 1000,
            root_dir=root_dir,
            tokens=ModelTokens(
                lambda model: self._providers.connect(self._providers.measured_as(model)).litellm_model,
                self._model.library,
            ),
            window_tokens=settings["window_tokens"],
            standing=Standing(settings["data_dir"]).text,
            guidance=lambda *asked: self._library.given(*asked),
            needs_all_tools=lambda model: model == DEMO_MODEL,  # it knows each by name, and asks for none
            price=self._model.price,
            writes_summaries=lambda model: model != DEMO_MODEL,  # it picks the right tool, and writes no prose
        )

    def _make_door(self, model: Model, settings: dict[str, Json], root_dir: str, database: Database) -> Door:
        """The door before the models: what leaves, and to whom."""
        self._levels = LevelFile(settings["privacy_file"])
        self._places = Places(root_dir)
        rules = Rules(
            privacy=self._levels.current,
            places=self._places.of,
            origin_of=lambda name, arguments: origin_of(TOOLS, self._places.of, name, arguments),
            keep=Results(Path(settings["data_dir"]) / "sent").put,
        )
        budgets = BudgetFile(Path(settings["data_dir"]) / "budgets.json", settings)
        purse = Purse(database, SystemClock(), budgets.current, self._model.price)
        consents, books = ConsentBook(database, root_dir), PlaceholderBooks(database)
        names = NameFinder(settings["redact_names"]) if settings["redact_names"] else None
        return Door(model, self._providers, rules, consents, purse, books, names)

    def _needs_leave(self, model: str, tool: Tool, arguments: Mapping[str, Json]) -> bool:
        """Whether a call would show more of the data to a model elsewhere than its level lets out."""
        shown = tool.shows_values(arguments)
        if shown is None or self._providers.stays_here(model):
            return False
        paths = paths_of(tool.resource(arguments), self._places.of)
        return not level_of(self._levels.current(), paths, frames_of(tool, arguments)).lets_out(shown)

    def _make_hands(self, settings: dict[str, Json], root_dir: str, event_log: EventLog) -> Hands:
        """The tools, the gate before them, and the journal of what they change."""
        clock, database = event_log.clock, event_log.database
        policies = find_policies(settings["policy_file"])
        closed = closed_places(
            data_dir=settings["data_dir"],
            database_path=str(database.path),
            rules_file=settings["rules_file"],
            policies=policies,
        )
        policy = PathPolicy(root_dir, allow_hidden=settings["allow_hidden"], never=closed)
        rules = RuleFile(settings["rules_file"])
        gate = RuleGate(
            rules=rules,
            policies=policies,
            policy=policy,
            grants=SqlGrants(database),
            audit=SqlAudit(database),
            clock=clock,
        )
        workspace = Workspace(policy, gate.law) if root_dir else None
        own = OwnFolder(settings["data_dir"])
        self._library = Library(database, clock, RandomIds(), workspace, own, root_dir)
        kept = Results(Path(settings["data_dir"]) / "kept")
        limits = UndoLimits(
            file_bytes=int(settings["undo_file_mb"] * 1e6),
            all_bytes=int(settings["undo_mb"] * 1e6),
            keep=timedelta(days=settings["undo_days"]),
        )
        live_of = partial(RemoteLive, self._channel)
        self._undoing = Undoing(event_log, live_of, FileUndo(policy, kept, put_in_trash), root_dir)

        def trim_journal() -> None:
            with database.write() as connection:
                trim(connection, kept, limits, now=clock.now())

        self._trim_journal = trim_journal

        marks_cells = settings["mark_cells"]

        def make_context(request_id: str, run: Run, report: Callable[[str], None]) -> ToolContext:
            mark = {"run": run.run_id, "model": run.model, "time": clock.now().isoformat(timespec="seconds")}
            return ToolContext(
                live=live_of(run.owner_id, partial(gate.judged_real, request_id)),
                root_dir=root_dir,
                request_id=request_id,
                chat_id=run.chat_id,
                run_id=run.run_id,
                model=run.model,
                report=report,
                admit_path=gate.admitter(request_id),
                is_visible=gate.is_visible,
                journal=CallJournal(event_log, kept, limits, request_id, run, root_dir),
                tasks=SqlTasks(event_log, run.owner_id),
                provenance=mark if marks_cells else {},
            )

        return Hands(
            tools=TOOLS,
            gate=gate,
            make_context=make_context,
            scopes_for=gate.scopes,
            results=Results(Path(settings["data_dir"]) / "results"),
            ids=RandomIds(),
            limits=Limits(settings["result_limit_chars"], timedelta(hours=settings["question_expiry_h"])),
            needs_leave=self._needs_leave,
            find_skill=self._library.skill,
        )

    async def _work(self) -> None:
        assert self._claims is not None  # noqa: S101  set just before
        await self._claims.work()
        self.finished.set()

    def _own(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.critical("the worker's main loop failed", exc_info=task.exception())
            os._exit(3)  # the supervisor starts a fresh one

    async def _ping(self, _progress: object) -> None:
        """The loop turns."""

    async def _runs(self, _progress: object) -> None:
        self._queue.wake()

    async def _stop(self, _progress: object, run_id: str) -> None:
        if self._claims is not None:
            await self._claims.stop(run_id)

    async def _undo(self, _progress: object, chat_id: str, owner_id: str, wish: dict[str, Json], is_redo: bool) -> Json:
        assert self._claims is not None  # noqa: S101  the server says hello first
        self._claims.touch()
        turn = self._undoing.redo if is_redo else self._undoing.undo
        return [entry.model_dump(mode="json") for entry in await turn(chat_id, owner_id, Undo.model_validate(wish))]

    async def _condense(self, _progress: object, chat_id: str, owner_id: str, message_id: str) -> Json:
        assert self._claims is not None  # noqa: S101  the server says hello first
        self._claims.touch()
        made = await self._condensing.condense(chat_id, owner_id, message_id)
        return None if made is None else made.model_dump(mode="json")

    async def _settings_changed(self, _progress: object) -> None:
        self._queue.wake()  # the providers' file is read at every use; nothing else changes while we live

    async def _tools(self, _progress: object) -> Json:
        return [
            {
                "name": tool.name,
                "family": tool.family,
                "action": tool.action,
                "description": tool.description,
                "parameters": tool.parameters,
            }
            for tool in TOOLS.values()
        ]

    async def _test_provider(self, _progress: object, name: str, wish: dict[str, Json]) -> Json:
        assert self._claims is not None  # noqa: S101  the server says hello first
        self._claims.touch()
        is_offline = self._levels.current().offline
        made = ProviderInput.model_validate(wish)
        return await try_connection(self._model, self._providers, name, made, is_offline=is_offline)

    async def _detect(self, _progress: object) -> Json:
        return await detect_local_servers()


def _take_pipes() -> tuple[int, int]:
    """The channel's own copies of stdin and stdout; whatever a library prints goes to the log instead."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return read_fd, write_fd


def _watch_over_end() -> None:
    """Called in the reader's thread when the server is gone: a moment's grace, then the whole group goes."""

    def wait_and_end() -> None:
        time.sleep(GRACE_S)
        end_own_group()

    threading.Thread(target=wait_and_end, daemon=True).start()


async def serve(read_fd: int, write_fd: int) -> None:
    """Serve until idle, or until the server is gone."""
    channels: list[Channel] = []
    worker = Worker(lambda: channels[0])
    channel = Channel(
        read_fd,
        write_fd,
        worker.handlers(),
        on_close=lambda _reason: worker.finished.set(),
        on_end=_watch_over_end,
    )
    channels.append(channel)
    channel.start()
    await worker.finished.wait()


def main() -> int:
    """Entry point of `python -m jupyter_linda.worker`."""
    read_fd, write_fd = _take_pipes()
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        asyncio.run(serve(read_fd, write_fd))
    except LindaError as error:
        log.critical("%s %s", error.message, error.remedy)
        return 1
    logging.shutdown()
    leave()  # ends the process: threads of engines must not hold up the end
    return 0


if __name__ == "__main__":
    sys.exit(main())
