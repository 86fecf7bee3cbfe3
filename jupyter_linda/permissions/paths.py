"""From the spelling of a path to its checked real path, and opening exactly that."""

from __future__ import annotations

import errno
import fnmatch
import itertools
import os
import stat
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import InvalidPath, NotAllowed, NotFound, StaleRevision
from .ignored import NAME as IGNORE_NAME
from .ignored import IgnoreFiles, fold, hidden_words, is_folder
from .replacing import can_take_the_place, cannot_write, is_at, put_beside, write_in_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SECRET_NAMES = (
    ".env*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx", ".ssh", ".gnupg", ".aws",
    ".azure", ".kube", ".docker", ".git", ".git-credentials", ".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc",
    "jpserver-*.json", "nbserver-*.json", "kernel-*.json", "jupyter_cookie_secret", "notebook_cookie_secret",
    "notebook_secret", "jupyter_*config*.py", "jupyter_*config*.json",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*", "id_*_sk", "id_*_sk.*", IGNORE_NAME,
)  # fmt: skip
"""Names (of a file or of any folder above it) that are never read, written or listed, whatever the rules say."""

_OUTSIDE = "lies or resolves outside the permitted paths"
_WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))]
)


def parts_of(real: str) -> tuple[str, ...]:
    """The components of an absolute path; the anchor is the first."""
    return Path(real).parts


def is_under(real: str, base: str, *, is_folded: bool = False) -> bool:
    """Whether `real` is `base` or inside it, component by component (no sibling prefixes)."""
    inner, outer = parts_of(real), parts_of(base)
    if is_folded:
        inner, outer = tuple(map(fold, inner)), tuple(map(fold, outer))
    return inner[: len(outer)] == outer


def is_case_blind(real: str) -> bool:
    """Whether upper and lower case are one where a path lies, as it or its folder shows; False if nothing tells."""
    for there in (Path(real), Path(real).parent):
        other = there.with_name(there.name.swapcase()) if there.name else there
        if other == there or not os.path.lexists(there):
            continue
        try:  # a link of the other spelling is a second name
            return other.samefile(there) and not {there, other} <= set(there.parent.iterdir())
        except (OSError, ValueError):
            return False
    return False


def is_secret_name(name: str) -> bool:
    """Whether one component is on the never list."""
    folded = fold(name).rstrip(". ")
    return any(fnmatch.fnmatchcase(folded, pattern) for pattern in SECRET_NAMES)


def is_hidden_name(name: str) -> bool:
    """Whether one component is hidden by its leading dot."""
    return name.startswith(".") and name not in (".", "..")


def is_runtime_file(parts: tuple[str, ...]) -> bool:
    """Connection files hold keys: `jupyter/runtime/*.json`, wherever that folder is."""
    folded = [fold(part) for part in parts]
    return any("jupyter" in first and second == "runtime" for first, second in itertools.pairwise(folded)) and folded[
        -1
    ].endswith((".json", ".html"))


@dataclass(frozen=True)
class Located:
    """Where a path leads. `api_path` is set when that is inside the server's root ("" is the root)."""

    real: str
    api_path: str | None

    @property
    def canonical(self) -> str:
        """How grants and the audit name it: the API path ("." for the root), else the real path."""
        if self.api_path is None:
            return self.real
        return self.api_path or "."


