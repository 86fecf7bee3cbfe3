"""Kernels of this server: the one of a notebook, and one client per kernel that always listens."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from typing import TYPE_CHECKING, Any

import zmq.asyncio
from jupyter_client.kernelspec import NoSuchKernel
from jupyter_core.utils import ensure_async

from ..errors import KernelUnavailable
from ..ports import Kernel
from .browser import api_path
from .subshells import Subshells

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..ports import Json

log = logging.getLogger(__name__)

START_TIMEOUT_S = 60.0
RESTART_WAIT_S = 15.0
NUDGE_S = 0.5
ALIVE_POLL_S = 0.5
STOP_TRIES, STOP_AGAIN_S = 4, 0.5


class KernelLink:
    """Our one client of one kernel. It reads everything the kernel says, so nothing piles up or is dropped.

    Knows which execute requests run in the main shell (ours or others'), and when the kernel dies.
    """

    def __init__(self, kernel_id: str, manager: Any) -> None:  # a jupyter_client KernelManager, untyped
        self.kernel_id = kernel_id
        self._manager = manager
        self._client = manager.client()
        # Unbounded on our side, because we always read: a flood must not lose its tail (ZeroMQ drops at 1000).
        self._context = zmq.asyncio.Context()
        self._context.rcvhwm = 0
        self._client.context = self._context
        # A session of our own: a shared id would give two sockets one identity, and one would be mute.
        self._client.session = manager.session.clone()
        self._client.session.session = uuid.uuid4().hex
        self._tasks: list[asyncio.Task[None]] = []
        self._hearers: dict[str, Callable[[str, Mapping[str, Json]], None]] = {}
        self._replies: dict[str, asyncio.Future[Mapping[str, Json]]] = {}
        self._running: set[str] = set()
        self._may_run_before = True
        self._idle = asyncio.Event()
        self._heard = asyncio.Event()
        self.died = asyncio.Event()
        self.info: Mapping[str, Json] = {}
        self.subshells = Subshells(self.ask_control)
        self.lock = asyncio.Lock()
        """Held by whoever runs a cell of ours: they go one after the other."""

    # ---- life ------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect and wait until the kernel answers and is heard; `KernelUnavailable` if it does not."""
        await ensure_async(self._client.start_channels(hb=False, stdin=False))  # a gateway's client awaits here
        self._tasks = [
            asyncio.create_task(self._listen(self._client.iopub_channel, is_iopub=True)),
            asyncio.create_task(self._listen(self._client.shell_channel, is_iopub=False)),
            asyncio.create_task(self._listen(self._client.control_channel, is_iopub=False)),
            asyncio.create_task(self._watch()),
        ]
        until = time.monotonic() + START_TIMEOUT_S
        while not (self.info and self._heard.is_set()):
            if self.died.is_set() or time.monotonic() > until:
                raise KernelUnavailable("The kernel does not answer.", remedy="Restart it from the Kernel menu.")
            await self._nudge()
        self._ask_main_shell()

    def _ask_main_shell(self) -> None:
        """A request that the main shell answers in its turn: then nothing from before us runs any more.

        The server's own word for it goes stale: a kernel that died busy stays "busy" there after its restart.
        """
        message = self._client.session.msg("kernel_info_request", {})
        msg_id = str(message["header"]["msg_id"])
        self._replies[msg_id] = asyncio.get_running_loop().create_future()
        self._replies[msg_id].add_done_callback(lambda _reply: self._on_main_shell(msg_id))
        _send(self._client.shell_channel, message)

    def _on_main_shell(self, msg_id: str) -> None:
        self._replies.pop(msg_id, None)
        self._may_run_before = False
        if not self.is_busy:
            self._idle.set()

    async def _nudge(self) -> None:
        """Ask who it is, on the control channel, which answers even when the kernel is busy."""
        with contextlib.suppress(TimeoutError):
            reply = await self.ask_control("kernel_info_request", {}, timeout_s=NUDGE_S)
            self.info = reply
        if self.info and not self._heard.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), NUDGE_S)

    async def close(self) -> None:
        """Stop listening and free the sockets; the kernel lives on."""
        if not self.died.is_set():
            await self.subshells.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for future in self._replies.values():
            future.cancel()
        for channel in (self._client.iopub_channel, self._client.shell_channel, self._client.control_channel):
            channel.stop()
        self._context.destroy(linger=0)

    async def _listen(self, channel: Any, *, is_iopub: bool) -> None:  # untyped library
        while True:
            try:
                message = await channel.get_msg(timeout=None)
            except (ValueError, TypeError, IndexError, KeyError):
                log.warning("a malformed message of kernel %s was dropped", self.kernel_id)
                continue
            if is_iopub:
                self._on_iopub(message)
            else:
                future = self._replies.get(message["parent_header"].get("msg_id", ""))
                if future is not None and not future.done():
                    future.set_result(message["content"])

    def _on_iopub(self, message: Mapping[str, Json]) -> None:
        self._heard.set()
        parent = message["parent_header"] or {}
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "status" and parent.get("msg_type") == "execute_request" and not parent.get("subshell_id"):
            self._on_status(str(content["execution_state"]), str(parent.get("msg_id")))
        hearer = self._hearers.get(str(parent.get("msg_id", "")))
        if hearer is not None:
            hearer(kind, content)

    def _on_status(self, state: str, msg_id: str) -> None:
        if state == "busy":
            self._running.add(msg_id)
            self._idle.clear()
        else:
            self._running.discard(msg_id)
            self._may_run_before = False
        if not self.is_busy:
            self._idle.set()

    async def _watch(self) -> None:
        """Death and restarts: the process is gone, or another one took its place."""
        first = _process_of(self._manager)
        while True:
            if not await self._manager.is_alive() or _process_of(self._manager) != first:
                self.died.set()
                return
            await asyncio.sleep(ALIVE_POLL_S)

    # ---- state -----------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether an execute request runs in the main shell."""
        if self._running:
            return True
        # Until we have heard an execution end, one may run that began before we listened: the server knows.
        return self._may_run_before and getattr(self._manager, "execution_state", None) == "busy"

    @property
    def language(self) -> str:
        """The kernel's language, as it said."""
        return str((self.info.get("language_info") or {}).get("name") or "").lower()

    @property
    def has_subshells(self) -> bool:
        """Whether it can be looked into while it is busy (ipykernel 7)."""
        return "kernel subshells" in (self.info.get("supported_features") or ())

    def is_running(self, msg_id: str) -> bool:
        """Whether that very request is what runs."""
        return msg_id in self._running

    async def wait_idle(self, timeout_s: float) -> bool:
        """True as soon as nothing runs in the main shell; False when something still does."""
        until = time.monotonic() + timeout_s
        while self.is_busy and time.monotonic() < until:
            self._idle.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), 0.1)
        return not self.is_busy

    async def interrupt(self) -> None:
        """Interrupt what runs."""
        await ensure_async(self._manager.interrupt_kernel())

    async def stop(self, msg_id: str) -> None:
        """Interrupt that very request, also one that just begins: before the kernel listens, an interrupt is lost."""
        reply = self._replies.get(msg_id)
        for _ in range(STOP_TRIES):
            if reply is None or reply.done() or self.died.is_set():
                return
            if self.is_running(msg_id):
                await self.interrupt()
            await asyncio.wait([reply], timeout=STOP_AGAIN_S)

    # ---- messages --------------------------------------------------------------------------------

    def send_execute(
        self, code: str, hearer: Callable[[str, Mapping[str, Json]], None] | None, *, subshell_id: str | None = None,
        **options: Json,
    ) -> tuple[str, asyncio.Future[Mapping[str, Json]]]:  # fmt: skip
        """Send one execute request, exactly once. The future is the shell's reply; call `forget` when done."""
        content = {"code": code, "allow_stdin": False, "user_expressions": {}, **options}
        message = self._client.session.msg("execute_request", content)
        msg_id = str(message["header"]["msg_id"])
        if subshell_id is not None:
            message["header"]["subshell_id"] = subshell_id
        if hearer is not None:
            self._hearers[msg_id] = hearer
        self._replies[msg_id] = asyncio.get_running_loop().create_future()
        _send(self._client.shell_channel, message)
        return msg_id, self._replies[msg_id]

    def forget(self, msg_id: str) -> None:
        """Stop following a request."""
        self._hearers.pop(msg_id, None)
        future = self._replies.pop(msg_id, None)
        if future is not None and not future.done():
            future.cancel()

    async def ask_control(self, kind: str, content: Mapping[str, Json], *, timeout_s: float) -> Mapping[str, Json]:
        """One request on the control channel; `TimeoutError`."""
        message = self._client.session.msg(kind, dict(content))
        msg_id = str(message["header"]["msg_id"])
        self._replies[msg_id] = asyncio.get_running_loop().create_future()
        _send(self._client.control_channel, message)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._replies[msg_id]
        finally:
            self._replies.pop(msg_id, None)


