"""Tasks about code: mend, plot, refactor, document, test, run."""

from __future__ import annotations

import ast
import statistics
import struct

from .checks import (
    calls_of,
    cell_named,
    cells_after,
    cells_before,
    changed_files,
    constants_in,
    errors_in,
    names_in,
    not_run,
    other_cells,
    parsed,
    wrong_numbers,
)
from .notebooks import Cell, code, notebook, printed, raised, text
from .tasks import Left, Task

PNG = b"\x89PNG\r\n\x1a\n"
SMALLEST_SIDE = 100  # pixels


# ---- mend a cell ---------------------------------------------------------------------------------

_AVERAGE = 'average = sum(prices.values()) / len(price)\nprint(f"average {average:.2f}")'
_REPORT = notebook(
    text("title", "# Prices"),
    code("prices", 'prices = {"tea": 3.0, "rice": 2.0, "oil": 7.0}', count=1),
    code("average", _AVERAGE, raised("NameError", "name 'price' is not defined"), count=2),
    code("dear", "dear = [name for name, value in prices.items() if value > average]\nprint(dear)"),
)


def check_mended(left: Left) -> str:
    """The cell computes what it should, and every cell was run."""
    cells = cells_after(left, "report.ipynb")
    average, dear = cell_named(cells, "average"), cell_named(cells, "dear")
    if reason := changed_files(left, "report.ipynb") or other_cells(left, "report.ipynb", "average"):
        return reason
    if average is None or dear is None:
        return "the cell that failed is gone"
    if reason := errors_in(cells, "report.ipynb"):
        return reason
    tree = parsed(average.source)
    if tree is None or "prices" not in names_in(tree) or "average" not in names_in(tree) or 4 in constants_in(tree):
        return "the cell does not compute the average from the prices any more"
    is_right = average.said.strip() == "average 4.00" and dear.said.strip() == "['oil']"
    return not_run(left) if is_right else "the notebook does not print the right average"


# ---- plot ----------------------------------------------------------------------------------------

_MONTHS = notebook(
    code("data", 'months = ["Jan", "Feb", "Mar", "Apr", "May"]\nsales = [12, 15, 11, 19, 24]'),
)


def check_plot(left: Left) -> str:
    """A picture of a labelled line, made of the notebook's own lists."""
    cells = cells_after(left, "months.ipynb")
    new = [cell for cell in cells if cell.cell_id != "data"]
    reason = changed_files(left, "months.ipynb") or (
        "" if cells[:1] and cells[0].cell_id == "data" else "the cell of the data is not the first any more"
    )
    before = cells_before(left, "months.ipynb")[0]
    if reason or cells[0].source != before.source:
        return reason or "the data should be as they were"
    if len(new) != 1:
        return f"there are {len(new)} new cells and should be one"
    tree = parsed(new[0].source)
    if tree is None or not calls_of(tree, "plot") or not {"months", "sales"} <= names_in(tree):
        return "the new cell does not plot `sales` over `months`"
    labels = {str(value).lower() for value in constants_in(tree)}
    if not any("month" in one for one in labels) or not any("sales" in one for one in labels):
        return "the axes have no labels `month` and `sales`"
    if not any(_is_picture(picture) for picture in new[0].pictures):
        return "the new cell shows no picture"
    return errors_in(cells, "months.ipynb")


def _is_picture(held: bytes) -> bool:
    if not held.startswith(PNG) or len(held) < 500:
        return False
    width, height = struct.unpack(">II", held[16:24])
    return bool(min(width, height) >= SMALLEST_SIDE)


# ---- refactor --------------------------------------------------------------------------------------

_ROOM = """{name} = [{sides}]
{name}_area = {name}[0] * {name}[1]
{name}_cost = {name}_area * 12.5 + 30
print("{name}", {name}_cost)
"""
_ROOMS = "\n".join(
    _ROOM.format(name=name, sides=sides)
    for name, sides in (("hall", "4.0, 6.0"), ("kitchen", "3.0, 5.0"), ("study", "2.0, 4.0"))
)
_COSTS = "hall 330.0\nkitchen 217.5\nstudy 130.0\n"


