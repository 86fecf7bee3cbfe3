"""Whether Python code plainly computes and draws: what may run unasked after content from outside was read."""

from __future__ import annotations

import ast
import re

from .code import find_in_code
from .paths import is_hidden_name, is_secret_name

_MODULES = frozenset(
    ["math", "cmath", "statistics", "random", "decimal", "fractions", "datetime", "time", "calendar", "zoneinfo", "re",
     "json", "collections", "itertools", "functools", "string", "textwrap", "typing", "dataclasses", "enum", "bisect",
     "heapq", "warnings", "numbers", "__future__", "numpy", "pandas", "polars", "scipy", "sklearn", "matplotlib",
     "seaborn", "IPython"]
)  # fmt: skip
_IPYTHON = frozenset(["display"])
"""The one name of IPython: the others show HTML, run JavaScript or reach the shell."""
_NAMES = frozenset(
    ["eval", "exec", "compile", "open", "input", "getattr", "setattr", "delattr", "globals", "locals", "vars", "help",
     "breakpoint", "get_ipython", "exit", "quit", "os", "sys", "subprocess", "shutil", "socket", "pathlib", "Path",
     "importlib", "builtins", "ctypes", "io", "codecs", "pickle", "shelve", "sqlite3", "tempfile", "zipfile", "tarfile",
     "glob", "requests", "urllib", "http", "httpx", "asyncio", "threading", "multiprocessing", "signal", "inspect",
     "HTML", "Javascript", "IFrame", "SVG", "Markdown", "Image", "Video", "Audio", "display_html", "joblib", "In",
     "ctypeslib", "f2py", "testing", "distutils", "core", "compat", "util", "animation", "cbook", "style", "set_table",
     "backend", "HDFStore", "ExcelWriter", "ExcelFile", "DataSource", "memmap", "tofile", "get_type_hints", "httpx2",
     "operator", "run", "load_dataset", "load_library", "load_files", "read_pickle", "read_html", "read_sql",
     "read_sql_query", "read_sql_table", "read_gbq", "read_clipboard", "read_database", "read_database_uri",
     "switch_backend", "unlink", "rmdir", "rmtree", "urlopen", "urlretrieve", "rcParamsDefault", "sympify"]
)  # fmt: skip
"""Names and attributes that lead out of computing, whoever they belong to."""
_NAMED = re.compile(
    r"_.*|save.*|write.*|dump.*|sink_.*|fetch_.*|system|popen|spawn\w*|exec\w+|rc_file\w*|rc_params.*|.*_from_file|.*_html5_.*"
)
_DUNDERS = frozenset(["__init__", "__name__", "__version__", "_"])
_TO_FILE = re.compile(
    r"to_(?:csv|excel|parquet|feather|hdf|sql|pickle|json|html|latex|stata|gbq|clipboard|xml|orc|markdown|string)"
)
"""Give text without a place, and write a file with one."""
_ALWAYS_TO_FILE = frozenset(["to_excel", "to_hdf", "to_sql", "to_pickle", "to_stata", "to_gbq", "to_clipboard"])
_READS = re.compile(r"(?:read_|scan_|open)\w+|imread|loadtxt|genfromtxt|load|fromfile|loadmat|recfromcsv")
_BY_NAME = frozenset(["agg", "aggregate", "apply", "transform", "pipe", "map", "applymap"])
"""They call a method by its name."""
_QUERIES = frozenset(["query", "eval"])
_QUERY = re.compile(r"[^@`]*")
_PLACES = frozenset(
    ["path", "path_or_buf", "buf", "fname", "filename", "file", "excel_writer", "con", "backend", "engine", "memory",
     "allow_pickle", "args", "storage_options", "usetex"]
)  # fmt: skip
"""Arguments that name a place, a plug-in, or hide further arguments."""
_LOADS = re.compile(r"(?i)[a-z][a-z0-9+.-]{1,9}:\s{0,2}/\s{0,2}/|<\s{0,4}[a-z!/]|javascript:|!\[|^\s*//")
_MAGIC = re.compile(
    r"(?m)^[ \t]*%(?:matplotlib[ \t]+(?:inline|widget|notebook|ipympl)|time|timeit)[ \t]*$|^%%time[ \t]*$"
)
_PARAMETERS = re.compile(r"(?:figure|axes|font|lines|legend|xtick|ytick|grid|savefig)\.[a-z._]+")
MOST_CHARS = 50_000


