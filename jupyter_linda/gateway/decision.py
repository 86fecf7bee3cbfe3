"""Act, ask back, or talk: what to make of a guess, by thresholds and evidence in the words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .concepts import concepts

if TYPE_CHECKING:
    from .intent import Guess
    from .masking import Masked

TOOL_INTENTS = (
    "list_notebooks",
    "open_notebook",
    "read_notebook",
    "read_cell",
    "insert_cell",
    "run_cell",
    "list_variables",
    "describe_dataframe",
    "search_files",
    "list_files",
    "read_file",
)
TALK_INTENTS = ("greet", "thanks", "bye", "help", "chat", "howto", "cannot")
CHANGING = frozenset({"insert_cell", "run_cell"})

ACT_READ = 0.45
ACT_CHANGE = 0.5
NEAR_READ = 0.35
CLEARLY = 1.3
FAR = 3.0
ASK = 0.3
ASK_READ = 0.2
"""Probabilities: to act on a read, on a change, on a read so many times likelier than any talk (FAR: even
without its usual words), and to ask whether that was meant. Set on the development phrasings."""

_EVIDENCE: dict[str, frozenset[str]] = {
    "list_notebooks": frozenset({"notebook"}),
    "open_notebook": frozenset({"open", "notebook"}),
    "read_notebook": frozenset({"notebook", "cell"}),
    "read_cell": frozenset({"cell", "place"}),
    "insert_cell": frozenset({"add", "cell"}),
    "run_cell": frozenset({"run", "start"}),
    "list_variables": frozenset({"variable", "value", "frame"}),
    "describe_dataframe": frozenset({"frame", "shape", "describe"}),
    "search_files": frozenset({"find", "where", "use"}),
    "list_files": frozenset({"file", "list"}),
    "read_file": frozenset({"file", "read"}),
}
_SUPPORT = frozenset(
    {"list", "which", "exist", "read", "find", "all", "describe", "open", "please", "value", "content"}
)
_LISTS = frozenset({"list_notebooks", "list_variables", "list_files"})
_FEW_CHARACTERS = 14
"""A list needs more than its noun ("my notebook is a mess"), unless the noun is nearly all that is said."""
_PASTIME = re.compile(r"(?<![a-z])(?:jokes?|story|stories|poem|song|riddle)(?![a-z])|笑话|故事|段子|谜语|唱|一首")
_REFUSAL = re.compile(r"(?<![a-z])(?:don'?t|do not|never|stop)(?![a-z])|(?<!要)不要|^别|[，,]别|先别|千万别|不许|唔好")
_REPORT = re.compile(
    r"^(?:i|we)(?:'ve| have)?(?: already| just| also)* (?:ran|run|executed|added|inserted|put"
    r"|opened) (?!cell \S+ again)"
    r"|已经.*[过了]|[跑运执][行]?过了|早就"
)
"""Telling what was done, not asking for it."""
_BEYOND = re.compile(
    r"(?<![a-z])(?:delet(?:e|ing)|remov(?:e|ing)|erase|fix|debug|refactor|optimi[sz]e|rewrite|rename|repair|translate"
    r"|uninstall|restart|duplicate|should (?:i|we|a|an|one))(?![a-z])"
    r"|应该|删|修复|修一下|修改|修好|调试|优化|重构|改成|重命名|翻译|重启|卸载"
)
"""Wishes the demo model cannot fulfil, whatever else the words are like."""
_DOUBTFUL = re.compile(
    r"(?<![a-z])(?:explain|schedule)(?![a-z])|解释",
)
"""Words of wishes it mostly cannot fulfil."""
SURE_ENOUGH = 0.93
RATHER_SURE = 0.65
_ONE_CELL = re.compile(
    r"cell (?:number |no\.? ?)?\ue004|\ue004 cell(?!s)|(?:last|first|this) cell(?!s)"
    r"|\ue004\s*个?\s*(?:单元|格|cell)|最后一[个格]"
)

_NAME = r"(?:[ ,，、!！.。~]*(?:linda|there|琳达|呀|啊|哦|啦|了|你)?)*[ !！.。~?？]*"
_COURTESIES = {
    "greet": re.compile(
        rf"(?:hi+|hello|hey+|hiya|howdy|good (?:morning|afternoon|evening)|你好|您好|嗨|哈喽|哈啰|嘿|早上好"
        rf"|下午好|晚上好|早安|早){_NAME}"
    ),
    "thanks": re.compile(
        rf"(?:many thanks|thanks?(?: you| a lot| so much| very much)*|thx|cheers|谢谢|多谢|感谢|非常感谢|太感谢"
        rf"|谢|唔该晒?|辛苦){_NAME}"
    ),
    "bye": re.compile(
        rf"(?:good ?bye|bye(?:[- ]bye)?|see (?:you|ya)(?: later| tomorrow)?|再见|拜拜?|回头见|明天见|晚安){_NAME}"
    ),
}
"""Greetings, thanks and farewells that are nothing else."""


@dataclass(frozen=True)
class Decision:
    """`act` on the intent, `ask` which of the intents was meant, or `talk` in the way the intent says."""

    kind: Literal["act", "ask", "talk"]
    intent: str
    choices: tuple[str, ...] = ()


def decide(masked: Masked, guess: Guess) -> Decision:
    """Weigh the best tool against talk; nothing acts without its own words in the request."""
    tools = [(intent, share) for intent, share in guess.ranked if intent in TOOL_INTENTS]
    talk, talk_share = next((intent, share) for intent, share in guess.ranked if intent in TALK_INTENTS)
    intent, share = tools[0]
    if plain := _plain_talk(masked.text, intent):
        return Decision("talk", plain)
    is_beyond = _BEYOND.search(masked.text) and share < SURE_ENOUGH
    if is_beyond or (_DOUBTFUL.search(masked.text) and share < RATHER_SURE):
        return Decision("talk", "howto" if talk == "howto" else "cannot")
    found = set(concepts(masked.text))
    if better := _by_words(masked, found, intent, guess):
        return Decision("act", better)
    has_evidence = _has_evidence(masked.text, found, intent)
    needed = ACT_CHANGE if intent in CHANGING else ACT_READ
    is_clear = share >= needed or (intent not in CHANGING and share >= NEAR_READ and share >= CLEARLY * talk_share)
    is_plain_read = intent not in CHANGING and share >= ACT_READ and share >= FAR * talk_share
    if (is_clear and has_evidence) or is_plain_read:
        return Decision("act", intent)
    talking = guess.of(*TALK_INTENTS)
    if (has_evidence and talking < 0.5 and 1.0 - talking >= ASK) or (is_clear and intent in CHANGING):
        choices = tuple(name for name, part in tools[:2] if part >= 0.12)
        is_harmless = intent not in CHANGING and len(choices) == 1
        return Decision("act" if is_harmless else "ask", intent, choices)
    return Decision("talk", talk)


def _by_words(masked: Masked, found: set[str], intent: str, guess: Guess) -> str:
    """A read that the words name more surely than the shares do; else empty."""
    if intent in CHANGING:
        return ""
    if intent == "read_notebook" and "cell" in found and _ONE_CELL.search(masked.text):
        return "read_cell"
    is_about_text = "find" in found and found & {"file", "notebook"} and masked.of("quote", "name")
    is_about_use = "use" in found and (intent in _LISTS or "where" in found) and "howto" not in found
    is_list_of = intent in ("list_notebooks", "list_files") and bool(masked.of("code", "quote"))
    if is_about_text or is_list_of or (is_about_use and guess.of("search_files") >= ASK_READ):
        return "search_files"
    if intent == "open_notebook" and masked.of("notebook") and "cell" not in found and guess.of(intent) >= ASK_READ:
        return intent
    is_about_shape = {"frame", "shape"} <= found and "howto" not in found and guess.of("describe_dataframe") >= ASK
    return "describe_dataframe" if intent == "describe_dataframe" and is_about_shape else ""


def _has_evidence(text: str, found: set[str], intent: str) -> bool:
    if intent in _LISTS and not found & _SUPPORT and _length(text) > _FEW_CHARACTERS:
        return False
    return bool(_EVIDENCE[intent] & found)


def _plain_talk(text: str, intent: str) -> str:
    """The kind of talk a text surely is: a courtesy, or a change refused or reported; else empty."""
    courtesy = next((kind for kind, pattern in _COURTESIES.items() if pattern.fullmatch(text)), "")
    if courtesy or (_PASTIME.search(text) and intent != "search_files"):
        return courtesy or "chat"
    if intent not in CHANGING:
        return ""
    if _REFUSAL.search(text):
        return "cannot"
    return "chat" if _REPORT.search(text) else ""


def _length(text: str) -> int:
    """Characters, a Chinese one counted twice."""
    return sum(2 if "\u4e00" <= sign <= "\u9fff" else 1 for sign in text)