def check_refactored(left: Left) -> str:
    """One function, called for each room; the same lines are printed."""
    cells = cells_after(left, "rooms.ipynb")
    rooms = cell_named(cells, "rooms")
    if reason := changed_files(left, "rooms.ipynb") or other_cells(left, "rooms.ipynb", "rooms"):
        return reason
    tree = parsed(rooms.source) if rooms else None
    if rooms is None or tree is None:
        return "the cell is gone, or no Python any more"
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    if [node.name for node in functions] != ["cost"]:
        return "the cell does not define one function `cost`"
    calls = calls_of(tree, "cost")
    is_looped = any(calls_of(node, "cost") for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension))
    if len(calls) < 3 and not (calls and is_looped):
        return "`cost` is not called for each room"
    if constants_in(tree).count(12.5) != 1 or not {330.0, 217.5, 130.0}.isdisjoint(
        value for value in constants_in(tree) if isinstance(value, float)
    ):
        return "the price stands there more than once, or the results are written down"
    if rooms.said.strip() != _COSTS.strip():
        return "the cell does not print what it printed before"
    return errors_in([rooms], "rooms.ipynb") or not_run(left)


# ---- document --------------------------------------------------------------------------------------

_SCALED = """def scaled(values, low=0.0, high=1.0):
    smallest, largest = min(values), max(values)
    span = (largest - smallest) or 1.0
    return [low + (value - smallest) / span * (high - low) for value in values]
"""


def check_documented(left: Left) -> str:
    """A docstring that names every argument; the code is as it was."""
    if reason := changed_files(left, "scale.ipynb") or other_cells(left, "scale.ipynb", "scaled"):
        return reason
    cell = cell_named(cells_after(left, "scale.ipynb"), "scaled")
    tree = parsed(cell.source) if cell else None
    function = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    if not isinstance(function, ast.FunctionDef) or tree is None:
        return "the cell does not hold that one function any more"
    said = ast.get_docstring(function) or ""
    lacking = [name for name in ("values", "low", "high") if name not in said]
    if not said or lacking:
        return f"the docstring does not say what {lacking[0]} is" if said else "the function has no docstring"
    if len(said.split()) < 12:
        return "the docstring says too little"
    function.body = function.body[1:]
    return "" if ast.dump(tree) == ast.dump(ast.parse(_SCALED)) else "the code of the function was changed"


# ---- test ------------------------------------------------------------------------------------------

_MIDDLE = """def middle(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
"""
FEWEST_ASSERTS = 4


def check_tested(left: Left) -> str:
    """Asserts that are true of the median and would be wrong of something else, run in a new cell."""
    cells = cells_after(left, "median.ipynb")
    new = [cell for cell in cells if cell.cell_id != "middle"]
    if reason := changed_files(left, "median.ipynb"):
        return reason
    if not cells or cells[0].source != cells_before(left, "median.ipynb")[0].source:
        return "the function should be as it was"
    held = [pair for cell in new for pair in _asserted(cell)]
    lists = {tuple(values) for values, _result in held}
    if len(lists) < FEWEST_ASSERTS:
        return f"there are {len(lists)} asserts of the form asked for, and should be {FEWEST_ASSERTS} or more"
    wrong = [values for values, result in held if statistics.median(values) != result]
    if wrong:
        return f"the median of {wrong[0]} is another"
    if not any(len(one) % 2 == 0 for one in lists) or not any(list(one) != sorted(one) for one in lists):
        return "no list of even length, or none that is not in order"
    return errors_in(cells, "median.ipynb")


def _asserted(cell: Cell) -> list[tuple[list[float], float]]:
    """(list, result) of each `assert middle([...]) == ...`."""
    found = []
    for node in ast.walk(parsed(cell.source) or ast.Module([], [])):
        test = node.test if isinstance(node, ast.Assert) else None
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
            continue
        call = test.left
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "middle" and len(call.args) == 1:
            try:
                values, result = ast.literal_eval(call.args[0]), ast.literal_eval(test.comparators[0])
                found.append(([float(value) for value in values], float(result)))
            except (ValueError, TypeError):
                continue
    return [pair for pair in found if pair[0]]


# ---- make, mend a module, run ----------------------------------------------------------------------


def check_created(left: Left) -> str:
    """A heading, and one cell that computes and prints squares."""
    cells = cells_after(left, "squares.ipynb")
    if reason := changed_files(left, "squares.ipynb"):
        return reason
    if [cell.kind for cell in cells] != ["markdown", "code"]:
        return "squares.ipynb does not hold a Markdown cell and then a code cell"
    if cells[0].source.strip() != "# Squares":
        return "the first cell is not the heading `# Squares`"
    tree = parsed(cells[1].source)
    if tree is None or {16, 25} & {value for value in constants_in(tree) if isinstance(value, int)}:
        return "the squares are not computed"
    is_right = cells[1].said.split() == ["1", "4", "9", "16", "25"]
    return errors_in(cells, "squares.ipynb") or ("" if is_right else "the cell does not print the five squares")


