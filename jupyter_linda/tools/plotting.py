"""Pictures of data frames: drawn in the kernel on a figure of its own; pyplot and its open figures are left alone."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..errors import ToolRetry
from ..ports import ToolContext, ToolResult
from ..toolkit import tool
from .frame_kinds import KINDS
from .frames import Conditions, FrameName, ask_frame, check_name, preview_values
from .kernel import kernel_of
from .naming import NotebookPath, api_path

DRAWING_TIME_S = 60.0
"""The first picture of a kernel loads matplotlib, and makes its list of fonts on a new machine."""

PLOT = (
    KINDS
    + r'''

import base64, io, warnings

MOST_POINTS = 50000
MOST_BARS = 60
SAMPLED = "(Drawn from a sample"
FONTS = (
    "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei", "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB", "Arial Unicode MS",
)


def plotted(user, name, kind, x, y, where, title):
    frame = open_frame(user, name)
    try:
        import matplotlib.figure, matplotlib.backends.backend_agg, matplotlib.font_manager
    except ImportError:
        raise Trouble("matplotlib is not installed in this kernel's environment.", False, "not_installed")
    if matplotlib.rcParams["text.usetex"]:  # by a file beside the notebook, perhaps: it would run another program
        words = "matplotlib is set to write with LaTeX here (text.usetex), so no picture is drawn."
        raise Trouble(words, False, "not_possible")
    marks = frame.fit(where)
    places = frame.places(marks)
    count = len(places)
    step = -(-count // MOST_POINTS) if count > MOST_POINTS else 1
    places = [int(place) for place in places[::step]]
    if step > 1:
        frame.notes.append(SAMPLED + " of %d of %d rows.)" % (len(places), count))
    figure = matplotlib.figure.Figure(figsize=(8, 5), dpi=100)
    axes = figure.add_subplot(111)
    columns = [(one, numbers(frame, one, places)) for one in y]
    across = None if not x else frame.values(frame.find(x), places)
    draw = {"line": lines, "scatter": points, "bar": bars, "histogram": histogram, "box": boxes}[kind]
    draw(axes, across, x, columns, frame)
    if title:
        axes.set_title(title)
    if len(columns) > 1 and kind != "box":
        axes.legend()
    found = {"name": name, "kind": frame.kind, "rows": count, "drawn_rows": len(places), "notes": frame.notes}
    return picture(figure, found)


def numbers(frame, name, places):
    """A column as floats, missing ones as gaps."""
    values = frame.values(frame.find(name), places)
    kinds = set(family(type(value)) for value in values if not is_empty(value))
    if kinds - {"number", "truth"}:
        raise Trouble("%s holds no numbers: only numbers can be drawn upwards." % name)
    return [float("nan") if is_empty(value) else float(value) for value in values]


def crosswise(values):
    """Values of the horizontal axis: numbers and moments as they are, everything else as text."""
    kinds = set(family(type(value)) for value in values if not is_empty(value))
    if kinds <= {"number", "truth"}:
        return [float("nan") if is_empty(value) else float(value) for value in values]
    if kinds <= {"moment", "date"}:
        return [float("nan") if is_empty(value) else local(value) for value in values]
    return ["missing" if is_empty(value) else str(plain(value, 30)) for value in values]


def local(value):
    """A moment as the clock on the wall showed it."""
    value = value.to_pydatetime(warn=False) if hasattr(value, "to_pydatetime") else value
    return value.replace(tzinfo=None) if getattr(value, "tzinfo", None) else value


def lines(axes, across, x, columns, frame):
    flat = list(range(len(columns[0][1]))) if across is None else crosswise(across)
    order = [at for at in range(len(flat)) if flat[at] == flat[at]]
    if across is not None and not any(type(one) is str for one in flat):
        order.sort(key=lambda at: flat[at])
    for name, values in columns:
        axes.plot([flat[at] for at in order], [values[at] for at in order], label=name)
    axes.set_xlabel(x or "row")
    axes.set_ylabel(columns[0][0] if len(columns) == 1 else "")


def points(axes, across, x, columns, frame):
    flat = list(range(len(columns[0][1]))) if across is None else crosswise(across)
    for name, values in columns:
        axes.scatter(flat, values, s=9, alpha=0.6, label=name)
    axes.set_xlabel(x or "row")
    axes.set_ylabel(columns[0][0] if len(columns) == 1 else "")


def bars(axes, across, x, columns, frame):
    """One bar for each value of x: the sum of y, or the number of rows."""
    names = ["missing" if is_empty(value) else str(plain(value, 30)) for value in across]
    order = list(dict.fromkeys(names))
    heights = []
    for name, values in columns or [("rows", [1.0] * len(names))]:
        sums = dict.fromkeys(order, 0.0)
        for one, value in zip(names, values):
            sums[one] += value if value == value else 0.0
        heights.append((name, sums))
    if len(order) > MOST_BARS:
        frame.notes.append("(The %d largest of %d bars are drawn.)" % (MOST_BARS, len(order)))
        order = sorted(order, key=lambda one: -heights[0][1][one])[:MOST_BARS]
    wide = 0.8 / len(heights)
    for at, (name, sums) in enumerate(heights):
        shift = (at - (len(heights) - 1) / 2.0) * wide
        axes.bar([place + shift for place in range(len(order))], [sums[one] for one in order], width=wide, label=name)
    axes.set_xticks(list(range(len(order))))
    axes.set_xticklabels(order, rotation=0 if len(order) <= 8 else 90)
    axes.set_xlabel(x)
    axes.set_ylabel(counted("sum of " + heights[0][0] if columns else "rows", frame))


def counted(words, frame):
    """What an axis counts: of a sample it says so."""
    return words + (" in the sample" if any(note.startswith(SAMPLED) for note in frame.notes) else "")


def finite(values):
    return [value for value in values if not (math.isnan(value) or math.isinf(value))]


def histogram(axes, across, x, columns, frame):
    for name, values in columns:
        flat = finite(values)
        low, high = (min(flat), max(flat)) if flat else (0.0, 1.0)
        most = max(abs(low), abs(high))
        if high - low > 100 * most * 2.0 ** -52:
            axes.hist(flat, bins=30, alpha=0.7, label=name)
        else:  # so near to each other that no 30 numbers lie between them
            wide = max(0.5, most / 1000)
            axes.hist(flat, bins=1, range=(low - wide, high + wide), alpha=0.7, label=name)
    axes.set_xlabel(columns[0][0] if len(columns) == 1 else "")
    axes.set_ylabel(counted("rows", frame))


def boxes(axes, across, x, columns, frame):
    import matplotlib.cbook

    axes.bxp([matplotlib.cbook.boxplot_stats(finite(values) or [float("nan")])[0] for _, values in columns])
    axes.set_xticks(list(range(1, len(columns) + 1)))
    axes.set_xticklabels([name for name, _ in columns])


def picture(figure, found):
    import matplotlib.text

    known = set(font.name for font in sys.modules["matplotlib.font_manager"].fontManager.ttflist)
    fonts = [name for name in FONTS if name in known]
    for text in figure.findobj(matplotlib.text.Text):
        text.set_fontfamily(fonts or ["sans-serif"])
        text.set_parse_math(False)
    canvas = sys.modules["matplotlib.backends.backend_agg"].FigureCanvasAgg(figure)
    written = io.BytesIO()
    with warnings.catch_warnings(record=True) as told_of:
        warnings.simplefilter("always")
        figure.tight_layout()
        canvas.print_png(written)
    if any("missing from" in str(one.message) for one in told_of):
        found["notes"].append("(No font of the kernel's machine has some of the characters.)")
    found["png"] = base64.b64encode(written.getvalue()).decode("ascii")
    return found
'''
)


@tool(action="read", family="dataframe", resource=kernel_of, shows_values="values", holds="names")
async def plot_dataframe(
    context: ToolContext,
    path: NotebookPath,
    name: FrameName,
    kind: Annotated[
        Literal["line", "scatter", "bar", "histogram", "box"], "bar: one for each x, the sum of y or rows."
    ],
    y: Annotated[list[str], Field(max_length=10, description="Columns of numbers; may be empty for bar.")] = [],  # noqa: B006
    x: Annotated[str, "Column of the horizontal axis; empty: the rows in order. Not for histogram and box."] = "",
    where: Conditions = [],  # noqa: B006
    title: Annotated[str, Field(max_length=200, description="The picture's title.")] = "",
) -> ToolResult:
    """Draw columns of a data frame in the notebook's running kernel and show the picture in the chat.

    Open figures of the notebook and its variables are left alone. Nothing is put into the notebook.
    """
    # `data` holds path, name, kind, rows, drawn_rows, notes
    check_name(name)
    if kind == "bar" and not x:
        raise ToolRetry("A bar plot needs `x`: one bar is drawn for each of its values.")
    if kind != "bar" and not y:
        raise ToolRetry(f"A {kind} plot needs at least one column in `y`.")
    notebook = api_path(context, path)
    asked = {
        "name": name, "kind": kind, "x": x, "y": y, "where": [dict(one) for one in where], "title": title,
    }  # fmt: skip
    found = await ask_frame(context, notebook, text=PLOT, work="plotted", arguments=asked, timeout_s=DRAWING_TIME_S)
    png = found.pop("png")
    words = f"A {kind} plot of {', '.join(y) or 'rows'}" + (f" by {x}" if x else "") + f", {found['rows']} rows"
    bundle = {"image/png": png, "text/plain": words}
    return ToolResult(
        text="\n".join([f"{words} was drawn; the user sees it in the chat.", *found["notes"]]),
        title=f"Plotted {name}: {', '.join(y) or 'rows'}" + (f" by {x}" if x else ""),
        outputs=({"output_type": "display_data", "data": bundle, "metadata": {}},),
        data={"path": notebook, **found},
        images=(("image/png", png),),
    )


plot_dataframe.previews(preview_values)

TOOLS = (plot_dataframe,)
"""The tools of this file."""
