"""A folder full of canaries, and a call of every tool over it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.fakes.notebooks import code_cell, notebook

Call = tuple[str, dict[str, Any]]

VALUES = {
    name: f"CANARYq{number:02d}{name}x7f3a9"
    for number, name in enumerate(
        ("row", "group", "column", "index", "text", "output", "error", "html", "variable", "shell", "code", "long")
    )
}
"""By where they stand: in rows, in a column called password, in outputs, tracebacks, representations, variables."""
LOCAL = {name: f"CANARYq9{name}e51c0b" for name in ("source", "shown", "diary", "base64", "csv")}
"""In the folder `local`, whose level is local."""
IDENTITIES = {
    "mail": "canary.bird@example.org",
    "phone": "+49 30 901820",
    "card": "4111 1111 1111 1111",
    "id": "11010519491231002X",
    "key": "ghp_" + "c4N7" * 9,
    "term": "Canarisland",
}
"""In a text file that may leave redacted."""
LEVELS = {"version": 1, "levels": [{"path": "local/", "text": "local"}], "terms": [IDENTITIES["term"]]}

SETUP = """
import pandas as pd
df = pd.read_csv("data.csv")
other = df.head(3).copy()
note = open("secret.csv").read().strip()
class Odd:
    def __repr__(self):
        return open("secret.csv").read()
    def _repr_html_(self):
        return "<b>" + open("html.csv").read() + "</b>"
