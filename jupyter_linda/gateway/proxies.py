"""What is on this machine is reached without the proxy of the environment."""

from __future__ import annotations

import ipaddress
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import MutableMapping

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_NAMES = ("no_proxy", "NO_PROXY")


def spare(*hosts: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Let no proxy come between this process and these hosts: a prompt that stays here must not pass another machine.

    Both spellings are written alike, as libraries read the one or the other. Twice is once.
    """
    said = next((environment[name] for name in _NAMES if environment.get(name)), "")
    listed = [part.strip() for part in said.split(",") if part.strip()]
    value = ",".join([*listed, *(host for host in hosts if host and host not in listed)])
    for name in _NAMES:
        environment[name] = value


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this very machine: nothing that merely looks like it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
