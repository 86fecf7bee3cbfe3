"""Fills a tool's arguments from a request by rules: code, names, text to find, places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .cells import CellRef, find_reference, numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .masking import Masked, Piece

Position = Literal["top", "end", "before", "after"]


@dataclass(frozen=True)
class Place:
    """Where a new cell goes; `reference` is the cell it goes before or after (None: the active one)."""

    position: Position
    reference: CellRef | None = None


_FILLERS = (
    r"(?:the |a |an |any |all |every )*(?:(?:occurrences?|uses?|usages?|mentions?|instances?|places?|lines?) "
    r"(?:of|where i use|that use|with) )?(?:where (?:i|we) (?:use|used|call|define|import|wrote|write|mention|set) )?"
    r"(?:the )?(?:exact )?(?:words?|text|string|phrase|term|keyword|function|variable|name|files? (?:with"
    r"|containing))?\s*"
)
_TEXT_ENGLISH = (
    rf"(?:search|grep|scan|look|go|check|comb)\b[^:]*?\bfor:? {_FILLERS}(?P<text>\S.*)$",
    rf"(?:find|search|search for|looking for|look for|look up|grep|locate|hunt for|fnd"
    rf"|serch)\b:? {_FILLERS}(?P<text>\S.*)$",
    r"(?:which|what|any)\b.*?\b(?:files?|notebooks?|scripts?|nbs?|code|ones?)\b.*?\b(?:contains?|uses?|mentions?"
    r"|has|have|imports?|"
    rf"calls?|with|talks? about|reads?|containing|mentioning|using|includes?|defines?"
    rf"|references?) {_FILLERS}(?P<text>\S.*)$",
    r"where\b.*?\b(?:do|did|have|had|am|are) (?:i|we|you)\b.*?\b(?:use|used|using|define|defined|call|called"
    r"|mention|mentioned|"
    rf"import|imported|write|wrote|written|set|put|talk about|plot|plotted) {_FILLERS}(?P<text>\S.*)$",
    rf"where(?:'s| is| are| does) {_FILLERS}(?P<text>\S.*?)(?: (?:used|defined|called|mentioned|appear|occur"
    rf"|imported|set|come up))+",
    rf"(?:is|are) there any\b.*?\b(?:of|to|with) {_FILLERS}(?P<text>\S.*)$",
    rf"(?:have|did) (?:i|we) (?:ever )?(?:use|used|mention|mentioned|import|imported) {_FILLERS}(?P<text>\S.*)$",
    rf"(?:containing|contains?|mentions?|uses?|using|says?|with) {_FILLERS}(?P<text>\S.*)$",
)
_TEXT_CHINESE = (
    r"(?:关键[字词]|文字|单词|字符串|字样|文本(?!搜|查))[:：\s]*(?P<text>[^\s,，。的里在]+)",
    r"(?:用到了?|用了|用过|用咗|使用了|使用过|提到过?了?|提及|写到|涉及|引入了?|引用了?|包含了?|出现过?了?"
    r"|导入了?|含有|写了|写过|调用了?|定义了?|里有|带有)\s*"
    r"(?P<text>[^\s,，。？?的]+)\s*(?:的(?:文件|地方|笔记本|代码|行|单元格|notebook)?)?\s*[吗？?]*$",
    r"(?:查找|搜索|搜寻|搜尋|搜一下|搜下|搜搜|搜|找一下|找找看|找找|找出|找到|找下|找|检索|查一下|查查|查|揾下"
    r"|揾|定位一下|定位"
    r"|search|find|grep)\s*(?:一下|下)?(?:所有|全部)?(?:包含|用到|提到|出现|关于)?(?:了)?\s*(?P<text>[^\s,，。？?]+)",
    r"^(?P<text>.+?)\s*(?:都)?(?:被)?(?:在|喺)(?:哪|什么地方|边)",
    r"(?P<text>[^\s,，。在里中找搜]+?)\s*(?:这个|这一)(?:词|单词|函数|变量|字符串|关键字|字)",
)
_TEXT_TAIL = re.compile(
    r"\s+(?:in|inside|across|within|through|throughout|anywhere|from|among|over|under|somewhere|please|pls"
    r"|for me|with it"
    r"|in it|appears?|occurs?)\b.*$",
    re.IGNORECASE,
)
_CHINESE_TAIL = re.compile(
    r"(?:在哪.*|的(?:文件|地方|笔记本|代码|内容|位置)|出现.*|用在.*|(?:这个)?(?:词|单词)?在.*"
    r"|(?:这个|这一)?(?:词|单词|关键字|字符串)$|这个(?:函数|变量)$|吗|呢|吧|啊)+$"
)
_SCOPE_WORDS = re.compile(
    r"^(?:(?:in|through|my|the|all|of|these|those|this|every|across|any|it|something|anything|files?|notebooks?"
    r"|folders?|projects?|"
    r"code|here|text|stuff|things?|词|文件|东西|笔记本|内容|什么|地方|项目|代码|里|的)\s*)+$",
    re.IGNORECASE,
)


_NOT_TEXT_WORDS = (
    "notebook notebooks ipynb file files jupyter search find grep linda please project folder the in for code python "
)
_NOT_TEXTS = frozenset(_NOT_TEXT_WORDS.split())


def search_text(masked: Masked) -> str | None:
    """The text to look for: quoted, then code or identifiers, then by the sentence's shape."""
    quoted = masked.of("quote") or [piece for piece in masked.of("code", "name") if _is_ticked(masked, piece)]
    if quoted:
        return quoted[0].text
    shaped = _shaped_text(masked.raw)
    exact = masked.of("code", "name", "frame")
    if exact and (shaped is None or exact[0].text in shaped or " " in shaped):
        return exact[0].text
    if shaped:
        return shaped
    named = masked.of("file")
    return named[0].text if named else None


