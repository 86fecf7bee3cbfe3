"""Markup that loads something from elsewhere when it is shown: what of a text does, and what a change brings (pure).

What is plainly harmless is known (a picture beside the notebook, an attachment); any other picture counts, since
Markdown and HTML spell an address in more ways than a pattern of bad ones could list.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PICTURE = re.compile(r"!\[")
_OWN_PICTURE = re.compile(
    r"!\[[^\[\]\\\n]{0,500}\]\((?![^)\n]{0,300}//)(?:attachment:)?[\w.%~ /+@-]{1,300}"
    r"(?:[ \t]{1,8}\"[^\"\\\n]{0,200}\")?\)"
)
"""A picture of a place that holds no scheme, no host, no entity and no backslash."""
_WHOLE_PICTURE = re.compile(r"!\[[^\[\]\\\n]{0,500}\]\([^()\\\s]{0,2000}\)")
_PLACE_OF_REFERENCE = re.compile(r"\]:[^\n]*(?:\n[^\n]+)?")
"""`[name]: address`, which may stand on the next line."""
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_MARKUP = re.compile(
    r"<\s{0,4}(?:img|iframe|frame|script|link|object|embed|applet|video|audio|source|track|svg|use|style|meta|form|base"
    r"|input|image|feimage|picture|bgsound|body)\b"
    r"|url\s{0,4}\(|image-set\s{0,4}\(|@import\b|\bjavascript\s{0,4}:|\bon(?:error|load|click)\s{0,4}=",
    re.IGNORECASE,
)
_TAG = re.compile(r"<\s{0,4}[a-z]", re.IGNORECASE)
_LOADING_FIELD = re.compile(
    r"[\s/\"'](?:src|srcset|poster|background|lowsrc|dynsrc)\s{0,4}=|\bstyle\s{0,4}=[^>]{0,500}[\\&]", re.IGNORECASE
)
"""Of any tag; a style with an entity or a backslash could spell anything."""
_MOST_PASSAGE = 3000


def loads(text: str) -> bool:
    """Whether a text loads something when it is shown."""
    return next(_passages(text), None) is not None


def brings_loading(old: str, new: str) -> bool:
    """Whether a change brings something that loads, be it in pieces: with what was there already, or by its address."""
    return bool(Counter(_passages(new)) - Counter(_passages(old)))


def _passages(text: str) -> Iterator[str]:
    """What loads, with all that its address may depend on."""
    places = "\n".join(_PLACE_OF_REFERENCE.findall(text))
    places, whole = (hashlib.sha256(one.encode("utf-8", "replace")).hexdigest() for one in (places, text))

    def paragraph(start: int) -> str:
        end = _PARAGRAPH_END.search(text, start, start + _MOST_PASSAGE)
        return text[start : end.start()] if end else f"{text[start : start + _MOST_PASSAGE]}\n{whole}"

    last = len(text) if "]:" in text else max(text.rfind("]("), text.rfind("]["))
    for match in _PICTURE.finditer(text):
        at = match.start()
        if at > last:
            break  # a picture without any address
        if not _OWN_PICTURE.match(text, at):
            simple = _WHOLE_PICTURE.match(text, at)
            yield simple[0] if simple else f"{paragraph(at)}\n{places}"
    for pattern in (_MARKUP, _LOADING_FIELD) if _TAG.search(text) else (_MARKUP,):
        for match in pattern.finditer(text):
            yield paragraph(match.start())
