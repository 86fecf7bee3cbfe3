"""What code to run seems to do: hints for the person who is asked, never a permission."""

from __future__ import annotations

import ast
import re
import textwrap

from .code_tree import (
    DELETES,
    DYNAMIC,
    INSTALLS,
    NETWORK,
    NETWORK_MODULES,
    PAGE,
    PROGRAMS,
    SHELL,
    WRITES,
    find_in_tree,
)

UNREADABLE = "could not be parsed as Python, so nothing is known about it"

_SHELL_MAGICS = frozenset(
    ["!", "sx", "system", "bash", "sh", "zsh", "fish", "script", "cmd", "powershell", "pwsh", "ruby", "perl", "pypy",
     "python2", "python3", "run", "rerun", "edit", "ed", "mkdir", "rm", "rmdir", "mv", "cp", "ls", "ll", "cat",
     "alias", "writefile", "file", "man", "more", "less"]
)  # fmt: skip
_DELETING_MAGICS = frozenset(["rm", "rmdir"])
_INSTALL_MAGICS = frozenset(["pip", "conda", "mamba", "micromamba", "uv"])
_PAGE_MAGICS = frozenset(["javascript", "js", "html", "HTML", "svg", "SVG", "latex", "markdown"])
_WRITING_MAGICS = frozenset(["save", "logstart", "notebook", "writefile", "file", "store"])
_LOADING_MAGICS = frozenset(["load_ext", "reload_ext", "macro", "alias_magic", "load", "loadpy"])
_SHELL_TEXT_NETWORK = re.compile(r"\b(curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|git\s+(clone|fetch|pull|push))\b")
_SHELL_TEXT_DELETES = re.compile(r"\b(rm|rmdir|unlink|shred|truncate|dd|mkfs\w*)\b|\bfind\b.*-delete")
_SHELL_TEXT_INSTALLS = re.compile(
    r"\b((pip|pip3|conda|mamba|micromamba|uv(\s+pip)?|apt|apt-get|brew|npm|yarn|dnf|yum)\s+(install|add|i)\b)"
)


def find_in_code(source: str) -> tuple[str, ...]:
    """Findings of a notebook cell, in a fixed order; empty means "nothing was recognised", not "harmless"."""
    found: set[str] = set()
    source = textwrap.dedent(source)  # as IPython does
    _note_automagic(source.strip(), found)
    tree = _parse(source)  # a line of a text that begins with "!" is no magic
    if tree is None:
        python = _take_out_magics(source, found)
        tree = _parse(python)
        if tree is None:
            found.add(UNREADABLE)
            found |= _by_words(python)
    if tree is not None:
        found |= find_in_tree(tree)
    order = (SHELL, PROGRAMS, DELETES, WRITES, NETWORK, INSTALLS, PAGE, DYNAMIC, UNREADABLE)
    return tuple(finding for finding in order if finding in found)


def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def find_in_shell(text: str) -> set[str]:
    """Findings of a shell command line."""
    found = {SHELL}
    if _SHELL_TEXT_NETWORK.search(text):
        found.add(NETWORK)
    if _SHELL_TEXT_DELETES.search(text):
        found.add(DELETES)
    if _SHELL_TEXT_INSTALLS.search(text):
        found |= {INSTALLS, NETWORK}
    return found


def _take_out_magics(source: str, found: set[str]) -> str:
    """Replace IPython lines by `pass`, noting what they do; a shell cell magic takes the whole cell."""
    lines = source.replace("\r\n", "\n").split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].lstrip().startswith("%%"):
        name, _, rest = lines[first].lstrip()[2:].partition(" ")
        body = "\n".join(lines[first + 1 :])
        if name.startswith("!") or name in _SHELL_MAGICS:
            found |= find_in_shell(rest + "\n" + body)
            return ""
        if name in _PAGE_MAGICS:
            found.add(PAGE)
            return ""
        return _take_out_magics(body, found)
    return "\n".join(_without_magic(line, found) for line in lines)


_ASSIGNED = re.compile(r"^(\s*[\w,. \[\]'\"]+=\s*)([!%])(.*)$")


def _without_magic(line: str, found: set[str]) -> str:
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    assigned = _ASSIGNED.match(line)
    if assigned:
        _note_magic(assigned[2] + assigned[3], found)
        return f"{assigned[1]}None"
    if stripped.startswith(("!", "%")):
        _note_magic(stripped, found)
        return f"{indent}pass"
    if stripped.startswith("?") or (stripped.endswith("?") and not stripped.startswith("#")):
        return f"{indent}pass"
    return line


def _note_automagic(line: str, found: set[str]) -> None:
    """IPython runs a one-line cell such as `rm -rf data` as a magic, without any percent sign."""
    name, _, rest = line.partition(" ")
    if "\n" not in line and name in _SHELL_MAGICS | _INSTALL_MAGICS and not re.match(r"\s*(=[^=]|\()", rest):
        _note_magic(f"%{line}", found)


def _note_magic(text: str, found: set[str]) -> None:
    if text.startswith("!"):
        found |= find_in_shell(text[1:])
        return
    name, _, rest = text.lstrip("%").partition(" ")
    if name in _PAGE_MAGICS:
        found.add(PAGE)
    if name in _WRITING_MAGICS and (name != "store" or ">" in rest):
        found.add(WRITES)
    if name in _LOADING_MAGICS:
        found.add(PROGRAMS)
    if name in _INSTALL_MAGICS:
        found |= {INSTALLS, NETWORK} if re.search(r"\b(install|add|update|create)\b", rest) else {SHELL}
    elif name in _DELETING_MAGICS:
        found |= {SHELL, DELETES}
    elif name.startswith("!") or name in _SHELL_MAGICS:
        found |= find_in_shell(rest)
    elif name in ("time", "timeit", "prun", "capture"):
        _note_inner(rest, found)


def _note_inner(rest: str, found: set[str]) -> None:
    if rest.lstrip().startswith(("!", "%")):
        _note_magic(rest.lstrip(), found)
    else:
        found |= _by_words(rest)


def _by_words(text: str) -> set[str]:
    """The rough look at text that does not parse."""
    found: set[str] = set()
    if re.search(r"\b(subprocess|os\s*\.\s*(system|popen)|pexpect)\b|^\s*!", text, re.MULTILINE):
        found.add(SHELL)
    if re.search(r"\b(rmtree|unlink|os\s*\.\s*(remove|rmdir))\b", text):
        found.add(DELETES)
    if re.search(rf"\b({'|'.join(sorted(NETWORK_MODULES - {'http', 'ssl'}))})\b", text):
        found.add(NETWORK)
    return found
