"""What code to run seems to do: hints for the person who is asked, never a permission."""

from __future__ import annotations

import ast
import re

SHELL = "runs a shell command"
DELETES = "deletes files"
NETWORK = "uses the network"
INSTALLS = "installs packages"
DYNAMIC = "builds code while it runs"
UNREADABLE = "could not be parsed as Python, so nothing is known about it"

_SHELL_MAGICS = frozenset(
    ["!", "sx", "system", "bash", "sh", "zsh", "fish", "script", "cmd", "powershell", "pwsh", "ruby", "perl", "pypy",
     "python2", "python3", "run", "rerun", "edit", "ed", "mkdir", "rm", "rmdir", "mv", "cp", "ls", "ll", "cat",
     "alias", "writefile", "file", "man", "more", "less"]
)  # fmt: skip
_DELETING_MAGICS = frozenset(["rm", "rmdir"])
_INSTALL_MAGICS = frozenset(["pip", "conda", "mamba", "micromamba", "uv"])
_NETWORK_MODULES = frozenset(
    ["requests", "urllib", "urllib2", "urllib3", "httpx", "aiohttp", "socket", "ssl", "http", "ftplib", "smtplib",
     "telnetlib", "imaplib", "poplib", "xmlrpc", "websocket", "websockets", "paramiko", "boto3", "botocore",
     "pycurl", "asyncssh", "socketserver", "grpc"]
)  # fmt: skip
_SHELL_MODULES = frozenset(["subprocess", "pexpect", "sh", "pty", "plumbum"])
_SHELL_CALLS = re.compile(r"^(os\.(system|popen|exec\w*|spawn\w*|posix_spawnp?|startfile|fork\w*)|get_ipython)$")
_SHELL_METHODS = frozenset(["system", "getoutput", "run_line_magic", "run_cell_magic", "magic", "run_cell"])
_DELETING_CALLS = re.compile(r"^(shutil\.(rmtree|move)|os\.(remove|unlink|rmdir|removedirs|truncate|rename|replace))$")
_DELETING_METHODS = frozenset(["unlink", "rmtree", "rmdir", "removedirs"])
_DYNAMIC_CALLS = frozenset(["eval", "exec", "compile", "__import__"])
_SHELL_TEXT_NETWORK = re.compile(r"\b(curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|git\s+(clone|fetch|pull|push))\b")
_SHELL_TEXT_DELETES = re.compile(r"\b(rm|rmdir|unlink|shred|truncate|dd|mkfs\w*)\b|\bfind\b.*-delete")
_SHELL_TEXT_INSTALLS = re.compile(
    r"\b((pip|pip3|conda|mamba|micromamba|uv(\s+pip)?|apt|apt-get|brew|npm|yarn|dnf|yum)\s+(install|add|i)\b)"
)


def find_in_code(source: str) -> tuple[str, ...]:
    """Findings of a notebook cell, in a fixed order; empty means "nothing was recognised", not "harmless"."""
    found: set[str] = set()
    python = _take_out_magics(source, found)
    _note_automagic(source.strip(), found)
    try:
        tree = ast.parse(python)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found.add(UNREADABLE)
        found |= _by_words(python)
    else:
        found |= _by_tree(tree)
    order = (SHELL, DELETES, NETWORK, INSTALLS, DYNAMIC, UNREADABLE)
    return tuple(finding for finding in order if finding in found)


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
    if re.search(rf"\b({'|'.join(sorted(_NETWORK_MODULES - {'http', 'ssl'}))})\b", text):
        found.add(NETWORK)
    return found


def _by_tree(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                aliases[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
                found |= _of_module(name.name)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                aliases[name.asname or name.name] = f"{node.module}.{name.name}"
            found |= _of_module(node.module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found |= _of_call(_dotted(node.func, aliases))
            found |= _of_arguments(node)
    return found


def _of_module(name: str) -> set[str]:
    top = name.split(".")[0]
    if top in _SHELL_MODULES:
        return {SHELL}
    if top in _NETWORK_MODULES:
        return {NETWORK}
    return {INSTALLS} if top == "pip" else set()


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        names.append(aliases.get(node.id, node.id))
    else:
        names.append("?")
    return ".".join(reversed(names))


def _of_call(name: str) -> set[str]:
    last = name.rsplit(".", 1)[-1]
    top = name.split(".", maxsplit=1)[0]
    found: set[str] = set()
    if _SHELL_CALLS.match(name) or top in _SHELL_MODULES or ("." in name and last in _SHELL_METHODS):
        found.add(SHELL)
    if _DELETING_CALLS.match(name) or ("." in name and last in _DELETING_METHODS):
        found.add(DELETES)
    if top in _NETWORK_MODULES:
        found.add(NETWORK)
    if name in _DYNAMIC_CALLS or name == "importlib.import_module":
        found.add(DYNAMIC)
    return found


def _of_arguments(call: ast.Call) -> set[str]:
    """Addresses handed to readers (`pd.read_csv("https://…")`)."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    texts = (node.value for node in values if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {NETWORK} if any(re.match(r"(?i)(https?|ftp|s3|gs)://", text) for text in texts) else set()
