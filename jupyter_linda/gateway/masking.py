"""Reads a request's fixed parts (code, quotes, file names, numbers) and masks them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["code", "quote", "notebook", "file", "number", "frame", "name"]

SIGNS: dict[Kind, str] = {
    "code": "\ue000",
    "quote": "\ue001",
    "notebook": "\ue002",
    "file": "\ue003",
    "number": "\ue004",
    "frame": "\ue005",
    "name": "\ue006",
}
"""The private-use character that stands in for a piece of each kind."""


@dataclass(frozen=True)
class Piece:
    """A masked part of the request: what it is, its text without quotes, and where it stood."""

    kind: Kind
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Masked:
    """A request with its pieces masked, lower-cased and in simplified characters."""

    raw: str
    text: str
    pieces: tuple[Piece, ...]

    def of(self, *kinds: Kind) -> list[Piece]:
        """The pieces of these kinds, in order."""
        return [piece for piece in self.pieces if piece.kind in kinds]


_TRADITIONAL = "資夾過經邊搵計預紹構統詢輸貼編輯將該兩應實製條貝複寬長種類塊連圍環境層項優緊當據庫佈選擇確認試錯誤報譯運執單變數開檔筆記讀顯個這裡們樣幫請麼點現內顧問題誰還沒發處數據圖間對號張個從後會來說話語寫擊業畫結束尋檢測試節電腦錄閱覽達態欄幾總訊啟儲緣關閉刪除號員導專題讓給謝為與嗎呢麗"  # noqa: E501
_SIMPLIFIED = "资夹过经边揾计预绍构统询输贴编辑将该两应实制条贝复宽长种类块连围环境层项优紧当据库布选择确认试错误报译运执单变数开档笔记读显个这里们样帮请么点现内顾问题谁还没发处数据图间对号张个从后会来说话语写击业画结束寻检测试节电脑录阅览达态栏几总讯启储缘关闭删除号员导专题让给谢为与吗呢丽"  # noqa: E501
_TO_SIMPLIFIED = str.maketrans(_TRADITIONAL, _SIMPLIFIED)

_WORD = r"[A-Za-z0-9_]"
_NOT_IN_WORD = r"(?<![A-Za-z0-9_])"
_CALL = r"[A-Za-z_][A-Za-z0-9_.]*\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
_TRAIL = r"(?:\.[A-Za-z_][A-Za-z0-9_]*(?:\([^()\n]*\))?|\[[^\]\n]*\])*"
_VALUE = (
    rf"(?:{_CALL}{_TRAIL}|\[[^\]\n]*\]{_TRAIL}|\{{[^}}\n]*\}}|\"[^\"\n]*\"|'[^'\n]*'"
    r"|-?[A-Za-z0-9_.]*[A-Za-z0-9_](?:\[[^\]\n]*\])*)"
)
_EXPRESSION = rf"{_VALUE}(?:\s*(?:\*\*|//|[-+*/%])\s*{_VALUE})*"
_LIBRARIES = (
    "numpy|pandas|os|sys|math|re|json|matplotlib|seaborn|random|time|datetime|torch|sklearn|scipy|polars|requests"
    "|collections|itertools|pathlib|csv|tensorflow|plotly|statsmodels|string|glob|shutil|logging|functools|this"
)
_CODE = "|".join(
    (
        rf"from\s+[A-Za-z_][A-Za-z0-9_.]*\s+import\s+{_WORD}+(?:\s*,\s*{_WORD}+)*(?:\s+as\s+{_WORD}+)?",
        rf"import\s+[A-Za-z_][A-Za-z0-9_.]*\s+as\s+{_WORD}+",
        rf"import\s+(?:{_LIBRARIES})(?![A-Za-z0-9_])(?:\.{_WORD}+)*(?:\s*,\s*(?:{_LIBRARIES})(?![A-Za-z0-9_]))*",
        r"for\s+[A-Za-z0-9_, ]+\s+in\s+[^:\n：]+:[ \t]*\n?[^\n]+",
        r"(?:while|if)\s+[^:\n：]*[<>=][^:\n：]*:[ \t]*\n?[^\n]+",
        r"with\s+[^:\n：]*\sas\s[^:\n：]*:[ \t]*\n?[^\n]+",
        rf"(?:def|class)\s+{_WORD}+\s*(?:\([^)\n]*\))?\s*:[ \t]*\n?[^\n]+",
        r"[A-Za-z_][A-Za-z0-9_.]*(?:\[[^\]\n]*\])?(?:\s*,\s*[A-Za-z_][A-Za-z0-9_]*)*\s*"
        rf"(?:\*\*|//|[-+*/])?=(?!=)\s*{_EXPRESSION}",
        rf"{_CALL}{_TRAIL}(?:\s*(?:[-+*/%])\s*{_VALUE})*",
        r"%%?[a-z_]+(?:\s+inline)?",
        r"\d+(?:\s*(?:\*\*|[-+*/%])\s*\d+)+",
        r"[a-z]\s*[+*/]\s*[a-z](?![A-Za-z0-9_])",
        r"[A-Za-z_][A-Za-z0-9_]*\[(?:\"[^\"\n]*\"|'[^'\n]*')\]" + _TRAIL,
    )
)
_FILE_NAME = r"(?:[A-Za-z0-9_./~-]|[\u4e00-\u9fff])*(?:[A-Za-z0-9_-]|[\u4e00-\u9fff])"
_EXTENSIONS = "py|csv|tsv|txt|md|json|ya?ml|toml|xlsx?|parquet|log|ini|cfg|sql|html?|pdf|png|rst|sh"
_ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
_PATTERN = re.compile(
    "|".join(
        (
            r"```(?:[ \t]*[A-Za-z0-9]*[ \t]*\n)?(?P<fence>.*?)```",
            r"`(?P<tick>[^`]+)`",
            rf"(?P<notebook>{_FILE_NAME}\.ipynb)(?![A-Za-z0-9_])",
            r"\"(?P<double>[^\"\n]+)\"|“(?P<curly>[^”\n]+)”|「(?P<corner>[^」\n]+)」|『(?P<hook>[^』\n]+)』",
            r"(?<![A-Za-z0-9_])'(?P<single>[^'\n]+)'(?![A-Za-z0-9_])|‘(?P<bent>[^’\n]+)’|《(?P<title>[^》\n]+)》",
            rf"{_NOT_IN_WORD}(?P<number>(?:In\s*)?\[\s*\d+\s*\])",
            rf"(?P<file>{_FILE_NAME}\.(?:{_EXTENSIONS}))(?![A-Za-z0-9_(])",
            rf"{_NOT_IN_WORD}(?P<code>{_CODE})",
            rf"{_NOT_IN_WORD}(?P<frame>(?:df\d*|[A-Za-z0-9]+_df\d*|df_{_WORD}+))(?!{_WORD})",
            rf"{_NOT_IN_WORD}(?P<name>[A-Za-z_]{_WORD}*(?:\.[A-Za-z_]{_WORD}*)+|[A-Za-z0-9]*(?:_[A-Za-z0-9]*)+"
            rf"|(?-i:(?!(?:CSV|SQL|PDF|HTML|JSON|API|URL|PPT)\b)[A-Z]{{3,}}|[a-z]+[A-Z]{_WORD}*))(?!{_WORD})",
            rf"(?P<ordinal>#\s*\d+|{_NOT_IN_WORD}\d+(?:st|nd|rd|th)?(?!{_WORD})|第\s*(?:[0-9]+"
            rf"|[一二三四五六七八九十两百]+)"
            rf"|{_NOT_IN_WORD}(?:{_ORDINALS})(?!{_WORD})|(?<=cell)\d+)",
        )
    ),
    re.DOTALL | re.IGNORECASE,
)
_KINDS: dict[str, Kind] = {
    "fence": "code",
    "tick": "code",
    "notebook": "notebook",
    "number": "number",
    "file": "file",
    "code": "code",
    "frame": "frame",
    "name": "name",
    "ordinal": "number",
}
_LEADING = (
    *("请帮我", "请", "麻烦", "帮我", "给我", "我要", "我想", "能不能", "可以", "打开一下", "打开", "开启", "切换到"),
    *("切到", "跳到", "转到", "看一下", "看看", "查看", "读一下", "读取", "显示", "加载", "载入", "调出", "搜索"),
    *(
        "一下",
        "运行",
        "执行",
        "名叫",
        "叫做",
        "那个",
        "这个",
        "文件",
        "笔记本",
        "关闭",
        "把",
        "将",
        "在",
        "读",
        "看",
        "到",
    ),
    *("打開", "開啟", "開", "睇下", "唔该帮我", "唔该", "列出", "继续写", "里", "跑", "去"),
)


def simplified(text: str) -> str:
    """Lower-cased, with the traditional characters commands use turned into simplified ones."""
    return text.translate(_TO_SIMPLIFIED).lower()


def mask(text: str, *, variables: Sequence[str] = ()) -> Masked:
    """Mask code, quotes, file names, numbers and identifiers. Shouted text is read as plain text.

    `variables` are names known to be variables: as words they count as frames, unless a notebook is spoken of.
    """
    if text.isupper() and " " in text and text.isascii():
        text = text.lower()
    pieces: list[Piece] = []
    parts: list[str] = []
    at = 0
    while match := _PATTERN.search(text, at):
        piece = _piece(match)
        pieces.append(piece)
        parts += [text[at : piece.start], SIGNS[piece.kind]]
        at = piece.end
    parts.append(text[at:])
    masked = Masked(raw=text, text=simplified("".join(parts)).strip(), pieces=tuple(pieces))
    return _with_variables(masked, variables)


def _with_variables(masked: Masked, variables: Sequence[str]) -> Masked:
    """Known variables in the masked text, turned into signs there; their pieces are found again by name."""
    names = [re.escape(name.lower()) for name in variables if len(name) > 1]
    if not names or re.search(r"notebook|笔记", masked.text):
        return masked
    pattern = rf"(?<![a-z0-9_])(?:{'|'.join(names)})(?![a-z0-9_])"
    return Masked(raw=masked.raw, text=re.sub(pattern, SIGNS["frame"], masked.text), pieces=masked.pieces)


def _piece(match: re.Match[str]) -> Piece:
    group = match.lastgroup or ""
    found = match.group(group)
    start, end = match.span()
    if group in ("notebook", "file"):
        bare = _without_leading_words(found)
        return Piece(_KINDS[group], bare, end - len(bare), end)
    if group == "fence":
        found = found.strip("\n")
    if group == "tick" and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", found.strip()):
        return Piece("name", found.strip(), start, end)
    return Piece(_KINDS.get(group, "quote"), found if group == "fence" else found.strip(), start, end)


def _without_leading_words(name: str) -> str:
    """Chinese has no spaces: 打开销售.ipynb names 销售.ipynb."""
    while True:
        for word in _LEADING:
            rest = name.removeprefix(word)
            if rest != name and not rest.startswith("."):
                name = rest
                break
        else:
            if re.match(r"开[A-Za-z0-9]", name):
                name = name[1:]
            return name
