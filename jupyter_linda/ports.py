"""The protocols where parts meet; read this first. Concrete classes are chosen in app and worker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from .schemas import Action, Diff, Preview, Usage

# JSON as it comes from json.loads: nothing tighter is true at this edge.
Json = Any


class Clock(Protocol):
    """Time, so that tests hold it."""

    def now(self) -> datetime:
        """The present instant, aware, UTC."""


class Ids(Protocol):
    """New identifiers, so that tests hold them."""

    def new(self, noun: str) -> str:
        """A fresh id such as `chat_018f…`: sortable by time, unguessable."""


# ---- models -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TextDelta:
    """Visible text to append."""

    text: str


@dataclass(frozen=True)
class ReasoningDelta:
    """Reasoning text to append."""

    text: str


@dataclass(frozen=True)
class CallDraft:
    """One assembled tool call: exact argument text, and whether it arrived whole and is valid JSON."""

    call_id: str
    name: str
    arguments: str
    is_whole: bool = True


@dataclass(frozen=True)
class Finished:
    """The end of a model call. `reason` is what the provider said; empty if it said nothing."""

    reason: str
    calls: tuple[CallDraft, ...] = ()
    usage: Usage | None = None


ModelEvent = TextDelta | ReasoningDelta | Finished


@dataclass(frozen=True)
class ModelRequest:
    """A prompt in chat-completion form (the shape litellm takes) and the tools on offer."""

    model: str
    messages: Sequence[Mapping[str, Json]]
    tools: Sequence[Mapping[str, Json]] = ()
    max_output_tokens: int | None = None


class Model(Protocol):
    """The one door to language models. Raises `ProviderFault`; a stream that ends early raises too."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Events in order; `Finished` is last and comes exactly once."""


# ---- what is open in the Jupyter server --------------------------------------------------------

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


@dataclass(frozen=True)
class InsertCell:
    """Insert before `index`; -1 or len(cells) appends. `cell_id` is chosen by the caller (idempotence)."""

    index: int
    cell_id: str
    cell_type: Literal["code", "markdown", "raw"]
    source: str
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class ReplaceSource:
    """Replace a cell's source, only if it still is `expect`."""

    cell_id: str
    expect: str
    source: str


@dataclass(frozen=True)
class DeleteCell:
    """Delete a cell, only if its source still is `expect`."""

    cell_id: str
    expect: str


CellEdit = InsertCell | ReplaceSource | DeleteCell


@dataclass(frozen=True)
class EditOutcome:
    """What was read back after an edit. `is_saved` False: the tab has it, the file not yet."""

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
        """The notebook as it is now: from the tab that has it, else from the file."""

    async def edit_notebook(self, path: str, edits: Sequence[CellEdit]) -> EditOutcome:
        """Apply all edits or none, by the route that loses nothing, then read back."""

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

    async def evaluate(
        self, path: str, setup: str, expressions: Mapping[str, str], *, timeout_s: float = 2.0
    ) -> Mapping[str, str]:
        """Silently evaluate expressions that give text, in the kernel of the notebook at `path`.

        Never changes user variables, execution counts or history. Busy: through a subshell, else
        `KernelUnavailable` within `timeout_s`. An expression that raises gives a `ToolFailed`.
        """


class Brain(Protocol):
    """What only the worker knows, asked by the server. `WorkerUnavailable` after 10 s."""

    async def ask(self, method: str, params: Mapping[str, Json], *, timeout_s: float = 10.0) -> Json:
        """Call the worker (started if needed)."""

    def nudge(self, what: Literal["runs", "stop", "rules", "settings"], **params: Json) -> None:
        """Tell the worker that something changed; starts it for "runs", never waits, may be lost."""


# ---- tools ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Resource:
    """What a call touches. `path` is an API path ("" = the server's root); `kind` says of what."""

    kind: Literal["notebook", "file", "folder", "kernel", "none"]
    path: str = ""


@dataclass(frozen=True)
class Permit:
    """Proof that the gate let this exact call through. Only `permissions.gate` makes one."""

    call_id: str
    tool: str
    arguments: str
    rule: str
    resource: Resource
    seal: object = field(repr=False)


