"""The rules file on disk: read when it changes, the last good rules kept when it is broken."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidRules, LindaError, StaleRevision
from ..schemas import Problem
from ..storage.files import write_atomically
from .rules import ASK_ALL, FIRST_RUN, RuleSet, parse_rules, to_text

if TYPE_CHECKING:
    from collections.abc import Callable

_SIZE_LIMIT_BYTES = 1_000_000


class RuleFile:
    """Rules that follow their file. Every judgement asks `current`: one stat when nothing changed.

    A file that was never there means the first-run profile; one that never parsed means that everything asks.
    """

    def __init__(
        self,
        path: str,
        *,
        on_change: Callable[[Problem | None], None] | None = None,
        absent: RuleSet = FIRST_RUN,
    ) -> None:
        self.path = path
        self.problem: Problem | None = None
        self._on_change = on_change
        self._signature: tuple[int, int, int] | None = None
        self._hash = ""
        self._absent = absent
        self._rules = absent
        self._was_read = False
        self._read_at_ns = 0

    def current(self) -> RuleSet:
        """The rules that hold now."""
        signature = self._stat()
        if signature is None:
            if self._was_read and self._signature is not None:
                self._signature, self._hash = None, ""
                self._fail("The rules file is gone; the rules read last still hold.", "Put the file back, or restart.")
            return self._rules
        # A second write within one tick of the file system's clock keeps the stat: hash young files again.
        if signature != self._signature or not self._is_settled(signature):
            self._read(signature)
        return self._rules

    def text(self) -> str:
        """The file's text as it stands, good or not; what holds without one when there is no file."""
        try:
            return Path(self.path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return to_text(self._absent)

    def save(self, text: str, *, was: str | None = None) -> RuleSet:
        """Validate and put in place at once; `InvalidRules` leaves the file as it was.

        `was`: the text that the new one was made from; `StaleRevision` where another stands there by now.
        """
        rules = parse_rules(text, name=Path(self.path).name)
        if was is not None and self.text() != was:
            raise StaleRevision(
                "The rules were changed meanwhile, in another tab or in the file, so these were not saved.",
                remedy="Look at them as they are now, then save again.",
            )
        write_atomically(Path(self.path), text.encode())
        self._signature = None
        self.current()
        return rules

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            found = Path(self.path).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _is_settled(self, signature: tuple[int, int, int]) -> bool:
        return self._read_at_ns - signature[0] > 2_000_000_000

    def _read(self, signature: tuple[int, int, int]) -> None:
        self._signature = signature
        name = Path(self.path).name
        try:
            if signature[1] > _SIZE_LIMIT_BYTES:
                raise InvalidRules(f"{name}: larger than 1 MB.")
            content = Path(self.path).read_bytes()
            self._read_at_ns = time.time_ns()
            digest = hashlib.sha256(content).hexdigest()
            if digest == self._hash:
                return
            self._hash = digest
            rules = parse_rules(content.decode("utf-8-sig"), name=name)
            self._accept(rules)
        except UnicodeDecodeError:
            self._fail(f"{name}: not UTF-8 text.", "Save the file as UTF-8.")
        except OSError as error:
            self._signature, self._hash = None, ""  # mending that changes neither time nor size
            self._fail(f"{name}: cannot be read: {error.strerror}.", "Mend the file's permissions.")
        except LindaError as error:
            self._fail(error.message, error.remedy)
        else:
            self._rules, self._was_read, self.problem = rules, True, None
            self._tell()

    def _accept(self, rules: RuleSet) -> None:
        """Whether this file may hold such rules; `InvalidRules` if not."""

    def _fail(self, message: str, remedy: str) -> None:
        if not self._was_read:
            self._rules = ASK_ALL
            message += " Until it is mended, everything asks."
        elif "still hold" not in message:
            message += " The rules read last still hold."
        self.problem = Problem(kind=InvalidRules.__name__, message=message, remedy=remedy)
        self._tell()

    def _tell(self) -> None:
        if self._on_change is not None:
            self._on_change(self.problem)