@dataclass(frozen=True)
class PathPolicy:
    """How paths are read on this server. `never` are folders closed whatever the rules say (Linda's own data)."""

    root_dir: str
    allow_hidden: bool = False
    never: tuple[str, ...] = ()
    _root: str = field(init=False, repr=False, default="")
    _closed: tuple[str, ...] = field(init=False, repr=False, default=())
    _ignore: IgnoreFiles = field(init=False, repr=False, compare=False, default_factory=IgnoreFiles)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_root", os.path.realpath(self.root_dir))
        object.__setattr__(self, "_closed", tuple(os.path.realpath(folder) for folder in self.never))

    @property
    def root(self) -> str:
        """The root's real path."""
        return self._root

    def locate(self, path: str) -> Located:
        """Resolve an API path (relative to the root) or an absolute path; `~`, `%2e` and URLs are literal names.

        Raises `InvalidPath` for what cannot name anything and `NotAllowed` for hidden and secret names; the
        message is the same whether or not the target exists.
        """
        if "\0" in path:
            raise InvalidPath("The path holds a NUL character: that is an invalid path.")
        try:
            path.encode()
        except UnicodeEncodeError:
            raise InvalidPath("The path is not valid text: that is an invalid path.") from None
        if sys.platform == "win32":
            _refuse_windows_tricks(path)
        try:
            real = os.path.realpath(Path(self._root) / path)
        except (OSError, ValueError):
            raise NotAllowed(f"{path!r} {_OUTSIDE}.") from None
        located = Located(real, self._api_path(real))
        self._refuse_closed(path, located)
        return located

    def _api_path(self, real: str) -> str | None:
        if not is_under(real, self._root):
            return None
        return "/".join(parts_of(real)[len(parts_of(self._root)) :])

    def _refuse_closed(self, path: str, located: Located) -> None:
        inner = located.api_path
        real_parts = tuple(inner.split("/")) if inner else ()
        if inner is None:
            real_parts = parts_of(located.real)[1:]
        # The spelling counts as well as the target: `link-to-env` and `.env` are both closed.
        asked = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if Path(path).is_absolute() and inner is not None:
            asked = list(real_parts)
        if any(map(is_secret_name, [*real_parts, *asked])) or is_runtime_file(parts_of(located.real)):
            raise NotAllowed(f"{path!r} is a secret file or folder by its name: those are never opened.")
        if any(is_under(located.real, folder, is_folded=True) for folder in self._closed):
            raise NotAllowed(f"{path!r} belongs to the settings of Jupyter or of Linda: never opened.")
        if not self.allow_hidden and any(map(is_hidden_name, [*real_parts, *asked])):
            raise NotAllowed(
                f"{path!r} is a hidden file or folder.", remedy="Allow hidden files in the settings (allow_hidden)."
            )
        if self._is_ignored(located, asked):
            raise NotAllowed(hidden_words(path), remedy=f"Whoever wrote the {IGNORE_NAME} file can open it again.")

    def _is_ignored(self, located: Located, asked: Sequence[str]) -> bool:
        """Where the path leads, and how it was spelled inside the root, links included."""
        if located.api_path is None:
            parts = parts_of(located.real)
            return self._ignore.hides(parts[0], parts[1:], is_folder=is_folder(located.real))
        real = tuple(located.api_path.split("/")) if located.api_path else ()
        return any(
            self._ignore.hides(self._root, parts, is_folder=is_folder(located.real)) for parts in {real, tuple(asked)}
        )

    def is_visible(self, path: str) -> bool:
        """Whether a path may be listed: neither hidden nor secret, and not a link out of the root."""
        try:
            located = self.locate(path)
        except (NotAllowed, InvalidPath):
            return False
        return located.api_path is not None or (Path(path).is_absolute() and os.path.normpath(path) == located.real)


def refuse_outside(path: str) -> NotAllowed:
    """The one denial of a path outside what is permitted; it does not say whether the target exists."""
    return NotAllowed(f"{path!r} {_OUTSIDE}.", remedy="Ask for a rule, or use a path inside the notebook folder.")


def _refuse_windows_tricks(path: str) -> None:
    if path.startswith(("\\\\", "//")):
        raise NotAllowed(f"{path!r} {_OUTSIDE}.")
    for index, part in enumerate(path.replace("\\", "/").split("/")):
        is_drive = index == 0 and len(part) == 2 and part[1] == ":"
        if (":" in part and not is_drive) or (part not in (".", "..") and part != part.rstrip(". ")):
            raise InvalidPath(f"{path!r} is an invalid path on Windows.")
        if fold(part.split(".")[0]) in _WINDOWS_DEVICES:
            raise InvalidPath(f"{path!r} names a Windows device: that is an invalid path.")


# ---- opening exactly what was checked ----------------------------------------------------------


