"""Reading such files: through the checks that tools pass, bounded, and as text that hides nothing."""

from __future__ import annotations

import hashlib
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidPath, NotAllowed, NotFound
from ..permissions.conditions import Facts
from ..permissions.ignored import is_folder
from ..permissions.instructing import FOLDER
from ..permissions.paths import PathPolicy, is_hidden_name, open_checked
from ..storage.hidden import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..permissions.law import Law
    from ..schemas import InstructionFault

MOST_BYTES = 32_768
"""Of one file; the rest is not used, and the panel says so."""
MOST_ENTRIES = 1_000
"""Names looked at in one folder."""


@dataclass(frozen=True)
class Text:
    """What is used of a file's content; `digest` is empty where nothing can be."""

    text: str = ""
    digest: str = ""
    fault: InstructionFault = ""


def as_text(content: bytes) -> Text:
    """A file's first bytes as text, whose characters that do not show are written out."""
    used = content[:MOST_BYTES]
    is_cut = len(content) > MOST_BYTES
    try:
        text = used.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not is_cut or error.start < len(used) - 3:
            return Text(fault="not_text")
        text = used[: error.start].decode("utf-8-sig")  # the cut went through a character
    if "\0" in text:
        return Text(fault="not_text")
    shown = visible(text.replace("\r\n", "\n")).strip()
    return Text(shown, hashlib.sha256(used).hexdigest(), "cut" if is_cut else "")


class Workspace:
    """The files below a server's root. A tool never reads `.linda`: it is hidden, and only read here."""

    def __init__(self, policy: PathPolicy, law: Callable[[], Law]) -> None:
        self._policy = policy
        self._open = PathPolicy(policy.root_dir, allow_hidden=True, never=policy.never)
        self._law = law

    def is_open(self, folder: str) -> bool:
        """Whether a folder is one that tools may look into: inside the root, neither hidden nor secret."""
        try:
            located = self._policy.locate(folder)
        except (NotAllowed, InvalidPath):
            return False
        return located.api_path is not None and is_folder(located.real)

    def read(self, path: str) -> Text | None:
        """A file's text; None where there is none that may be known of."""
        real = self._real(path)
        if real is None:
            return None
        try:
            with open_checked(real, label=path) as stream:
                if self._is_denied(real):
                    return Text(fault="closed")
                return as_text(stream.read(MOST_BYTES + 1))
        except NotFound:
            return None
        except (NotAllowed, OSError):
            return Text(fault="unreadable")

    def names(self, folder: str) -> list[str]:
        """What is in a folder, by name; nothing where it cannot be listed."""
        real = self._real(folder)
        return [] if real is None else names_in(real)

    def _real(self, path: str) -> str | None:
        """Where a path leads, if that is inside the root and hidden by nothing but `.linda`."""
        try:
            located = self._open.locate(path)
        except (NotAllowed, InvalidPath):
            return None
        if located.api_path is None:
            return None
        parts = [part for part in located.api_path.split("/") if part != FOLDER]
        if any(map(is_hidden_name, parts)) and not self._policy.allow_hidden:
            return None
        return located.real

    def _is_denied(self, real: str) -> bool:
        found = self._law().decide(tool="", action="read", real=real, root=self._policy.root, facts=Facts())
        return found.effect == "deny"


class OwnFolder:
    """The person's own files, in Linda's data folder: closed to tools that read or write files."""

    def __init__(self, data_dir: str) -> None:
        self._folder = Path(data_dir)

    def read(self, path: str) -> Text | None:
        """See `Workspace.read`."""
        try:
            with (self._folder / path).open("rb") as stream:
                return as_text(stream.read(MOST_BYTES + 1))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError:
            return Text(fault="unreadable")

    def names(self, folder: str) -> list[str]:
        """See `Workspace.names`."""
        return names_in(str(self._folder / folder))


def names_in(real: str) -> list[str]:
    """The names in a folder, sorted; none where it cannot be listed."""
    try:
        with os.scandir(real) as entries:
            return sorted(entry.name for entry in itertools.islice(entries, MOST_ENTRIES))
    except OSError:
        return []
