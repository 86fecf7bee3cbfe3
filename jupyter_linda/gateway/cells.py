"""Which cell a person means: "cell 3", "the last one", 第三格, "this cell"; and finding it in a notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jupyter_linda.ports import Json

    from .masking import Masked

_DIGITS = {word: at for at, word in enumerate("零一二三四五六七八九", start=0)} | {"两": 2, "兩": 2}
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_CARDINAL_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_CARDINALS = {word: number for number, word in enumerate(_CARDINAL_WORDS.split(), start=1)}
_COUNT = re.compile(r"(?:In\s*)?\[\s*(\d+)\s*\]", re.IGNORECASE)


@dataclass(frozen=True)
class CellRef:
    """A cell as people name it. `number` counts from 1: from the top, the end, or of the execution count."""

    kind: Literal["number", "from_end", "count", "active", "offset"]
    number: int = 0


def as_number(text: str) -> int | None:
    """A number written as 3, 3rd, #3, third, 第三, 十二 or [3]."""
    bare = text.strip().lower().removeprefix("第").lstrip("# ").strip()
    if bare in _ORDINALS:
        return _ORDINALS[bare]
    if bare in _CARDINALS:
        return _CARDINALS[bare]
    if digits := re.search(r"\d+", bare):
        return int(digits.group())
    if not bare or any(sign not in _DIGITS and sign not in "十百" for sign in bare):
        return None
    tens, _, ones = bare.rpartition("十")
    if "十" in bare:
        return _DIGITS.get(tens, 1) * 10 + _DIGITS.get(ones, 0)
    return _DIGITS.get(bare)


def numbered(masked: Masked) -> str:
    """The masked text with its numbers written as <3>, execution counts as <c3>, unreadable ones as <?>."""
    values = iter(masked.of("number"))

    def show(_: re.Match[str]) -> str:
        text = next(values).text
        number = as_number(text)
        return "<?>" if number is None else f"<{'c' if _COUNT.fullmatch(text) else ''}{number}>"

    return re.sub("\ue004", show, masked.text)


_ONES = "|".join(_CARDINALS)
_RULES: tuple[tuple[str, Literal["number", "from_end", "count", "active", "offset"], int | None], ...] = (
    (r"<c(\d+)>", "count", None),
    (r"<(\d+)>\s*(?:from|to)\s*(?:the\s*)?(?:last|end|bottom)|倒数\s*<(\d+)>|<(\d+)>[- ]?last", "from_end", None),
    (r"next[- ]to[- ]last|penultimate|(?:one|cell|block) before (?:the )?last", "from_end", 2),
    (
        r"(?:cell|block|number|no\.?|格|单元格|单元|块|号)\s*(?:number|no\.?|num|nr\.?|编号|:)?\s*<(\d+)>",
        "number",
        None,
    ),
    (
        r"<(\d+)>\s*(?:个|号|格|块|条|th|st|nd|rd)?\s*(?:号)?\s*(?:的)?\s*(?:代码|code|markdown|文本)?\s*"
        r"(?:cell|block|one|单元|格|块|储存格|代码段|区块|方格)",
        "number",
        None,
    ),
    (rf"cell\s*(?:number|no\.?|num)?\s*({_ONES})(?![a-z])", "number", None),
    (r"(?:cell|单元格|格)\s*([一二三四五六七八九十两]+)(?![个格])", "number", None),
    (r"([一二三四五六七八九十两]+)号\s*(?:单元|cell|格|代码)", "number", None),
    (
        r"(?:very |the )?(?:last|final|lowest)(?! (?:week|time|month|year|night))|bottom(?:most)?\s+(?:cell|one)"
        r"|最后|最尾|末尾|最末|最下面|尾",
        "from_end",
        1,
    ),
    (
        r"(?:top(?:most)?|opening|initial|very first)\s+(?:cell|one)|头一个|头一格|开头|最上面|首个|最前面|最初",
        "number",
        1,
    ),
    (
        r"(?:previous|preceding|prior)\s+(?:cell|one|block)|(?:cell|one|block)\s+(?:right |just )?(?:above"
        r"|before)(?! \S*<)"
        r"|上一个?格?|上面那?一?[个格]|前一个|前一格",
        "offset",
        -1,
    ),
    (
        r"(?:next|following)\s+(?:cell|one|block)|(?:cell|one|block)\s+(?:right |just )?(?:below|after)(?! \S*<)"
        r"|下一个|下一格"
        r"|下面那?一?[个格]",
        "offset",
        1,
    ),
    (
        r"(?:this|the|my|current|selected|active|that|highlighted|focused)\s+(?:current |selected |active |same "
        r"|highlighted )?"
        r"(?:cell|block|one)|(?<![a-z])(?:it|this|that)(?![a-z])|where the cursor is|i'?m in|selected|当前|这个"
        r"|这一?格|呢格|呢个"
        r"|选中|光标|它|该单元格|所在|刚才那?个?|这段|这里|这块",
        "active",
        0,
    ),
    (r"<(\d+)>", "number", None),
)
_COMPILED = tuple((re.compile(pattern), kind, number) for pattern, kind, number in _RULES)


def find_reference(text: str) -> CellRef | None:
    """The first way of naming a cell that fits a `numbered` text, most exact first."""
    for pattern, kind, number in _COMPILED:
        if match := pattern.search(text):
            if number is not None:
                return CellRef(kind, number)
            found = as_number(next(group for group in match.groups() if group))
            return CellRef(kind, found) if found is not None else None
    return None


def resolve(
    reference: CellRef | None, cells: Sequence[Mapping[str, Json]], *, active_id: str | None
) -> Mapping[str, Json] | None:
    """The cell of a `read_notebook` result that is meant, or None."""
    at: int | None = None
    active = next((at for at, cell in enumerate(cells) if cell.get("cell_id") == active_id), None)
    if reference is None or reference.kind == "active":
        at = active
    elif reference.kind == "number":
        at = reference.number - 1
    elif reference.kind == "from_end":
        at = len(cells) - reference.number
    elif reference.kind == "offset":
        at = None if active is None else active + reference.number
    elif any("execution_count" in cell for cell in cells):
        counted = [at for at, cell in enumerate(cells) if cell.get("execution_count") == reference.number]
        at = counted[-1] if counted else None
    else:
        at = reference.number - 1
    return cells[at] if at is not None and 0 <= at < len(cells) else None