@contextmanager
def open_checked(real: str, *, label: str = "") -> Iterator[BinaryIO]:
    """Open the regular file at a checked real path for reading; refuse if a link was swapped in meanwhile.

    Open first, check the descriptor afterwards: between a check and an open anything can happen.
    """
    label = label or Path(real).name
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(real, flags | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise NotFound(f"{label!r} does not exist.", remedy="List the folder to see what there is.") from None
    except IsADirectoryError:
        raise NotFound(f"{label!r} is a folder, not a file.") from None
    except NotADirectoryError:
        raise NotFound(f"{label!r} does not exist: a part of its path is a file, not a folder.") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise NotFound(f"{label!r} does not exist: {error.strerror}.", remedy="Choose a shorter name.") from None
        raise NotAllowed(f"{label!r} cannot be opened: {error.strerror}.") from None
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotFound(f"{label!r} is a folder, not a file.")
    with os.fdopen(descriptor, "rb") as stream:
        if not is_at(stream.fileno(), real):
            raise refuse_outside(label)
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise NotFound(f"{label!r} is not a regular file.")
        yield stream


def write_checked(real: str, content: bytes, *, expect: bytes | None, label: str = "") -> None:
    """Put `content` at a checked real path, whole or not at all; what else belongs to an old file is kept.

    `expect` is the content it must still have (None: it must not exist), else `StaleRevision`.
    """
    label = label or Path(real).name
    try:
        _refuse_unfit(Path(real), label)
        if expect is None:
            _create(Path(real), content, label)
        else:
            _replace(Path(real), content, expect, label)
    except OSError as error:
        raise cannot_write(label, error) from None


def _refuse_unfit(target: Path, label: str) -> None:
    folder = target.parent
    if os.path.realpath(folder) != str(folder) or target.is_symlink():
        raise refuse_outside(label)
    if not folder.is_dir():
        raise NotFound(f"The folder of {label!r} does not exist.", remedy="Write into a folder that exists.")
    if target.is_dir():
        raise NotFound(f"{label!r} is a folder, not a file.")
    if target.exists() and not os.access(target, os.W_OK):
        raise NotAllowed(f"{label!r} is read-only.")


def _create(target: Path, content: bytes, label: str) -> None:
    temporary = put_beside(target, content, mode=0o666)
    if temporary is None:
        raise refuse_outside(label)
    try:
        os.link(temporary, target)  # fails if somebody made it meanwhile; replace would not
    except FileExistsError:
        raise _created_meanwhile(label) from None
    except OSError:  # no hard links on this file system
        if target.exists():
            raise _created_meanwhile(label) from None
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _created_meanwhile(label: str) -> StaleRevision:
    return StaleRevision(f"{label!r} was created meanwhile.", remedy="Read it first.")


def _replace(target: Path, content: bytes, expect: bytes, label: str) -> None:
    temporary = put_beside(target, content, mode=0o600)
    if temporary is None:
        raise refuse_outside(label)
    try:
        with open_checked(str(target), label=label) as stream:
            if stream.read() != expect:
                raise StaleRevision(f"{label!r} changed meanwhile.", remedy="Read it again.")
            is_alike = can_take_the_place(temporary, stream.fileno())
        if is_alike:
            with suppress(OSError):  # a file that is mounted, or somebody else's in a sticky folder
                temporary.replace(target)
                return
    finally:
        temporary.unlink(missing_ok=True)
    if not write_in_place(str(target), content, expect=expect, label=label):
        raise refuse_outside(label)


class Places:
    """Under which names a path may be meant: as it was asked for, and as it is resolved. Closes nothing itself."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root) if root else os.sep

    def of(self, path: str) -> tuple[str, ...]:
        """Relative to the root folder where it lies there, else absolute; `..` and links are followed."""
        try:
            asked = os.path.normpath(Path(self._root) / path)
            real = os.path.realpath(asked)
        except (OSError, ValueError):
            return (path,)
        return tuple(dict.fromkeys((self._named(asked), self._named(real))))

    def _named(self, absolute: str) -> str:
        if is_under(absolute, self._root):
            return "/".join(parts_of(absolute)[len(parts_of(self._root)) :])
        return Path(absolute).as_posix()
