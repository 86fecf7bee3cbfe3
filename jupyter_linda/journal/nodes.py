"""Which file it is, whatever its content and its name: another that is made in its place never counts as it."""

from __future__ import annotations

import ctypes
import functools
import os
import stat
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_AT_FDCWD, _AT_SYMLINK_NOFOLLOW = -100, 0x100
_STATX_BTIME = 0x800
_STATX_BYTES = 256
_BTIME_AT = 80
"""Of the structure that statx fills: seconds in 8 bytes, nanoseconds in 4."""


def node_of(real: str) -> str:
    """Device, number and time of birth of a plain file.

    Empty where nothing or something else stands there, or where the system does not tell when a file was made: the
    number alone is given to the next file at once when a file goes.
    """
    try:
        status = os.lstat(real)
        born_ns = _born_ns(real, status)
    except OSError:
        return ""
    if not born_ns or not stat.S_ISREG(status.st_mode):
        return ""
    return f"{status.st_dev}:{status.st_ino}:{born_ns}"


def _born_ns(real: str, status: os.stat_result) -> int:
    """Nanoseconds since 1970; 0: not known."""
    if sys.platform == "win32":
        return status.st_ctime_ns
    if sys.platform == "linux":
        return _born_on_linux(real)
    return int(getattr(status, "st_birthtime", 0) * 1_000_000_000)


def _born_on_linux(real: str) -> int:
    call = _statx()
    if call is None:
        return 0
    filled = ctypes.create_string_buffer(_STATX_BYTES)
    if call(_AT_FDCWD, os.fsencode(real), _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, filled) != 0:
        return 0
    if not struct.unpack_from("=I", filled)[0] & _STATX_BTIME:
        return 0
    seconds, ns = struct.unpack_from("=qI", filled, _BTIME_AT)
    return int(seconds) * 1_000_000_000 + int(ns)


@functools.cache
def _statx() -> Callable[..., int] | None:
    """The call of the C library, which Python does not offer; None in libraries that are too old for it."""
    try:
        call = ctypes.CDLL(None).statx
    except (OSError, AttributeError):
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p)
    call.restype = ctypes.c_int
    found: Callable[..., int] = call
    return found
