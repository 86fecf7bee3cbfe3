"""Notebooks that are not as they should be: every tool says what is wrong in words, and never in Python's."""

from __future__ import annotations

import copy
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_linda.errors import LindaError, ToolFailed
from jupyter_linda.tools.file import search_files
from jupyter_linda.tools.notebook import list_notebooks, open_notebook, read_cell, read_notebook
from jupyter_linda.tools.notebook_edits import delete_cell, edit_cell, insert_cell
from jupyter_linda.tools.notebook_runs import create_notebook, run_cell
from jupyter_linda.tools.notebook_series import search_notebooks
from tests.fakes.notebooks import code_cell, notebook

PYTHONS_WORDS = re.compile(
    r"Error\b|Traceback|NoneType|has no attribute|not subscriptable|unhashable|codec|Expecting|char \d|object is not|"
    r"validat|schema|<class|\bNone\b|\bTrue\b|\bdict\b|\bstr\b"
)


def cells(*found, **fields):
    return {"cells": list(found), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **fields}


def with_output(**fields):
    return cells({"cell_type": "code", "id": "a", "source": "x", "metadata": {}, "outputs": [fields]})


ODD = {
    "a number as cell": (cells(1), "cell 1 (index 0) is a number, not an object"),
    "no format": ({"cells": [1]}, "nbformat is missing"),
    "format 3 of nothing": ({"nbformat": 3}, "it says format 3, but what is in it is not as that format says"),
    "format 3 of numbers": ({"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [1]}]}, "not as that format"),
    "format 2 of null": ({"nbformat": 2, "worksheets": None}, "not as that format"),
    "format 1 of a text": ({"nbformat": 1, "cells": "x"}, "not as that format"),
    "minor as text": (cells(nbformat_minor="5"), "nbformat_minor is a text, not a whole number"),
    "minor null": (cells(nbformat_minor=None), "nbformat_minor is null, not a whole number"),
    "format true": (cells(nbformat=True), "nbformat is true, not a whole number"),
    "format 4.0": (cells(nbformat=4.0), "nbformat is a number, not a whole number"),
    "format 9": (cells(nbformat=9), "it has notebook format 9, which is not known"),
    "a list": ([1], "it holds a list, not an object"),
    "a text": ("x", "it holds a text, not an object"),
    "null": (None, "it holds null, not an object"),
    "no cells": ({"nbformat": 4, "nbformat_minor": 5, "metadata": {}}, "cells is missing"),
    "cells null": ({**cells(), "cells": None}, "cells is null, not a list"),
    "cells an object": ({**cells(), "cells": {"a": 1}}, "cells is an object, not a list"),
    "metadata a list": (cells(metadata=[]), "metadata is a list, not an object"),
    "kernelspec a text": (cells(metadata={"kernelspec": "x"}), "metadata.kernelspec is a text, not an object"),
    "cell null": (cells(code_cell("x", "a"), None), "cell 2 (index 1) is null, not an object"),
    "source a number": (cells(code_cell(5, "a")), "cell 1 (index 0): source is a number"),
    "source null": (cells(code_cell(None, "a")), "source is null, not a text or a list of texts"),
    "source of numbers": (cells(code_cell([1, 2], "a")), "source is a list, not a text or a list of texts"),
    "no type": (cells({"source": "x"}), "cell 1 (index 0): cell_type is missing"),
    "type a number": (cells({"cell_type": 1, "source": "x"}), "cell_type is a number, not a text"),
    "cell metadata a text": (cells(code_cell("x", "a", metadata="m")), "metadata is a text, not an object"),
    "tags a number": (cells(code_cell("x", "a", metadata={"tags": 5})), "metadata.tags is a number, not a list"),
    "outputs an object": (cells(code_cell("x", "a", outputs={"a": 1})), "outputs is an object, not a list"),
    "output a text": (cells(code_cell("x", "a", outputs=["o"])), "output 1 is a text, not an object"),
    "stream of numbers": (with_output(output_type="stream", name="stdout", text=[1]), "output 1: text is a list"),
    "data a list": (with_output(output_type="display_data", data=[1]), "output 1: data is a list, not an object"),
    "data of a number": (
        with_output(output_type="display_data", data={"text/plain": 1}),
        "data.text/plain is a number",
    ),
    "traceback a number": (with_output(output_type="error", traceback=1), "traceback is a number, not a list"),
}
RAW = {
    "empty": (b"", "it is empty"),
    "blank": (b" \n", "it is empty"),
    "cut": (b'{"cells": [\n', "it is not valid JSON at line 2, column 1"),
    "not UTF-8": (b'{"a": "\xff"}', "it is not UTF-8 text at byte 7"),
    "deep": (b"[" * 100_000, "it is nested too deeply"),
    "a number without end": (b'{"nbformat": ' + b"9" * 5000 + b"}", "a number in it is too long"),
}
CALLS = (
    (read_notebook, {}),
    (read_cell, {"cell_id": "a"}),
    (open_notebook, {}),
    (insert_cell, {"source": "1"}),
    (edit_cell, {"cell_id": "a", "old_text": "x", "new_text": "y"}),
    (delete_cell, {"cell_id": "a", "version": "12345678"}),
    (run_cell, {"cell_id": "a"}),
)


def refusals(bench, root, *, runs=True):
    """What each tool says of `sub/odd.ipynb`; a tool that works on it says nothing."""
    for tool, arguments in CALLS:
        try:
            if runs or tool.action == "read":
                bench.run(tool, path="sub/odd.ipynb", **arguments)
            else:
                bench.preview(tool, path="sub/odd.ipynb", **arguments)
        except LindaError as error:
            said = f"{error.message} {error.remedy}"
            assert not PYTHONS_WORDS.search(said), said
            assert str(root) not in said
            yield error
    for tool, arguments in ((list_notebooks, {}), (search_files, {"query": "x"}), (search_notebooks, {"query": "x"})):
        bench.run(tool, **arguments)


@pytest.mark.parametrize("name", [*ODD, *RAW])
def test_an_odd_notebook_is_named_with_what_is_wrong_and_what_to_do(root, bench, name):
    content, cause = ODD[name] if name in ODD else RAW[name]
    file = root / "sub/odd.ipynb"
    file.parent.mkdir()
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    before = file.read_bytes()
    said = list(refusals(bench, root))
    assert len(said) == len(CALLS)
    for error in said:
        assert isinstance(error, ToolFailed)
        assert error.kind_of_failure == "not_a_notebook"
        assert "'sub/odd.ipynb'" in error.message
        assert cause in error.message
        assert "read_file" in error.remedy
    assert file.read_bytes() == before


GOOD = notebook(
    code_cell(["x = 1\n", "x"], "a", metadata={"tags": ["t"]}, outputs=[
        {"output_type": "stream", "name": "stdout", "text": ["x\n"]},
        {"output_type": "display_data", "metadata": {}, "data": {"text/plain": ["x"], "application/json": [1, {"x": 2}]}},
        {"output_type": "error", "ename": "E", "evalue": "x", "traceback": ["x"]},
    ]),
    {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "x", "attachments": {"x.png": {"image/png": "eA=="}}},
)  # fmt: skip
ANY = st.sampled_from([None, True, 0, 7, -1.5, "", "x", [], [1], ["x"], [[]], {}, {"x": 1}, {"x": None}])


def places(value, path=()):
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from([path for path in places(GOOD) if path]), value=ANY, is_gone=st.booleans())
def test_whatever_stands_wherever_a_tool_works_or_says_it_in_words(root, bench, place, value, is_gone):
    content = copy.deepcopy(GOOD)
    holder = content
    for key in place[:-1]:
        holder = holder[key]
    if is_gone:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    (root / "sub").mkdir(exist_ok=True)
    (root / "sub/odd.ipynb").write_text(json.dumps(content))
    list(refusals(bench, root, runs=False))


def test_json_in_an_output_is_shown_as_json(put, bench):
    put("a.ipynb", with_output(output_type="display_data", metadata={}, data={"application/json": [1, {"x": None}]}))
    assert '[1, {"x": null}]' in bench.run(read_cell, path="a.ipynb", cell_id="a").text


LONG = "n" * 300


@pytest.mark.parametrize(
    ("path", "cause"),
    [("plain/a.ipynb", "is a file, not a folder"), ("plain/b/a.ipynb", "is a file, not a folder"),
     (f"{LONG}.ipynb", "File name too long"), (f"{LONG}/a.ipynb", "File name too long"),
     ("folder.ipynb", "is a folder, not a file")],
)  # fmt: skip
def test_a_notebook_that_cannot_be_made_there_is_told_by_its_path(root, bench, path, cause):
    (root / "plain").write_text("a file")
    (root / "folder.ipynb").mkdir()
    for call in (lambda: bench.run(create_notebook, path=path), lambda: bench.run(read_notebook, path=path)):
        with pytest.raises(LindaError) as caught:
            call()
        said = f"{caught.value.message} {caught.value.remedy}"
        assert path in said
        assert str(root) not in said
        assert not PYTHONS_WORDS.search(said)
    with pytest.raises(LindaError, match=cause):
        bench.run(create_notebook, path=path)