_MODULE = '''"""Measures of a list of numbers."""


def mean(values):
    return sum(values) / (len(values) - 1)


def spread(values):
    return max(values) - min(values)
'''
_PROBE = notebook(
    code("probe", "import measures\n\nprint(measures.mean([2, 4, 9]), measures.spread([2, 4, 9]))"),
)


def check_module(left: Left) -> str:
    """`mean` is mended, `spread` is as it was, and the notebook shows it."""
    if reason := changed_files(left, "measures.py", "probe.ipynb") or other_cells(left, "probe.ipynb", "probe"):
        return reason
    tree = parsed(left.files.get("measures.py", b"").decode(errors="replace"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)} if tree else {}
    old = {node.name: node for node in ast.parse(_MODULE).body if isinstance(node, ast.FunctionDef)}
    if set(functions) != set(old) or ast.dump(functions["spread"]) != ast.dump(old["spread"]):
        return "measures.py should hold `mean`, and `spread` as it was"
    if 5 in constants_in(functions["mean"]) or "values" not in names_in(functions["mean"]):
        return "`mean` does not compute"
    probe = cell_named(cells_after(left, "probe.ipynb"), "probe")
    if probe is None or probe.source != cells_before(left, "probe.ipynb")[0].source:
        return "the cell of probe.ipynb should be as it was"
    is_right = probe.said.split() in (["5.0", "7"], ["5", "7"])
    return errors_in([probe], "probe.ipynb") or ("" if is_right else "probe.ipynb does not print 5.0 and 7")


_DRAWS = "value = 7\nfor _ in range(50):\n    value = (value * 1103515245 + 12345) % 2**31\nprint(value % 100000)"


def _drawn() -> int:
    value = 7
    for _ in range(50):
        value = (value * 1103515245 + 12345) % 2**31
    return value % 100000


DRAWN = _drawn()


def check_ran(left: Left) -> str:
    """It was run, and the number told is the one printed."""
    reason = changed_files(left, "draws.ipynb") or other_cells(left, "draws.ipynb") or not_run(left)
    if reason:
        return reason
    cells = cells_after(left, "draws.ipynb")
    is_right = bool(cells) and cells[0].said.strip() == str(DRAWN)
    return (
        errors_in(cells, "draws.ipynb")
        or ("" if is_right else "the notebook does not hold the number that its cell prints")
        or wrong_numbers(left.last, DRAWN)
    )


TASKS = (
    Task(
        "fix-failing-cell",
        "A cell of {folder}/report.ipynb fails. Mend that cell, change no other, and run the notebook from top to "
        "bottom.",
        {"report.ipynb": _REPORT},
        check_mended,
    ),
    Task(
        "plot-a-line",
        "Add one cell at the end of {folder}/months.ipynb that draws `sales` over `months` as a line with matplotlib, "
        "the axes labelled month and sales. Run the notebook.",
        {"months.ipynb": _MONTHS},
        check_plot,
        needs=("matplotlib",),
    ),
    Task(
        "refactor",
        "The cell of {folder}/rooms.ipynb does the same three times. Rewrite that cell with one function `cost` that "
        "is called for each room, and run it. What it prints must stay the same.",
        {"rooms.ipynb": notebook(code("rooms", _ROOMS, printed(_COSTS), count=1))},
        check_refactored,
    ),
    Task(
        "document-a-function",
        "Write a docstring for the function in {folder}/scale.ipynb that says what it gives and what each argument is. "
        "Leave its code as it is.",
        {"scale.ipynb": notebook(text("title", "# Scaling"), code("scaled", _SCALED))},
        check_documented,
    ),
    Task(
        "write-a-test",
        "Add one cell at the end of {folder}/median.ipynb that tests `middle` with at least four plain asserts of the "
        "form `assert middle([...]) == value`, each with another list: among them one of even length and one that is "
        "not in order. Run the notebook.",
        {"median.ipynb": notebook(code("middle", _MIDDLE))},
        check_tested,
    ),
    Task(
        "create-a-notebook",
        "Make a notebook {folder}/squares.ipynb: first the heading `# Squares` as Markdown, then one code cell that "
        "prints the squares of 1 to 5, one a line. Run it.",
        {"readme.txt": "Notebooks of this folder hold one heading and one cell.\n"},
        check_created,
    ),
    Task(
        "fix-a-module",
        "`mean` in {folder}/measures.py gives wrong results. Mend it there, and run {folder}/probe.ipynb to see it.",
        {"measures.py": _MODULE, "probe.ipynb": _PROBE},
        check_module,
    ),
    Task(
        "run-and-tell",
        "Run {folder}/draws.ipynb and tell me the number it prints. Reply with that number only.",
        {"draws.ipynb": notebook(code("draws", _DRAWS))},
        check_ran,
    ),
)
