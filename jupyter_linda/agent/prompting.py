"""From a transcript to a request that fits: measured, condensed where it is too long, and told to the panel."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..chats import summaries
from ..instructions.library import Given
from ..ports import ModelRequest
from ..ports.held import plain
from ..schemas import ContextMeter, ContextPart, Summary
from . import context, guidance
from .compacting import EXTRACT, MOST_OUTPUT_TOKENS, Asking, condense, instruction
from .measuring import CALL_TOKENS, Measured, measure
from .recording import CallRecorder
from .window import Known, fit, room_for_summary, whole, window_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..events.log import Transaction
    from ..ports import Counter, Ids, Json, Model, Tokens
    from ..schemas import PartKind
    from .context import Piece
    from .recording import Bearer
    from .transcript import CallRow, Transcript
    from .window import Fit


GUIDANCE_SHARE = 4
"""Instructions and skills in files take at most one part in four of the window."""

Writer = Callable[[Callable[["Transaction"], None]], Awaitable[None]]
Sender = Callable[[ModelRequest], ModelRequest]
"""Writes on a request whose it is."""


Guide = Callable[[str, str, str, int], Awaitable[Given]]
"""(owner, chat, notebook, most tokens) -> the instructions and skills in files that count there."""


async def no_guidance(_owner_id: str, _chat_id: str, _notebook: str, _budget: int) -> Given:
    """Where there are none."""
    return Given()


@dataclass(frozen=True)
class Desk:
    """What prompts are made with, the same for every run of a worker."""

    model: Model
    tokens: Tokens
    ids: Ids
    root_dir: str
    window_tokens: int
    picture: Callable[[str], str]
    writes_summaries: Callable[[str], bool]
    """Whether a model is good enough to write a summary."""
    standing: Callable[[], str]
    """The person's standing instructions, as they are now."""
    guidance: Guide = no_guidance


@dataclass(frozen=True)
class Made:
    """A request, and what it is made of."""

    request: ModelRequest
    meter: ContextMeter


@dataclass(frozen=True)
class _Frame:
    """One model's measure of everything but the conversation."""

    model: str
    counter: Counter
    window: int
    system: str
    tools: Sequence[Mapping[str, Json]]
    parts: Sequence[ContextPart]
    """What is always there, each with its tokens."""

    @property
    def fixed(self) -> int:
        return sum(part.tokens for part in self.parts)


