"""New content in a file's place: whole or not at all, with its mode, owner, group, attributes and other names kept."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from ..errors import NotAllowed, NotFound, StaleRevision, ToolFailed

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def cannot_write(label: str, error: OSError) -> NotAllowed | ToolFailed:
    """What the system said, without its own names of files."""
    if error.errno in _FULL:
        return ToolFailed(
            f"{label!r} cannot be written: the disk is full.", remedy="Make room first.", kind_of_failure="disk_full"
        )
    return NotAllowed(f"{label!r} cannot be written: {error.strerror or 'the system refuses'}.")


def make_folder_of(real: str, *, label: str) -> None:
    """The folder a new file goes into, with those above it."""
    try:
        Path(real).parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise NotFound(
            f"{label!r} cannot be made: a part of its path is a file, not a folder.", remedy="Choose another path."
        ) from None
    except OSError as error:
        raise cannot_write(label, error) from None


def descriptor_path(descriptor: int) -> str | None:
    """The real path of an open descriptor where the system tells it (Linux, macOS), else None."""
    link = Path(f"/proc/self/fd/{descriptor}")
    with suppress(OSError):
        return str(link.readlink())
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415  # does not exist on Windows

        return fcntl.fcntl(descriptor, 50, bytes(1024)).split(b"\0", 1)[0].decode()  # 50: F_GETPATH
    return None


def is_at(descriptor: int, real: str) -> bool:
    """Whether what is open is what stands at a real path, and no link leads there."""
    told = descriptor_path(descriptor)
    if told is not None and sys.platform == "linux":
        return told == real
    # Elsewhere: the name must still resolve to itself, and to the very file that is open.
    with suppress(OSError):
        opened, named = os.fstat(descriptor), os.lstat(real)
        is_one = (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
        return is_one and os.path.realpath(real) == real
    return False


def put_beside(target: Path, content: bytes, *, mode: int) -> Path | None:
    """A new hidden file in the same folder; None when it landed elsewhere, because the folder was swapped."""
    beside = target.parent / f".{target.name[:80]}.{os.urandom(6).hex()}.part"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if not is_at(stream.fileno(), str(beside)):
                beside.unlink(missing_ok=True)
                return None
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return beside


def can_take_the_place(new: Path, descriptor: int) -> bool:
    """Give a new file what belongs to an open one; False where that cannot be, or where the old one has more names."""
    old = os.fstat(descriptor)
    if old.st_nlink > 1:
        return False
    try:
        made = new.stat()
        if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
            os.chown(new, old.st_uid, old.st_gid)  # not on Windows, where both are 0
        _copy_attributes(descriptor, new)
        new.chmod(stat.S_IMODE(old.st_mode))
    except OSError:
        return False
    return True


def _copy_attributes(descriptor: int, new: Path) -> None:
    """Extended attributes, access lists among them; `OSError` when one cannot be given."""
    if sys.platform != "linux":
        return
    try:
        names = os.listxattr(descriptor)
    except OSError:
        return  # a file system without them
    for name in names:
        value = os.getxattr(descriptor, name)
        if name not in os.listxattr(new) or os.getxattr(new, name) != value:
            os.setxattr(new, name, value)


def write_in_place(real: str, content: bytes, *, expect: bytes, label: str) -> bool:
    """Overwrite the open file itself, its old content beside it meanwhile. False when a link was swapped in."""
    backup = put_beside(Path(real), expect, mode=0o600)
    if backup is None:
        return False
    is_whole = True
    try:
        with os.fdopen(os.open(real, os.O_RDWR | _NO_FOLLOW), "r+b", buffering=0) as stream:
            if not is_at(stream.fileno(), real):
                return False
            if stream.read() != expect:
                raise StaleRevision(f"{label!r} changed meanwhile.", remedy="Read it again.")
            is_whole = False
            try:
                _overwrite(stream.fileno(), content)
            except OSError:
                _overwrite(stream.fileno(), expect)  # it had the room before
                is_whole = True
                raise
            is_whole = True
    except OSError as error:
        if is_whole:
            raise
        raise ToolFailed(
            f"Writing {label!r} failed halfway: {error.strerror}. Its old content is beside it in {backup.name!r}.",
            remedy="Tell the user.",
            kind_of_failure="half_written",
        ) from None
    finally:
        if is_whole:
            backup.unlink(missing_ok=True)
    return True


def _overwrite(descriptor: int, content: bytes) -> None:
    _take_room(descriptor, len(content))
    os.lseek(descriptor, 0, os.SEEK_SET)
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)


def _take_room(descriptor: int, size_bytes: int) -> None:
    """A full disk is noticed before anything is overwritten."""
    if size_bytes and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size_bytes)
        except OSError as error:
            if error.errno in _FULL:
                raise
