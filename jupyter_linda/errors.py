"""The exception tree: catch by branch, one message form (thing, cause, next step).

LindaError
├── InvalidInput          the caller's request is wrong                          400
│   ├── InvalidPath       a path that no rule could ever judge (empty, NUL)       400
│   └── InvalidRules      the rules file does not parse or validate               400
├── NotAllowed            the caller may not do this                              403
├── NotFound              the named thing does not exist, or not for this caller  404
├── Conflict              the thing changed, or the moment has passed             409
│   ├── StaleRevision     a notebook, cell or file changed since it was read      409
│   ├── CannotUndo        undoing would destroy somebody's later work             409
│   ├── NoLongerValid     a question that was answered, expired or withdrawn      409
│   └── AmbiguousCell     one cell id names several cells                         409
├── Unavailable           something needed is not there now                       503
│   ├── WorkerUnavailable the worker did not come up in time                      503
│   ├── StorageUnavailable  disk full, read-only, locked or damaged database      503
│   ├── KernelUnavailable   dead or busy kernel                                   503
│   └── ChannelClosed     the other process is gone                               503
├── NewerDatabase         the database was written by a newer version             503
├── ProviderFault         the model provider failed; `kind` says how              502
├── WordNeeded            nothing was sent: a person has to agree first           409
│   ├── ConsentNeeded     nothing of this folder went to that provider before     409
│   └── BudgetPassed      the request would pass a budget                         409
├── LeaseLost             another worker owns this run now: stop writing          (internal)
├── BadFrame              a malformed frame on the channel                        (internal)
├── ToolRetry             a tool's outcome: the model should mend its call        (outcome)
└── ToolFailed            a tool's outcome: it could not be done, and why         (outcome)
"""

from __future__ import annotations


class LindaError(Exception):
    """Root of everything raised on purpose. `message` is fit for a person to read."""

    status = 500

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    @property
    def kind(self) -> str:
        """The class name, as it goes over the wire."""
        return type(self).__name__


class InvalidInput(LindaError):
    """The caller's request is wrong."""

    status = 400


class InvalidPath(InvalidInput):
    """A path that cannot name anything: empty, or with a NUL byte."""


class InvalidRules(InvalidInput):
    """The rules file does not parse or validate."""


class NotAllowed(LindaError):
    """The caller may not do this."""

    status = 403


class NotFound(LindaError):
    """The named thing does not exist, or not for this caller."""

    status = 404


class Conflict(LindaError):
    """The thing changed, or the moment has passed."""

    status = 409


class StaleRevision(Conflict):
    """A notebook, cell or file changed since it was read."""


class CannotUndo(Conflict):
    """A change cannot be taken back without harm to what came after it."""


class NoLongerValid(Conflict):
    """A question that was answered, expired or withdrawn."""


class AmbiguousCell(Conflict):
    """One cell id names several cells."""


class Unavailable(LindaError):
    """Something needed is not there now; `retry_after_s` says when to ask again."""

    status = 503
    retry_after_s = 2


class WorkerUnavailable(Unavailable):
    """The worker did not come up in time."""


class StorageUnavailable(Unavailable):
    """The disk is full or read-only, or the database is locked or damaged."""


class KernelUnavailable(Unavailable):
    """The kernel is dead, or busy for longer than we wait."""


class ChannelClosed(Unavailable):
    """The process at the other end of the pipes is gone."""


class NewerDatabase(LindaError):
    """The database was written by a newer version of this package."""

    status = 503


