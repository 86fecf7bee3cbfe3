"""Holds a conversation with the demo model: sends a prompt, gives back its call or its words."""

import asyncio
import json

from jupyter_linda.gateway.local import DemoModel
from jupyter_linda.ports import Finished, ModelRequest, TextDelta

from .measure import OFFER


class DemoChat:
    """One chat; `say` and `answer` return (call name, arguments) or the text."""

    def __init__(self, *, notebook="lakes.ipynb", cell=None, model=None, tools=OFFER, variables=()):
        self.model = model or DemoModel()
        self.tools = tools
        self.messages = [{"role": "system", "content": "You are Linda."}]
        lines = [f"[context] notebook: {notebook}"] if notebook else []
        lines += [f"[context] cell: {cell} in {notebook}"] if cell else []
        lines += [f"[context] variable: {name} in {notebook}" for name in variables]
        self.preamble = "\n".join([*lines, "", ""]) if lines else ""

    def say(self, text):
        self.messages.append({"role": "user", "content": self.preamble + text})
        return self._next()

    def answer(self, data=None, *, problem=None, text="done"):
        """The result of the call that was just made."""
        call_id = self.messages[-1]["tool_calls"][0]["id"]
        data = {"problem": problem} if problem else data
        self.messages.append({"role": "tool", "tool_call_id": call_id, "content": text, "data": data})
        return self._next()

    def _next(self):
        async def collect():
            request = ModelRequest(model="linda/demo", messages=self.messages, tools=self.tools)
            return [event async for event in self.model.stream(request)]

        events = asyncio.run(collect())
        assert [type(event) is Finished for event in events] == [False] * (len(events) - 1) + [True]
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        if not events[-1].calls:
            self.messages.append({"role": "assistant", "content": text})
            return text
        (draft,) = events[-1].calls
        function = {"name": draft.name, "arguments": draft.arguments}
        call = {"id": draft.call_id, "type": "function", "function": function}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        return draft.name, json.loads(draft.arguments)


def cells(*sources):
    """The data of read_notebook for lakes.ipynb."""
    return {
        "path": "lakes.ipynb",
        "cells": [
            {"cell_id": f"id{at}", "index": at, "cell_type": kind, "source": source}
            for at, (kind, source) in enumerate(sources)
        ],
    }


THREE = cells(("markdown", "# Lakes"), ("code", "x = 1"), ("code", "1 / 0"))
