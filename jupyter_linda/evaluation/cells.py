"""Tasks about a notebook's cells: rename, split, move, retype, search, leave alone, undo."""

from __future__ import annotations

import re

from .checks import (
    cell_named,
    cells_after,
    cells_before,
    changed_files,
    errors_in,
    not_looked,
    other_cells,
    tried,
    without_notes,
)
from .notebooks import code, notebook, printed, raised, text
from .tasks import LOOKING_ONLY, Left, Task

# ---- rename ----------------------------------------------------------------------------------------

_TRIPS = notebook(
    text("title", "# Trips\n\n`amt` is in euros."),
    code("rows", 'rows = [{"amt": 30, "by": "amtrak"}, {"amt": 12, "by": "bus"}]'),
    code("total", 'total = sum(row["amt"] for row in rows)\nprint(total)'),
    text("middle", "The largest `amt` comes next."),
    code("largest", 'largest = max(rows, key=lambda row: row["amt"])\nprint(largest["by"], largest["amt"])'),
)


def check_renamed(left: Left) -> str:
    """Every cell is as before, but for that name."""
    before, after = cells_before(left, "trips.ipynb"), cells_after(left, "trips.ipynb")
    if reason := changed_files(left, "trips.ipynb"):
        return reason
    if [cell.cell_id for cell in before] != [cell.cell_id for cell in after]:
        return "trips.ipynb has other cells than before"
    for old, new in zip(before, after, strict=True):
        if new.source != re.sub(r"\bamt\b", "amount", old.source):
            return f"the cell {old.cell_id!r} does not differ by that name, and nothing else"
    return ""


# ---- split, move, retype -----------------------------------------------------------------------------

_IMPORTS = "import math\nimport statistics"
_WORK = "radii = [1.0, 2.5, 4.0]\nareas = [math.pi * radius**2 for radius in radii]\nprint(statistics.mean(areas))"


def check_split(left: Left) -> str:
    """The imports stand alone, the rest right below them."""
    cells = cells_after(left, "circles.ipynb")
    if reason := changed_files(left, "circles.ipynb"):
        return reason
    if [cell.kind for cell in cells] != ["markdown", "code", "code", "markdown"]:
        return "circles.ipynb does not hold its two texts with two code cells between them"
    if (cells[0].source, cells[3].source) != ("# Circles", "Done."):
        return "the texts should be as they were"
    if cells[1].source.strip() != _IMPORTS or cells[2].source.strip() != _WORK:
        return "the two cells do not hold the imports, and all of the rest as it was"
    return ""


_ORDER = ("imports", "title", "load", "sum")


def check_moved(left: Left) -> str:
    """The same cells, with their ids and texts, in the order asked for."""
    if reason := changed_files(left, "order.ipynb"):
        return reason
    before, after = cells_before(left, "order.ipynb"), cells_after(left, "order.ipynb")
    if tuple(cell.cell_id for cell in after) != _ORDER:
        return "the cells are not those that were there, in the order asked for"
    changed = [cell.cell_id for cell in after if cell.source != getattr(cell_named(before, cell.cell_id), "source", "")]
    return f"the cell {changed[0]!r} should be as it was" if changed else ""


_NOTES = "# What we found\n#\n# - colder mornings\n# - **no** rain"
_FOUND = "# What we found\n\n- colder mornings\n- **no** rain"


def check_text(left: Left) -> str:
    """The comment is a Markdown cell with the same words."""
    cells = cells_after(left, "notes.ipynb")
    if reason := changed_files(left, "notes.ipynb"):
        return reason
    if [cell.kind for cell in cells] != ["code", "markdown", "code"]:
        return "the second of three cells is not a Markdown cell"
    before = cells_before(left, "notes.ipynb")
    if (cells[0].source, cells[2].source) != (before[0].source, before[2].source):
        return "the other cells should be as they were"
    said = [line.strip() for line in cells[1].source.splitlines() if line.strip()]
    wanted = [line.strip() for line in _FOUND.splitlines() if line.strip()]
    return "" if said == wanted else "the text does not hold these lines, as Markdown"


# ---- search ------------------------------------------------------------------------------------------

_RATES = {"alpha.ipynb": "0.01", "gamma.ipynb": "0.25"}


def _trial(rate: str) -> str:
    return notebook(text("title", "# Trial"), code("set", f"learning_rate = {rate}\nsteps = 40"))


def check_found(left: Left) -> str:
    """Each notebook that assigns it, with its value, one a line, and no other."""
    reason = changed_files(left) or tried(left, "write", "run") or not_looked(left, "")
    lines = [line for line in left.last.splitlines() if line.strip()]
    for name, value in _RATES.items():
        if not any(name in line and re.search(rf"(?<![\d.]){value}(?!\d)", line) for line in lines):
            reason = reason or f"no line of the reply gives {name} and {value}"
    return reason or ("the reply names beta.ipynb, which does not set it" if "beta" in left.last else "")


