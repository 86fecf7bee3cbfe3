"""The budgets that hold: the server's, and within them the person's own, which may be changed at any time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ..errors import InvalidInput, StaleRevision
from ..schemas import Budgets
from ..storage.files import write_json
from .budget import Budget

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ..schemas import Period, Unit

_EVERY: tuple[tuple[Period, Unit], ...] = (
    ("run", "usd"), ("day", "usd"), ("month", "usd"), ("run", "tokens"), ("day", "tokens"), ("month", "tokens"),
)  # fmt: skip


class BudgetFile:
    """`budgets.json` in the data folder, read anew at every use: it is small."""

    def __init__(self, path: Path, settings: Mapping[str, object]) -> None:
        self._path = path
        self._of_server = Budgets.model_validate(
            {f"{period}_{unit}": settings[f"budget_{period}_{unit}"] for period, unit in _EVERY}
        )

    def own(self) -> Budgets:
        """The person's own; `InvalidInput` for a file that cannot be read."""
        try:
            return Budgets.model_validate(json.loads(self._path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return Budgets()
        except (OSError, ValueError, RecursionError) as error:
            raise InvalidInput(
                f"{self._path.name} cannot be read: {_why(error)}.",
                remedy=f"Mend {self._path}, or delete it and set the budgets in the panel again.",
            ) from None

    def save(self, budgets: Budgets, *, was: Budgets | None = None) -> None:
        """Put the person's own in place at once.

        `was`: those that the new ones were made from; `StaleRevision` where others are set by now.
        """
        if was is not None and self.own() != was:
            raise StaleRevision(
                "The budgets were changed meanwhile, in another tab or in the file, so these were not saved.",
                remedy="Look at them as they are now, then save again.",
            )
        write_json(self._path, budgets.model_dump())

    def current(self) -> tuple[Budget, ...]:
        """Those that hold: of the server's and the person's own the smaller; 0 is none."""
        return tuple(self._current())

    def _current(self) -> Iterator[Budget]:
        own = self.own()
        for period, unit in _EVERY:
            both = [getattr(one, f"{period}_{unit}") for one in (self._of_server, own)]
            if any(both):
                yield Budget(period, unit, min(limit for limit in both if limit))


def _why(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)[:300]
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"])) or "the file"
    return f"{place}: {first['msg']}"
