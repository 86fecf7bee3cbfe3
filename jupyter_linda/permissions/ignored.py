"""`.lindaignore`: paths a person hides from every tool, in the syntax of .gitignore."""

from __future__ import annotations

import codecs
import errno
import os
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..storage.patterns import GitIgnoreSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = ".lindaignore"
MOST_BYTES = 1_000_000
_EVERYTHING = GitIgnoreSpec.from_lines(["*"])
_REMEMBERED = 500


@dataclass
class IgnoreFiles:
    """The `.lindaignore` files of the folders on a path; a changed file holds at once.

    As in git, a file speaks for its own folder and below, the deepest one decides, its last fitting line first, and
    nothing below a hidden folder comes back. Upper and lower case are one, and so are the forms of one letter: that
    hides rather too much than too little.
    """

    _specs: dict[str, tuple[tuple[int, int, int], GitIgnoreSpec]] = field(default_factory=dict)

    def hides(self, base: str, parts: Sequence[str], *, is_folder: bool) -> bool:
        """Whether `base` + `parts` is hidden; files are looked for in `base` and in every folder below it."""
        specs: list[tuple[int, GitIgnoreSpec]] = []
        folder = Path(base)
        for depth in range(len(parts)):
            spec = self._spec(folder)
            if spec is not None:
                specs.append((depth, spec))
            folder = folder / parts[depth]
            if specs and _is_hidden(specs, parts[: depth + 1], is_folder=is_folder or depth + 1 < len(parts)):
                return True
        return False

    def _spec(self, folder: Path) -> GitIgnoreSpec | None:
        file = folder / NAME
        try:
            found = file.stat()
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None  # no such folder can be
            return _EVERYTHING  # it is there and cannot be read: what it hides is unknown
        # Who writes a file may set its time of change back, and not the time of that.
        key, seen = str(folder), (found.st_mtime_ns, found.st_ctime_ns, found.st_size)
        kept = self._specs.get(key)
        if kept is None or kept[0] != seen:
            kept = (seen, _read(file, found.st_size))
            while len(self._specs) >= _REMEMBERED:
                self._specs.pop(next(iter(self._specs)))
            self._specs[key] = kept
        return kept[1]


def _is_hidden(specs: Sequence[tuple[int, GitIgnoreSpec]], parts: Sequence[str], *, is_folder: bool) -> bool:
    for depth, spec in reversed(specs):
        said = spec.check_file(fold("/".join(parts[depth:])) + ("/" if is_folder else "")).include
        if said is not None:
            return bool(said)
    return False


def fold(text: str) -> str:
    """One spelling for names that a file system may take for the same: case and Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""How files begin that say their encoding, the longer mark first where one begins with another."""


def _decoded(content: bytes) -> str:
    """The file's text: by its mark, else UTF-8. `UnicodeError` for all else: a wrong guess would hide nothing."""
    named = next((codec for mark, codec in _MARKS if content.startswith(mark)), "")
    if not named and b"\0" in content:
        raise UnicodeError("no text, or UTF-16 without a mark")
    return content.decode(named or "utf-8")


def _read(file: Path, size: int) -> GitIgnoreSpec:
    """The file's patterns; a line that is no pattern hides nothing, a file that cannot be read hides everything."""
    if size > MOST_BYTES or not file.is_file():
        return _EVERYTHING
    try:
        lines = fold(_decoded(file.read_bytes())).splitlines()
    except (OSError, UnicodeError):
        return _EVERYTHING
    patterns = []
    for line in lines:
        try:
            patterns += list(GitIgnoreSpec.from_lines([line]).patterns)
        except ValueError:
            continue
    return GitIgnoreSpec(patterns)


def hidden_words(path: str) -> str:
    """Why such a path is closed."""
    return f"{path!r} is hidden from Linda by a {NAME} file."


def is_folder(real: str) -> bool:
    """Whether a path is a folder now; what cannot be looked at counts as a file."""
    return os.path.isdir(real)  # noqa: PTH112  # pathlib raises for names that are too long
