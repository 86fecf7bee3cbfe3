"""Measures the demo model end to end on a file of phrasings, in a made-up notebook world without a kernel.

Run `python -m tests.gateway.measure [--failures] FILE…` at the root of the repository. An entry of a file is

    {"text": "run cell 3",
     "context": {"notebook": "lakes.ipynb" | null, "cell": number | null, "variables": ["df"]},
     "intent": a tool's name | "chat" | "unsure_ok",
     "arguments": any of {"cell": number | "last" | "first" | "active", "path", "name", "text", "source"},
     "unsure_is_fine": false}

`cell` counts from 1. Asking back is right where `unsure_is_fine` (or the intent is "unsure_ok").
Preparing reads (reading a notebook to find cell 3) count for nothing; the call they lead to does.
"""

import asyncio
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from jupyter_linda.gateway import conversation, planning
from jupyter_linda.gateway.intent import trained
from jupyter_linda.gateway.local import DemoModel
from jupyter_linda.gateway.request import Say
from jupyter_linda.ports import ModelRequest, TextDelta

CELLS = 12
NOTEBOOKS = ("lakes.ipynb", "sales.ipynb", "penguins.ipynb", "notes/weather.ipynb", "销售数据.ipynb")
TOOLS = {
    "list_notebooks": [],
    "open_notebook": ["path"],
    "read_notebook": ["path"],
    "read_cell": ["path", "cell_id"],
    "insert_cell": ["path", "index", "source", "cell_type"],
    "run_cell": ["path", "cell_id"],
    "list_variables": ["path"],
    "describe_dataframe": ["path", "name"],
    "search_files": ["text", "path"],
    "list_files": ["path"],
    "read_file": ["path"],
}
PREPARING = ("list_notebooks", "read_notebook", "list_variables", "list_files")
OFFER = [
    {"type": "function", "function": {"name": name, "parameters": {"properties": {p: {} for p in names}}}}
    for name, names in TOOLS.items()
]


class World:
    """Notebooks of twelve run code cells, some variables; every call succeeds."""

    def __init__(self, entry):
        context = entry.get("context") or {}
        self.active = context.get("notebook")
        named = [self.active, (entry.get("arguments") or {}).get("path")]
        wanted = list(dict.fromkeys(name for name in named if name and name.endswith(".ipynb")))
        taken = {name.rsplit("/", 1)[-1] for name in wanted}
        self.paths = [*wanted, *(name for name in NOTEBOOKS if name.rsplit("/", 1)[-1] not in taken)]
        self.active_id = cell_id_of(context.get("cell"))
        self.variables = list(context.get("variables") or ["df"])
        wanted_name = (entry.get("arguments") or {}).get("name")
        self.frames = [name for name in self.variables if name == wanted_name or "df" in name.lower()] or self.variables

    def call(self, name, arguments):
        path = arguments.get("path", "")
        cells = [
            {"cell_id": f"c{n}", "index": n - 1, "cell_type": "code", "source": f"x{n} = {n}", "execution_count": n}
            for n in range(1, CELLS + 1)
        ]
        if self.active_id and self.active_id not in [c["cell_id"] for c in cells]:
            cells[4]["cell_id"] = self.active_id
        cell = next((c for c in cells if c["cell_id"] == arguments.get("cell_id")), cells[0])
        return {
            "list_notebooks": {"notebooks": [{"path": p, "is_open": p == self.active} for p in self.paths]},
            "open_notebook": {"path": path, "opened": True},
            "read_notebook": {"path": path, "cells": cells},
            "read_cell": {"path": path, **cell, "outputs_text": ""},
            "insert_cell": {"path": path, "cell_id": "new", "index": CELLS},
            "run_cell": {**cell, "path": path, "status": "ok", "text": "1", "error": None},
            "list_variables": {
                "variables": [
                    {"name": v, "type": "DataFrame" if v in self.frames else "int", "summary": ""}
                    for v in self.variables
                ]
            },
            "describe_dataframe": {"name": arguments.get("name"), "rows": 3, "columns": [{"name": "a", "dtype": "i"}]},
            "search_files": {"matches": [], "truncated": False},
            "list_files": {"path": path, "files": [{"path": "notes.txt", "is_folder": False}]},
            "read_file": {"path": path, "text": "text"},
        }[name]


@dataclass
class Heard:
    """What one phrasing led to: calls (name, arguments), whether it ended in a question, the words."""

    calls: list
    asked: bool
    text: str

    @property
    def action(self):
        """The call that counts: the first that is no preparation, or the last one of a turn that answered."""
        for name, arguments in self.calls:
            if name not in PREPARING:
                return name, arguments
        return None if self.asked or not self.calls else self.calls[-1]


def cell_id_of(cell):
    """The id in the made-up world of a context's cell: a number from 1, or an id of the author's."""
    return f"c{cell}" if re.fullmatch(r"\d+", str(cell)) else cell


def preamble(context):
    lines = []
    if context.get("notebook"):
        lines.append(f"[context] notebook: {context['notebook']}")
        if context.get("cell"):
            lines.append(f"[context] cell: {cell_id_of(context['cell'])} in {context['notebook']}")
        lines += [f"[context] variable: {name} in {context['notebook']}" for name in context.get("variables") or ()]
    return "\n".join([*lines, ""]) + "\n" if lines else ""