def _is_ticked(masked: Masked, piece: Piece) -> bool:
    return masked.raw[piece.start] == "`"


def _shaped_text(raw: str) -> str | None:
    text = re.sub(r"^(?:请问)?(?:有没有|有无|是不是有|是否有)", "", raw.strip().rstrip("?!.？！。 "))
    if re.search(r"[\u4e00-\u9fff]", text):
        latin = [word for word in re.findall(r"[A-Za-z_][A-Za-z0-9_.-]*", text) if word.lower() not in _NOT_TEXTS]
        if len(latin) == 1:
            return str(latin[0])
    for patterns, tail in ((_TEXT_CHINESE, _CHINESE_TAIL), (_TEXT_ENGLISH, _TEXT_TAIL)):
        if patterns is _TEXT_CHINESE and not re.search(r"[\u4e00-\u9fff]", text):
            continue
        for pattern in patterns:
            if match := re.search(pattern, text, re.IGNORECASE):
                found: str = tail.sub("", match["text"].strip()).strip(" ,，:：\"'")
                if found and not _SCOPE_WORDS.match(found):
                    return found
    return None


_NOT_NAME_WORDS = (
    "a about all an and any are at be by can check cell col cols column columns contain contains contents could "
    "count d data dataframe dataframes dataset datasets define describe desc description detail details display "
    "do does dtype dtypes each empty explain field fields find first for frame frames from full get give have "
    "head here hey how i if in info inside inspect is it its kernel kind large last like linda list long look "
    "looks make many max me mean median memory min missing mind more much my name named names nan nans need "
    "notebook now null nulls number of on or our out overview pandas plz please pls profile quick quickly right "
    "row rows run s schema see shape short show size something some sort stat statistics stats structure "
    "summarise summarize summary table tables tell that the there this to type types u uses value values var "
    "variable variables view want wat we what whats which will with would you your big wide just current basic "
    "one decribe descibe datafrmae have has got holds hold made loaded called dimension dimensions kinds let "
    "let's us thanks dear hello hi "
)
_NOT_NAMES = frozenset(_NOT_NAME_WORDS.split())
_WORD = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*")
_FRAME_SHAPES = (
    r"(?:data ?frame|table|dataset|frame|variable|数据框|数据表|数据集|表格?|变量)(?:\s+(?:called|named|叫"
    r"|名叫))?\s*([A-Za-z_]\w*)",
    r"([A-Za-z_]\w*)\s*(?:data ?frame|table|frame|dataset|数据框|数据表|数据集|这[张个]?表|表|数据)",
)


