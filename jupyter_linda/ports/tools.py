"""Tools, and the one gate before them."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..schemas import Action, Diff, Preview, Starter
    from .documents import Json, Live
    from .held import Holds
    from .journal import Journal
    from .tasks import Tasks


@dataclass(frozen=True)
class Resource:
    """What a call touches. `path` is an API path ("" = the server's root); `kind` says of what."""

    kind: Literal["notebook", "file", "folder", "kernel", "none"]
    path: str = ""
    also: tuple[tuple[str, Action], ...] = ()
    """Further paths, each with what is done to it: every one must be let through (the source of a copy)."""


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
    journal: Journal
    """Where every change is written down before it is made, so that it can be undone."""
    tasks: Tasks
    """The task list of the run's owner."""
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """What a cell's metadata says of her edit (run, model, time); empty where the setting is off."""
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
    always_asks: bool
    """No rule, mode or grant lets it through: a person answers each time."""
    reads_data: bool
    """Whether it can show values of data, so that the reason of a failure may quote some."""

    def parse(self, arguments: str) -> Mapping[str, Json]:
        """Argument text -> checked arguments; `ToolRetry` says what to mend."""

    def resource(self, arguments: Mapping[str, Json]) -> Resource:
        """What these arguments touch."""

    def shows_values(self, arguments: Mapping[str, Json]) -> Holds | None:
        """How much of the user's data (rows, ranges, pictures of them) the result shows on purpose; None: nothing."""

    def holds(self, arguments: Mapping[str, Json]) -> Holds:
        """What the result's text holds at least; see `ports.held`."""

    def written_bytes(self, arguments: Mapping[str, Json]) -> int | None:
        """How many bytes of text these arguments would write; None where they do not tell."""

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


_OF_NAMES = r"0-9_A-Za-z\u00aa-\u1fff"
"""Letters that belong to a name; Chinese and its kin stand beside one without a space."""


@dataclass(frozen=True)
class Asked:
    """What the person themselves pointed at in a chat: paths of attached things, and the words they wrote."""

    paths: frozenset[str] = frozenset()
    words: str = ""

    def about(self, path: str, *, is_case_blind: bool = False) -> bool:
        """Whether the person attached this notebook or file, or named it, in its own upper and lower case.

        Only where files are known to be `is_case_blind` may the case differ: else that is another file.

        A typed name is a path from the root folder, or from the folder of a notebook that they attached; never any
        file of that name. A name without a dot is a word like others, so it counts only where it was attached.
        """
        if not path or path in self.paths:
            return bool(path)
        if "." not in posixpath.basename(path).strip("."):
            return False
        homes = {"", *(posixpath.dirname(one) for one in self.paths if one.endswith(".ipynb"))}
        typed = [path, *(path[len(home) + 1 :] for home in homes if home and path.startswith(f"{home}/"))]
        if is_case_blind:
            return any(_is_typed(name.casefold(), self.words.casefold()) for name in typed)
        return any(_is_typed(name, self.words) for name in typed)


def _is_typed(name: str, words: str) -> bool:
    before = rf"(?<![{_OF_NAMES}.\-])" if name[0].isascii() else ""
    pattern = rf"(?<![/\\~]){before}(?:(?<![./\\])\./)?{re.escape(name)}(?![{_OF_NAMES}/\\-]|\.[{_OF_NAMES}])"
    return re.search(pattern, words) is not None


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
    answered_for: str = ""
    """Where its paths led when it was asked about, as that verdict's `resource`; "": not known."""
    sends_values: bool = False
    """The result shows values of data to a model elsewhere: `send` is judged besides `action`."""
    always_asks: bool = False
    """Only a person's answer to this very call lets it through."""
    tainted_by: tuple[str, ...] = ()
    """Titles of what this run has read from outside; it may hold orders of strangers."""
    asked: Asked = Asked()
    """What the person themselves pointed at in this chat."""
    findings: tuple[str, ...] = ()
    """What was seen in the code it would run."""
    size_bytes: int | None = None
    """How much its arguments would write; None: not known."""
    started_by: Starter = "person"
    """What began the run."""
    profile: str = ""
    """The profile of the task it works on, besides her own."""

    @property
    def granted_action(self) -> Action:
        """What an "always" would allow."""
        return "send" if self.sends_values else self.action


@dataclass(frozen=True)
class Verdict:
    """auto: `permit` is set; ask: a question must be opened; deny: say `reason` to the model."""

    effect: Literal["auto", "ask", "deny"]
    rule: str
    reason: str
    permit: Permit | None = None
    may_degrade: bool = False
    """A deny whose rule wants the nearest allowed thing done instead."""
    is_closed: bool = False
    """What is there may not be read without an answer: why its card cannot be made is not for the model."""
    resource: str = ""
    """Where the call's paths lead, one a line, its own first; "" for a path that leads nowhere."""
