"""The person's standing instructions: a text file of their own that stands in every prompt."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidInput, StorageUnavailable
from .files import write_atomically

MOST_CHARS = 8_000
"""About 2,000 tokens: they are paid for with every model call."""


class Standing:
    """`instructions.md` in the data folder, read at every use: it may be edited with any editor."""

    def __init__(self, data_dir: str) -> None:
        self.path = Path(data_dir) / "instructions.md"

    def text(self) -> str:
        """What holds now; empty where there is none or the file cannot be read. Never more than the limit."""
        try:
            with self.path.open(encoding="utf-8", errors="replace") as file:
                return file.read(MOST_CHARS).strip()
        except OSError:
            return ""

    def save(self, text: str) -> None:
        """Put other instructions in place; empty text takes them away."""
        if len(text) > MOST_CHARS:
            raise InvalidInput(f"The instructions have {len(text):,} characters; {MOST_CHARS:,} is the most.")
        try:
            if text.strip():
                write_atomically(self.path, text.strip().encode() + b"\n")
            else:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            raise StorageUnavailable(
                f"{self.path.name} cannot be written: {error.strerror}.", remedy="Make the data folder writable."
            ) from error