# ---- leave alone ---------------------------------------------------------------------------------------

_MINE = "# mine: do not touch\nfactor   =  2 ;  offset=1 # tuned by hand"
_SCALE = "scaled = [factor * value + ofset for value in values]\nprint(scaled)"


def check_kept(left: Left) -> str:
    """The failing cell is mended; the person's cell is as it was, to the last blank."""
    cells = cells_after(left, "tuned.ipynb")
    if reason := changed_files(left, "tuned.ipynb") or other_cells(left, "tuned.ipynb", "scale"):
        return reason
    mine, scale = cell_named(cells, "mine"), cell_named(cells, "scale")
    if mine is None or scale is None or without_notes(mine) != mine.metadata:
        return "she wrote into the cell that is marked as mine"
    if "factor" not in scale.source or "offset" not in scale.source:
        return "the cell does not compute with `factor` and `offset`"
    is_right = scale.said.strip() == "[3, 7, 11]"
    return errors_in(cells, "tuned.ipynb") or ("" if is_right else "the notebook does not print [3, 7, 11]")


# ---- undo ----------------------------------------------------------------------------------------------


def check_undone(left: Left) -> str:
    """The edit was right, and undoing it leaves the file as it was, byte by byte."""
    if reason := changed_files(left, "note.ipynb") or other_cells(left, "note.ipynb", "title"):
        return reason
    title = cell_named(cells_after(left, "note.ipynb"), "title")
    if title is None or title.source != "# Final":
        return "the heading is not `# Final`"
    is_back = left.undone is not None and left.undone.get("note.ipynb") == left.before["note.ipynb"]
    return "" if is_back else "undoing it does not bring the notebook back as it was"


TASKS = (
    Task(
        "rename-a-column",
        "In {folder}/trips.ipynb rename `amt` to `amount` in every cell, in code and text. Change nothing else, and "
        "run nothing.",
        {"trips.ipynb": _TRIPS},
        check_renamed,
    ),
    Task(
        "split-a-cell",
        "Split the code cell of {folder}/circles.ipynb in two: the imports alone, and the rest right below them. "
        "Change nothing else.",
        {
            "circles.ipynb": notebook(
                text("title", "# Circles"), code("all", f"{_IMPORTS}\n\n{_WORK}"), text("end", "Done.")
            )
        },
        check_split,
    ),
    Task(
        "move-cells",
        "Move the cell with the imports in {folder}/order.ipynb to the very top, and the cell that loads the values "
        "above the one that sums them. Move them: do not write them anew.",
        {
            "order.ipynb": notebook(
                text("title", "# Order"),
                code("sum", "print(math.fsum(values))"),
                code("imports", "import math"),
                code("load", "values = [0.1] * 10"),
            )
        },
        check_moved,
    ),
    Task(
        "comment-to-text",
        "The second cell of {folder}/notes.ipynb is code and holds nothing but comments. Make it a Markdown cell with "
        "the same lines, without the comment signs: a heading and a list.",
        {
            "notes.ipynb": notebook(
                code("start", "days = 30"), code("notes", _NOTES), code("end", "print(days)", printed("30\n"), count=2)
            )
        },
        check_text,
    ),
    Task(
        "search-notebooks",
        "Which notebooks in {folder} assign a value to learning_rate in their code, and which? One line for each: its "
        "file name and the value, nothing else.",
        {
            **{name: _trial(value) for name, value in _RATES.items()},
            "beta.ipynb": notebook(
                text("title", "Here `learning_rate = 0.5` was too high."), code("set", "steps = 40")
            ),
        },
        check_found,
        policy=LOOKING_ONLY,
    ),
    Task(
        "keep-my-cell",
        "A cell of {folder}/tuned.ipynb fails. Mend it and run the notebook. Leave the cell that is marked as mine "
        "exactly as it is.",
        {
            "tuned.ipynb": notebook(
                code("values", "values = [1, 3, 5]"),
                code("mine", _MINE),
                code("scale", _SCALE, raised("NameError", "name 'ofset' is not defined"), count=3),
            )
        },
        check_kept,
    ),
    Task(
        "undoable-edit",
        "Change the heading of {folder}/note.ipynb from Draft to Final, and nothing else.",
        {"note.ipynb": notebook(text("title", "# Draft"), code("one", "print(1)", printed("1\n"), count=1))},
        check_undone,
        is_undone=True,
    ),
)
