"""What parsed Python seems to do, through aliases, `getattr` and imports by name: hints, never a permission."""

from __future__ import annotations

import ast
import re

SHELL = "runs a shell command"
DELETES = "deletes files"
NETWORK = "uses the network"
INSTALLS = "installs packages"
DYNAMIC = "builds code while it runs"

NETWORK_MODULES = frozenset(
    ["requests", "urllib", "urllib2", "urllib3", "httpx", "aiohttp", "socket", "ssl", "http", "ftplib", "smtplib",
     "telnetlib", "imaplib", "poplib", "xmlrpc", "websocket", "websockets", "paramiko", "boto3", "botocore",
     "pycurl", "asyncssh", "socketserver", "grpc"]
)  # fmt: skip
_SHELL_MODULES = frozenset(["subprocess", "pexpect", "sh", "pty", "plumbum"])
_TRASH_MODULES = frozenset(["send2trash"])
_SHELL_NAMES = re.compile(
    r"^((os|posix|nt)\.(system|popen|exec\w*|spawn\w*|posix_spawnp?|startfile|fork\w*)"
    r"|asyncio\.(subprocess\.)?create_subprocess_\w+|get_ipython|IPython\.(core\.getipython\.)?get_ipython)$"
)
_SHELL_METHODS = frozenset(["system", "getoutput", "run_line_magic", "run_cell_magic", "magic", "run_cell"])
_DELETING_NAMES = re.compile(
    r"^(shutil\.(rmtree|move)|(os|posix|nt)\.(remove|unlink|rmdir|removedirs|truncate|rename|replace))$"
)
_DELETING_METHODS = frozenset(["unlink", "rmtree", "rmdir", "removedirs"])
_DYNAMIC_NAMES = frozenset(["eval", "exec", "compile", "__import__"])
_IMPORTING = frozenset(["__import__", "importlib.import_module", "importlib.__import__", "builtins.__import__"])
_UNPICKLING = re.compile(
    r"^((pickle|_pickle|dill|cloudpickle|marshal)\.(loads?|Unpickler)|joblib\.load)$|\.read_pickle$"
)
_ADDRESS = re.compile(r"(?i)\s*(git\+)?(https?|ftps?|sftp|ssh|wss?|s3a?|gs|gcs|az|abfss?|hdfs)://")


def find_in_tree(tree: ast.AST) -> set[str]:
    """Findings of parsed Python. What is only mentioned (`f = os.system`) counts like what is called."""
    found: set[str] = set()
    names = _Names(tree, found)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings do nothing
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found |= _of_call(node, names)
        elif isinstance(node, ast.Attribute | ast.Name):
            found |= _of_name(names.of(node))
        elif isinstance(node, ast.Constant) and id(node) not in said:
            found |= {NETWORK} if isinstance(node.value, str) and _ADDRESS.match(node.value) else set()
    return found


class _Names:
    """What names stand for in one piece of code, by its imports and plain assignments."""

    def __init__(self, tree: ast.AST, found: set[str]) -> None:
        self._aliases: dict[str, str] = {}
        self._stars: list[str] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    top = name.name.split(".")[0]
                    self._aliases[name.asname or top] = name.name if name.asname else top
                    found |= _of_module(name.name)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for name in node.names:
                    if name.name == "*":
                        self._stars.append(node.module)
                    self._aliases[name.asname or name.name] = f"{node.module}.{name.name}"
                found |= _of_module(node.module)
        self.modules = frozenset(self._aliases.values())

    def of(self, node: ast.expr) -> str:
        """The dotted name behind an expression; "?" stands for what is no name."""
        inner: list[str] = []
        while isinstance(node, ast.Attribute):
            inner.append(node.attr)
            node = node.value
        return ".".join([self._base(node), *reversed(inner)])

    def spellings(self, node: ast.expr) -> list[str]:
        """`of`, and what a bare name may mean after `from os import *`."""
        name = self.of(node)
        return [name, *(f"{module}.{name}" for module in self._stars if "." not in name)]

    def _base(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._aliases.get(node.id, node.id)
        if isinstance(node, ast.Call) and node.args:
            called, text = self.of(node.func), node.args[0]
            if called in _IMPORTING and isinstance(text, ast.Constant):
                return str(text.value)
            if called == "getattr" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
                return f"{self.of(node.args[0])}.{node.args[1].value!s}"
        return "?"


def _of_module(name: str) -> set[str]:
    top = name.split(".")[0]
    if top in _SHELL_MODULES:
        return {SHELL}
    if top in NETWORK_MODULES:
        return {NETWORK}
    if top in _TRASH_MODULES:
        return {DELETES}
    return {INSTALLS} if top == "pip" else set()


def _of_name(name: str) -> set[str]:
    """What a name tells that is only mentioned."""
    found: set[str] = set()
    if _SHELL_NAMES.match(name):
        found.add(SHELL)
    if _DELETING_NAMES.match(name):
        found.add(DELETES)
    if name.split(".")[0] in ("builtins", "__builtins__"):
        found.add(DYNAMIC)
    return found


def _of_call(call: ast.Call, names: _Names) -> set[str]:
    found: set[str] = set()
    for name in names.spellings(call.func):
        top, last = name.split(".", maxsplit=1)[0], name.rsplit(".", 1)[-1]
        found |= _of_name(name) | (_of_module(name) - {INSTALLS})
        if "." in name and last in _SHELL_METHODS:
            found.add(SHELL)
        if "." in name and last in _DELETING_METHODS:
            found.add(DELETES)
        if name in _DYNAMIC_NAMES or name in _IMPORTING or _UNPICKLING.search(name):
            found.add(DYNAMIC)
        if name == "getattr":
            found |= _of_getattr(call, names)
        if name in _IMPORTING and call.args and isinstance(call.args[0], ast.Constant):
            found |= _of_module(str(call.args[0].value))
        if top == "pip":
            found.add(INSTALLS)
    return found


def _of_getattr(call: ast.Call, names: _Names) -> set[str]:
    """`getattr` by a written name is that name; of a module by a name that is put together, anything."""
    if len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
        return _of_name(names.of(call))
    return {DYNAMIC} if call.args and names.of(call.args[0]) in names.modules else set()
