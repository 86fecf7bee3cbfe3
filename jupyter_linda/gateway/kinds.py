"""What a request asks for, by the person's own words: for automatic routing only. Pure; English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ports.held import passages
from .conversation import split_context

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ports import Json, TaskKind
    from .router import Complexity

HARD_CHARS = 1_500
"""From here on a wish counts as hard: it states conditions, or brings a problem along."""

_TRANSLATION = re.compile(
    r"\btranslat\w*|翻译|译[成为]|转[成为](?:英文|英语|中文|日文|日语|法语|德语)",
    re.IGNORECASE,
)
_POLISH = re.compile(
    r"\b(?:polish|proofread|reword|rephrase|paraphrase|copy-?edit)\b"
    r"|\b(?:improve|fix|check) (?:the|my|this|its) (?:\w+ )?(?:wording|grammar|style|english|prose|spelling)\b"
    r"|润色|改写|校对|措辞|病句",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(?:summari[sz]\w*|sum up|tl;?dr|key points)\b|总结|概括|摘要|归纳", re.IGNORECASE)
_HARD = re.compile(
    r"\b(?:prove|proof|derive|derivation|refactor|redesign|architect\w*|optimi[sz]e|vectori[sz]e|parallelize"
    r"|root cause|trade-?offs?|step by step|algorithm|complexity)\b"
    r"|\b(?:debug|find out why|work out why|explain why)\b"
    r"|证明|推导|重构|优化|算法|复杂度|权衡|逐步|排查|为什么会",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Kind:
    """What is asked for: the task, how hard it is, and how many characters it is about."""

    task: TaskKind
    complexity: Complexity
    length_chars: int


def kind_of(messages: Sequence[Mapping[str, Json]], task: TaskKind = "chat") -> Kind:
    """Of a prompt. A task that is already known is kept; of "chat" the person's last words tell more."""
    length = sum(len(str(message.get("content") or "")) for message in messages if message["role"] != "system")
    if task != "chat":
        return Kind(task, "simple", length)
    asked = next((message for message in reversed(messages) if message["role"] == "user"), None)
    pieces = [] if asked is None else passages(str(asked.get("content") or ""))
    # Neither what was attached nor its name are the person's words.
    _, words = split_context("".join(piece.text for piece in pieces if piece.holds is None))
    said = sum(len(piece.text) for piece in pieces)
    return Kind(_task_of(words), "hard" if _HARD.search(words) or len(words) > HARD_CHARS else "simple", said)


def _task_of(words: str) -> TaskKind:
    if _TRANSLATION.search(words):
        return "translation"
    if _POLISH.search(words):
        return "polish"
    return "summary" if _SUMMARY.search(words) else "chat"
