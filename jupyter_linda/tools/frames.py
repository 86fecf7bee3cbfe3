"""What the tools on data frames share: asking the kernel, conditions, rows as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..errors import ToolFailed, ToolRetry
from ..schemas import Preview
from .kernel import probe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json, ToolContext

ANSWER_TIME_S = 2.0
"""Seconds in which a kernel must answer anything at all; else it is busy."""
WORK_TIME_S = 20.0
"""Seconds a piece of work on a frame may take."""
REMEDIES = {
    "no_frame": "List the variables to see which there are.",
    "not_installed": "Ask the user whether to install it (install_packages), or do it without.",
    "not_done": "",
    "not_possible": "",
}
"""By the kind of failure that a kernel text names; what is "not_done" is told in a library's own words."""
MOST_CELLS = 3000
"""Most values that one answer shows."""

FrameName = Annotated[str, Field(description="The variable that holds the data frame.", max_length=200)]
Value = int | float | str | bool | None


class Condition(BaseModel):
    """One condition on the rows of a frame."""

    model_config = ConfigDict(extra="forbid")
    column: Annotated[str, Field(description="The column's name; name#3 where several have that name.")]
    op: Literal[
        "==", "!=", "<", "<=", ">", ">=", "between", "in", "not in", "contains", "starts with", "ends with",
        "is missing", "is not missing",
    ]  # fmt: skip
    value: Annotated[
        Value | list[Value],
        Field(description="What to compare with: times as 2026-03-08 01:30; a list for in and between; else nothing."),
    ] = None


Conditions = Annotated[
    list[Condition], Field(max_length=20, description="All of them must hold. Rows with a missing value fit none.")
]


async def preview_values(arguments: Mapping[str, Json], _context: ToolContext) -> Preview:
    """What a question says of a tool that shows values; the exact arguments stand beside it."""
    names = " and ".join(str(arguments[key]) for key in ("name", "left", "right") if key in arguments)
    where = arguments["path"]
    return Preview(
        sentence=f"Show values of {names} in {where} to the model. If it runs elsewhere, its provider gets them."
    )


def check_name(name: str) -> None:
    """A variable's name, nothing that would be evaluated."""
    if not name.isidentifier():
        raise ToolRetry(f"{name!r} is not a variable's name. List the variables to see which there are.")


async def ask_frame(
    context: ToolContext,
    path: str,
    *,
    text: str,
    work: str,
    arguments: Mapping[str, Json],
    timeout_s: float = WORK_TIME_S,
) -> Json:
    """Do a piece of work of a kernel text on a frame; what it cannot do comes as `ToolRetry` or `ToolFailed`.

    The kernel is first asked for a sign of life, so that a busy one says so within 2 seconds.
    """
    await context.live.evaluate(path, "", {"alive": "'yes'"}, timeout_s=ANSWER_TIME_S)
    asked = json.dumps(arguments)
    found = await probe(context, path, setup=text, expression=f"told(user, {work}, {asked!r})", timeout_s=timeout_s)
    if "problem" not in found:
        return found
    if found.get("retry"):
        raise ToolRetry(found["problem"])
    raise ToolFailed(found["problem"], remedy=REMEDIES[found["kind"]], kind_of_failure=found["kind"])


def shown(value: Json) -> str:
    """One value for a reader."""
    return "missing" if value is None else str(value)


def rows_text(names: Sequence[str], rows: Sequence[Sequence[Json]], *, first: str = "index") -> str:
    """Rows as lines, the names above them."""
    lines = [" | ".join(filter(None, [first, *names]))] if rows else []
    return "\n".join([*lines, *(" | ".join(map(shown, row)) for row in rows)])


def share_words(shown_count: int, total: int, what: str) -> str:
    """`40 of 2000 columns`; only the number where nothing is left out."""
    return f"{total} {what}" if shown_count >= total else f"{shown_count} of {total} {what}"
