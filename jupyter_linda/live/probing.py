"""Silent looks into a kernel: nothing is stored, counted, shown or left behind, and nothing waits in line."""

from __future__ import annotations

import ast
import asyncio
from typing import TYPE_CHECKING, Any

from ..errors import KernelUnavailable, ToolFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json
    from .kernels import KernelLink

# IPython's inline backend shows and closes all open figures after every execution, a silent one in a subshell too.
# These two put its flag aside meanwhile, so that a figure the user's running cell is drawing stays open.
_PUT_ASIDE = (
    "(lambda m: m is not None and (setattr(m.show, '_linda_drawn', m.show._draw_called),"
    " setattr(m.show, '_draw_called', False)))"
    "(__import__('sys').modules.get('matplotlib_inline.backend_inline'))"
)
_PUT_BACK = (
    "(lambda m: m is not None and hasattr(m.show, '_linda_drawn') and (setattr(m.show, '_draw_called',"
    " m.show._draw_called or m.show._linda_drawn), delattr(m.show, '_linda_drawn')))"
    "(__import__('sys').modules.get('matplotlib_inline.backend_inline'))"
)


_RUN = r"""
import importlib.machinery, os, sys, threading


class Installed(object):
    def __init__(self):
        self.thread = threading.get_ident()
        self.here = os.path.realpath(os.curdir)

    def is_here(self, entry):
        return entry == "" or os.path.realpath(entry) == self.here

    def find_spec(self, name, path=None, target=None):
        if path is not None or threading.get_ident() != self.thread:
            return None
        for finder in list(sys.meta_path):
            if finder is importlib.machinery.PathFinder:
                others = [entry for entry in sys.path if type(entry) is str and not self.is_here(entry)]
                found = finder.find_spec(name, others, target)
            else:
                find = None if finder is self else getattr(finder, "find_spec", None)
                found = None if find is None else find(name, path, target)
            if found is not None:
                return found
        raise ModuleNotFoundError("No module named %r" % name, name=name)


def run(setup, expression, space):
    installed = Installed()
    sys.meta_path.insert(0, installed)
    try:
        exec(setup, space)
        return eval(expression, space)
    finally:
        if installed in sys.meta_path:
            sys.meta_path.remove(installed)
"""
"""Runs a look. What it has to import comes from where packages are installed, never from the notebook's folder:
nobody was asked whether a file there may run. Other threads, in which cells run, import as ever."""


def wrap(setup: str, expression: str) -> str:
    """One expression that runs `setup` in a namespace of its own, where `user` is the user's, and gives a text.

    Plain enough for any Python 3; no name is left in the user's namespace.
    """
    space = "{'user': (lambda: 0).__globals__}"
    inner = f"(b.exec({_RUN!r}, r), r['run']({setup!r}, {expression!r}, {space}))[1]"
    return f"(lambda b, r: {inner})(__import__('builtins'), {{}})"


async def evaluate(
    link: KernelLink, setup: str, expressions: Mapping[str, str], *, timeout_s: float
) -> Mapping[str, str]:
    """See `ports.Live.evaluate`."""
    if link.language != "python":
        raise ToolFailed(
            f"Only Python kernels can be looked into; this one speaks {link.language or 'another language'}.",
            kind_of_failure="other_language",
        )
    async with link.subshells.lock:
        subshell_id = await link.subshells.take() if link.has_subshells else None
        if subshell_id is None and link.is_busy:
            raise _busy()
        content = await _ask(link, subshell_id, setup, expressions, timeout_s)
    if content.get("status") != "ok":
        raise KernelUnavailable("The kernel did not answer the look into it.", remedy="Try again.")
    found = content.get("user_expressions") or {}
    return {name: _text(name, found.get(name) or {}) for name in expressions}


async def _ask(
    link: KernelLink, subshell_id: str | None, setup: str, expressions: Mapping[str, str], timeout_s: float
) -> Mapping[str, Json]:
    wrapped = {"linda_put_back": _PUT_BACK, **{name: wrap(setup, text) for name, text in expressions.items()}}
    msg_id, reply = link.send_execute(
        _PUT_ASIDE,
        None,
        subshell_id=subshell_id,
        silent=True,
        store_history=False,
        stop_on_error=False,
        user_expressions=wrapped,
    )

    def let_go(reply: asyncio.Future[Mapping[str, Json]]) -> None:
        link.forget(msg_id)
        if subshell_id is not None and reply.done() and not reply.cancelled():
            link.subshells.give_back(subshell_id, reply.result())

    try:
        return await _reply(link, reply, timeout_s)
    except TimeoutError:
        if subshell_id is None and not link.is_running(msg_id):
            raise _busy() from None  # somebody's cell was faster
        if subshell_id is None:
            await link.stop(msg_id)  # ours alone: nothing of ours stays in the kernel
        raise _too_long(timeout_s, is_still_running=subshell_id is not None) from None
    except asyncio.CancelledError:
        if subshell_id is None:
            await asyncio.shield(link.stop(msg_id))
        raise
    finally:
        if subshell_id is None or reply.done():
            let_go(reply)
        else:
            reply.add_done_callback(let_go)  # an interrupt reaches the main thread only: it ends when it ends


async def _reply(link: KernelLink, reply: asyncio.Future[Mapping[str, Json]], timeout_s: float) -> Mapping[str, Json]:
    died: asyncio.Future[Any] = asyncio.ensure_future(link.died.wait())
    try:
        await asyncio.wait([reply, died], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        died.cancel()
    if reply.done() and not reply.cancelled():
        return reply.result()
    if link.died.is_set():
        raise KernelUnavailable("The kernel died.", remedy="Run a cell to start a new one.")
    raise TimeoutError


def _busy() -> KernelUnavailable:
    return KernelUnavailable(
        "The kernel is busy: a cell is running and this kernel cannot be looked into meanwhile.",
        remedy="Wait until the cell is done, or ask the user to interrupt it.",
    )


def _too_long(timeout_s: float, *, is_still_running: bool) -> KernelUnavailable:
    said = "It may still run there, beside the cells." if is_still_running else "It was interrupted."
    return KernelUnavailable(
        f"The look into the kernel took longer than {timeout_s:g} s and was given up. {said}",
        remedy="Try again, or look with code in a cell.",
    )


def _text(name: str, value: Mapping[str, Json]) -> str:
    """A user expression's value; IPython gives the representation of the text."""
    if value.get("status") != "ok":
        raise ToolFailed(f"{name}: {value.get('ename', 'Error')}: {value.get('evalue', '')}", kind_of_failure="raised")
    shown = str((value.get("data") or {}).get("text/plain", ""))
    try:
        text = ast.literal_eval(shown)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ToolFailed(f"{name}: the kernel gave no text.", kind_of_failure="raised") from None
    return str(text)