class ProviderFault(LindaError):
    """The model provider failed. `has_begun`: a piece of the reply had arrived, so nothing is tried again.

    `words` are what the provider said itself, without keys; `message` says it in ours.

    `kind_of_fault` is one of: auth, billing, forbidden, unknown_model, timeout, rate_limit, overloaded, server,
    unreachable, cut_stream, empty, only_thought, too_long, context_overflow, refused, bad_request, no_model,
    no_tools, no_streaming.
    """

    status = 502

    def __init__(
        self,
        kind_of_fault: str,
        message: str,
        *,
        remedy: str = "",
        retry_after_s: float | None = None,
        has_begun: bool = False,
        words: str = "",
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.kind_of_fault = kind_of_fault
        self.retry_after_s = retry_after_s
        self.has_begun = has_begun
        self.words = words


class WordNeeded(LindaError):
    """Nothing was sent: a person has to agree first. `about` is what exactly they are asked for, as a name."""

    status = 409
    about: str


class ConsentNeeded(WordNeeded):
    """Nothing was sent to `destination`, which people call `who`. `preview` is exactly what would leave."""

    def __init__(self, destination: str, model: str, *, reason: str, preview: str, who: str = "") -> None:
        super().__init__(
            f"Nothing was sent to {destination}: {reason}.", remedy="Send a message in the chat, and allow it there."
        )
        self.about = destination
        self.model = model
        self.reason = reason
        self.preview = preview
        self.who = who or destination


class BudgetPassed(WordNeeded):
    """A request of `tokens` tokens and `usd` US dollars (None: not known) would pass the budget of a period.

    `about` is "period/unit" of the budget; `figures` tell what is used of it.
    """

    def __init__(self, about: str, model: str, *, figures: str, tokens: int, usd: float | None) -> None:
        super().__init__(
            f"Nothing was sent: it would pass the budget {BUDGET_OF[about.partition('/')[0]]} ({figures}).",
            remedy="Choose a model on this machine, wait, raise your budget under ⋯ > Usage, or have the server’s "
            "raised.",
        )
        self.about = about
        self.model = model
        self.figures = figures
        self.tokens = tokens
        self.usd = usd


BUDGET_OF = {"run": "of one reply", "day": "of today", "month": "of this month"}
"""Whose budget it is, in words."""


class LeaseLost(LindaError):
    """Another worker owns this run now: stop writing."""


class BadFrame(LindaError):
    """A malformed frame arrived on the channel."""


class ToolRetry(LindaError):
    """A tool's outcome: the model should mend its call as the message says."""


class ToolFailed(LindaError):
    """A tool's outcome: it could not be done, and why. `kind_of_failure` is a short machine word."""

    def __init__(self, message: str, *, remedy: str = "", kind_of_failure: str = "failed") -> None:
        super().__init__(message, remedy=remedy)
        self.kind_of_failure = kind_of_failure


def _branches(root: type[LindaError]) -> dict[str, type[LindaError]]:
    found = {root.__name__: root}
    for child in root.__subclasses__():
        found |= _branches(child)
    return found


def from_wire(kind: str, message: str, *, remedy: str = "", detail: str = "", words: str = "") -> LindaError:
    """Rebuild an error that crossed the channel; an unknown kind becomes a plain `LindaError`."""
    branch = _branches(LindaError).get(kind, LindaError)
    if issubclass(branch, ProviderFault):
        return ProviderFault(detail or "server", message, remedy=remedy, words=words)
    if issubclass(branch, ToolFailed):
        return ToolFailed(message, remedy=remedy, kind_of_failure=detail or "failed")
    if issubclass(branch, WordNeeded):  # what a person is to be asked stays in the worker: here it is only told
        told = branch.__new__(branch)
        LindaError.__init__(told, message, remedy=remedy)
        return told
    return branch(message, remedy=remedy)


def to_wire(error: LindaError) -> dict[str, str]:
    """The form in which an error crosses the channel: kind, message, remedy, detail, a provider's own words."""
    detail = getattr(error, "kind_of_fault", "") or getattr(error, "kind_of_failure", "")
    words = getattr(error, "words", "")
    return {
        "kind": error.kind, "message": error.message, "remedy": error.remedy, "detail": str(detail), "words": words,
    }  # fmt: skip
