"""Content from outside inside a prompt: fenced with a mark nobody could have written into it beforehand."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from ..storage.hidden import hides_words, one_line, spelled, visible

if TYPE_CHECKING:
    from ..schemas import ContextItem

_US = r"(?:linda|ai|assistant|llm|language\s{1,4}model|agent|copilot|chatbot)"
_VERBS = (
    r"(?:run|execute|delete|send|write|call|use|install|upload|read|open|move|copy|insert|reply|post|print|reveal|"
    r"download|create|edit|change|overwrite|do)"
)
_TOOLS = (
    r"(?:write_file|patch_file|run_cells?|run_code|run_shell|delete_\w+|insert_cell|edit_cell|install_packages|"
    r"move_file|copy_file|export_\w+)"
)
_OLD = r"(?:instruction|prompt|rule|guideline|above|previous|prior|polic)"
WORDS = re.compile(
    "|".join(
        [
            rf"\b(?:ignore|disregard|forget|override)\b[^.\n]{{0,40}}\b{_OLD}\w*",
            r"\byou\s{1,4}(?:are\s{1,4}now|must\s{1,4}now|have\s{1,4}to\s{1,4}now)\b",
            r"\bnew\s{1,4}(?:system\s{1,4})?(?:instruction|task|rule|order)s?\s{0,4}"
            r"(?::|for\s{1,4}(?:you|the\s{1,4}(?:assistant|ai|model|agent)))",
            r"\b(?:system|developer)\s{0,4}(?:prompt|message|note|override)\s{0,4}:",
            r"<\s{0,4}/?\s{0,4}(?:system|assistant|user|tool)\b[^>\n]{0,40}>",
            r"<\|[a-z_]{2,20}\|>",
            r"\[/?INST\]|<</?SYS>>|<<\s{0,4}(?:end|data)\s[^>\n]{0,60}>>",
            r"^[ \t#>*-]{0,8}(?:system|assistant|developer)[ \t]{0,4}:[ \t]{0,4}\S",
            r"\b(?:dear|hey|attention|note\s{1,4}to|message\s{1,4}(?:to|for)|instructions?\s{1,4}(?:to|for))"
            rf"[,:\s]{{1,4}}(?:the\s{{1,4}})?{_US}\b",
            rf"\b(?:linda|assistant|ai\s{{1,4}}agent|agent|model)\s{{0,4}}[,:]\s{{0,4}}(?:please\s{{1,4}})?{_VERBS}\b",
            rf"\b(?:linda|ai|assistant|llm)\s{{0,4}}[,:，：]\s{{0,4}}(?:please\s{{1,4}}|请)?(?:{_VERBS}|add|remove|put|make|tell|ignore)\b",
            r"\b(?:linda|ai|assistant|llm)\s{0,4}[,:，：]?\s{0,4}请",
            r"\b(?:from\s{1,4}now\s{1,4}on,?\s{1,4})(?:you\s{1,4}(?:are|will\s{1,4}(?:be|act|obey))|act\s{1,4}as)\b",
            r"\b(?:ignore|disregard|forget)\b[^.。\n]{0,20}(?:指令|提示|规则|要求|以上|之前)",
            rf"\b(?:call|use|invoke|run)\s{{1,4}}(?:the\s{{1,4}})?(?:tool\s{{1,4}})?`?{_TOOLS}\b",
            r"\bdo\s{1,4}not\s{1,4}(?:tell|inform|mention|show|ask)\b[^.\n]{0,30}\b(?:user|person|human|anyone)\b",
            r"\b(?:without|don'?t)\s{1,4}(?:asking|ask\s{1,4}for)\b[^.\n]{0,20}\b(?:permission|approval|confirm\w*|the\s{1,4}user)\b",
            r"\b(?:user|person|human|admin\w*)\s{1,4}(?:has\s{1,4})?(?:already\s{1,4})?"
            r"(?:approved|authori[sz]ed|consented|agreed|allowed)\b",
            r"(?:忽略|无视|忘记|忘掉)[^。\n]{0,16}(?:指令|提示|规则|要求|内容|上文|以上|之前)",
            r"(?:你现在是|从现在起你|你必须(?:立即|马上)?(?:执行|运行|删除|发送|调用))",
            r"(?:系统|开发者)(?:提示|消息|指令)\s{0,4}[:：]",
            r"(?:致|给|告诉)(?:AI|人工智能|助手|模型|Linda|琳达)",
            r"(?:不要|别)(?:告诉|通知|询问|让)[^。\n]{0,8}(?:用户|主人|任何人)",
            r"用户(?:已经|已)(?:同意|批准|授权|允许)",
        ]
    ),
    re.IGNORECASE,
)
"""How text speaks that is meant for an assistant rather than for a reader. A hint, never a guard."""
MOST_FOUND = 3
SHOWN_CHARS = 160
NAME_CHARS, NAME_WORDS = 120, 6
LOOKED_AT_CHARS = 200_000
WINDOW_CHARS, OVERLAP_CHARS = 1000, 100
"""Long lines are looked at in pieces, so that no pattern runs long."""


def mark_of(identity: str) -> str:
    """The mark of one call or message: known to nobody when the content was written, and the same at every prompt."""
    return hashlib.sha256(f"fence/{identity}".encode()).hexdigest()[:12]


def fenced(text: str, identity: str, *, origin: str) -> str:
    """`text` between its marks. `origin` is ours (a tool's name), never a name from outside."""
    mark = mark_of(identity)
    return f"<<data {mark} from {origin}>>\n{text}\n<<end {mark}>>"


def quoted(text: str, identity: str) -> str:
    """`text` on one line between its marks, in a message of the person."""
    mark = mark_of(identity)
    return f"<<data {mark}>> {text!r} <<end {mark}>>"


def is_name(text: str) -> bool:
    """Whether a name of strangers is just a name: it may stand in a line of ours as it is."""
    is_short = len(text) <= NAME_CHARS and all(len(part.split()) <= NAME_WORDS for part in text.split("/"))
    return is_short and one_line(text) == text and "<<" not in text and not find_instructions(text)


def holds_words(item: ContextItem) -> bool:
    """Whether something the person attached brings words of strangers into the prompt."""
    return bool(item.text) or not all(map(is_name, (item.path, item.cell_id, item.name)))


def find_instructions(text: str) -> tuple[str, ...]:
    """Passages that read like orders to an assistant, shortened, for the person to see."""
    found: list[str] = []
    for line in text[:LOOKED_AT_CHARS].splitlines():
        for at in range(0, max(1, len(line) - OVERLAP_CHARS), WINDOW_CHARS - OVERLAP_CHARS):
            shown = _first_order(line[at : at + WINDOW_CHARS])
            if not shown:
                continue
            if shown not in found:
                found.append(shown)
            if len(found) == MOST_FOUND:
                return tuple(found)
            break
    return tuple(found)


def _first_order(part: str) -> str:
    """The first such passage of a piece of a line, as a machine may read it; empty if there is none."""
    is_secret = hides_words(part)
    for form in dict.fromkeys((part, spelled(part), spelled(part).replace("_", " "))):
        match = WORDS.search(form)
        if match is not None or is_secret:
            start = 0 if match is None else match.start()
            shown = " ".join(visible(form[max(0, start - 40) :]).split())
            return shown if len(shown) <= SHOWN_CHARS else shown[: SHOWN_CHARS - 1] + "…"
    return ""
