"""Composition of the server process: built at the first use of Linda, not at JupyterLab's start."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .api.services import Services
from .channel.live import serve_live
from .events.follow import Follower
from .events.log import EventLog
from .gateway.level_file import LevelFile
from .gateway.providers import Providers
from .gateway.weights import find_weights
from .instructions.library import Library
from .instructions.reading import OwnFolder, Workspace
from .live.browser import Browsers
from .live.server import LiveServer
from .permissions.closed import closed_places
from .permissions.law import Law
from .permissions.paths import PathPolicy
from .permissions.policy import find_policies
from .permissions.watch import RuleFile
from .runs import queue, servers
from .runs.supervisor import Supervisor
from .seeds import RandomIds, SystemClock
from .storage.database import Database
from .storage.files import Results
from .storage.standing import Standing

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

    from .config import LindaSettings


def build(serverapp: ServerApp, settings: LindaSettings) -> Services:
    """Everything the handlers share. Opens nothing yet: no file is made before somebody uses Linda."""
    clock, ids = SystemClock(), RandomIds()
    data_dir = Path(settings.data_dir)
    database = Database(settings.database_url)
    root_dir = os.path.realpath(serverapp.root_dir) if serverapp.root_dir else ""
    server_id = ids.new("server")
    loop = asyncio.get_running_loop()

    def broadcast(chat_ids: object) -> None:  # the follower looks at all of them
        loop.call_soon_threadsafe(follower.wake)

    event_log = EventLog(database, clock, broadcast)
    follower = Follower(event_log, poll_s=settings.follow_poll_ms / 1000)
    browsers = Browsers()
    live = LiveServer(
        serverapp,
        browsers,
        Results(data_dir / "kept"),
        run_output_limit_bytes=settings.output_limit_bytes,
        run_timeout_s=settings.run_timeout_s,
    )

    async def changed(_progress: object, chat_ids: list[str]) -> None:
        follower.wake()

    def bury(worker_id: str) -> bool:
        with event_log.transaction() as tx:
            queue.free(tx, worker_id)
            queue.obey_stops(tx, server_id)  # a person who stopped need not wait for the next worker
            claimant = queue.Claimant(worker_id, server_id, root_dir, servers.gone(tx.connection, now=tx.now))
            return queue.has_work(tx.connection, claimant)

    handlers: dict[str, Any] = {**serve_live(live.of), "changed": changed}
    policies = find_policies(settings.policy_file)
    rules = RuleFile(settings.rules_file)
    paths = PathPolicy(
        root_dir,
        allow_hidden=settings.allow_hidden,
        never=closed_places(
            data_dir=settings.data_dir,
            database_path=str(database.path),
            rules_file=settings.rules_file,
            policies=policies,
        ),
    )
    supervisor = Supervisor(
        settings.to_worker(),
        handlers,
        server_id=server_id,
        root_dir=root_dir,
        log_file=data_dir / "worker.log",
        start_timeout_s=settings.worker_start_timeout_s,
        on_death=bury,
        pulse_s=settings.lease_s * 2 / 3,
    )
    return Services(
        settings=settings,
        database=database,
        log=event_log,
        follower=follower,
        brain=supervisor,
        live=live,
        browsers=browsers,
        providers=Providers(
            data_dir,
            clock,
            default_model=settings.default_model,
            allowed_models=settings.allowed_models,
            is_demo_ready=lambda: find_weights(data_dir, configured=settings.demo_weights) is not None,
            fallbacks=settings.fallback_models,
            shared=settings.providers,
        ),
        rules=rules,
        levels=LevelFile(settings.privacy_file),
        policies=policies,
        paths=paths,
        instructions=Library(
            database,
            clock,
            ids,
            Workspace(paths, lambda: Law(rules.current(), policies.current())) if root_dir else None,
            OwnFolder(settings.data_dir),
            root_dir,
        ),
        standing=Standing(settings.data_dir),
        results=Results(data_dir / "results"),
        sent=Results(data_dir / "sent"),
        clock=clock,
        ids=ids,
        server_id=server_id,
        root_dir=root_dir,
        server_pid=os.getpid(),
    )
