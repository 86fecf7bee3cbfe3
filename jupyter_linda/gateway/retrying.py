"""Tries again before the first piece of a reply, then other models by an ordered list; never from here to elsewhere."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from tenacity import (
    DoSleep,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential,
    wait_random,
)
from tenacity import Retrying as Tries

from ..errors import LindaError, ProviderFault
from ..ports import Finished, Model, ModelEvent, ModelRequest, Notice, Retrying, Sending
from .faults import WORDS
from .waits import as_words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from .providers import Connection

CURED_BY_TIME = frozenset({"rate_limit", "overloaded", "server", "timeout", "unreachable", "cut_stream"})
"""Kinds of faults that the same model may not have a moment later."""
CURED_ELSEWHERE = CURED_BY_TIME | {"unknown_model", "billing", "auth", "forbidden"}
"""Kinds that another model may not have."""

NO_TOOLS = "This model takes no tools: it answered without them, so nothing was looked up and nothing was changed."


@dataclass(frozen=True)
class Patience:
    """How often and how long a model is tried. A wait doubles with each try, from `first_wait_s` on."""

    tries: int
    total_s: float
    """No try begins later than this after the first."""
    longest_wait_s: float
    """A provider that asks to wait longer is not waited for."""
    first_wait_s: float = 1.0


class Reach(Protocol):
    """Where models are; `Providers` knows."""

    def stays_here(self, model_id: str) -> bool:
        """Whether what a model is told stays on this machine."""

    def connect(self, model_id: str) -> Connection:
        """How to reach it; raises where it may not be used."""


@dataclass(frozen=True)
class Shape:
    """What a model turned out not to take."""

    has_tools: bool = True
    is_streamed: bool = True


class RetryingModel(Model):
    """A model that is patient, and knows others that may answer in its place."""

    def __init__(
        self, model: Model, reach: Reach, *, patience: Patience, fallbacks: Callable[[], Sequence[str]] = tuple
    ) -> None:
        self._model = model
        self._reach = reach
        self._patience = patience
        self._fallbacks = fallbacks
        self._shapes: dict[str, Shape] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """See `ports.Model`."""
        failed: list[tuple[str, ProviderFault]] = []
        skipped: list[str] = []
        left = [model for model in self._fallbacks() if model != request.model]
        model, reason = request.model, "chosen for this chat"
        while True:
            is_told = not failed
            try:
                async for event in self._tries(replace(request, model=model), reason):
                    if not is_told and not isinstance(event, (Sending, Retrying, Notice)):
                        is_told = True
                        yield Notice(_who_answered(model, failed, skipped))
                    yield event
            except ProviderFault as fault:
                failed.append((model, fault))
                if fault.has_begun or fault.kind_of_fault not in CURED_ELSEWHERE:
                    raise _all_of(failed, skipped) from fault
                following = await self._following(left, request, skipped)
                if following is None:
                    raise _all_of(failed, skipped) from fault
                model, reason = following, f"in place of {request.model}: {_short(failed[0][1])}"
                yield Retrying(fault.kind_of_fault, fault.message, 0.0, model, reason)
            else:
                return

    async def _following(self, left: list[str], request: ModelRequest, skipped: list[str]) -> str | None:
        """The next model that may be asked; why others may not goes to `skipped`."""
        while left:
            model = left.pop(0)
            why_not = await self._why_not(model, request)
            if not why_not:
                return model
            skipped.append(f"{model} was not asked: {why_not}")
        return None

    async def _why_not(self, model: str, request: ModelRequest) -> str:
        if self._reach.stays_here(request.model) and not self._reach.stays_here(model):
            return f"it runs elsewhere, and what {request.model} is told stays on this machine."
        try:
            self._reach.connect(model)
        except LindaError as error:
            return error.message
        return "" if request.may_go_to is None else await request.may_go_to(model)

    # ---- one model -----------------------------------------------------------------------------------

    async def _tries(self, request: ModelRequest, reason: str) -> AsyncIterator[ModelEvent]:
        tries = Tries(
            stop=stop_after_attempt(self._patience.tries) | stop_before_delay(self._patience.total_s),
            wait=self._wait,
            retry=retry_if_exception(self._may_try_again),
            reraise=True,
        )
        tries.begin()
        state = RetryCallState(tries, None, (), {})
        fault: ProviderFault | None = None
        while True:
            try:
                step = tries.iter(state)
            except ProviderFault as last:
                raise _told(last, state.attempt_number) from last.__cause__
            if isinstance(step, DoSleep) and fault is not None:
                yield Retrying(fault.kind_of_fault, fault.message, float(step), request.model)
                state.prepare_for_next_attempt()
                await asyncio.sleep(step)
                continue
            try:
                async for event in self._shaped(request, reason):
                    yield event
            except ProviderFault as error:
                fault = error
                state.set_exception((type(error), error, error.__traceback__))
            else:
                return

    def _may_try_again(self, error: BaseException) -> bool:
        return (
            isinstance(error, ProviderFault)
            and not error.has_begun
            and error.kind_of_fault in CURED_BY_TIME
            and (error.retry_after_s or 0.0) <= self._patience.longest_wait_s
        )

    def _wait(self, state: RetryCallState) -> float:
        """As long as the provider asks, else longer with each try; both with some chance in it."""
        first_s = self._patience.first_wait_s
        chance = wait_random(0, first_s / 2)
        error = None if state.outcome is None else state.outcome.exception()
        if isinstance(error, ProviderFault) and error.retry_after_s is not None:
            return error.retry_after_s + chance(state)
        return (wait_exponential(multiplier=first_s, max=self._patience.longest_wait_s) + chance)(state)

    async def _shaped(self, request: ModelRequest, reason: str) -> AsyncIterator[ModelEvent]:
        """One try, as the model takes it: without tools, or in one piece, where it turns out that it must be so."""
        shape = self._shapes.get(request.model, Shape())
        while True:
            asked = replace(request, tools=request.tools if shape.has_tools else (), is_streamed=shape.is_streamed)
            yield Sending(request.model, self._reach.stays_here(request.model), reason)
            try:
                async for event in self._model.stream(asked):
                    if isinstance(event, Finished):
                        self._shapes[request.model] = shape
                        if request.tools and not asked.tools:
                            yield Notice(NO_TOOLS)
                    yield event
            except ProviderFault as fault:
                if fault.has_begun:
                    raise
                if fault.kind_of_fault == "no_tools" and asked.tools:
                    shape = replace(shape, has_tools=False)
                elif fault.kind_of_fault == "no_streaming" and asked.is_streamed:
                    shape = replace(shape, is_streamed=False)
                else:
                    raise
                yield Retrying(fault.kind_of_fault, fault.message, 0.0, request.model)
            else:
                return


# ---- words -------------------------------------------------------------------------------------------


def _short(fault: ProviderFault) -> str:
    return WORDS[fault.kind_of_fault][0] if fault.kind_of_fault in WORDS else fault.message


def _who_answered(model: str, failed: Sequence[tuple[str, ProviderFault]], skipped: Sequence[str]) -> str:
    why = [f"{name}: {_short(fault)}" for name, fault in failed]
    return " ".join([f"{model} answered in place of {failed[0][0]}.", *why, *skipped])


def _told(fault: ProviderFault, tries: int) -> ProviderFault:
    """The last fault of a model, with how often it was tried, or how long it asks to wait."""
    more = ""
    if tries > 1:
        more = f" Tried {tries} times."
    elif fault.kind_of_fault in CURED_BY_TIME and fault.retry_after_s and not fault.has_begun:
        more = f" It asks to wait {as_words(fault.retry_after_s)}."
    return _changed(fault, fault.message + more)


def _all_of(failed: Sequence[tuple[str, ProviderFault]], skipped: Sequence[str]) -> ProviderFault:
    """What is said when nobody answered: the first model's fault, and what became of the others."""
    first = failed[0][1]
    if failed[-1][1].has_begun:
        first = failed[-1][1]
    others = [f"{model} did not answer either: {_short(fault)}" for model, fault in failed[1:] if fault is not first]
    return _changed(first, " ".join([first.message, *others, *skipped]))


def _changed(fault: ProviderFault, message: str) -> ProviderFault:
    return ProviderFault(
        fault.kind_of_fault,
        message,
        remedy=fault.remedy,
        retry_after_s=fault.retry_after_s,
        has_begun=fault.has_begun,
        words=fault.words,
    )