class Prompter:
    """Makes the requests of one chat. `write` runs what it is given in a transaction of whoever works on the chat."""

    def __init__(self, desk: Desk, bearer: Bearer, write: Writer, sender: Sender = lambda request: request) -> None:
        self._desk = desk
        self._bearer = bearer
        self._write = write
        self._sender = sender
        self._pictures: dict[str, str] = {}
        self._writers: set[str] = set()
        """Who wrote the summaries of this branch."""
        self._were_here: frozenset[str] = frozenset()

    async def make(
        self, transcript: Transcript, model: str, tools: Sequence[Mapping[str, Json]], *, most: int | None = None
    ) -> Made:
        """The request for the next model call. Raises `ProviderFault` where it cannot fit.

        `most` is a smaller window than the model is thought to have: the provider found the last one too long.
        """
        self._know(transcript)
        frame = await self._frame(transcript, model, tools, most)
        pieces = context.pieces_of(transcript)
        asked_id = transcript.history[-1].message_id
        measured = await asyncio.to_thread(measure, pieces, asked_id, frame.counter, self._picture)
        summary = transcript.summary
        made = self._fit(frame, measured, pieces, summary)
        while made.cut > _cut_of(pieces, summary):
            summary = await self._condense(frame, pieces, made.cut, summary)
            made = self._fit(frame, measured, pieces, summary)
        return await asyncio.to_thread(self._request, frame, pieces, measured, made, summary)

    async def compact(self, transcript: Transcript, model: str, *, last: int) -> Summary | None:
        """Condense all but the last messages now, because somebody asked; None where nothing is gained."""
        self._know(transcript)
        frame = await self._frame(transcript, model, (), None)
        pieces = context.pieces_of(transcript)
        cut = len(pieces) - last
        new = pieces[_cut_of(pieces, transcript.summary) : max(0, cut)]
        if not any(not piece.message.is_pinned for piece in new):
            return None
        return await self._condense(frame, pieces, cut, transcript.summary)

    def _know(self, transcript: Transcript) -> None:
        self._writers, self._were_here = set(transcript.writers), transcript.were_here

    def _as_message(self, block: str, pieces: Sequence[Piece], summary: Summary) -> dict[str, Json]:
        """The summary in a prompt, with whose words may be in it: the door holds back what models here have seen."""
        older = {one.message.model for one in pieces[: _cut_of(pieces, summary)] if one.message.role == "assistant"}
        # Sentences that were picked repeat what an earlier summary said; a model got that without what stays here.
        told_by = (older | self._writers) - {EXTRACT} if summary.made_by == EXTRACT else {summary.made_by}
        was_here = bool(told_by & self._were_here)
        return {"role": "user", "content": block, "told_by": sorted(told_by), "was_here": was_here}

    async def _frame(
        self, transcript: Transcript, model: str, tools: Sequence[Mapping[str, Json]], most: int | None
    ) -> _Frame:
        counter = await self._desk.tokens.counter(model)
        window = window_of(self._desk.window_tokens, counter.max_input_tokens, counter.max_output_tokens)
        window = window if most is None else min(window, most)
        run, notebook = self._bearer.run, guidance.notebook_of(transcript.history)
        given = await self._desk.guidance(run.owner_id, run.chat_id, notebook, window // GUIDANCE_SHARE)
        ours = context.system_prompt(Path(self._desk.root_dir).name or "/")
        own = context.as_standing(await asyncio.to_thread(self._desk.standing))
        project, skills = guidance.as_project(given.texts), guidance.as_skills(given.skills)
        if skills and tools:
            tools = (guidance.USE_SKILL_SCHEMA, *tools)  # first: what is opened later stands behind it

        def part(kind: PartKind, text: str, *, name: str = "", is_cut: bool = False) -> ContextPart:
            return ContextPart(kind=kind, tokens=counter.count(plain(text)), name=name, is_cut=is_cut)

        files = [
            part("standing", text, name=one.path, is_cut=one.fault == "cut")
            for text, one in zip(project, given.texts, strict=True)
        ]
        listed = [part("skills", text, name=path) for path, text in skills]
        tools_tokens = await asyncio.to_thread(counter.count_tools, tools)
        return _Frame(
            model=model,
            counter=counter,
            window=window,
            system="".join([ours, own, *project, *(text for _, text in skills)]),
            tools=tools,
            parts=(
                part("instructions", ours),
                part("standing", own),
                *files,
                *listed,
                ContextPart(kind="tools", tokens=tools_tokens),
            ),
        )

    def _fit(self, frame: _Frame, measured: Measured, pieces: Sequence[Piece], summary: Summary | None) -> Fit:
        known = Known()
        if summary is not None:
            cut = _cut_of(pieces, summary)
            known = Known(cut, frame.counter.count(plain(self._block(frame, pieces, cut, summary))))
        return fit(measured.units, fixed=frame.fixed, window=frame.window, known=known)

    def _block(self, frame: _Frame, pieces: Sequence[Piece], cut: int, summary: Summary) -> str:
        older = [piece for piece in pieces[:cut] if not self._stays(piece, pieces)]
        return context.as_summary(summary, older, budget=room_for_summary(frame.window), count=frame.counter.count)

    def _stays(self, piece: Piece, pieces: Sequence[Piece]) -> bool:
        asked = next(one.message for one in reversed(pieces) if one.message.role == "user")
        return piece.message.is_pinned or piece.message.message_id == asked.message_id

    async def _condense(self, frame: _Frame, pieces: Sequence[Piece], cut: int, before: Summary | None) -> Summary:
        """Write a summary of everything up to `cut`. Cut off in the middle, it is simply made again."""
        desk, count = self._desk, frame.counter.count
        room = room_for_summary(frame.window)
        budget = room - room // context.REQUESTS_SHARE - context.SUMMARY_FRAME_TOKENS
        # Also what stays for now: a pin may go, and this message will be an old one.
        older = pieces[_cut_of(pieces, before) : cut]
        measured = await asyncio.to_thread(measure, older, "", frame.counter, self._picture)
        ask = None
        if desk.writes_summaries(frame.model):
            request = await asyncio.to_thread(self._summary_request, frame, pieces, older, measured, before, budget)
            if request is not None:
                recorder = CallRecorder(self._bearer, desk.ids, "", purpose="summary", asked_model=frame.model)
                ask = Asking(desk.model, request, recorder, self._write)
        said_before = "" if before is None else before.text
        text, made_by = await condense(ask, older, said_before, budget=budget, count=count)
        self._writers.add(made_by)
        summary_id, upto = desk.ids.new("summary"), pieces[cut - 1].message.message_id
        tokens_before = sum(unit.tokens + sum(tokens for _, tokens in unit.results) for unit in measured.units)
        written: list[Summary] = []

        def work(tx: Transaction) -> None:
            made = Summary(
                summary_id=summary_id,
                chat_id=self._bearer.run.chat_id,
                upto_message_id=upto,
                text=text,
                made_by=made_by,
                tokens_before=tokens_before,
                tokens_after=count(text),
                at=tx.now,
            )
            summaries.add(tx, made)
            written.append(made)

        await self._write(work)
        return written[0]

    def _summary_request(
        self,
        frame: _Frame,
        pieces: Sequence[Piece],
        older: Sequence[Piece],
        measured: Measured,
        before: Summary | None,
        budget: int,
    ) -> ModelRequest | None:
        """The older messages as they were sent before, and then what to do with them; None where they do not fit.

        Begins like the prompts before it: providers that keep what begins alike need not read it again.
        """
        words = instruction(budget)
        block = "" if before is None else self._block(frame, pieces, _cut_of(pieces, before), before)
        made = whole(measured.units, fixed=frame.fixed + frame.counter.count(plain(words + block)), window=frame.window)
        if made is None:
            return None
        prompt: context.Prompt = [{"role": "system", "content": frame.system}]
        prompt += [self._as_message(block, pieces, before)] if before is not None else []
        for piece in older:
            prompt += piece.prompt(self._lengths(piece, made, frame.counter))
        prompt.append({"role": "user", "content": words})
        request = ModelRequest(
            model=frame.model,
            messages=prompt,
            tools=frame.tools,
            picture=self._desk.picture,
            max_output_tokens=MOST_OUTPUT_TOKENS,
            tokens=made.tokens,
            task="summary",
        )
        return self._sender(request)

    def _lengths(self, piece: Piece, made: Fit, counter: Counter) -> dict[str, int]:
        """Characters to shorten a piece's results to."""
        shared = [row for row in piece.rows if row.call_id in made.shares]
        return {row.call_id: _chars_for(row, made.shares[row.call_id], counter) for row in shared}

    def _request(
        self, frame: _Frame, pieces: Sequence[Piece], measured: Measured, made: Fit, summary: Summary | None
    ) -> Made:
        block = "" if summary is None else self._block(frame, pieces, made.cut, summary)
        prompt: context.Prompt = [{"role": "system", "content": frame.system}]
        prompt += [self._as_message(block, pieces, summary)] if summary is not None else []
        sent = [at for at, unit in enumerate(measured.units) if at >= made.cut or unit.stays]
        for at in sent:
            prompt += pieces[at].prompt(self._lengths(pieces[at], made, frame.counter))
        request = ModelRequest(model=frame.model, messages=prompt, tools=frame.tools, picture=self._desk.picture)
        return Made(self._sender(request), _meter(frame, measured, made, sent, frame.counter.count(plain(block))))

    def _picture(self, name: str) -> str:
        if name not in self._pictures:
            self._pictures[name] = self._desk.picture(name)
        return self._pictures[name]


def _cut_of(pieces: Sequence[Piece], summary: Summary | None) -> int:
    """For how many of the pieces a summary stands."""
    if summary is None:
        return 0
    return next(at + 1 for at, one in enumerate(pieces) if one.message.message_id == summary.upto_message_id)


def _chars_for(row: CallRow, share: int, counter: Counter) -> int:
    """How many characters of a result have at most `share` tokens."""
    chars = len(row.result)
    while chars > context.SHORTEST_CHARS:
        tokens = counter.count(plain(context.shortened(row, chars)))
        if tokens + CALL_TOKENS <= share:
            return chars
        chars = min(chars - 1, int(chars * max(0.3, 0.98 * share / tokens)))
    return context.SHORTEST_CHARS


def _meter(frame: _Frame, measured: Measured, made: Fit, sent: Sequence[int], summary_tokens: int) -> ContextMeter:
    units = [measured.units[at] for at in sent]
    pictures = sum(measured.pictures.get(unit.message_id, 0) for unit in units)
    results = sum(min(tokens, made.shares.get(call_id, tokens)) for unit in units for call_id, tokens in unit.results)
    parts = [
        *frame.parts,
        ContextPart(kind="summary", tokens=summary_tokens),
        ContextPart(kind="messages", tokens=sum(unit.tokens for unit in units) - pictures),
        ContextPart(kind="results", tokens=results),
        ContextPart(kind="pictures", tokens=pictures),
    ]
    shown = tuple(part for part in parts if part.tokens)
    return ContextMeter(
        model=frame.model,
        window=frame.window,
        used=sum(part.tokens for part in shown),
        counted_by=frame.counter.counted_by,
        is_estimate=frame.counter.is_estimate,
        parts=shown,
        shortened=len(made.shares),
    )
