"""Arguments by rules: cells, code, places, names, text to find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.gateway import arguments, naming
from jupyter_linda.gateway.cells import CellRef, as_number, find_reference, numbered, resolve
from jupyter_linda.gateway.conversation import split_context
from jupyter_linda.gateway.masking import mask


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("run cell 3", CellRef("number", 3)),
        ("the third cell", CellRef("number", 3)),
        ("cell number twelve", CellRef("number", 12)),
        ("第三个单元格", CellRef("number", 3)),
        ("第 12 格", CellRef("number", 12)),
        ("三号单元格", CellRef("number", 3)),
        ("run [5]", CellRef("count", 5)),
        ("In [5] 是什么", CellRef("count", 5)),
        ("the last cell", CellRef("from_end", 1)),
        ("最后一格", CellRef("from_end", 1)),
        ("倒数第二个单元格", CellRef("from_end", 2)),
        ("the second to last cell", CellRef("from_end", 2)),
        ("this cell", CellRef("active")),
        ("当前单元格", CellRef("active")),
        ("the previous cell", CellRef("offset", -1)),
        ("run a cell", None),
    ],
)
def test_understands_how_people_name_cells(text, reference):
    found = find_reference(numbered(mask(text)))
    assert (found.kind, found.number) == (reference.kind, reference.number) if reference else found is None


@given(st.integers(min_value=1, max_value=99))
def test_chinese_numbers_are_read(number):
    tens, ones = divmod(number, 10)
    digits = "零一二三四五六七八九"
    written = ("" if tens == 0 else "十" if tens == 1 else digits[tens] + "十") + (digits[ones] if ones else "")
    assert as_number("第" + written) == number


CELLS = [{"cell_id": name, "execution_count": count} for name, count in (("a", 7), ("b", None), ("c", 5))]


@pytest.mark.parametrize(
    ("reference", "cell_id"),
    [
        (CellRef("number", 1), "a"),
        (CellRef("number", 4), None),
        (CellRef("number", 0), None),
        (CellRef("from_end", 1), "c"),
        (CellRef("from_end", 4), None),
        (CellRef("count", 5), "c"),
        (CellRef("count", 1), None),
        (CellRef("active"), "b"),
        (CellRef("offset", -1), "a"),
        (CellRef("offset", 2), None),
        (None, "b"),
    ],
)
def test_finds_the_cell_meant(reference, cell_id):
    cell = resolve(reference, CELLS, active_id="b")
    assert (cell and cell["cell_id"]) == cell_id


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("add a cell with `x = 1`", "x = 1"),
        ("insert a cell: print(1)", "print(1)"),
        ("插入一个单元格，内容是 print(1)", "print(1)"),
        ("在最下面加一个代码格：df.describe()", "df.describe()"),
        ("put x = 3 in a cell at the end", "x = 3"),
        ("add y = x ** 2 below", "y = x ** 2"),
        ("add import matplotlib.pyplot as plt at the top", "import matplotlib.pyplot as plt"),
        ("把 import numpy as np 加到最后", "import numpy as np"),
        ("new cell: for i in range(3): print(i)", "for i in range(3): print(i)"),
        ("insert:\n```\na\n\nb\n```", "a\n\nb"),
        ('insert a markdown cell saying "Results"', "Results"),
        ("add a markdown cell with the title Results of 2024", "Results of 2024"),
        ("add an empty cell", ""),
        ("插入一个空单元格", ""),
        ("add a cell", None),
        ("insert a cell that plots the data", None),
    ],
)
def test_takes_the_code_that_was_given(text, source):
    assert arguments.cell_source(mask(text)) == source


@given(st.text(alphabet="abcxyz0189 =+-()[]:,.#'\"\n", min_size=1).filter(lambda code: code.strip("\n").strip()))
def test_fenced_code_is_taken_exactly(code):
    assert arguments.cell_source(mask(f"insert a cell\n```python\n{code}\n```")) == code.strip("\n")


@pytest.mark.parametrize(
    ("text", "position", "number"),
    [
        ("add `x` at the top", "top", None),
        ("在开头插入 `x`", "top", None),
        ("add `x` at the end", "end", None),
        ("在最后加一格 `x`", "end", None),
        ("add `x` after cell 3", "after", 3),
        ("在第三个单元格后面插入 `x`", "after", 3),
        ("add `x` before the second cell", "before", 2),
        ("在第 2 格之前插入 `x`", "before", 2),
        ("add `x` below", "after", None),
        ("add `x`", None, None),
    ],
)
def test_understands_where_a_cell_goes(text, position, number):
    place = arguments.place(mask(text))
    assert (place and place.position) == position
    assert (place.reference.number if place and place.reference else None) == number


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("find TODO in my files", "TODO"),
        ("search all notebooks for rainfall", "rainfall"),
        ("which files mention ozone?", "ozone"),
        ("where do I use read_csv?", "read_csv"),
        ('look for "net income" in data', "net income"),
        ("在文件里找 TODO", "TODO"),
        ("哪些文件提到了臭氧这个词？", "臭氧"),
        ("搜索“湖泊面积”", "湖泊面积"),
        ("哪个文件用到了 read_csv", "read_csv"),
        ("find something in my files", None),
    ],
)
def test_finds_the_text_to_search_for(text, wanted):
    assert arguments.search_text(mask(text)) == wanted


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("describe df", "df"),
        ("how many rows does orders have", "orders"),
        ("describe the penguins dataframe", "penguins"),
        ("orders 这张表有多少行", "orders"),
        ("info about `lakes`", "lakes"),
        ("describe the data frame", None),
        ("描述数据框", None),
    ],
)
def test_finds_the_frame_meant(text, name):
    assert arguments.frame_name(mask(text), ()) == name


@pytest.mark.parametrize(
    ("words", "paths", "fits"),
    [
        ("open the sales notebook", ["lakes.ipynb", "2024/sales_q1.ipynb"], ["2024/sales_q1.ipynb"]),
        ("打开销售那个笔记本", ["lakes.ipynb", "销售数据.ipynb"], ["销售数据.ipynb"]),
        ("打开湖泊笔记本", ["lakes.ipynb", "sales.ipynb"], ["lakes.ipynb"]),
        ("open penguin", ["penguins.ipynb", "sales.ipynb"], ["penguins.ipynb"]),
        ("open the sales notebook", ["sales_a.ipynb", "sales_b.ipynb"], ["sales_a.ipynb", "sales_b.ipynb"]),
        ("open the churn notebook", ["lakes.ipynb"], []),
    ],
)
def test_matches_loosely_named_notebooks(words, paths, fits):
    assert naming.matching_paths(words, paths) == fits


def test_context_lines_are_not_the_persons_words():
    content = "[context] cell: c1 in a b.ipynb\n[context] variable: df in a b.ipynb\n\nrun it\n[context] not this"
    situation, text = split_context(content)
    assert (situation.notebook, situation.cell_id, situation.variables) == ("a b.ipynb", "c1", ("df",))
    assert text == "run it\n[context] not this"


@given(st.text(max_size=200))
def test_no_text_breaks_the_rules(text):
    masked = mask(text)
    find_reference(numbered(masked))
    arguments.cell_source(masked)
    arguments.search_text(masked)
    arguments.place(masked)
    arguments.frame_name(masked, ("df",))
    naming.other_notebook(masked)
    naming.folder_name(masked)
