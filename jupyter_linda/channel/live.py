"""`ports.Live` across the channel: the calling end (worker) and the answering end (server)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from ..ports import (
    CellEdit,
    ChangeType,
    DeleteCell,
    EditOutcome,
    InsertCell,
    Json,
    Kernel,
    Live,
    MoveCell,
    Notebook,
    ReplaceSource,
    RunOutcome,
    SetOutputs,
)

if TYPE_CHECKING:
    from .pipes import Channel, Handler

EDITS: Mapping[str, type[CellEdit]] = {
    "insert": InsertCell,
    "replace": ReplaceSource,
    "delete": DeleteCell,
    "move": MoveCell,
    "change_type": ChangeType,
    "outputs": SetOutputs,
}
"""The wire's word for each edit."""
Progress = Callable[[str], None]

WORDS = {kind: word for word, kind in EDITS.items()}


def edit_to_wire(edit: CellEdit) -> dict[str, Json]:
    """An edit as JSON."""
    return {"op": WORDS[type(edit)], **asdict(edit)}


def edit_from_wire(values: Mapping[str, Json]) -> CellEdit:
    """JSON as an edit."""
    rest = {name: value for name, value in values.items() if name != "op"}
    return EDITS[values["op"]](**rest)


class RemoteLive(Live):
    """Open notebooks and kernels of the server at the other end, for one person.

    `real_of` tells where a path led when its call was judged ("": not known): the file there is the one that counts.
    """

    def __init__(
        self, channel: Callable[[], Channel], owner_id: str, real_of: Callable[[str], str] = lambda _path: ""
    ) -> None:
        self._channel = channel
        self._owner_id = owner_id
        self._real_of = real_of

    async def _call(
        self, name: str, params: Mapping[str, Json] | None = None, *, timeout_s: float = 30.0,
        on_progress: Progress | None = None,
    ) -> Json:  # fmt: skip
        whole = {**(params or {}), "owner_id": self._owner_id}
        if params and "path" in params:
            whole["real"] = self._real_of(params["path"])
        return await self._channel().call(f"live.{name}", whole, timeout_s=timeout_s, on_progress=on_progress)

    async def list_notebooks(self) -> Sequence[Mapping[str, Json]]:
        """See `ports.Live`."""
        found: Sequence[Mapping[str, Json]] = await self._call("list_notebooks")
        return found

    async def read_notebook(self, path: str) -> Notebook:
        """See `ports.Live`."""
        return Notebook(**await self._call("read_notebook", {"path": path}))

    async def edit_notebook(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        """See `ports.Live`."""
        params = {"path": path, "edits": [edit_to_wire(edit) for edit in edits]}
        return EditOutcome(**await self._call("edit_notebook", params, timeout_s=60.0))

    async def keep_cells(self, path: str, cell_ids: Sequence[str]) -> str:
        """See `ports.Live`."""
        params = {"path": path, "cell_ids": list(cell_ids)}
        return str(await self._call("keep_cells", params))

    async def create_notebook(self, path: str, content: Json) -> None:
        """See `ports.Live`."""
        await self._call("create_notebook", {"path": path, "content": content})

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
        """See `ports.Live`; the server keeps the time limit, the channel waits a little longer."""
        params = {"path": path, "cell_id": cell_id, "expect": expect, "timeout_s": timeout_s, "request_id": request_id}
        return RunOutcome(**await self._call("run_cell", params, timeout_s=timeout_s + 60.0, on_progress=on_progress))

    async def open_document(self, path: str, *, cell_id: str | None = None) -> bool:
        """See `ports.Live`."""
        return bool(await self._call("open_document", {"path": path, "cell_id": cell_id}))

    async def list_kernels(self) -> Sequence[Kernel]:
        """See `ports.Live`."""
        return [Kernel(**values) for values in await self._call("list_kernels")]

    async def language_of(self, path: str) -> str:
        """See `ports.Live`."""
        return str(await self._call("language_of", {"path": path}))

    async def control_kernel(
        self, path: str, action: Literal["start", "restart", "interrupt"], *, kernel: str = ""
    ) -> Kernel:
        """See `ports.Live`."""
        params = {"path": path, "action": action, "kernel": kernel}
        return Kernel(**await self._call("control_kernel", params, timeout_s=120.0))

    async def run_code(
        self, path: str, code: str, *, timeout_s: float, on_progress: Callable[[str], None] | None = None
    ) -> RunOutcome:
        """See `ports.Live`."""
        params = {"path": path, "code": code, "timeout_s": timeout_s}
        return RunOutcome(**await self._call("run_code", params, timeout_s=timeout_s + 60.0, on_progress=on_progress))

    async def evaluate(
        self, path: str, setup: str, expressions: Mapping[str, str], *, timeout_s: float = 2.0
    ) -> Mapping[str, str]:
        """See `ports.Live`."""
        params = {"path": path, "setup": setup, "expressions": dict(expressions), "timeout_s": timeout_s}
        found: Mapping[str, str] = await self._call("evaluate", params, timeout_s=timeout_s + 40.0)
        return found


def serve_live(live_of: Callable[[str, str], Live]) -> Mapping[str, Handler]:
    """The answering end: what the worker may ask of this server's documents and kernels.

    `live_of` gives them as a person sees them, and with the real path that was judged; every call names both.
    """

    def answering(name: str) -> Handler:
        async def handle(progress: Progress, owner_id: str, real: str = "", **params: Json) -> Json:
            return await _handlers(live_of(owner_id, real))[name](progress, **params)

        return handle

    return {f"live.{name}": answering(name) for name in vars(Live) if not name.startswith("_")}


def _handlers(live: Live) -> Mapping[str, Handler]:
    return {handler.__name__: handler for handler in (*_documents(live), *_kernels(live))}


def _documents(live: Live) -> Sequence[Handler]:
    async def list_notebooks(_progress: Progress) -> Json:
        return list(await live.list_notebooks())

    async def read_notebook(_progress: Progress, path: str) -> Json:
        return asdict(await live.read_notebook(path))

    async def edit_notebook(_progress: Progress, path: str, edits: Sequence[Mapping[str, Json]]) -> Json:
        return asdict(await live.edit_notebook(path, [edit_from_wire(edit) for edit in edits]))

    async def keep_cells(_progress: Progress, path: str, cell_ids: Sequence[str]) -> Json:
        return await live.keep_cells(path, cell_ids)

    async def create_notebook(_progress: Progress, path: str, content: Json) -> Json:
        await live.create_notebook(path, content)

    async def open_document(_progress: Progress, path: str, cell_id: str | None) -> Json:
        return await live.open_document(path, cell_id=cell_id)

    return list_notebooks, read_notebook, edit_notebook, keep_cells, create_notebook, open_document


def _kernels(live: Live) -> Sequence[Handler]:
    async def run_cell(
        progress: Progress, path: str, cell_id: str, expect: str | None, timeout_s: float, request_id: str
    ) -> Json:
        return asdict(
            await live.run_cell(
                path, cell_id, expect=expect, timeout_s=timeout_s, request_id=request_id, on_progress=progress
            )
        )

    async def list_kernels(_progress: Progress) -> Json:
        return [asdict(kernel) for kernel in await live.list_kernels()]

    async def language_of(_progress: Progress, path: str) -> Json:
        return await live.language_of(path)

    async def control_kernel(
        _progress: Progress, path: str, action: Literal["start", "restart", "interrupt"], kernel: str
    ) -> Json:
        return asdict(await live.control_kernel(path, action, kernel=kernel))

    async def run_code(progress: Progress, path: str, code: str, timeout_s: float) -> Json:
        return asdict(await live.run_code(path, code, timeout_s=timeout_s, on_progress=progress))

    async def evaluate(
        _progress: Progress, path: str, setup: str, expressions: Mapping[str, str], timeout_s: float
    ) -> Json:
        return dict(await live.evaluate(path, setup, expressions, timeout_s=timeout_s))

    return run_cell, list_kernels, language_of, control_kernel, run_code, evaluate
