"""Whether Python code plainly computes and draws: what may run unasked after content from outside was read.

A list of what is known to be harmless, in a small part of Python's syntax; everything else is not plain, and asks.
Plain code neither defines nor passes on anything that could be called, reads and writes no files and no addresses, and
changes in place only what it has made itself.

Two things it cannot know. Variables of the kernel may be anything: `table.head()` calls whatever method `head` the
user's own `table` has, and what earlier code made of them (or of `pandas` itself) cannot be told apart from what it
should be. That code ran because a person wrote or allowed it, or because it was plain itself. And a module is found
where Python finds it: so code that imports or draws is plain only where no Python file lies beside the notebook
(`is_alone`).

Some common lines stay outside on purpose. `table["b"] = …` on a variable of the kernel: it may be a memory map, a shelf
or the environment, which write elsewhere; `table = table.assign(b=…)` does the same and is plain. `table.amount`: a
name that is no usual one may be a property that does anything; `table["amount"]` is plain. `table.copy()` may share
what it holds. `read_csv`: an address is a path to it, and a path is judged where tools open files. seaborn: it fetches
data sets, and its functions take others as arguments.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from . import plain_names as known
from . import plain_shapes as shapes
from .code import find_in_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MOST_CHARS = 50_000
_ESCAPES = re.compile(r"(?m)^[ \t]*[!%?,;/]|\?[ \t]*$|=[ \t]*[!%]|[\x00\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""What IPython might read as something of its own, and what other readers take for the end of a line."""
_LOADS = re.compile(r"(?i)[a-z][a-z0-9+.-]{1,9}:\s{0,2}/\s{0,2}/|<\s{0,4}[a-z!/]|javascript:|!\[|^\s*//")
_NAME = re.compile(r"(?!-)[\w .%#&+-]*")
"""A text that names something and is no expression in anybody's language."""
_DATA, _CALLED, _HOLDS, _SHARED, _TEXT = 0, 1, 2, 4, 8
"""What a value may be besides data that is spelled out: callable, a holder of such, the user's own thing, any text."""
_ANY = _CALLED | _HOLDS | _SHARED | _TEXT
_MOST_ROUNDS = 6
_MOST_DEPTH = 4
_MOST_STEPS = 30_000
_Names = dict[str, int]


class _NotPlain(Exception):
    """Something that is not on the list."""


def is_plain(source: str, language: str, *, is_alone: bool = True) -> bool:
    """Whether nothing in the code can reach files, other programs, the network or the page.

    `is_alone`: nothing beside the notebook has a say in it, see `beside.is_alone`. Everything that is not
    known is not plain: this only decides whether a person is asked.
    """
    source = source.replace("\r\n", "\n")
    if language.lower() != "python" or len(source) > MOST_CHARS or _ESCAPES.search(source) or find_in_code(source):
        return False
    try:
        tree = ast.parse(source)
        _Reader(_patterns(tree), is_alone=is_alone).block(tree.body, {})
    except (SyntaxError, ValueError, RecursionError, MemoryError, _NotPlain):
        return False
    return bool(tree.body)


def _need(condition: object) -> None:
    if not condition:
        raise _NotPlain


def _patterns(tree: ast.AST) -> frozenset[int]:
    """Ids of the texts that stand as arguments behind `.str`: those may hold backslashes, others might reach TeX."""
    return frozenset(
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "str"
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
    )


