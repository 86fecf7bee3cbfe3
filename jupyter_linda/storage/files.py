"""Long results as files, by hash; and small JSON files written atomically."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from ..errors import NotFound, StorageUnavailable


def write_atomically(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a file as a whole: a reader sees the old or the new one, never a part."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(mode)
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise StorageUnavailable(
            f"{path} cannot be written: {error.strerror}.", remedy="Free some space or make the folder writable."
        ) from error


def write_json(path: Path, value: Any, *, mode: int = 0o600) -> None:
    """Write JSON a person can read, atomically."""
    write_atomically(path, json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n", mode=mode)


class Results:
    """Long tool results, one file per sha256; the same text is kept once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, text: str) -> str:
        """Keep a text; returns its hash (hex)."""
        return self.put_bytes(text.encode("utf-8", "surrogatepass"))

    def put_bytes(self, data: bytes) -> str:
        """Keep bytes; returns their hash (hex)."""
        digest = hashlib.sha256(data).hexdigest()
        path = self.folder / digest[:2] / digest
        try:
            os.utime(path)  # it is needed again: young, for whoever lets go of what is old
        except OSError:
            write_atomically(path, data)
        return digest

    def get(self, digest: str) -> str:
        """The text of a hash."""
        return self.get_bytes(digest).decode("utf-8", "surrogatepass")

    def get_bytes(self, digest: str) -> bytes:
        """The bytes of a hash."""
        path = self.folder / digest[:2] / digest
        if not re.fullmatch(r"[0-9a-f]{64}", digest) or not path.is_file():
            raise NotFound(f"There is no stored result {digest[:12]}….")
        return path.read_bytes()
