"""`ports.Live` of this Jupyter server: documents, kernels, rooms and the tabs that are connected."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ..errors import Conflict, InvalidInput, KernelUnavailable, LindaError, NotFound, StaleRevision, ToolFailed
from ..permissions.paths import PathPolicy
from ..ports import RunOutcome, kernelspec_of
from .cells import source_of, with_kept
from .documents import Documents
from .files import choose_files, refuse_upgrade
from .kernels import Kernels
from .outputs import bound_outputs, slim
from .probing import evaluate
from .rooms import Rooms
from .running import DIED, INTERRUPT_WAIT_S, run_in_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..ports import CellEdit, EditOutcome, Json, Kernel, Notebook
    from ..storage.files import Results
    from .browser import Browsers
    from .kernels import KernelLink

log = logging.getLogger(__name__)

OPEN_TIMEOUT_S = 20.0
SYNC_TIMEOUT_S = 5.0
"""How long a tab may take to see what the shared document already holds."""
SYNC_POLL_S = 0.1


class LiveServer:
    """Implements `ports.Live`.

    `kept` holds cells as they were before an edit; `run_timeout_s` is the most any cell may take.
    """

    def __init__(
        self,
        serverapp: Any,  # a jupyter_server ServerApp, untyped
        browsers: Browsers,
        kept: Results,
        *,
        run_output_limit_bytes: int = 1_000_000,
        run_timeout_s: float = 3600.0,
    ) -> None:
        self._browsers = browsers
        self._kept = kept
        self._limit_bytes = run_output_limit_bytes
        self._most_s = run_timeout_s
        # The gate has judged every path before; hidden files may be allowed there, so they are not refused again.
        policy = PathPolicy(serverapp.root_dir, allow_hidden=True)
        self.documents = Documents(choose_files(serverapp.contents_manager, policy), browsers, Rooms(serverapp))
        self.kernels = Kernels(serverapp.session_manager, serverapp.kernel_manager)

    def of(self, owner_id: str, real: str = "") -> LiveServer:
        """The same notebooks and kernels, for one person: only their tabs are shown, edited or run anything in.

        With `real` the file of the path that is asked for must be the one there.
        """
        narrowed = copy.copy(self)
        narrowed._browsers = self._browsers.of(owner_id)
        narrowed.documents = self.documents.of(narrowed._browsers, real)
        return narrowed

    async def close(self) -> None:
        """Let go of every kernel; they live on."""
        await self.kernels.close()

    async def list_notebooks(self) -> Sequence[Mapping[str, Json]]:
        """See `ports.Live`."""
        found: dict[str, dict[str, Json]] = {}
        newest = next((tab.client_id for tab in self._browsers.own_tabs()), None)
        for tab in self._browsers.tabs():
            for path in sorted(tab.notebooks, key=lambda path: path != tab.active):
                entry = found.setdefault(path, {"path": path, "active": False, "dirty": None, "clients": 0})
                entry["clients"] += 1
                entry["active"] = entry["active"] or (tab.client_id == newest and path == tab.active)
        return sorted(found.values(), key=lambda entry: not entry["active"])

    async def read_notebook(self, path: str) -> Notebook:
        """See `ports.Live`."""
        notebook = await self.documents.read(path)
        cells = await asyncio.to_thread(slim, notebook.content["cells"])
        return replace(notebook, content={**notebook.content, "cells": cells})

    async def edit_notebook(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        """See `ports.Live`."""
        outcome = await self.documents.edit(path, [await self._with_kept(edit) for edit in edits])
        return replace(outcome, cells=await asyncio.to_thread(slim, outcome.cells))

    async def keep_cells(self, path: str, cell_ids: Sequence[str]) -> str:
        """See `ports.Live`."""
        notebook = await self.documents.read(path)
        cells = [self.documents.cell(notebook, cell_id) for cell_id in cell_ids]
        return await asyncio.to_thread(self._keep, cells)

    def _keep(self, cells: Sequence[Json]) -> str:
        return self._kept.put(json.dumps(cells, ensure_ascii=False))

    async def _with_kept(self, edit: CellEdit) -> CellEdit:
        name = getattr(edit, "kept", "")
        if not name:
            return edit
        text = await asyncio.to_thread(self._kept.get, name)
        return with_kept(edit, json.loads(text))

    async def create_notebook(self, path: str, content: Json) -> None:
        """See `ports.Live`."""
        await self.documents.create(path, content)

    async def open_document(self, path: str, *, cell_id: str | None = None) -> bool:
        """See `ports.Live`."""
        for tab in self._browsers.own_tabs():
            params = {"path": path, "cell_id": cell_id}
            try:
                result = await self._browsers.request(tab.client_id, "open_document", params, timeout_s=OPEN_TIMEOUT_S)
            except (ConnectionError, TimeoutError):
                continue
            return bool(result.get("opened"))
        return False

    async def list_kernels(self) -> Sequence[Kernel]:
        """See `ports.Live`."""
        return await self.kernels.list()

    async def language_of(self, path: str) -> str:
        """See `ports.Live`."""
        running = await self.kernels.find(path)
        if running is not None:  # what the notebook says of itself counts for nothing then
            listed = next((one.language for one in await self.kernels.list() if one.path == path), "")
            return running.language or listed or "unknown"
        notebook = await self.documents.read(path)
        return await self.kernels.language_of(str(kernelspec_of(notebook.content).get("name") or ""))

    async def control_kernel(
        self, path: str, action: Literal["start", "restart", "interrupt"], *, kernel: str = ""
    ) -> Kernel:
        """See `ports.Live`."""
        if action == "start":
            await self._start_kernel(path, kernel)
        elif action == "restart":
            await self.kernels.restart(path)
        else:
            link = await self._running(path)
            await link.interrupt()
            await link.wait_idle(INTERRUPT_WAIT_S)
        found = next((one for one in await self.kernels.list() if one.path == path), None)
        if found is None:
            raise KernelUnavailable(f"The kernel of {path!r} is gone.", remedy="Start a new one.")
        link = await self._running(path)
        return replace(found, state="busy" if link.is_busy else "idle", language=link.language or found.language)

    async def _start_kernel(self, path: str, kernel: str) -> None:
        if await self.kernels.find(path) is not None:
            raise Conflict(f"{path!r} has a running kernel already.", remedy="Use it, or restart it.")
        notebook = await self.documents.read(path)
        await self.kernels.find_or_start(path, kernel or str(kernelspec_of(notebook.content).get("name") or ""))

    async def _running(self, path: str) -> KernelLink:
        link = await self.kernels.find(path)
        if link is None:
            raise KernelUnavailable(f"{path!r} has no running kernel.", remedy="Run one of its cells first.")
        return link

    async def run_code(
        self, path: str, code: str, *, timeout_s: float, on_progress: Callable[[str], None] | None = None
    ) -> RunOutcome:
        """See `ports.Live`."""
        return await run_in_kernel(
            await self._running(path),
            code,
            timeout_s=min(timeout_s, self._most_s),
            limit_bytes=self._limit_bytes,
            may_raise=False,
            on_progress=on_progress,
        )

    async def evaluate(
        self, path: str, setup: str, expressions: Mapping[str, str], *, timeout_s: float = 2.0
    ) -> Mapping[str, str]:
        """See `ports.Live`."""
        return await evaluate(await self._running(path), setup, expressions, timeout_s=timeout_s)

    async def run_cell(
        self,
        path: str,
        cell_id: str,
        *,
        expect: str | None,
        timeout_s: float,
        request_id: str,
        on_progress: Callable[[str], None] | None = None,
    ) -> RunOutcome:
        """See `ports.Live`. An execute request is sent at most once, whatever happens."""
        timeout_s = min(timeout_s, self._most_s)
        notebook = await self.documents.read(path)
        if notebook.is_upgraded:
            raise refuse_upgrade(path, is_open=notebook.route != "file")
        cell = self.documents.cell(notebook, cell_id)
        source = source_of(cell)
        if cell.get("cell_type") != "code":
            raise InvalidInput(f"Cell {cell_id} of {path!r} is not a code cell.")
        if expect is not None and source != expect:
            raise StaleRevision(f"Cell {cell_id} of {path!r} changed since it was read.", remedy="Read it again.")
        holder = self._browsers.holder(path)
        if notebook.route == "browser" and holder is None:
            raise StaleRevision(f"The tab with {path!r} was closed just now.", remedy="Try again.")
        if notebook.route == "file":
            self._browsers.refuse_foreign(path)
        if holder is not None and notebook.route != "file":
            return await self._run_in_tab(holder, notebook, cell, timeout_s, on_progress)
        return await self._run_here(notebook, cell_id, timeout_s, on_progress)

    async def _run_in_tab(
        self, holder: str, notebook: Notebook, cell: Json, timeout_s: float, on_progress: Callable[[str], None] | None
    ) -> RunOutcome:
        """A tab that is behind its room refuses before it runs anything: it is asked again until it has caught up."""
        deadline = time.monotonic() + SYNC_TIMEOUT_S
        while True:
            try:
                return await self._run_in_browser(holder, notebook.path, cell, timeout_s, on_progress)
            except (NotFound, StaleRevision):
                if notebook.route != "shared" or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(SYNC_POLL_S)
            again = self._browsers.holder(notebook.path)
            if again is None:  # closed meanwhile; the room is still there
                return await self._run_here(notebook, cell["id"], timeout_s, on_progress)
            holder = again

    async def _run_in_browser(
        self, holder: str, path: str, cell: Json, timeout_s: float, on_progress: Callable[[str], None] | None
    ) -> RunOutcome:
        started = time.monotonic()
        params = {"path": path, "cell_id": cell["id"], "expect": source_of(cell)}
        try:
            result, is_late = await self._browsers.request(
                holder, "run_cell", params, timeout_s=timeout_s, on_progress=on_progress, grace_s=INTERRUPT_WAIT_S
            )
        except ConnectionError:
            raise ToolFailed(
                f"The tab with {path!r} was closed while the cell ran. Its outcome is in the notebook, if anywhere.",
                remedy="Read the cell before running it again.",
                kind_of_failure="tab_closed",
            ) from None
        except TimeoutError:
            note = f"The cell timed out after {timeout_s:g} s; the interrupt was ignored or the tab does not answer."
            return RunOutcome("timeout", [], None, time.monotonic() - started, note, "browser")
        status, note = result["status"], ""
        if status == "error" and _may_raise(cell):
            status, note = "ok", "It raised, as its tag raises-exception expects."
        if is_late and status != "kernel_died":
            status, note = "timeout", f"The cell timed out after {timeout_s:g} s and was interrupted."
        if status == "kernel_died":
            note = DIED
        outputs = bound_outputs(result.get("outputs"), self._limit_bytes)
        return RunOutcome(status, outputs, result.get("execution_count"), time.monotonic() - started, note, "browser")

    async def _run_here(
        self, notebook: Notebook, cell_id: str, timeout_s: float, on_progress: Callable[[str], None] | None
    ) -> RunOutcome:
        cell = self.documents.cell(notebook, cell_id)
        spec = kernelspec_of(notebook.content)
        link = await self.kernels.find_or_start(notebook.path, str(spec.get("name") or ""))
        source = source_of(cell)
        outcome = await run_in_kernel(
            link,
            source,
            timeout_s=timeout_s,
            limit_bytes=self._limit_bytes,
            may_raise=_may_raise(cell),
            on_progress=on_progress,
        )
        if outcome.status == "busy":
            return outcome
        try:
            await self.documents.store_outputs(
                notebook.path,
                cell_id,
                expect=source,
                outputs=outcome.outputs,
                execution_count=outcome.execution_count,
            )
        except LindaError as error:
            log.info("outputs of %s were not stored: %s", notebook.path, error.message)
            return RunOutcome(
                outcome.status, outcome.outputs, outcome.execution_count, outcome.duration_s,
                f"{outcome.note} {error.message}".strip(),
            )  # fmt: skip
        return outcome


def _may_raise(cell: Json) -> bool:
    return "raises-exception" in ((cell.get("metadata") or {}).get("tags") or ())
