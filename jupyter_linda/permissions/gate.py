"""The gate: the one place where a call is let through, and the only maker of permits."""

from __future__ import annotations

import asyncio
import functools
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from ..errors import InvalidPath, NotAllowed
from ..ports import Permit, Verdict
from .approvals import covers, scopes_for
from .conditions import Facts
from .instructing import instructs
from .law import Law, stricter
from .paths import is_case_blind, is_under, parts_of, refuse_outside
from .policy import Policies
from .taint import needs_question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..ports import Clock, GateCall
    from ..schemas import Action, Grant, GrantScope
    from .approvals import GrantBook
    from .audit import AuditDecision, AuditLog
    from .paths import Located, PathPolicy
    from .rules import Decision
    from .watch import RuleFile

T = TypeVar("T")

TAINTED = "content was read before"
"""Begins the rule of a question that is asked because of what the run has read."""
UNASKED = "unasked"
"""The answer where nobody can be asked: it counts as no."""
_YES = ("once", "always")
_REMEMBERED = 1000


@dataclass(frozen=True)
class _Ruling:
    effect: Literal["auto", "ask", "deny"]
    rule: str
    reason: str
    decision: AuditDecision
    by: str = "rules"
    may_degrade: bool = False


_NOT_READ = ("none", "folder")
"""Kinds of resources that have no content of their own."""


@dataclass(frozen=True)
class _Place:
    """One thing that a call touches."""

    path: str
    """As the call spells it."""
    located: Located
    action: Action
    found: Decision


@dataclass(frozen=True)
class _Judged:
    """A call, and where the paths it touches led when it was judged."""

    call: GateCall
    reals: Mapping[str, str]
    """Path as it is named, links kept -> real path."""


