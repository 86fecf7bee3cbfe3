"""The file of privacy levels: read when it changes, the last good levels kept when it is broken."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidRules, LindaError, StaleRevision
from ..schemas import Problem
from ..storage.files import write_atomically
from .levels import CLOSED, FIRST, Privacy, parse, to_text

_SIZE_LIMIT_BYTES = 1_000_000


class LevelFile:
    """Levels that follow their file. Never there: the defaults hold. Never readable: nothing leaves."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problem: Problem | None = None
        self._seen: tuple[tuple[int, int, int], bytes] | None = None
        self._privacy = FIRST
        self._was_read = False

    def current(self) -> Privacy:
        """What holds now; the file is small, so its bytes are compared, not its time alone."""
        try:
            stat = Path(self.path).stat()
            if stat.st_size > _SIZE_LIMIT_BYTES:
                raise InvalidRules(f"{Path(self.path).name}: larger than 1 MB.")
            seen = ((stat.st_mtime_ns, stat.st_size, stat.st_ino), Path(self.path).read_bytes())
            if seen == self._seen:
                return self._privacy
            self._seen = seen
            self._privacy = parse(seen[1].decode("utf-8-sig"), name=Path(self.path).name)
            self._was_read, self.problem = True, None
        except FileNotFoundError:
            if self._was_read and self._seen is not None:
                self._fail("The file of privacy levels is gone.", "Put it back, or save the levels in the panel.")
            self._seen = None
        except UnicodeDecodeError:
            self._fail(f"{Path(self.path).name}: not UTF-8 text.", "Save the file as UTF-8.")
        except OSError as error:
            self._seen = None
            self._fail(f"{Path(self.path).name}: cannot be read: {error.strerror}.", "Mend the file's permissions.")
        except LindaError as error:
            self._fail(error.message, error.remedy)
        return self._privacy

    def text(self) -> str:
        """The file's text as it stands, good or not; the defaults where there is no file."""
        try:
            return Path(self.path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return to_text(FIRST)

    def save(self, text: str, *, was: str | None = None) -> Privacy:
        """Check and put in place at once; `InvalidRules` leaves the file as it was.

        `was`: the text that the new one was made from; `StaleRevision` where another stands there by now.
        """
        target = Path(self.path)
        parse(text, name=target.name)
        if was is not None and self.text() != was:
            raise StaleRevision(
                "The levels were changed meanwhile, in another tab or in the file, so these were not saved.",
                remedy="Look at them as they are now, then save again.",
            )
        write_atomically(target, text.encode())
        return self.current()

    def _fail(self, message: str, remedy: str) -> None:
        if not self._was_read:
            self._privacy = CLOSED
            message += " Until it is mended, nothing leaves this machine."
        else:
            message += " The levels read last still hold."
        self.problem = Problem(kind=InvalidRules.__name__, message=message, remedy=remedy)
