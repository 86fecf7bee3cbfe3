"""A browser tab that answers request frames on notebooks it holds in memory, as the panel does."""

from __future__ import annotations

import asyncio
import copy
import json

from jupyter_linda.live.documents import APPEND


class FakeTab:
    """Connect it to `Browsers`; `opens` gives it a notebook. Frames follow docs/api.md."""

    def __init__(self, browsers, client_id="tab_1", owner_id="local"):
        self.browsers = browsers
        self.client_id = client_id
        self.documents = {}
        self.frames = []
        self.opened = []
        self.is_silent = False
        self.saves = True
        self.run_status = "ok"
        self.on_run = None
        self.before_reply = None
        self._tasks = set()
        browsers.connect(client_id, self.receive, owner_id)

    def opens(self, path, content, *, active=True):
        """Hold a notebook, as if the user had opened it."""
        self.documents[path] = copy.deepcopy(content)
        self.browsers.presence(self.client_id, {"notebooks": list(self.documents), "active": path if active else ""})

    def close(self):
        self.browsers.disconnect(self.client_id)

    def receive(self, frame):
        self.frames.append(json.loads(json.dumps(frame)))
        if frame["type"] == "request" and not self.is_silent:
            task = asyncio.ensure_future(self._answer(frame))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, frame):
        await asyncio.sleep(0)
        try:
            result = await getattr(self, f"_{frame['operation']}")(frame, **frame["params"])
            reply = {"result": json.loads(json.dumps(result))}
        except LookupError as error:
            reply = {"error": {"kind": str(error.args[0]), "message": str(error.args[1])}}
        if self.before_reply is not None and frame["operation"] != "read_notebook":
            self.before_reply()
        self.browsers.reply({"type": "reply", "request_id": frame["request_id"], **reply})

    def _document(self, path):
        if path not in self.documents:
            raise LookupError("NotFound", f"{path} is not open in this tab.")
        return self.documents[path]

    def cell(self, path, cell_id, expect=None):
        found = [cell for cell in self._document(path)["cells"] if cell["id"] == cell_id]
        if len(found) != 1:
            raise LookupError("AmbiguousCell" if found else "NotFound", f"no single cell {cell_id}")
        if expect is not None and "".join(found[0]["source"]) != expect:
            raise LookupError("StaleRevision", f"Cell {cell_id} changed.")
        return found[0]

    async def _read_notebook(self, _frame, path):
        return {"content": self._document(path), "dirty": True}

    async def _edit_notebook(self, _frame, path, edits):
        cells = self._document(path)["cells"]
        ids = [cell["id"] for cell in cells]
        for edit in edits:
            if edit["op"] != "insert":
                self.cell(path, edit["cell_id"], edit.get("expect"))
                if edit["op"] == "delete":
                    ids.remove(edit["cell_id"])
                continue
            if edit["cell_id"] in ids:
                raise LookupError("AmbiguousCell", f"There is already a cell {edit['cell_id']}.")
            if len(ids) < edit["index"] < APPEND:
                raise LookupError("InvalidInput", f"No index {edit['index']}.")
            ids.append(edit["cell_id"])
        for edit in edits:
            getattr(self, f"_do_{edit['op']}")(path, cells, edit)
        return {"content": self._document(path), "saved": self.saves}

    def _do_insert(self, path, cells, edit):
        new = {name: value for name, value in edit.items() if name not in ("op", "index", "cell_id")}
        new = {"id": edit["cell_id"], "metadata": {}, **new}
        if edit["cell_type"] == "code":
            new = {"outputs": [], "execution_count": None, **new}
        cells.insert(min(max(edit["index"], 0), len(cells)), new)

    def _do_replace(self, path, cells, edit):
        cell = self.cell(path, edit["cell_id"])
        cell["source"] = edit["source"]
        if edit.get("mark"):
            cell["metadata"]["linda"] = edit["mark"]
        elif edit.get("mark") is not None:
            cell["metadata"].pop("linda", None)

    def _do_delete(self, path, cells, edit):
        cells.remove(self.cell(path, edit["cell_id"]))

    def _do_move(self, path, cells, edit):
        cell = self.cell(path, edit["cell_id"])
        cells.remove(cell)
        cells.insert(min(edit["index"], len(cells)), cell)

    def _do_change_type(self, path, cells, edit):
        cell = self.cell(path, edit["cell_id"])
        cell["cell_type"] = edit["cell_type"]
        cell.pop("outputs", None), cell.pop("execution_count", None)
        if edit["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
        cell |= {n: edit[n] for n in ("metadata", "outputs", "execution_count", "attachments") if n in edit}

    def _do_outputs(self, path, cells, edit):
        cell = self.cell(path, edit["cell_id"])
        cell |= {"outputs": edit.get("outputs", []), "execution_count": edit.get("execution_count")}

    async def _run_cell(self, frame, path, cell_id, expect):
        cell = self.cell(path, cell_id, expect)
        self.browsers.progress({"type": "progress", "request_id": frame["request_id"], "text": "working"})
        if self.on_run is not None:
            await self.on_run(self, frame)
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["4\n", "2"]}]
        cell["execution_count"] = 1
        return {"status": self.run_status, "outputs": cell["outputs"], "execution_count": 1, "saved": self.saves}

    async def _open_document(self, _frame, path, cell_id):
        self.opened.append((path, cell_id))
        return {"opened": True}
