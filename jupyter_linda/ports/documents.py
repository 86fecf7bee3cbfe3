"""Notebooks that are open or lie in files, and live kernels: what tools may ask of a Jupyter server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# JSON as it comes from json.loads: nothing tighter is true at this edge.
Json = Any

Route = Literal["shared", "browser", "file"]
"""How a notebook was reached: a collaboration room, the one browser tab that has it, or the file."""


@dataclass(frozen=True)
class Notebook:
    """A notebook as it is now (unsaved edits included). `content` is nbformat-4 JSON, ids on every cell.

    Below format 4.5 the ids live in this server's session only and are never saved.
    """

    path: str
    content: Json
    route: Route
    revision: str
    """sha256 of the canonical JSON of cells' ids, types and sources."""
    is_upgraded: bool = False
    """True when the file is older than format 4 and was converted for reading only."""


CellType = Literal["code", "markdown", "raw"]


@dataclass(frozen=True)
class InsertCell:
    """Insert before `index`; -1 or len(cells) appends. `cell_id` is chosen by the caller (idempotence).

    `kept`: the whole cell as it was kept by `Live.keep_cells` (a deleted one comes back with its outputs).
    `is_part`: it is a part of that cell, so only the attachments that its source names come along.
    """

    index: int
    cell_id: str
    cell_type: CellType
    source: str
    metadata: Mapping[str, Json] = field(default_factory=dict)
    kept: str = ""
    is_part: bool = False


@dataclass(frozen=True)
class ReplaceSource:
    """Replace a cell's source, only if it still is `expect`.

    `mark`: its provenance (`metadata.linda`) from now on; empty takes it away, None leaves it. Of others
    anything may stand there, which an undo puts back.
    """

    cell_id: str
    expect: str
    source: str
    mark: Json = None


@dataclass(frozen=True)
class DeleteCell:
    """Delete a cell, only if its source still is `expect`."""

    cell_id: str
    expect: str


@dataclass(frozen=True)
class MoveCell:
    """Put a cell at `index` of the list that is left without it; -1 is the end."""

    cell_id: str
    index: int


@dataclass(frozen=True)
class ChangeType:
    """Change a cell's type, only if its source still is `expect`. Outputs go when it is code no more.

    With `kept`, what `Live.keep_cells` kept of it comes back: outputs, metadata, attachments.
    """

    cell_id: str
    expect: str
    cell_type: CellType
    kept: str = ""


@dataclass(frozen=True)
class SetOutputs:
    """Clear a code cell's outputs and count; with `kept`, put back those that `Live.keep_cells` kept."""

    cell_id: str
    kept: str = ""


CellEdit = InsertCell | ReplaceSource | DeleteCell | MoveCell | ChangeType | SetOutputs


@dataclass(frozen=True)
class EditOutcome:
    """What was read back after an edit. `is_saved` False: the tab or room has it, the file not yet.

    A room saves by itself a while later.
    """

    route: Route
    is_saved: bool
    revision: str
    cells: Json
    """The touched cells as they are now (nbformat JSON), in edit order; deleted ones are absent."""


@dataclass(frozen=True)
class RunOutcome:
    """What running one cell (or code) gave. `status`: ok, error, timeout, interrupted, kernel_died, busy."""

    status: Literal["ok", "error", "timeout", "interrupted", "kernel_died", "busy"]
    outputs: Json
    """nbformat outputs, bounded (head and tail kept, with a note of what was left out)."""
    execution_count: int | None
    duration_s: float
    note: str = ""
    route: Route = "file"


@dataclass(frozen=True)
class Kernel:
    """A running kernel and the document its session belongs to."""

    kernel_id: str
    name: str
    language: str
    path: str
    state: str
    """idle, busy, starting, dead, unknown."""


class Live(Protocol):
    """Open notebooks and live kernels of one Jupyter server.

    `path` is always an API path relative to the server's root. Raises `NotFound`, `StaleRevision`,
    `AmbiguousCell`, `KernelUnavailable`, `InvalidInput`, `ToolFailed`.
    """

    async def list_notebooks(self) -> Sequence[Mapping[str, Json]]:
        """Open notebooks: {path, active, dirty, clients}; the active one of the newest tab first."""

    async def read_notebook(self, path: str) -> Notebook:
        """The notebook as it is now: from its room, from the tab that has it, else from the file."""

    async def edit_notebook(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        """Apply all edits or none, by the route that loses nothing, then read back."""

    async def keep_cells(self, path: str, cell_ids: Sequence[str]) -> str:
        """Keep whole cells (outputs, metadata, attachments) as they are now; the name they are kept under."""

    async def create_notebook(self, path: str, content: Json) -> None:
        """Create a file that does not exist yet; `Conflict` if it does."""

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
        """Run one cell in the notebook's own kernel (started in the notebook's folder if there is none).

        Outputs land in the document. Cancelling interrupts the kernel only if this call is what runs.
        """

    async def open_document(self, path: str, *, cell_id: str | None = None) -> bool:
        """Show it in the user's newest tab, at the cell; False when no browser is there."""

    async def list_kernels(self) -> Sequence[Kernel]:
        """Running kernels."""

    async def language_of(self, path: str) -> str:
        """The language, in small letters, of the notebook's running kernel, else of the kernel that would be started.

        Empty where nobody knows: never taken from what the notebook says of itself.
        """

    async def control_kernel(
        self, path: str, action: Literal["start", "restart", "interrupt"], *, kernel: str = ""
    ) -> Kernel:
        """Start, restart or interrupt a notebook's kernel; the kernel as it is afterwards.

        start: `Conflict` if one runs; `kernel` is its name, "" the one the notebook names. The others:
        `KernelUnavailable` if none runs.
        """

    async def run_code(
        self, path: str, code: str, *, timeout_s: float, on_progress: Callable[[str], None] | None = None
    ) -> RunOutcome:
        """Run code in the notebook's running kernel, without a cell; nothing is put into the document."""

    async def evaluate(
        self, path: str, setup: str, expressions: Mapping[str, str], *, timeout_s: float = 2.0
    ) -> Mapping[str, str]:
        """Silently evaluate expressions that give text, in the kernel of the notebook at `path`.

        Never changes user variables, execution counts or history. Busy: through a subshell, else
        `KernelUnavailable` within `timeout_s`. An expression that raises gives a `ToolFailed`.
        """


def kernelspec_of(content: Json) -> Mapping[str, Json]:
    """The kernelspec a notebook's metadata names; empty where something else stands there."""
    metadata = content.get("metadata")
    spec = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    return spec if isinstance(spec, dict) else {}
