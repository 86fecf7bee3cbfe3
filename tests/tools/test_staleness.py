"""Which cells ran out of order, and which show results of old values."""

from __future__ import annotations

import pytest

from jupyter_linda.tools.notebook import read_notebook
from jupyter_linda.tools.staleness import notes_on_order
from tests.fakes.notebooks import code_cell, notebook


def cells(*pairs):
    return [code_cell(source, f"c{at}") | {"execution_count": count} for at, (source, count) in enumerate(pairs)]


def test_cells_that_ran_from_top_to_bottom_need_no_word():
    assert notes_on_order(cells(("x = 1", 1), ("print(x)", 2), ("", None), ("y = x", 5))) == []


def test_a_cell_that_ran_before_one_above_it_is_named():
    notes = notes_on_order(cells(("a = 1", 4), ("b = 2", 2), ("c = 3", 5)))
    assert notes == ["cell 2 ran before cell 1, which stands above it (In [2] and In [4])."]


def test_a_cell_whose_names_were_made_anew_afterwards_is_stale():
    notes = notes_on_order(cells(("df = load()", 1), ("df = clean(df)", 3), ("df.describe()", 2)))
    assert notes[-1] == "cell 3 is stale: it uses `df`, which cell 2 made anew afterwards (In [2] and In [3])."


@pytest.mark.parametrize(
    "pairs",
    [
        (("x = 1", 2), ("x = 5\nprint(x)", 1)),  # it makes its own
        (("def print(): pass", 2), ("len([1])", 1)),  # builtins, and names that are not shared
        (("import os", 3), ("os.getcwd()", 2)),  # a module imported again is the same
        (("x = (", 3), ("print(x)", 2)),  # not to be parsed
        (("%%bash\nx=1", 3), ("x", 2)),
    ],
)
def test_what_is_not_stale_is_not_called_so(pairs):
    assert not [note for note in notes_on_order(cells(*pairs)) if "stale" in note]


def test_functions_count_as_made_and_calls_as_used():
    notes = notes_on_order(cells(("def f():\n    return 2", 9), ("f()", 4), ("total += 1", 5), ("total = 0", 8)))
    assert any("cell 2 is stale: it uses `f`" in note for note in notes)
    assert any("cell 3 is stale: it uses `total`" in note for note in notes)


def test_few_are_said():
    many = [("x", at) for at in range(1, 30)] + [("x = 1", 40)]
    notes = notes_on_order(cells(*many))
    assert len(notes) == 7
    assert notes[-1] == "… and 23 more of this kind."


def test_a_reading_says_it(bench, put):
    put("a.ipynb", notebook(*cells(("df = 1", 5), ("df + 1", 2))))
    result = bench.run(read_notebook, path="a.ipynb")
    assert "Note: cell 2 ran before cell 1" in result.text
    assert len(result.data["notes"]) == 2