class RuleGate:
    """Implements `ports.Gate`: rules, then grants, then a person's answer to this very call; default deny."""

    def __init__(
        self,
        *,
        rules: RuleFile,
        policy: PathPolicy,
        grants: GrantBook,
        audit: AuditLog,
        clock: Clock,
        policies: Policies | None = None,
    ) -> None:
        self.policy = policy
        self._rules = rules
        self._policies = policies or Policies()
        self._grants = grants
        self._audit = audit
        self._clock = clock
        self._seal = object()
        self._judged: dict[str, _Judged] = {}
        """Permitted calls by id, the newest thousand: what their contexts may reach."""
        self._asked: dict[str, _Judged] = {}
        """Calls that wait for an answer: their cards may show what they are about."""
        self._instructing: dict[str, tuple[GateCall, str]] = {}
        """Judged calls by id, with the rule by which each may change instructions; "" for none."""

    async def judge(self, call: GateCall) -> Verdict:
        """Decide, write the decision down, and only then hand out the permit."""
        is_closed = False
        reals: dict[str, str] = {}
        led_to = ""
        try:
            places = self._places(call)
        except (NotAllowed, InvalidPath) as error:
            resource = call.resource.path
            ruling = _Ruling("deny", "never: hidden, secret or impossible path", error.message, "denied")
        else:
            resource = places[0].located.canonical
            led_to = "\n".join(dict.fromkeys(place.located.canonical for place in places))
            if call.answer in _YES and call.answered_for not in ("", led_to):
                call = replace(call, answer=None)  # a link was put there meanwhile: this place was not asked about
            ruling = await self._rule_on(call, places)
            reals = {self._name(place.path): place.located.real for place in places}
            is_closed = any(place.action == "read" and place.found.effect != "auto" for place in places)
        await self._audit.record(
            call,
            decision=ruling.decision,
            resource=resource,
            rule=ruling.rule,
            by=ruling.by,
            at=self._clock.now(),
        )
        permit = None
        if ruling.effect == "auto":
            _remember(self._judged, call.call_id, _Judged(call, reals))
            permit = Permit(
                call_id=call.call_id,
                tool=call.tool,
                arguments=call.arguments,
                rule=ruling.rule,
                resource=call.resource,
                seal=self._seal,
            )
        elif ruling.effect == "ask":
            _remember(self._asked, call.call_id, _Judged(call, reals))
        return Verdict(
            effect=ruling.effect,
            rule=ruling.rule,
            reason=ruling.reason,
            resource=led_to,
            permit=permit,
            may_degrade=ruling.may_degrade,
            is_closed=is_closed,
        )

    async def conclude(self, call: GateCall, *, is_done: bool, words: str) -> None:
        """See `ports.Gate`."""
        await self._audit.record(
            call,
            decision="done" if is_done else "failed",
            resource=self.policy.locate(call.resource.path).canonical,
            rule=words[:300],
            by="tool",
            at=self._clock.now(),
        )

    def check(self, permit: Permit, call: GateCall) -> None:
        """Refuse a permit that this gate did not make, or that was made for another call or other arguments."""
        is_ours = permit.seal is self._seal
        same = (permit.call_id, permit.tool, permit.arguments) == (call.call_id, call.tool, call.arguments)
        if not (is_ours and same):
            raise NotAllowed(f"The permit does not cover this call of {call.tool}.")

    def hidden_tools(self, tools: Sequence[tuple[str, Action]]) -> frozenset[str]:
        """Names of tools that a rule denies everywhere: not offered to the model."""
        return self.law().hidden_tools(tools)

    def law(self) -> Law:
        """Rules and policies as they stand now."""
        rules, policies = self._rules.current(), self._policies.current()
        problem = self._policies.problem
        return Law(rules, policies, "" if problem is None else problem.message)

    def scopes(self, call: GateCall) -> tuple[GrantScope, ...]:
        """What "always" may mean for this call; nothing where a policy asks, or another place would ask again."""
        if call.always_asks:
            return ()
        own, *others = places = self._places(call)
        is_firm = own.found.is_firm or any(place.found.effect != "auto" for place in others)
        return () if is_firm or self._instructing_of(call, places) else scopes_for(call, self.policy)

    def _instructing_of(self, call: GateCall, places: Sequence[_Place]) -> str:
        """`_instructs`; of a call that was judged what was found then, so that no folder is walked through again."""
        known = self._instructing.get(call.call_id)
        if known is not None and (known[0].tool, known[0].resource) == (call.tool, call.resource):
            return known[1]
        return _instructs(call, places)

    def admitter(self, call_id: str) -> Callable[[str, Action], str]:
        """`ToolContext.admit_path` of one judged call: a path must be listed as auto, or lie in what was permitted.

        After a crash (look-ups) only what is auto by itself is admitted. While it waits for an answer its card may read
        what it is about besides: that is shown to the person alone.
        """

        def admit(path: str, action: Action) -> str:
            located = self.policy.locate(path)
            judged = self._judged.get(call_id) or (self._asked.get(call_id) if action == "read" else None)
            found = self._decide(judged.call if judged else None, located.real, action)
            if found.effect == "deny":
                raise NotAllowed(f"{path!r} is closed by the rule {found.rule!r}.")
            if found.effect == "ask" and not (judged and self._is_within(judged, located, action, found)):
                raise refuse_outside(path)
            if judged and judged.reals.get(self._name(path), located.real) != located.real:
                raise refuse_outside(path)  # a link was put there meanwhile
            return located.real

        return admit

    def judged_real(self, call_id: str, path: str) -> str:
        """Where a path of a permitted call led when it was judged; "" for one that the call does not name."""
        judged = self._judged.get(call_id)
        return judged.reals.get(self._name(path), "") if judged else ""

    def _name(self, path: str) -> str:
        return os.path.normpath(Path(self.policy.root, path))

    def is_visible(self, path: str) -> bool:
        """`ToolContext.is_visible`."""
        return self.policy.is_visible(path)

    def _decide(self, call: GateCall | None, real: str, action: Action) -> Decision:
        at = self._clock.now().astimezone()
        facts = Facts(at=at) if call is None else Facts(call.size_bytes, at, call.started_by)
        return self.law().decide(
            tool="" if call is None else call.tool,
            action=action,
            real=real,
            root=self.policy.root,
            facts=facts,
            profile="" if call is None else call.profile,
        )

    def _places(self, call: GateCall) -> list[_Place]:
        """Everything the call touches, with what the rules say of it; its own resource first.

        What changes or runs a thing also shows it: in its answer, its faults, the card, or at its new place. So what
        is there is judged as read too.
        """
        touched = [(path, self.policy.locate(path), action) for path, action in _touched(call)]
        touched += [
            (path, located, "read") for path, located, action in touched if action != "read" and _shows(call, located)
        ]
        places = []
        for path, located, action in touched:
            found = self._decide(call, located.real, action)
            if call.sends_values:  # to a model elsewhere: sending them is judged too, the stricter decides
                found = stricter(found, self._decide(call, located.real, "send"))
            places.append(_Place(path, located, action, found))
        return places

    def _is_within(self, judged: _Judged, located: Located, action: Action, found: Decision) -> bool:
        """What the call touches, or something in the folder it was let into that no closer rule keeps apart."""
        for path, allowed in _touched(judged.call):
            base = judged.reals[self._name(path)]
            if action in (allowed, "read") and is_under(located.real, base) and found.reach <= len(parts_of(base)):
                return True
        return False

    async def _rule_on(self, call: GateCall, places: Sequence[_Place]) -> _Ruling:
        found = functools.reduce(stricter, (place.found for place in places))
        if found.effect == "deny":
            reason = f"The rule {found.rule!r} does not allow this."
            return _Ruling("deny", found.rule, reason, "denied", by=found.by, may_degrade=found.may_degrade)
        if call.answer == "expired":
            return _Ruling("deny", "nobody answered in time", "Nobody answered in time, which means no.", "expired")
        if call.answer == UNASKED:
            reason = "Nobody could be asked, which means no."
            return _Ruling("deny", "nobody could be asked", reason, "refused")
        if call.answer is not None and call.answer not in _YES:
            return _Ruling("deny", "the person said no", "The person said no.", "refused", by="person")
        if call.mode == "plan" and call.action != "read":
            return _Ruling(
                "deny", "plan mode", "This chat is in plan mode: it reads and proposes, and changes nothing.", "denied"
            )
        if call.answer is None:
            return await self._rule_freely(call, places, found)
        rule = f"a person's answer: {call.answer}"
        return _Ruling("auto", rule, "", "allowed", by="person")

    async def _rule_freely(self, call: GateCall, places: Sequence[_Place], found: Decision) -> _Ruling:
        """What holds while no person has answered: rules, edit mode, grants; and when a question comes first."""
        if call.always_asks:
            return _ask(f"{call.tool} always asks")
        instructing = await asyncio.to_thread(_instructs, call, places)
        _remember(self._instructing, call.call_id, (call, instructing))
        if instructing:
            return _ask(instructing)
        is_bound = bool(call.tainted_by) and any(_is_beyond(call, place) for place in places)
        if found.effect == "auto" and not is_bound:
            return _Ruling("auto", found.rule, "", "auto")
        if found.is_firm:
            return _ask(found.rule, by=found.by)
        asking = [place for place in places if (is_bound and place.action != "read") or place.found.effect == "ask"]
        if not is_bound and all(self._is_edit_mode_write(call, place) for place in asking):
            return _Ruling("auto", "edit mode: writes in the notebook folder", "", "auto")
        # After content from outside was read only what the person granted in this very chat still holds.
        grants = [await self._grant_for(call, place, here_only=is_bound) for place in asking]
        if all(grants):
            named = ", ".join(grant.grant_id for grant in grants if grant is not None)
            return _Ruling("auto", f"grant {named}", "", "auto", by="grant")
        if is_bound:
            return _ask(f"{TAINTED}: {'; '.join(call.tainted_by)}")
        return _ask(found.rule, by=found.by)

    def _is_edit_mode_write(self, call: GateCall, place: _Place) -> bool:
        # An `ask` that names a folder of its own was written on purpose; edit mode does not pass it.
        is_general = place.found.reach <= len(parts_of(self.policy.root))
        return call.mode == "edit" and place.action == "write" and place.located.api_path is not None and is_general

    async def _grant_for(self, call: GateCall, place: _Place, *, here_only: bool) -> Grant | None:
        now = self._clock.now()
        for grant in await self._grants.active(call.owner_id, now=now):
            if (grant.chat_id or not here_only) and covers(
                grant,
                tool=call.tool,
                action="send" if call.sends_values else place.action,
                canonical=place.located.canonical,
                chat_id=call.chat_id,
                now=now,
                root=self.policy.root,
            ):
                return grant
        return None