class _Reader:
    """Goes through code in the order in which it runs, with what each name bound so far may be."""

    def __init__(self, patterns: frozenset[int], *, is_alone: bool) -> None:
        self._patterns = patterns
        self._is_alone = is_alone
        self._depth = 0
        self._steps = 0

    # ---- statements ----

    def block(self, body: Sequence[ast.stmt], names: _Names) -> None:
        for statement in body:
            self._statement(statement, names)

    def _statement(self, node: ast.stmt, names: _Names) -> None:
        match node:
            case ast.Import(names=modules):
                _need(self._is_alone)
                for one in modules:
                    _need((one.asname or one.name) in known.IMPORTS.get(one.name, ()))
            case ast.Expr(value=value):
                self._value(value, names)
            case ast.Assign(targets=targets, value=value):
                kind = self._value(value, names)
                for target in targets:
                    self._bind(target, kind, names)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                kind = names.get(name, _ANY) | self._value(value, names) | _TEXT
                _need(not kind & (_CALLED | _SHARED))
                self._bind(node.target, kind, names)
            case ast.If(test=test, body=body, orelse=other):
                self._value(test, names)
                self._either(body, other, names)
            case ast.For(target=target, iter=source, body=body, orelse=[], type_comment=None):
                self._loop(target, source, body, names)
            case ast.Pass():
                pass
            case _:
                raise _NotPlain

    def _either(self, body: Sequence[ast.stmt], other: Sequence[ast.stmt], names: _Names) -> None:
        first, second = dict(names), dict(names)
        self.block(body, first)
        self.block(other, second)
        _join(names, first, second)

    def _loop(self, target: ast.expr, source: ast.expr, body: Sequence[ast.stmt], names: _Names) -> None:
        self._depth += 1
        _need(self._depth <= _MOST_DEPTH)
        element = _element(self._value(source, names))
        for _ in range(_MOST_ROUNDS):
            before = dict(names)
            inner = dict(names)
            self._bind(target, element, inner)
            self.block(body, inner)
            _join(names, before, inner)
            if names == before:
                break
        else:
            raise _NotPlain
        self._depth -= 1

    def _bind(self, target: ast.expr, kind: int, names: _Names) -> None:
        match target:
            case ast.Name(id=name):
                _need(_is_free(name) or name == "_")
                names[name] = kind
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    _need(isinstance(part, ast.Name))
                    self._bind(part, _element(kind), names)
            case ast.Subscript(value=base, slice=key):
                if isinstance(base, ast.Attribute) and base.attr in known.ITEMS:
                    base = base.value
                _need(isinstance(base, ast.Name) and not names.get(base.id, _ANY) & (_CALLED | _SHARED))
                self._key(key, names)
                if isinstance(base, ast.Name):
                    names[base.id] |= _held(kind)
            case _:
                raise _NotPlain

    # ---- values ----

    def _value(self, node: ast.expr, names: _Names) -> int:
        self._steps += 1
        _need(self._steps < _MOST_STEPS)
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name(id=name):
                _need(name in names or _is_free(name))
                return names.get(name, _ANY)
            case ast.JoinedStr(values=parts):
                _need(not _LOADS.search("".join(str(one.value) for one in parts if isinstance(one, ast.Constant))))
                self._all(parts, names)
                return _TEXT
            case ast.FormattedValue(value=value, format_spec=spec):
                self._all([value, *([spec] if spec else [])], names)
                return _TEXT
            case ast.Attribute() | ast.Subscript() | ast.Call():
                return self._primary(node, names)
            case ast.BinOp(left=left, op=operator, right=right):
                kind = self._all([left, right], names)
                is_data = kind == _DATA and not isinstance(operator, ast.Mod)  # "%c" % 40 is a text like any
                return _DATA if is_data else kind & _HOLDS | _TEXT
            case ast.UnaryOp(operand=operand):
                kind = self._value(operand, names)
                return _DATA if kind == _DATA else kind & _HOLDS | _TEXT
            case _:
                return self._choice(node, names)

    def _choice(self, node: ast.expr, names: _Names) -> int:
        match node:
            case ast.Compare(left=left, comparators=others):
                self._all([left, *others], names)
                return _DATA
            case ast.BoolOp(values=values):
                return self._all(values, names)
            case ast.IfExp(test=test, body=body, orelse=other):
                self._value(test, names)
                return self._all([body, other], names)
            case _:
                return self._holder(node, names)

    def _holder(self, node: ast.expr, names: _Names) -> int:
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return _held(self._all(parts, names))
            case ast.Dict(keys=keys, values=values):
                return _held(self._all([*(key for key in keys if key is not None), *values], names))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return _held(self._comprehension([node.elt], node.generators, names))
            case ast.DictComp(key=key, value=value):
                return _held(self._comprehension([key, value], node.generators, names))
        raise _NotPlain

    def _comprehension(self, made: Sequence[ast.expr], generators: Sequence[ast.comprehension], names: _Names) -> int:
        inner = dict(names)
        for one in generators:
            _need(not one.is_async)
            self._bind(one.target, _element(self._value(one.iter, inner)), inner)
            self._all(one.ifs, inner)
        return self._all(made, inner)

    def _all(self, nodes: Iterable[ast.expr], names: _Names) -> int:
        kind = _DATA
        for node in nodes:
            kind |= self._value(node, names)
        return kind

    def _key(self, node: ast.expr, names: _Names) -> None:
        """What stands in brackets: tables call what can be called there."""
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = [part for part in (lower, upper, step) if part is not None]
            case ast.Tuple(elts=parts):
                pass
            case _:
                _need(not self._value(node, names) & _CALLED)
                return
        for part in parts:
            self._key(part, names)

    def _primary(self, node: ast.expr, names: _Names) -> int:
        match node:
            case ast.Subscript(value=base, slice=key):
                kind = self._value(base, names)
                self._key(key, names)
                return _element(kind)
            case ast.Attribute(value=base, attr=name):
                path = shapes.path_of(node)
                if path:
                    _need(path[1] in known.VALUES[path[0]])
                    return _DATA
                _need(name in known.ATTRIBUTES)
                return self._value(base, names) & ~_CALLED | _TEXT
            case ast.Call(func=ast.Name(id=name)) if name in known.BUILTINS:
                return self._function(node, name, known.BUILTINS[name], names)
            case ast.Call(func=ast.Attribute(value=base, attr=name)):
                path = shapes.path_of(node.func)
                if path:
                    _need(path[1] in known.FUNCTIONS[path[0]])
                    _need(self._is_alone or path[0] != "matplotlib.pyplot")
                    return self._function(node, path[1], known.FUNCTIONS[path[0]][path[1]], names)
                return self._method(node, base, name, names)
        raise _NotPlain

    # ---- calls ----

    def _function(self, node: ast.Call, name: str, most: int, names: _Names) -> int:
        _need(len(node.args) <= most)
        kind = self._all(node.args, names) | self._keywords(node, name, names)
        if name in ("len", "range"):
            return _DATA
        return (_element(kind) if name.rpartition(".")[2] in known.ONE_OF_THEM else kind & ~_CALLED) | _TEXT

    def _method(self, node: ast.Call, base: ast.expr, name: str, names: _Names) -> int:
        if name == "join":
            _need(isinstance(base, ast.Constant) and len(node.args) == 1 and not node.keywords)
            self._all([base, *node.args], names)
            return _TEXT
        kind = self._value(base, names)
        if name == "append":
            _need(len(node.args) == 1 and not node.keywords and isinstance(base, ast.Name))
            _need(not kind & (_CALLED | _SHARED))
            self._bind(ast.Subscript(base, ast.Constant(0)), self._value(node.args[0], names), names)
            return _DATA
        behind = base.attr if isinstance(base, ast.Attribute) else ""
        self._arguments(node, name, behind, names)
        kind |= self._all((one for one in node.args if not shapes.is_type(one)), names) | self._keywords(
            node, name, names
        )
        return (_element(kind) if name in known.ONE_OF_THEM else kind & ~_CALLED) | _TEXT

    def _arguments(self, node: ast.Call, name: str, behind: str, names: _Names) -> None:
        """Whether a method may get these arguments by place."""
        given, count = node.args, len(node.args)

        def is_value(one: ast.expr) -> bool:
            return not self._value(one, names) & _CALLED

        def is_name(one: ast.expr) -> bool:
            return self._is_name(one, names)

        fits: list[tuple[bool, Callable[[ast.expr], bool]]] = [
            (behind == "str" and name in known.OF_TEXT and count <= 2, is_value),
            (behind == "dt" and name in known.OF_TIME and count <= 1, shapes.is_text),
            (behind == "plot" and name in known.PLOTS and count <= 2, is_name),
            (count == 0 and name in known.BARE, bool),
            (count <= known.NUMBERS.get(name, -1), shapes.is_number),
            (count <= known.NAMES.get(name, -1), shapes.is_of_polars if name in known.OF_POLARS else is_name),
            (count <= known.DRAWN.get(name, -1), bool),
            (count <= known.VALUED.get(name, -1), lambda one: not shapes.is_text(one)),
            (count <= known.CHOOSING.get(name, -1), lambda one: self._value(one, names) == _DATA),
            (name in known.AGGREGATING and count <= 1, shapes.is_aggregate),
            (name in known.AGGREGATING and count > 1, shapes.is_of_polars),
        ]
        _need(any(is_known and all(map(allows, given)) for is_known, allows in fits))
        _need(self._is_alone or not {name, behind} & known.LATE)

    def _is_name(self, node: ast.expr, names: _Names) -> bool:
        """A name, a number, or several of them, written in the code; or an expression of polars; or a type."""
        if shapes.is_type(node) or shapes.is_of_polars(node):
            return True
        return not isinstance(node, ast.Call) and self._value(node, names) == _DATA

    def _keywords(self, node: ast.Call, name: str, names: _Names) -> int:
        kind = _DATA
        for keyword in node.keywords:
            value, label = keyword.value, keyword.arg
            if label is None:
                raise _NotPlain
            if shapes.is_type(value):
                _need(label == "dtype")
                continue
            if name in known.AGGREGATING:
                _need(label not in ("func", "args", "engine") and shapes.is_named(value))
            elif name in ("select", "with_columns"):
                _need(shapes.is_of_polars(value))
            elif label == "aggfunc":
                _need(name == "pivot_table" and shapes.is_aggregate(value))
            elif name not in ("assign", "dict"):
                _need(label in known.KEYWORDS)
            found = self._value(value, names)
            _need(found == _DATA or name not in known.NAMES or shapes.is_of_polars(value))
            _need(not found & _CALLED and (label != "dtype" or found == _DATA))
            kind |= found
        return kind

    def _constant(self, node: ast.Constant) -> int:
        if not isinstance(node.value, str):
            return _DATA
        _need(not _LOADS.search(node.value) and ("\\" not in node.value or id(node) in self._patterns))
        return _DATA if _NAME.fullmatch(node.value) else _TEXT


def _is_free(name: str) -> bool:
    """Whether a name may be read or bound: nothing of Python's own, no module, nothing with a leading underscore."""
    return not name.startswith("_") and name not in known.CLOSED and name not in known.ROOTS


def _held(kind: int) -> int:
    """What a holder of such things is."""
    return (kind & ~_CALLED) | (_HOLDS if kind & _CALLED else 0)


def _element(kind: int) -> int:
    """What is in such a thing."""
    return kind | (_CALLED if kind & (_HOLDS | _SHARED) else 0)


def _join(names: _Names, first: _Names, second: _Names) -> None:
    """What names may be after one of two ways; who is bound on one way only may be anything."""
    joined = {name: first.get(name, _ANY) | second.get(name, _ANY) for name in {**first, **second}}
    names.clear()
    names.update(joined)
