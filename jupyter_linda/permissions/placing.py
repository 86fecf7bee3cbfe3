"""Putting a file that somebody else fills into its checked place: whole or not at all, over nothing that is there."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LindaError, NotAllowed, NotFound, StaleRevision, ToolFailed, ToolRetry
from .paths import open_checked, refuse_outside
from .replacing import cannot_write

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_new(real: str, *, label: str) -> None:
    """Refuse a place where something is already, or whose folder is not what was checked."""
    target = Path(real)
    if os.path.lexists(target):
        raise ToolRetry(f"{label!r} exists. Choose another name: nothing is overwritten.")
    if os.path.lexists(target.parent) and not os.path.isdir(target.parent):  # noqa: PTH112  # pathlib raises for long names
        raise NotFound(f"The folder of {label!r} is a file.")


def make_folder(real: str, *, label: str) -> None:
    """The folders above a checked place; refuse when a link was put among them meanwhile."""
    folder = Path(real).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotAllowed(f"The folder of {label!r} cannot be made: {error.strerror}.") from None
    if os.path.realpath(folder) != str(folder):
        raise refuse_outside(label)


@contextmanager
def temporary_beside(real: str, *, label: str) -> Iterator[Path]:
    """A new empty file in the folder of a checked place, gone at the end unless `place` moved it."""
    make_folder(real, label=label)
    temporary = Path(real).parent / f".{Path(real).name[:80]}.{os.urandom(6).hex()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        os.close(os.open(temporary, flags, 0o666))
    except OSError as error:
        raise NotAllowed(f"{label!r} cannot be written: {error.strerror}.") from None
    try:
        yield temporary
    finally:
        with suppress(OSError):  # Windows keeps a file that a kernel still writes
            temporary.unlink(missing_ok=True)


def place(temporary: Path, real: str, *, label: str) -> None:
    """Give a whole file its name; whatever has that name by now stays, and `ToolRetry` says so."""
    with temporary.open("rb+") as stream:
        os.fsync(stream.fileno())
    try:
        os.link(temporary, real)  # unlike a rename, it fails over something that exists
    except FileExistsError:
        raise ToolRetry(f"{label!r} was created meanwhile. Choose another name: nothing is overwritten.") from None
    except OSError:  # no hard links on this file system
        check_new(real, label=label)
        try:
            temporary.rename(real)
        except OSError as error:
            raise cannot_write(label, error) from None


def move_into_place(real: str, target: str, *, label: str) -> None:
    """Give a checked file or folder another checked place; whatever stands there by then stays (`ToolRetry`)."""
    check_new(target, label=label)
    if Path(real).is_dir():
        _rename(real, target, label)
        return
    try:
        os.link(real, target)  # unlike a rename, it fails over something that was made meanwhile
    except FileExistsError:
        raise ToolRetry(f"{label!r} was created meanwhile. Choose another name: nothing is overwritten.") from None
    except OSError as error:
        if error.errno == errno.EXDEV:
            _carry_over(real, target, label)
        else:  # no hard links on this file system
            check_new(target, label=label)
            _rename(real, target, label)
        return
    _leave(real, target, label)


def _rename(real: str, target: str, label: str) -> None:
    try:
        Path(real).rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise cannot_write(label, error) from None
        if not Path(real).is_dir():
            _carry_over(real, target, label)
            return
        raise ToolFailed(
            f"{label!r} lies on another disk, where a folder cannot be moved in one step.",
            remedy="Make the folder there, and move its files one by one.",
            kind_of_failure="other_disk",
        ) from None


def _carry_over(real: str, target: str, label: str) -> None:
    """To another file system: a whole copy, then the old file goes; where it cannot, the copy goes again."""
    with open_checked(real, label=label) as stream, temporary_beside(target, label=label) as temporary:
        was = os.fstat(stream.fileno())
        try:
            temporary.chmod(0o600)
            with temporary.open("wb") as written:
                shutil.copyfileobj(stream, written, 1 << 20)
            shutil.copystat(real, temporary)
        except OSError as error:
            raise cannot_write(label, error) from None
        copy = os.lstat(temporary)
        place(temporary, target, label=label)
    try:
        fault = _take_old(real, was, label)
    except OSError as error:
        fault = cannot_write(label, error)
    if fault is None:
        return
    with suppress(OSError):
        if os.path.samestat(copy, os.lstat(target)):
            Path(target).unlink()
    raise fault


def _take_old(real: str, was: os.stat_result, label: str) -> LindaError | None:
    """Remove the file that was copied, if it is as it was; one that is gone by then has its new name only."""
    with suppress(FileNotFoundError):
        now = os.lstat(real)
        if (now.st_ino, now.st_size, now.st_mtime_ns) != (was.st_ino, was.st_size, was.st_mtime_ns):
            return StaleRevision(f"What was to be moved to {label!r} changed meanwhile, so it stays where it is.")
        Path(real).unlink()
    return None


def _leave(real: str, target: str, label: str) -> None:
    """Take the old name from a file that has a new one too; where that cannot be, the new one goes again."""
    try:
        if _is_one_file(real, target):  # not what somebody saved there meanwhile
            Path(real).unlink(missing_ok=True)
    except OSError as error:
        with suppress(OSError):
            if _is_one_file(real, target):
                Path(target).unlink()
        raise cannot_write(label, error) from None


def _is_one_file(one: str, other: str) -> bool:
    """Whether two names are one file's; False where one of them is gone."""
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except FileNotFoundError:
        return False