odd = Odd()
"""


def encoded(canary: str) -> Iterator[bytes]:
    """The forms in which a canary would still be one."""
    yield canary.encode()
    yield canary.encode("utf-16-le")
    yield canary.encode().hex().encode()
    yield quote(canary, safe="").encode()
    yield json.dumps(canary)[1:-1].encode()
    yield "".join(f"\\u{ord(sign):04x}" for sign in canary).encode()
    yield "".join(f"&#{ord(sign)};" for sign in canary).encode()
    yield canary[::-1].encode()
    for shift in range(3):  # base64 at any place in a longer text: what does not depend on its neighbours
        text = base64.b64encode(b"\0" * shift + canary.encode()).rstrip(b"=")
        yield text[4 if shift else 0 : -2]


def build(root: Path) -> None:
    """Write the folder."""
    rows = "\n".join(f"{VALUES['row']},{VALUES['group']},{VALUES['column']},{n},{n / 7}" for n in range(30))
    (root / "data.csv").write_text(f"name,team,password,n,x\n{rows}\n")
    (root / "secret.csv").write_text(VALUES["variable"])
    (root / "html.csv").write_text(VALUES["html"])
    (root / "notes.md").write_text("# Notes\n" + "\n".join(f"- {value}" for value in IDENTITIES.values()) + "\n")
    shown = [{"output_type": "stream", "name": "stdout", "text": f"kept {VALUES['output']}\n"}]
    trace = [f"Traceback {VALUES['error']}", f"ValueError: {VALUES['error']}"]
    failed = [{"output_type": "error", "ename": "ValueError", "evalue": VALUES["error"], "traceback": trace}]
    bundle = {"text/plain": VALUES["text"], "text/html": f"<i>{VALUES['html']}</i>", "image/png": "iVBORw0KGgo="}
    rich = [{"output_type": "display_data", "data": bundle, "metadata": {}}]
    cells = (
        code_cell(SETUP, "setup"), code_cell("df", "show", outputs=shown), code_cell("odd", "odd", outputs=rich),
        code_cell("raise ValueError(note)", "boom", outputs=failed), code_cell("a = 1\nb = 2", "plain"),
        code_cell("c = 3", "last"),
    )  # fmt: skip
    _write(root / "work.ipynb", notebook(*cells))
    _write(root / "old.ipynb", notebook(code_cell("x = 1", outputs=shown), minor=4))
    local = root / "local"
    local.mkdir()
    stays = [{"output_type": "stream", "name": "stdout", "text": LOCAL["shown"]}]
    _write(local / "diary.ipynb", notebook(code_cell(f"x = '{LOCAL['source']}'", "a", outputs=stays)))
    hidden = base64.b64encode(LOCAL["base64"].encode()).decode()
    (local / "diary.md").write_text(f"CANARY {LOCAL['diary']}\n{hidden}\n")
    (local / "people.csv").write_text(f"name\n{LOCAL['csv']}\n")


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content))


W = {"path": "work.ipynb"}
FRAME = {**W, "name": "df"}
MEAN = {"column": "x", "function": "mean"}
LARGEST = {"column": "name", "function": "max"}

LOOKING: Sequence[Call] = (
    ("list_files", {}), ("list_files", {"path": "local"}), ("list_notebooks", {}), ("read_file", {"path": "notes.md"}),
    ("read_file", {"path": "data.csv"}), ("read_file", {"path": "local/diary.md"}),
    ("read_file", {"path": "work.ipynb"}), ("read_file", {"path": "notes/../local/diary.md"}),
    ("search_files", {"query": "CANARY"}), ("search_files", {"query": "canary", "path": "local"}),
    ("search_notebooks", {"query": "CANARY"}), ("peek_data_file", {"path": "data.csv"}),
    ("peek_data_file", {"path": "data.csv", "rows": 0}), ("peek_data_file", {"path": "local/people.csv", "rows": 0}),
    ("peek_data_file", {"path": "notes.md"}),
    ("read_notebook", W), ("read_notebook", {**W, "detail": "brief"}), ("read_notebook", {"path": "local/diary.ipynb"}),
    ("read_cell", {**W, "cell_id": "show"}), ("read_cell", {**W, "cell_id": "odd"}),
    ("read_cell", {**W, "cell_id": "boom"}), ("read_cell", {"path": "local/diary.ipynb", "cell_id": "a"}),
    ("open_notebook", W), ("list_tasks", {}), ("no_such_tool", {"x": 1}),
)  # fmt: skip
RUNNING: Sequence[Call] = (
    ("start_kernel", W), ("run_cell", {**W, "cell_id": "setup"}), ("run_cell", {**W, "cell_id": "show"}),
    ("run_cell", {**W, "cell_id": "odd"}), ("run_cell", {**W, "cell_id": "boom"}), ("run_cells", W),
    ("run_code", {**W, "code": "print(note)"}), ("run_code", {**W, "code": "print(note[::-1], note.encode().hex())"}),
    ("run_code", {**W, "code": "int(note)"}), ("run_code", {**W, "code": "print('x' * 15000 + note * 900)"}),
    ("run_code", {**W, "code": "print('\\ue002values|\\ue001', note)"}), ("list_kernels", {}), ("list_variables", W),
    ("run_shell", {"command": "cat data.csv secret.csv"}), ("install_packages", {**W, "packages": ["--wrong"]}),
)  # fmt: skip
FRAMES: Sequence[Call] = (
    ("describe_dataframe", FRAME), ("profile_dataframe", FRAME), ("profile_dataframe", {**FRAME, "detail": "statistics"}),
    ("filter_rows", FRAME), ("filter_rows", {**FRAME, "columns": ["nowhere"]}), ("filter_rows", {**W, "name": "note"}),
    ("aggregate", {**FRAME, "aggregations": [MEAN]}), ("aggregate", {**FRAME, "aggregations": [LARGEST]}),
    ("aggregate", {**FRAME, "aggregations": [MEAN], "group_by": ["team"]}),
    ("compare_dataframes", {**W, "left": "df", "right": "other"}),
    ("plot_dataframe", {**FRAME, "kind": "bar", "x": "team"}),
    ("export_dataframe", {**FRAME, "file": "out.csv"}),
)  # fmt: skip
CHANGING: Sequence[Call] = (
    ("insert_cell", {**W, "source": "d = 4", "index": -1}), ("edit_cell", {**W, "cell_id": "plain", "old_text": "nothing", "new_text": "x"}),
    ("move_cell", {**W, "cell_id": "last", "index": 0}), ("split_cell", {**W, "cell_id": "plain", "line": 2}),
    ("merge_cells", {**W, "cell_ids": ["setup", "show"]}), ("change_cell_type", {**W, "cell_id": "last", "cell_type": "markdown"}),
    ("clear_outputs", W), ("delete_cell", {**W, "cell_id": "last"}), ("create_notebook", {"path": "new.ipynb"}),
    ("upgrade_notebook", {"path": "old.ipynb"}), ("write_file", {"path": "new.txt", "content": "x"}),
    ("patch_file", {"path": "local/diary.md", "old_text": "nothing like it", "new_text": "x"}),
    ("copy_file", {"path": "local/diary.md", "to": "local/copy.md"}), ("move_file", {"path": "local/copy.md", "to": "local/moved.md"}),
    ("delete_file", {"path": "local/moved.md"}),
)  # fmt: skip
ENDING: Sequence[Call] = (
    ("add_task", {"title": "Feed the bird"}), ("change_task", {"task_id": "task_none", "title": "x"}),
    ("delete_task", {"task_id": "task_none"}), ("interrupt_kernel", W), ("restart_kernel", W),
)  # fmt: skip
GROUPS = (LOOKING[:13], LOOKING[13:], RUNNING, FRAMES, CHANGING, ENDING)


def tools_called() -> set[str]:
    """The names of all tools that are called."""
    return {name for group in GROUPS for name, _ in group}