@dataclass(frozen=True)
class ToolResult:
    """A finished call: `text` for the model (bounded later), the rest for the card."""

    text: str
    title: str = ""
    outputs: Sequence[Mapping[str, Json]] = ()
    diffs: Sequence[Diff] = ()
    data: Json = None
    """Structured copy for programs (the embedded model phrases its answer from it); strict JSON."""
    images: Sequence[tuple[str, str]] = ()
    """(mime type, base64) for models that see."""


@dataclass(frozen=True)
class ToolContext:
    """What a tool may use: the live server, the root folder, a stable id of this call, progress."""

    live: Live
    root_dir: str
    """Real path of the Jupyter server's root on this machine."""
    request_id: str
    """The same for every attempt of this call: makes writes idempotent."""
    chat_id: str
    run_id: str
    model: str
    report: Callable[[str], None]
    """Progress text for the card."""
    admit_path: Callable[[str, Action], str]
    """API path -> checked real path; raises `NotAllowed`. For every further path a tool meets (search, listing)."""
    is_visible: Callable[[str], bool]
    """Whether an API path may be listed at all (hidden and secret names are not)."""
    approved: Preview | None = None
    """What a person saw when they allowed this very call: if the code or text differs now, it is not done."""


class Unknown:
    """`Tool.find`'s answer when nobody can say whether the effect happened."""


class Tool(Protocol):
    """One thing the assistant can do."""

    name: str
    description: str
    """A prompt: written for the model."""
    parameters: Mapping[str, Json]
    """JSON schema of the arguments."""
    action: Action
    family: str

    def parse(self, arguments: str) -> Mapping[str, Json]:
        """Argument text -> checked arguments; `ToolRetry` says what to mend."""

    def resource(self, arguments: Mapping[str, Json]) -> Resource:
        """What these arguments touch."""

    async def preview(self, arguments: Mapping[str, Json], context: ToolContext) -> Preview:
        """What a question shows: one sentence, the code or the diffs."""

    async def run(self, permit: Permit, arguments: Mapping[str, Json], context: ToolContext) -> ToolResult:
        """Do it. Ends in a result, `ToolRetry` or `ToolFailed`; anything else is a bug."""

    async def find(self, arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
        """After a crash: the result if the effect happened, None if it surely did not, else `Unknown`."""


class Gate(Protocol):
    """The one way from a tool call to its effect: default deny."""

    async def judge(self, call: GateCall) -> Verdict:
        """Decide by rules and grants; every decision is in the audit before this returns."""

    async def conclude(self, call: GateCall, *, is_done: bool, words: str) -> None:
        """Write into the audit how a permitted call ended; `words` is its title or its problem."""

    def check(self, permit: Permit, call: GateCall) -> None:
        """Raises `NotAllowed` for a permit that this gate did not make, or made for another call."""

    def hidden_tools(self, tools: Sequence[tuple[str, Action]]) -> frozenset[str]:
        """Names of the tools that a rule denies everywhere: the model is not told of them."""


@dataclass(frozen=True)
class GateCall:
    """A call before judgement."""

    call_id: str
    tool: str
    action: Action
    resource: Resource
    arguments: str
    owner_id: str
    chat_id: str
    run_id: str
    mode: Literal["plan", "ask", "edit"]
    answer: str | None = None
    """A person's answer to this very call, if there is one ("once", "always", "no"), or "expired"."""


@dataclass(frozen=True)
class Verdict:
    """auto: `permit` is set; ask: a question must be opened; deny: say `reason` to the model."""

    effect: Literal["auto", "ask", "deny"]
    rule: str
    reason: str
    permit: Permit | None = None


class Dispatcher(Protocol):
    """How a worker learns that runs wait. The fence keeps it right whichever delivers, however often."""

    async def wait(self, *, timeout_s: float) -> None:
        """Return when there may be work, or after the timeout."""

    def wake(self) -> None:
        """There may be work: `wait` returns."""


class Broadcast(Protocol):
    """Tells the followers that events were committed (a hint: polling is the safety net)."""

    def __call__(self, chat_ids: Sequence[str]) -> None:
        """`chat_ids` got new events."""


def kernelspec_of(content: Json) -> Mapping[str, Json]:
    """The kernelspec a notebook's metadata names; empty where something else stands there."""
    metadata = content.get("metadata")
    spec = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    return spec if isinstance(spec, dict) else {}
