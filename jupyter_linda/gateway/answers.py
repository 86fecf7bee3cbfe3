"""Words for tool results, by templates in the person's language; never by a language model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jupyter_linda.ports import Json

    from .conversation import Done, Language

LONGEST_BLOCK = 3000
MOST_LINES = 40
"""Bounds of what one answer quotes."""


def problem(done: Done, language: Language) -> str:
    """A call that failed or was refused, said plainly."""
    found = done.problem or {}
    why = str(found.get("message") or done.text).strip()
    remedy = str(found.get("remedy") or "").strip()
    refused = re.search(r"refus|NotAllowed|denied|declin|expired", str(found.get("kind", "")), re.IGNORECASE)
    if language == "zh":
        start = "这一步没有得到允许，所以没有做" if refused else "没有做成"
        why = _CHINESE.get(why, why)
    else:
        start = "This was not allowed, so I did not do it" if refused else "That did not work"
    return " ".join(part for part in (f"{start}: {why}" if language == "en" else f"{start}：{why}", remedy) if part)


_CHINESE = {
    "The person said no.": "您拒绝了。",
    "Nobody could be asked, which means no.": "没有人可以询问，这等于拒绝。",
    "Nobody answered in time, which means no.": "没有人及时回答，这等于拒绝。",
}
"""Whole sentences of the gate; what names a rule or a path stays as it is."""


def not_offered(tool: str, language: Language) -> str:
    """The tool is not on offer in this chat (plan mode, or switched off)."""
    if language == "zh":
        return f"这个对话里不能用 {tool}，所以我没有做。"
    return f"The tool {tool} is not available in this chat, so I did nothing."


def notebooks(data: Mapping[str, Json], language: Language) -> str:
    """After list_notebooks."""
    found = data.get("notebooks") or []
    if not found:
        return "这里没有笔记本。" if language == "zh" else "There are no notebooks here."
    opened = "（已打开）" if language == "zh" else " (open)"
    lines = [f"- {entry['path']}{opened if entry.get('is_open') else ''}" for entry in found]
    head = f"有 {len(found)} 个笔记本：" if language == "zh" else _count(len(found), "notebook") + ":"
    return _listed(head, lines, language)


def opened(data: Mapping[str, Json], arguments: Mapping[str, Json], language: Language) -> str:
    """After open_notebook."""
    path = data.get("path") or arguments.get("path", "")
    if data.get("opened", True):
        return f"{path} 已打开。" if language == "zh" else f"{path} is open."
    if language == "zh":
        return f"找到了 {path}，但没有浏览器窗口可以显示它。"
    return f"{path} is there, but no browser window is connected to show it."


def notebook(data: Mapping[str, Json], language: Language) -> str:
    """After read_notebook: an outline, a line per cell."""
    cells = data.get("cells") or []
    path = data.get("path", "")
    head = f"{path} 有 {len(cells)} 个单元格：" if language == "zh" else f"{path} has {_count(len(cells), 'cell')}:"
    return _listed(head, cell_lines(cells), language)


def cell_lines(cells: Sequence[Mapping[str, Json]]) -> list[str]:
    """A line per cell: its number, kind and first line."""
    return [
        f"{number}. [{cell.get('cell_type', 'code')}] {_first_line(str(cell.get('source', '')))}"
        for number, cell in enumerate(cells, start=1)
    ]


def cell(data: Mapping[str, Json], language: Language) -> str:
    """After read_cell: the source, and the output where there is one."""
    label = _cell_label(data.get("index"), language)
    source = str(data.get("source", ""))
    fence = "markdown" if data.get("cell_type") == "markdown" else "python" if data.get("cell_type") == "code" else ""
    if not source.strip():
        text = f"{label}是空的。" if language == "zh" else f"{label} is empty."
    else:
        text = (f"{label}的内容：" if language == "zh" else f"{label} says:") + f"\n\n{_block(source, fence)}"
    output = str(data.get("outputs_text") or "").strip()
    if output:
        text += ("\n\n输出：" if language == "zh" else "\n\nIts output:") + f"\n\n{_block(output)}"
    return text


def inserted(data: Mapping[str, Json], arguments: Mapping[str, Json], language: Language) -> str:
    """After insert_cell."""
    path = data.get("path") or arguments.get("path", "")
    index = data.get("index")
    where = f"第 {index + 1} 个" if isinstance(index, int) and index >= 0 else ""
    if language == "zh":
        return f"已在 {path} 插入{where}单元格。还没有运行。"
    where = f" as cell {index + 1}" if isinstance(index, int) and index >= 0 else ""
    return f"Inserted{where} in {path}. It has not been run."


def ran(data: Mapping[str, Json], index: int | None, language: Language) -> str:
    """After run_cell: the result or the error."""
    label = _cell_label(index, language)
    status, text, error = str(data.get("status", "ok")), str(data.get("text") or "").strip(), _error(data.get("error"))
    if status == "ok":
        if not text:
            return f"{label}运行完成，没有输出。" if language == "zh" else f"{label} ran without output."
        head = f"{label}运行完成，结果：" if language == "zh" else f"{label} ran. Its result:"
        return f"{head}\n\n{_block(text)}"
    words = _STATUS[language].get(status, status)
    head = f"{label}{words}" if language == "zh" else f"{label} {words}"
    body = error or text  # the card above holds the traceback, and what was printed before
    return f"{head}\n\n{_block(body)}" if body else head


_STATUS: dict[Language, dict[str, str]] = {
    "en": {
        "error": "ended with an error:",
        "timeout": "took too long and was interrupted.",
        "interrupted": "was interrupted.",
        "kernel_died": "killed its kernel: the kernel died while running it.",
        "busy": "did not run: the kernel is busy.",
    },
    "zh": {
        "error": "运行出错：",
        "timeout": "运行太久，已被中断。",
        "interrupted": "被中断了。",
        "kernel_died": "运行时内核崩溃了。",
        "busy": "没有运行：内核正忙。",
    },
}


def not_code(index: int, language: Language) -> str:
    """A text cell cannot run."""
    label = _cell_label(index, language)
    return f"{label}是文本，没有可运行的代码。" if language == "zh" else f"{label} is text; there is no code to run."


def variables(data: Mapping[str, Json], name: str | None, language: Language) -> str:
    """After list_variables; with a name, only that one."""
    found = data.get("variables") or []
    if name is not None:
        one = next((entry for entry in found if entry.get("name") == name), None)
        if one is None:
            return f"没有叫 {name} 的变量。" if language == "zh" else f"There is no variable called {name}."
        return _variable(one).removeprefix("- ")
    if not found:
        return "现在没有变量。" if language == "zh" else "There are no variables yet."
    head = f"有 {len(found)} 个变量：" if language == "zh" else _count(len(found), "variable") + ":"
    return _listed(head, [_variable(entry) for entry in found], language)


def _variable(entry: Mapping[str, Json]) -> str:
    summary = _first_line(str(entry.get("summary") or ""))
    return f"- `{entry.get('name')}`: {entry.get('type', '')}" + (f", {summary}" if summary else "")


def frame(data: Mapping[str, Json], language: Language) -> str:
    """After describe_dataframe."""
    columns = data.get("columns") or []
    rows = data.get("rows")
    name = data.get("name", "")
    if language == "zh":
        head = f"`{name}` 有 {rows} 行 {len(columns)} 列："
    else:
        rows_text = _count(rows, "row") if isinstance(rows, int) else f"{rows} rows"
        head = f"`{name}` has {rows_text} and {_count(len(columns), 'column')}:"
    return _listed(head, [_column(entry, language) for entry in columns], language)


def _column(entry: Mapping[str, Json], language: Language) -> str:
    nulls = entry.get("nulls")
    missing = (f"，缺失 {nulls}" if language == "zh" else f", {nulls} missing") if nulls else ""
    shown = {"min", "max", "mean", "unique"} & set(entry)
    comma = "，" if language == "zh" else ", "
    numbers = "".join(f"{comma}{key} {entry[key]}" for key in ("min", "mean", "max", "unique") if key in shown)
    return f"- {entry.get('name')}: {entry.get('dtype', '')}{missing}{numbers}"


def matches(data: Mapping[str, Json], text: str, language: Language) -> str:
    """After search_files."""
    found, over = data.get("matches") or [], [str(path) for path in data.get("passed_over") or ()]
    more = ""
    if over:
        names = ", ".join(over[:3]) + ("…" if len(over) > 3 else "")
        more = f"\n太大、没有搜索的文件：{names}" if language == "zh" else f"\nToo large to be searched: {names}"
    if not found:
        return (f"没有找到“{text}”。" if language == "zh" else f"“{text}” was not found.") + more
    places = [f"- {_place(entry, language)}: {_first_line(str(entry.get('text', '')))}" for entry in found]
    head = (
        f"“{text}”有 {len(found)} 处：" if language == "zh" else f"“{text}”, {_count(len(found), 'match', 'matches')}:"
    )
    if data.get("truncated"):
        more += "\n还有更多，没有全部列出。" if language == "zh" else "\nThere are more; the list is cut."
    return _listed(head, places, language) + more


def _place(entry: Mapping[str, Json], language: Language) -> str:
    cell = entry.get("cell_id")
    if not cell:
        return f"{entry.get('path')}:{entry.get('line')}"
    words = "，单元格 {}，第 {} 行" if language == "zh" else ", cell {}, line {}"
    return f"{entry.get('path')}{words.format(cell, entry.get('line'))}"


def files(data: Mapping[str, Json], language: Language) -> str:
    """After list_files."""
    found = data.get("files") or []
    if not found:
        return "文件夹是空的。" if language == "zh" else "The folder is empty."
    names = [
        f"- {entry['path']}{'/' if entry.get('is_folder') else ''}" if isinstance(entry, dict) else f"- {entry}"
        for entry in found
    ]
    head = f"有 {len(found)} 项：" if language == "zh" else _count(len(found), "entry", "entries") + ":"
    return _listed(head, names, language)


def file(data: Mapping[str, Json], language: Language) -> str:
    """After read_file."""
    path = data.get("path", "")
    head = f"{path} 的内容：" if language == "zh" else f"{path} says:"
    return f"{head}\n\n{_block(str(data.get('text', '')))}"


def _error(error: Json) -> str:
    if isinstance(error, dict):
        parts = (str(error.get("ename", "")), str(error.get("evalue") or error.get("message") or ""))
        return ": ".join(part for part in parts if part)
    return str(error or "").strip()


def _cell_label(index: Json, language: Language) -> str:
    if not isinstance(index, int):
        return "单元格" if language == "zh" else "The cell"
    return f"第 {index + 1} 个单元格" if language == "zh" else f"Cell {index + 1}"


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _first_line(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= 100 else line[:99] + "…"


def _listed(head: str, lines: Sequence[str], language: Language) -> str:
    shown = list(lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        rest = len(lines) - MOST_LINES
        shown.append(f"- …还有 {rest} 项" if language == "zh" else f"- … and {rest} more")
    return "\n".join([head, *shown])


def _block(text: str, language: str = "") -> str:
    """A fenced block whose fence is longer than any in the text."""
    body = text if len(text) <= LONGEST_BLOCK else text[:LONGEST_BLOCK] + "\n…"
    runs: Callable[[str], list[str]] = re.compile(r"`{3,}").findall
    fence = "`" * max([3, *(len(run) + 1 for run in runs(body))])
    return f"{fence}{language}\n{body}\n{fence}"