def frame_name(masked: Masked, variables: Sequence[str]) -> str | None:
    """The variable that is meant: marked as a name, attached by the person, or the only unknown word."""
    marked = masked.of("frame") + [piece for piece in masked.of("code", "quote", "name") if piece.text.isidentifier()]
    words = [word for word in _WORD.findall(masked.raw) if word.lower() not in _NOT_NAMES]
    attached = [word for word in _WORD.findall(masked.raw) if word in variables]
    if attached:
        return str(attached[0])
    if marked:
        return marked[0].text
    for pattern in _FRAME_SHAPES:
        for match in re.finditer(pattern, masked.raw, re.IGNORECASE | re.ASCII):
            if match[1].lower() not in _NOT_NAMES:
                return str(match[1])
    return words[0] if len(words) == 1 or (words and words[0] == words[-1]) else None


_VALUE_OF = re.compile(
    r"(?:value of|type of|what type is|variable called|variable named|变量)\s*(?:the )?`?([A-Za-z_]\w*)`?"
    r"|`?([A-Za-z_]\w*)`?\s*(?:的值|等于|的类型|是什么类型|equal)",
    re.ASCII,
)


def value_name(masked: Masked, variables: Sequence[str]) -> str | None:
    """The one variable a question about a value is about ("what is the value of x", "what is x")."""
    for asked in _VALUE_OF.finditer(masked.raw):
        name = str(asked[1] or asked[2])
        if name in variables or name.lower() not in _NOT_NAMES:
            return name
    mentioned = [word for word in _WORD.findall(masked.raw) if word in variables]
    return str(mentioned[0]) if len(mentioned) == 1 else None


_TRAILING = re.compile(
    r"[\s,;]+(?:at|to|in|into|as|below|above|after|before|under|underneath|beneath|please|pls|plz|for me"
    r"|and then|then|and|thanks"
    r"|right|on top|there|here|inside|using|now|via)\b.*$|\s*[，。；、\u4e00-\u9fff？！].*$",
    re.IGNORECASE | re.DOTALL,
)
_INTRODUCED = (
    r"[:：]\s*(?P<source>\S.*)$",
    r"(?:内容|里面|代码|正文|标题|文字)?(?:是|为|係|系|写上?|写着|放|敲上|填|输入)\s*[:：]?\s*(?P<source>\S.*)$",
    r"(?:that says|saying|containing|contains?|with the (?:following )?(?:code|text|content|contents|source"
    r"|title|line)|with|titled"
    r"|that (?:has|holds)|w/|to hold|reading)\s+(?P<source>\S.*)$",
    r"(?:heading|markdown|text|title)\s+(?:cell\s+)?(?P<source>\S.*)$",
)
_EMPTY = re.compile(r"(?<![a-z])(?:empty|blank)(?![a-z])|空白?(?:的)?(?:单元|格|代码|cell)|空单元格", re.IGNORECASE)
_CODE_LIKE = re.compile(
    r"^[A-Za-z_][\w.]*$|[=()\[\]{}+*/<>%#]|^\d|^(?:import|from|print|return|pass|del|assert|raise)\b"
)


def cell_type(masked: Masked) -> Literal["code", "markdown", "raw"]:
    """The kind of cell asked for; code unless said otherwise."""
    text = masked.text
    if re.search(
        r"markdown|(?<![a-z])md(?![a-z])|(?:text|heading|title|note)s? (?:cell|block)|(?:文本|文字|标题"
        r"|说明)(?:单元|格|cell)",
        text,
    ):
        return "markdown"
    return "raw" if re.search(r"(?<![a-z])raw(?![a-z])|原始单元", text) else "code"