async def hear(entry, model):
    """Drive the model to the end of its turn."""
    world = World(entry)
    messages = [
        {"role": "system", "content": "You are Linda."},
        {"role": "user", "content": preamble(entry.get("context") or {}) + entry["text"]},
    ]
    calls, text = [], ""
    for _ in range(8):
        events = [e async for e in model.stream(ModelRequest(model="linda/demo", messages=messages, tools=OFFER))]
        text = "".join(e.text for e in events if isinstance(e, TextDelta))
        drafts = events[-1].calls
        if not drafts:
            break
        for draft in drafts:
            arguments = json.loads(draft.arguments)
            calls.append((draft.name, arguments))
            function = {"name": draft.name, "arguments": draft.arguments}
            messages.append(
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": draft.call_id, "type": "function", "function": function}],
                }
            )
            messages.append(
                {
                    "role": "tool",
                    "tool_call_id": draft.call_id,
                    "content": "done",
                    "data": world.call(draft.name, arguments),
                }
            )
    return Heard(calls, _is_question(messages), text)


def _is_question(messages):
    properties = {name: frozenset(names) for name, names in TOOLS.items()}
    step = planning.plan(conversation.read(messages), properties=properties, classifier=trained(), filled="")
    return isinstance(step, Say) and step.is_question


@dataclass
class Score:
    """One phrasing's marks; `arguments_right` is None where nothing was to be checked."""

    entry: dict
    heard: Heard
    intent_right: bool
    acted_wrong: bool
    arguments_right: bool | None


def judge(entry, heard):
    wanted = entry["intent"]
    may_ask = bool(entry.get("unsure_is_fine")) or wanted == "unsure_ok"
    action = heard.action
    did = action[0] if action else None
    if wanted in ("chat", "unsure_ok"):
        right = did is None and (not heard.asked or may_ask)
        return Score(entry, heard, right, did is not None, None)
    right = did == wanted or (heard.asked and may_ask)
    wrong = did is not None and did != wanted
    checked = None
    if did == wanted and entry.get("arguments"):
        checked = all(_fits(key, value, action[1], entry) for key, value in entry["arguments"].items())
    elif not right or (entry.get("arguments") and not heard.asked):
        checked = False if entry.get("arguments") else None
    return Score(entry, heard, right, wrong, checked)


ALIASES = {
    "query": "text",
    "code": "source",
    "variable": "name",
    "dataframe": "name",
    "notebook": "path",
    "file": "path",
}
"""Other authors' words for the argument names above."""


def _fits(key, value, arguments, entry):
    key = ALIASES.get(key, key)
    if key == "cell":
        active = (entry.get("context") or {}).get("cell")
        number = {"last": CELLS, "first": 1, "active": active, "current": active, "this": active, None: active}.get(
            value, value
        )
        if isinstance(number, str) and number != active and re.search(r"\d+", number):
            number = re.search(r"\d+", number).group()
        return arguments.get("cell_id") == cell_id_of(number)
    if key in ("after", "before"):
        return arguments.get("index") == int(value) - (key == "before")
    if key == "position":
        return arguments.get("index") in ({0} if value in ("top", "start", "first") else {-1, CELLS})
    if key not in arguments:
        return key == "path" and value in (None, (entry.get("context") or {}).get("notebook"))
    said, wanted = (str(text).strip().lower() for text in (arguments[key], value))
    return said == wanted or (key == "path" and said.removesuffix(".ipynb") == wanted.removesuffix(".ipynb"))


def measure(entries, model=None):
    """The scores of all entries and the three figures, in percent."""
    model = model or DemoModel()

    async def all_of_them():
        return [judge(entry, await hear(entry, model)) for entry in entries]

    scores = asyncio.run(all_of_them())
    with_arguments = [score for score in scores if score.arguments_right is not None]
    figures = {
        "right_intent": 100 * sum(score.intent_right for score in scores) / len(scores),
        "wrong_tool": 100 * sum(score.acted_wrong for score in scores) / len(scores),
        "right_arguments": 100 * sum(score.arguments_right for score in with_arguments) / max(1, len(with_arguments)),
    }
    return scores, figures


def main():
    every = []
    names = [name for name in sys.argv[1:] if name != "--failures"]
    for name in names:
        entries = json.loads(Path(name).read_text(encoding="utf-8"))
        every += entries
        scores, figures = measure(entries)
        print(name, len(entries), {key: round(value, 1) for key, value in figures.items()})
        # Held-out phrasings stay unseen: only their figures may be looked at.
        for score in scores if "--failures" in sys.argv and "heldout" not in name else ():
            if not score.intent_right or score.acted_wrong or score.arguments_right is False:
                print("  ", score.entry["text"], "| wanted", score.entry["intent"], score.entry.get("arguments"))
                print("      did", score.heard.calls, "asked" if score.heard.asked else "", score.heard.text[:60])
    if len(names) > 1:
        print("together", len(every), {key: round(value, 1) for key, value in measure(every)[1].items()})


if __name__ == "__main__":
    main()
