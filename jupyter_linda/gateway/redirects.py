"""Requests to models follow no redirect: what was meant for one address, key and all, goes to no other."""

from __future__ import annotations

import functools
from typing import Any

import httpx


def follow_none() -> None:
    """From now on no client of this process follows one; litellm and the libraries below it would.

    They build their clients in many places, and none of them can be told. Twice is once.
    """
    if not getattr(httpx.AsyncClient.send, "is_staying", False):
        httpx.AsyncClient.send = _staying(httpx.AsyncClient.send)  # type: ignore[method-assign]  # see above


def _staying(send: Any) -> Any:  # httpx's own signature is kept
    @functools.wraps(send)
    async def stay(self: httpx.AsyncClient, request: httpx.Request, **options: Any) -> httpx.Response:
        response: httpx.Response = await send(self, request, **{**options, "follow_redirects": False})
        return response

    stay.is_staying = True  # type: ignore[attr-defined]  # a mark for `follow_none`
    return stay
