"""Model calls in the database: sums over them."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Connection, Row, func, select, type_coerce

from ..schemas import ModelCall, UsageDay, UsageReport, UsageRow, UsageTotal
from ..storage.tables import EPOCH, Instant, model_calls, traces
from .budget import Cost, begin_of, planning, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from ..schemas import Period
    from .limits import BudgetFile

MICROS = 1_000_000
QUARTER_US = 15 * 60 * MICROS
"""Days of every time zone begin at a quarter of an hour."""

_COUNTS = ("calls", "input_tokens", "output_tokens", "cached_tokens", "unpriced_calls", "estimated_calls")
_IS_LOCAL = model_calls.c.is_local
_IS_UNPRICED = (
    model_calls.c.cost_usd_micros.is_(None)
    & ~_IS_LOCAL
    & (model_calls.c.input_tokens + model_calls.c.output_tokens > 0)
)
"""What runs on this machine is charged by nobody, and what took no tokens neither, whatever their price."""
_SUMS = (
    func.count().label("calls"),
    func.sum(model_calls.c.input_tokens).label("input_tokens"),
    func.sum(model_calls.c.output_tokens).label("output_tokens"),
    func.sum(model_calls.c.cached_tokens).label("cached_tokens"),
    func.coalesce(func.sum(model_calls.c.cost_usd_micros), 0).label("micros"),
    func.coalesce(func.sum(type_coerce(_IS_UNPRICED, BigInteger)), 0).label("unpriced_calls"),
    func.sum(type_coerce(model_calls.c.is_estimated, BigInteger)).label("estimated_calls"),
)
_ENDED = model_calls.c.outcome != ""


def report(
    connection: Connection,
    owner_id: str,
    limits: BudgetFile,
    *,
    since: datetime,
    until: datetime,
    now: datetime,
) -> UsageReport:
    """What a person used, by day and by model, and how their budgets stand."""
    quarter = type_coerce(model_calls.c.begun_at, BigInteger) // QUARTER_US
    rows = connection.execute(
        select(model_calls.c.model, _IS_LOCAL, quarter.label("quarter"), *_SUMS)
        .where(model_calls.c.owner_id == owner_id, _ENDED)
        .where(model_calls.c.begun_at >= since, model_calls.c.begun_at < until)
        .group_by(model_calls.c.model, _IS_LOCAL, quarter)
    ).all()
    by_day, by_model = defaultdict(list), defaultdict(list)
    for row in rows:
        at = Instant().process_result_value(row.quarter * QUARTER_US, connection.dialect) or EPOCH
        by_day[at.astimezone().date()].append(row)
        by_model[row.model].append(row)
    used = used_by(connection, owner_id, run_id="", now=now)
    models = (UsageRow(name=name, total=_total(of_one)) for name, of_one in by_model.items())
    return UsageReport(
        since=since,
        until=until,
        total=_total(rows),
        days=tuple(UsageDay(day=day, total=_total(of_day)) for day, of_day in sorted(by_day.items())),
        models=tuple(sorted(models, key=lambda row: (-row.total.cost_usd, -row.total.input_tokens, row.name))),
        budgets=tuple(state_of(budget, used[budget.period]) for budget in limits.current() if budget.period != "run"),
        own=limits.own(),
        planning=planning(),
    )


def of_run(connection: Connection, run_id: str) -> UsageTotal:
    """The sums of one run."""
    query = select(_IS_LOCAL, *_SUMS).where(model_calls.c.run_id == run_id, _ENDED).group_by(_IS_LOCAL)
    return _total(connection.execute(query).all())


def used_by(connection: Connection, owner_id: str, *, run_id: str, now: datetime) -> Mapping[Period, Cost]:
    """What went to models elsewhere: in this run ("": none), and today and this month by this person."""
    mine = model_calls.c.owner_id == owner_id
    return {
        "run": _cost(connection, model_calls.c.run_id == run_id) if run_id else Cost(0, 0.0),
        "day": _cost(connection, mine & (model_calls.c.begun_at >= begin_of("day", now))),
        "month": _cost(connection, mine & (model_calls.c.begun_at >= begin_of("month", now))),
    }


def open_of(connection: Connection, owner_id: str, *, now: datetime) -> frozenset[tuple[str, str, str]]:
    """(owner, chat, run) of a person's model calls of the last day that are not written down as ended."""
    query = select(model_calls.c.owner_id, model_calls.c.chat_id, model_calls.c.run_id).distinct()
    mine = (model_calls.c.owner_id == owner_id) & (model_calls.c.begun_at >= now - timedelta(days=1))
    rows = connection.execute(query.where(mine, ~_ENDED))
    return frozenset((row.owner_id, row.chat_id, row.run_id) for row in rows)


def calls_of_run(connection: Connection, run_id: str) -> tuple[ModelCall, ...]:
    """Every try of a run's model calls, oldest first, each with its trace while the chat is there."""
    rows = connection.execute(
        select(model_calls, traces.c.details, _IS_UNPRICED.label("is_unpriced"))
        .outerjoin(traces, traces.c.model_call_id == model_calls.c.model_call_id)
        .where(model_calls.c.run_id == run_id)
        .order_by(model_calls.c.begun_at, model_calls.c.model_call_id)
    )
    return tuple(_as_call(row) for row in rows)


def _as_call(row: Row[Any]) -> ModelCall:
    values = {name: value for name, value in row._mapping.items() if name in ModelCall.model_fields}  # public name
    cost = None if row.is_unpriced else (row.cost_usd_micros or 0) / MICROS
    return ModelCall.model_validate({**values, "cost_usd": cost})


def _cost(connection: Connection, which: Any) -> Cost:  # a condition on model_calls
    row = connection.execute(select(*_SUMS).where(which, ~_IS_LOCAL, _ENDED)).one()
    return Cost((row.input_tokens or 0) + (row.output_tokens or 0), row.micros / MICROS)


def _total(rows: Iterable[Row[Any]]) -> UsageTotal:
    sums: dict[str, int] = defaultdict(int)
    for row in rows:
        for name in (*_COUNTS, "micros"):
            sums[name] += getattr(row, name) or 0
        if row.is_local:
            sums["local_calls"] += row.calls
            sums["local_tokens"] += (row.input_tokens or 0) + (row.output_tokens or 0)
    return UsageTotal(cost_usd=sums.pop("micros", 0) / MICROS, **sums)