def _touched(call: GateCall) -> tuple[tuple[str, Action], ...]:
    return (call.resource.path, call.action), *call.resource.also


def _instructs(call: GateCall, places: Sequence[_Place]) -> str:
    """The rule by which a call asks that may change what instructs her later; the task list is no path."""
    written = [place for place in places if place.action == "write"] if call.resource.kind != "none" else []
    rules = (instructs(call.tool, place.path, place.located) for place in written)
    return next(filter(None, rules), "")


def _is_beyond(call: GateCall, place: _Place) -> bool:
    """Whether a call that comes after content from outside reaches further than what the person pointed at."""
    return needs_question(
        place.action,
        place.located.canonical,
        call.asked,
        call.findings,
        is_case_blind=is_case_blind(place.located.real),
    )


def _shows(call: GateCall, located: Located) -> bool:
    """Whether there is something to be shown; notebooks may lie where no file system tells."""
    kind = call.resource.kind
    return kind not in _NOT_READ and (kind != "file" or os.path.lexists(located.real))


def _remember(known: dict[str, T], call_id: str, what: T) -> None:
    known[call_id] = what
    while len(known) > _REMEMBERED:
        known.pop(next(iter(known)))


def _ask(rule: str, *, by: str = "rules") -> _Ruling:
    return _Ruling("ask", rule, "This needs the user's answer.", "asked", by=by)
