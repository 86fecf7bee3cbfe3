"""What a piece of code looks like: a path in a module, a number, a text, a way to aggregate (pure)."""

from __future__ import annotations

import ast

from . import plain_names as known


def path_of(node: ast.expr) -> tuple[str, str] | None:
    """(module, path in it) of `np.random.rand`; None where it does not begin with a module."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    module = known.ROOTS.get(node.id) if isinstance(node, ast.Name) else None
    return None if module is None else (module, ".".join(reversed(parts)))


def is_type(node: ast.expr) -> bool:
    """The name of a type of data."""
    return isinstance(node, ast.Name) and node.id in known.TYPES


def is_text(node: ast.expr) -> bool:
    """A text that stands in the code."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_number(node: ast.expr) -> bool:
    """A number that stands in the code."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def is_of_polars(node: ast.expr) -> bool:
    """An expression that begins with a function of polars."""
    match node:
        case ast.BinOp(left=left, right=right):
            return is_of_polars(left) or is_of_polars(right)
        case ast.Compare(left=left):
            return is_of_polars(left)
        case ast.UnaryOp(operand=operand):
            return is_of_polars(operand)
        case ast.List(elts=parts):
            return bool(parts) and all(map(is_of_polars, parts))
    while isinstance(node, ast.Call | ast.Attribute):
        path = path_of(node)
        if path:
            return path[0] == "polars" and path[1] in known.EXPRESSIONS
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.BinOp | ast.Compare | ast.UnaryOp) and is_of_polars(node)


def is_aggregate(node: ast.expr) -> bool:
    """How to aggregate: by names that are on the list, or by expressions of polars."""
    match node:
        case ast.Constant(value=str(name)):
            return name in known.AGGREGATES
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return bool(parts) and all(map(is_aggregate, parts))
        case ast.Dict(keys=keys, values=parts):
            return all(isinstance(key, ast.Constant) for key in keys) and all(map(is_aggregate, parts))
    return is_of_polars(node)


def is_named(node: ast.expr) -> bool:
    """`total=("amount", "sum")`, or an expression of polars."""
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        return isinstance(node.elts[0], ast.Constant) and is_aggregate(node.elts[1])
    return is_of_polars(node)
