"""A summary without a model: what was said first, decided, done and found, line by line (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..gateway.sensitivity import OUR_FAULTS
from ..storage.hidden import one_line
from ..storage.texts import cut_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..schemas import Message
    from .transcript import CallRow

SENTENCE_CHARS = 220
MOST_SENTENCES = 3
"""Of one message: the first, and those that decide or conclude something."""
MOST_NAMES = 30
FILES = "Files: "
LEFT_OUT = "- (older lines are left out here)"

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_WEIGHTY = re.compile(
    r"\b(?:decid\w*|agreed?|instead|because|therefore|result|found|shows?|error|fail\w*|fixed|mended|wrong|must|"
    r"should|next|open|total|mean|average|conclu\w*)\b|\d|决定|因此|所以|结果|发现|错误|失败|修复|改成|应该|下一步|结论|总计|平均",
    re.IGNORECASE,
)
_NAME = re.compile(r"[\w\-./]*\w\.(?:ipynb|py|md|csv|tsv|xlsx?|parquet|json|txt|png|svg|html|R|jl)\b")
_FAILED = {"failed": "failed", "refused": "not allowed", "unknown": "unknown whether it happened", "stopped": "stopped"}


def extract(
    said: Sequence[tuple[Message, Sequence[CallRow]]], *, before: str, budget: int, count: Callable[[str], int]
) -> str:
    """Lines about messages and their calls, oldest first, at most `budget` tokens; `before` is the summary so far.

    Where it is too much, the oldest lines go, and a line says so. What the person wrote is not in it: prompts
    quote that themselves.
    """
    lines = [line for line in before.splitlines() if line.strip() and line != LEFT_OUT]
    lines = [line for line in lines if not line.startswith(FILES)]
    for message, rows in said:
        if message.role == "assistant":
            lines += [f"- Linda: {sentence}" for sentence in sentences(message.text)]
            lines += [f"- {_done(row)}" for row in rows]
    names = _names(before, said)
    head = [FILES + ", ".join(names)] if names else []
    return _within(lines, head, budget, count)


def sentences(text: str) -> list[str]:
    """The first sentence of a text, and those that weigh most, in order."""
    parts = [one_line(part.strip(" #*->|")) for part in _SENTENCE.split(_CODE.sub(" ", text))]
    parts = [part for part in parts if len(part) > 2]
    chosen = parts[:1] + [part for part in parts[1:] if _WEIGHTY.search(part)][: MOST_SENTENCES - 1]
    return [cut_line(one, SENTENCE_CHARS) for one in dict.fromkeys(chosen)]


def _done(row: CallRow) -> str:
    words = one_line(row.title or row.name.replace("_", " "))
    if row.state == "done":
        return words
    problem = row.problem or {}
    # Why something failed may quote data, and a summary leaves with what is merely text: our own words only.
    is_ours = problem.get("kind") in OUR_FAULTS
    why = f": {cut_line(one_line(str(problem.get('message', ''))), SENTENCE_CHARS)}" if is_ours else ""
    return f"{words} ({_FAILED.get(row.state, row.state)}{why})"


def _names(before: str, said: Sequence[tuple[Message, Sequence[CallRow]]]) -> list[str]:
    """Files that were named, the newest first."""
    texts = [part for message, rows in reversed(said) for part in (message.text, *(row.arguments for row in rows))]
    return list(dict.fromkeys(name for text in (*texts, before) for name in _NAME.findall(text)))[:MOST_NAMES]


def _within(lines: Sequence[str], head: Sequence[str], budget: int, count: Callable[[str], int]) -> str:
    left = budget - count("\n".join([*head, LEFT_OUT])) - 8
    kept: list[str] = []
    for line in reversed(lines):
        left -= count(line) + 1
        if left < 0:
            kept.append(LEFT_OUT)
            break
        kept.append(line)
    return "\n".join([*head, *reversed(kept)])