def _send(channel: Any, message: Mapping[str, Json]) -> None:  # untyped library
    """Send, then look at the socket once: else an answer that has just come may never be heard.

    jupyter_client sends past asyncio's view of the socket, and that swallows ZeroMQ's one signal that there is
    something to read: the listener sleeps on, as long as nothing else is sent.
    """
    channel.send(message)
    socket = getattr(channel, "socket", None)
    if isinstance(socket, zmq.asyncio.Socket):  # a gateway's channels are none
        socket.get(zmq.EVENTS)  # schedules the listener if there is


def _process_of(manager: Any) -> object:  # untyped library
    """What changes when a kernel is restarted: its process id, where there is one."""
    provisioner = getattr(manager, "provisioner", None)
    return getattr(provisioner, "pid", None) or id(provisioner)


class Kernels:
    """Sessions and kernels of one server, and our link to each kernel we use."""

    def __init__(self, session_manager: Any, kernel_manager: Any) -> None:  # untyped library
        self._sessions = session_manager
        self._kernels = kernel_manager
        self._links: dict[str, KernelLink] = {}
        self._lock = asyncio.Lock()

    async def list(self) -> list[Kernel]:
        """Running kernels with the document of their session."""
        found = []
        for session in await ensure_async(self._sessions.list_sessions()):
            kernel = session.get("kernel") or {}
            name = str(kernel.get("name", ""))
            found.append(
                Kernel(
                    kernel_id=str(kernel.get("id", "")),
                    name=name,
                    language=await self.language_of(name) if name else "",
                    path=api_path(str(session.get("path", ""))),
                    state=str(kernel.get("execution_state") or "unknown"),
                )
            )
        return found

    async def language_of(self, name: str) -> str:
        """The language of an installed kernel (of the default one without a name); empty where there is none."""
        try:
            spec = await ensure_async(
                self._kernels.kernel_spec_manager.get_kernel_spec(name or self._kernels.default_kernel_name)
            )
        except (NoSuchKernel, ValueError, OSError):  # not installed, or its file cannot be read
            return ""
        return str(spec.language).lower()

    async def find(self, path: str) -> KernelLink | None:
        """The link to a notebook's running kernel; None when it has no session."""
        await self._prune()
        kernel_id = next((kernel.kernel_id for kernel in await self.list() if kernel.path == api_path(path)), None)
        return None if kernel_id is None else await self._link(kernel_id)

    async def find_or_start(self, path: str, kernel_name: str) -> KernelLink:
        """The notebook's kernel: the running one, else a new one started in the notebook's folder."""
        async with self._lock:
            found = await self.find(path)
            if found is not None:
                return found
            model = await self._start(path, kernel_name)
        return await self._link(str(model["kernel"]["id"]))

    async def restart(self, path: str) -> KernelLink:
        """Restart a notebook's kernel; the link to the new process once it answers."""
        kernel_id = next((kernel.kernel_id for kernel in await self.list() if kernel.path == api_path(path)), None)
        if kernel_id is None:
            raise KernelUnavailable(f"{path!r} has no running kernel.", remedy="Start one.")
        await ensure_async(self._kernels.restart_kernel(kernel_id))
        if kernel_id in self._links:
            self._links[kernel_id].died.set()  # whatever of ours ran in it is over
        await self._prune()
        return await self._link(kernel_id)

    async def _start(self, path: str, kernel_name: str) -> Any:  # untyped library
        specs = self._kernels.kernel_spec_manager
        try:
            if kernel_name:
                specs.get_kernel_spec(kernel_name)
        except NoSuchKernel:
            known = ", ".join(sorted(specs.find_kernel_specs())) or "none"
            raise KernelUnavailable(
                f"The kernel {kernel_name!r} that {path!r} names is not installed (installed: {known}).",
                remedy="Choose another kernel in JupyterLab, or install that one.",
            ) from None
        name = path.rsplit("/", 1)[-1]
        options = {"kernel_name": kernel_name} if kernel_name else {}
        return await ensure_async(self._sessions.create_session(path=path, name=name, type="notebook", **options))

    async def _link(self, kernel_id: str) -> KernelLink:
        link = self._links.get(kernel_id)
        if link is not None and not link.died.is_set():
            return link
        manager = await self._living(kernel_id)
        link = KernelLink(kernel_id, manager)
        try:
            await link.open()
        except BaseException:
            await link.close()
            raise
        if kernel_id in self._links:  # somebody else was faster
            await link.close()
            return self._links[kernel_id]
        self._links[kernel_id] = link
        return link

    async def _living(self, kernel_id: str) -> Any:  # untyped library
        """The kernel's manager once its process lives; after a death the server restarts it, or we do."""
        try:
            manager = self._kernels.get_kernel(kernel_id)
        except KeyError:
            raise KernelUnavailable("The kernel was shut down.", remedy="Run a cell to start a new one.") from None
        ready = getattr(manager, "ready", None)
        if ready is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(ready) if _is_thread(ready) else ready), 30.0)
        until = time.monotonic() + RESTART_WAIT_S
        while not await manager.is_alive():
            if time.monotonic() > until:
                await ensure_async(self._kernels.restart_kernel(kernel_id))
                break
            await asyncio.sleep(ALIVE_POLL_S)
        return manager

    async def _prune(self) -> None:
        """Let go of kernels that are gone."""
        gone = [kernel_id for kernel_id, link in self._links.items() if link.died.is_set()]
        for link in [self._links.pop(kernel_id) for kernel_id in gone]:
            await link.close()

    async def close(self) -> None:
        """Close every link."""
        links, self._links = list(self._links.values()), {}
        for link in links:
            await link.close()


def _is_thread(future: object) -> bool:
    return not asyncio.isfuture(future)