def cell_source(masked: Masked) -> str | None:
    """The code or text the person gave for a new cell; "" when asked for an empty one, None when none was given."""
    codes = masked.of("code")
    marked = [piece for piece in masked.of("code", "name") if _is_ticked(masked, piece)]
    if marked:
        return marked[0].text
    introduced = _introduced(masked.raw, codes)
    if codes:
        return _from_code(masked, codes[0], introduced)
    quotes = masked.of("quote")
    if quotes:
        return quotes[0].text
    if introduced:
        is_text = cell_type(masked) != "code"
        bare = introduced if is_text else (_TRAILING.sub("", introduced) or introduced)
        bare = re.sub(r"[。，]?(?:吧|呗|谢谢|please|thanks)$", "", bare).strip()
        if is_text or _CODE_LIKE.search(bare):
            return bare or None
    return "" if _EMPTY.search(masked.text) else None


def _introduced(raw: str, codes: Sequence[Piece]) -> str | None:
    for pattern in _INTRODUCED:
        for match in re.finditer(pattern, raw, re.IGNORECASE | re.DOTALL):
            at = match.start("source")
            if not any(piece.start < at < piece.end for piece in codes):
                return match["source"].strip()
    return None


def _from_code(masked: Masked, piece: Piece, introduced: str | None) -> str:
    """From the first code to the end of what still is code: more lines, more statements."""
    raw = masked.raw
    start = piece.start
    if introduced and (at := raw.rfind(introduced)) <= start and "\n" not in raw[at:start] and start - at < 24:
        lead = raw[at:start]
        start = at if re.fullmatch(r"[\x21-\x7e]+[ ]?|(?:print|return|del|assert|not|await)\s", lead) else start
    end = max(p.end for p in masked.of("code"))
    rest = raw[end:]
    if "\n" in rest.strip() and raw[:start].rstrip().endswith((":", "：", "\n")):
        return raw[start:].strip()
    tail = _TRAILING.sub("", rest)
    tail = "" if re.match(r"\s+[A-Za-z]|\s*[,.?!](?:\s|$)", tail) else tail
    return (raw[start:end] + tail).strip()


def place(masked: Masked) -> Place | None:
    """Where a new cell should go, if the request says so."""
    text = numbered(masked)
    relation = re.search(
        r"(?P<after>(?<![a-z])(?:after|below|under|beneath|underneath|following|behind)(?![a-z])|(?<!最)后面?|之后|下面"
        r"|下方|以下|底下)"
        r"|(?P<before>(?<![a-z])(?:before|above|over|ahead of|in front of)(?![a-z])|前面?|之前|上面|上方)",
        text,
    )
    if re.search(
        r"(?<![a-z])(?:at|to|on|in) (?:the )?(?:very )?(?:top|start|beginning|front)(?! of cell)"
        r"|as (?:the )?<1> cell|topmost|up top|on top"
        r"|最上面|最前面|开头|最顶|顶部|首行",
        text,
    ):
        return Place("top")
    if re.search(r"(?<![a-z])(?:end|bottom)(?![a-z])|最下面|末尾|最末|最底|结尾|底部|最尾", text):
        return Place("end")
    if relation:
        reference = find_reference(_around(text, relation))
        if reference and reference.kind == "offset":
            reference = None
        if reference and reference.kind == "from_end" and reference.number == 1 and relation["after"]:
            return Place("end")
        return Place("after" if relation["after"] else "before", reference)
    return Place("end") if re.search(r"(?:在|到|喺)?最后|as (?:the )?last cell", text) else None


def _around(text: str, relation: re.Match[str]) -> str:
    """What the relation is about stands after it in English, before it in Chinese."""
    if relation.group().isascii():
        return text[relation.end() :]
    return text[: relation.start()]


def wants_run_after(masked: Masked) -> bool:
    """Whether an insertion also asks to run the new cell."""
    return bool(
        re.search(
            r"(?:and|then|,)\s*(?:then |also |please )?(?:run|execute|evaluate) (?:it|that|this|the (?:new )?cell)"
            r"|(?:然后|并且?|再|接着|，)\s*(?:把它)?(?:运行|执行|跑)",
            masked.text,
        )
    )
