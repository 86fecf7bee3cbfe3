"""A tree with ways out of it, spellings that try them, and whether any leads to what is closed."""

from __future__ import annotations

import os
import random
from pathlib import Path

from jupyter_linda.errors import LindaError
from jupyter_linda.permissions.paths import PathPolicy, open_checked

SECRET = b"NEVER TO BE READ"
_NAMES = ("ok.csv", "data", "deep", "in.txt", "link-out", "link-file", "link-env", "link-up", "loop", ".env", ".ENV ",
          ".ssh", "id_rsa", "ID_RSA", "x.pem", ".git", "config", "payroll", "jupyter_server_config.py", "..", ".", "",
          "...", "~", "%2e%2e", "..%2f", "private", "secret.txt", "team-private", "team", "ﬁle", "i\u0307d_rsa", "id_rs\u0430",
          "．．", "..\\", "C:", "\\\\host", "file:", "a\nb", "x" * 300, "\u202e", "nul", "/", "proc", "self", "cwd",
          "ｉｄ_rsa", ".lindaignore", "hardlink.txt", "sub.ipynb", "kept")  # fmt: skip


def plant(folder: Path) -> PathPolicy:
    """The tree; everything that must stay closed holds `SECRET`."""
    root = folder / "team"
    for inner in ("data/deep", ".ssh", ".git", "payroll", "kept"):
        (root / inner).mkdir(parents=True)
    for outer in ("private", "team-private"):
        (folder / outer).mkdir()
        (folder / outer / "secret.txt").write_bytes(SECRET)
    for closed in (".env", "id_rsa", "data/x.pem", ".ssh/config", ".git/config", "payroll/in.txt", "ID_RSA",
                   "data/deep/.env", "jupyter_server_config.py"):  # fmt: skip
        (root / closed).write_bytes(SECRET)
    for fine in ("ok.csv", "data/in.txt", "data/deep/ok.csv", "kept/in.txt", "data/a\nb"):
        (root / fine).write_bytes(b"fine")
    (root / ".lindaignore").write_bytes(b"payroll/\n# " + SECRET)
    for name, target in {"link-out": "../private", "link-file": "../private/secret.txt", "link-env": ".env",
                         "data/link-up": "../..", "loop": "loop", "kept/link-out": str(folder / "private"),
                         "data/deep/link-file": "../../id_rsa"}.items():  # fmt: skip
        (root / name).symlink_to(target)
    return PathPolicy(str(root), never=(str(folder / "private"),))


def spelling(chance: random.Random, folder: Path) -> str:
    """A path as somebody hostile or careless would write it."""
    parts = [chance.choice(_NAMES) for _ in range(chance.randint(1, 6))]
    if chance.random() < 0.3:  # near the truth: a real path, with one part changed
        real = chance.choice(["data/deep/link-file", "kept/link-out/secret.txt", "data/link-up/private/secret.txt",
                              "link-env", "data/../.env", "payroll/in.txt", "data/deep/../../id_rsa",
                              "ok.csv", "data/deep/ok.csv", "data/../kept/in.txt"]).split("/")  # fmt: skip
        if chance.random() < 0.7:
            real[chance.randrange(len(real))] = chance.choice([*_NAMES, real[0], real[-1]])
        parts = real
    path = chance.choice(["/", "/", "/", "//", "/./", "\\"]).join(parts)
    start = chance.random()
    if start < 0.1:
        path = f"{folder}/{chance.choice(['team', 'private', 'team/../private', 'team-private'])}/{path}"
    elif start < 0.2:
        path = "../" * chance.randint(1, 9) + path
    elif start < 0.25:
        path = chance.choice(["/etc/passwd", "/proc/self/root", "/proc/self/cwd", "/dev/fd/0"]) + "/" + path
    return path.swapcase() if chance.random() < 0.05 else path


def escape(policy: PathPolicy, path: str) -> tuple[str, str]:
    """("escaped" | "read" | "outside" | "refused", why). Outside the root the rules decide: nothing is opened here."""
    try:
        located = policy.locate(path)
    except LindaError as error:
        return "refused", error.message
    root = policy.root
    inside = located.real == root or located.real.startswith(root + os.sep)
    if inside != (located.api_path is not None):
        return "escaped", f"{located.real} is called {located.api_path}"
    if not inside:
        is_closed = any(Path(located.real).is_relative_to(folder) for folder in policy.never)
        return ("escaped", "the closed folder was located") if is_closed else ("outside", located.real)
    try:
        with open_checked(located.real) as stream:
            content = stream.read()
    except (LindaError, OSError, ValueError) as error:
        return "refused", str(error)
    return ("escaped", f"{located.real} was read") if SECRET in content else ("read", located.real)
