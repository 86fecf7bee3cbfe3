"""What parsed Python seems to do, through aliases, `getattr` and imports by name: hints, never a permission."""

from __future__ import annotations

import ast
import re

SHELL = "runs a shell command"
DELETES = "deletes files"
NETWORK = "uses the network"
INSTALLS = "installs packages"
PROGRAMS = "runs other programs or files"
WRITES = "writes files"
PAGE = "puts HTML or JavaScript into the page"
DYNAMIC = "builds code while it runs"

NETWORK_MODULES = frozenset(
    ["requests", "urllib", "urllib2", "urllib3", "httpx", "aiohttp", "socket", "ssl", "http", "ftplib", "smtplib",
     "telnetlib", "imaplib", "poplib", "xmlrpc", "websocket", "websockets", "paramiko", "boto3", "botocore",
     "pycurl", "asyncssh", "socketserver", "grpc", "fsspec", "s3fs", "gcsfs", "tornado", "webbrowser", "httpx2",
     "pyodide_http"]
)  # fmt: skip
_SHELL_MODULES = frozenset(["subprocess", "pexpect", "sh", "pty", "plumbum"])
_PROGRAM_MODULES = frozenset(["multiprocessing", "runpy", "ctypes", "cffi", "concurrent"])
_INSTALL_MODULES = frozenset(["pip", "ensurepip", "micropip", "piplite", "conda"])
_NETWORK_NAMES = re.compile(r"^asyncio\.(open_connection|open_unix_connection|start_server|streams\.open_connection)$")
_PAGE_NAMES = re.compile(
    r"^IPython\.(core\.)?display(\.\w+)?\.(HTML|Javascript|IFrame|SVG|display_html|display_javascript)$"
)
_COPYING_NAMES = re.compile(r"^shutil\.(copy\w*|make_archive|unpack_archive)$")
_WRITING_METHODS = frozenset(["write_text", "write_bytes"])
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
        elif isinstance(node, ast.Attribute | ast.Name | ast.Subscript):
            found |= _of_name(names.of(node))
        elif isinstance(node, ast.Constant) and id(node) not in said:
            found |= {NETWORK} if isinstance(node.value, str) and _ADDRESS.match(node.value) else set()
    return found


def _key_of(node: ast.expr) -> str:
    """The key of `os.__dict__["system"]` and `vars(os)["system"]`; empty for everything else."""
    is_such = isinstance(node, ast.Subscript) and _dictionary(node.value) is not node.value
    key = node.slice if is_such and isinstance(node, ast.Subscript) else None
    return str(key.value) if isinstance(key, ast.Constant) else ""


def _dictionary(node: ast.expr) -> ast.expr:
    """The module behind `m.__dict__` and `vars(m)`."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars" and node.args:
        return node.args[0]
    return node


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
        while isinstance(node, ast.Attribute) or _key_of(node):
            if isinstance(node, ast.Attribute):
                inner.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Subscript):
                inner.append(_key_of(node))
                node = _dictionary(node.value)
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
    if top in _PROGRAM_MODULES:
        return {PROGRAMS}
    return {INSTALLS} if top in _INSTALL_MODULES else set()


def _of_name(name: str) -> set[str]:
    """What a name tells that is only mentioned."""
    found: set[str] = set()
    if _SHELL_NAMES.match(name):
        found.add(SHELL)
    if _DELETING_NAMES.match(name):
        found.add(DELETES)
    if _COPYING_NAMES.match(name):
        found.add(WRITES)
    if _NETWORK_NAMES.match(name):
        found.add(NETWORK)
    if _PAGE_NAMES.match(name):
        found.add(PAGE)
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
        if top in _INSTALL_MODULES:
            found.add(INSTALLS)
        if ("." in name and last in _WRITING_METHODS) or (last == "open" and _opens_to_write(call)):
            found.add(WRITES)
        if last == "display" and any(keyword.arg == "raw" for keyword in call.keywords):
            found.add(PAGE)
    return found


def _opens_to_write(call: ast.Call) -> bool:
    """`open("x", "w")`, and `Path("x").open("w")`."""
    is_function = isinstance(call.func, ast.Name)
    modes = [
        *(call.args[1:2] if is_function else call.args[:2]),
        *(keyword.value for keyword in call.keywords if keyword.arg == "mode"),
    ]
    return any(
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and re.fullmatch(r"(?=.*[wax+])[rwaxbt+]{1,4}", mode.value)
        for mode in modes
    )


def _of_getattr(call: ast.Call, names: _Names) -> set[str]:
    """`getattr` by a written name is that name; of a module by a name that is put together, anything."""
    if len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
        return _of_name(names.of(call))
    return {DYNAMIC} if call.args and names.of(call.args[0]) in names.modules else set()