def is_plain(source: str, language: str = "python") -> bool:
    """Whether nothing in the code can reach files it does not name, other programs or the network.

    Everything that is not known is not plain: this only decides whether a person is asked.
    """
    if language != "python" or not source.strip() or len(source) > MOST_CHARS:
        return False
    bare = _MAGIC.sub("", source)
    if find_in_code(bare) or re.search(r"(?m)^[ \t]*[!%?]|\?[ \t]*$|=[ \t]*[!%]", bare):
        return False
    try:
        tree = ast.parse(bare)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return all(_is_harmless(node, called) for node in ast.walk(tree))


def _is_harmless(node: ast.AST, called: set[int]) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return _is_import(node)
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return _is_name(name)
        case ast.Attribute(attr=name):
            needs_call = name in _QUERIES or _TO_FILE.fullmatch(name) or _READS.fullmatch(name) or name == "use"
            return (_is_name(name) or name in _QUERIES) and (not needs_call or id(node) in called)
        case ast.Constant(value=str(value)):
            return not _LOADS.search(value)
        case ast.JoinedStr(values=values):
            return not _LOADS.search("".join(str(one.value) for one in values if isinstance(one, ast.Constant)))
        case ast.Subscript(value=ast.Attribute(attr="rcParams"), slice=key):
            return isinstance(key, ast.Constant) and bool(_PARAMETERS.fullmatch(str(key.value)))
        case ast.Call():
            return _is_call(node)
        case ast.Delete():
            return False  # variables cannot be brought back
    return True


def _is_import(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.Import):
        return all(_is_module(name.name) for name in node.names)
    known = node.level == 0 and _is_module(node.module or "")
    return known and all(_is_imported(node.module, name.name) for name in node.names)


def _is_module(name: str) -> bool:
    top, *inner = name.split(".")
    is_known = top in _MODULES and top != "IPython" and all(map(_is_name, inner))
    return is_known or name == "IPython.display"


def _is_imported(module: str | None, name: str) -> bool:
    if module == "IPython.display":
        return name in _IPYTHON
    return name != "*" and _is_name(name) and not _READS.fullmatch(name) and name not in _QUERIES


def _is_name(name: str) -> bool:
    return name in _DUNDERS or not (name in _NAMES or _NAMED.fullmatch(name))


def _is_call(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    named = {keyword.arg for keyword in node.keywords}
    first = node.args[0] if node.args else None
    if not isinstance(node.func, ast.Attribute | ast.Name) or None in named or named & _PLACES:
        return False
    if any(isinstance(argument, ast.Starred) for argument in node.args) and name in _BY_NAME:
        return False
    if _TO_FILE.fullmatch(name):
        return first is None and name not in _ALWAYS_TO_FILE
    if name in _QUERIES:
        return _is_text(first) and bool(_QUERY.fullmatch(_text(first))) and "__" not in _text(first)
    if name == "use":
        return _is_text(first) and _text(first).casefold() in ("agg", "module", "inline")
    if name in ("set_option", "option_context"):
        return _is_text(first) and "backend" not in _text(first)
    if _READS.fullmatch(name) and isinstance(node.func, ast.Attribute):
        return _is_text(first) and _is_near(_text(first))
    return name not in _BY_NAME or (len(node.args) <= 1 and _is_function(first))


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _text(node: ast.expr | None) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _is_near(path: str) -> bool:
    """A file in the notebook's folder or below it, neither hidden nor secret."""
    parts = path.replace("\\", "/").split("/")
    is_far = path.startswith(("/", "~", "\\")) or ":" in path or ".." in parts
    return not is_far and not any(is_secret_name(part) or is_hidden_name(part) for part in parts if part)


def _is_function(node: ast.expr | None) -> bool:
    """What may be handed to a method that calls others by name."""
    match node:
        case None | ast.Lambda() | ast.Name() | ast.Attribute():
            return True
        case ast.Constant(value=value):
            return not isinstance(value, str) or (_is_name(value) and not _TO_FILE.fullmatch(value))
        case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Dict(values=inner):
            return all(map(_is_function, inner))
    return False
