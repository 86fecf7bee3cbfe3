"""Characters that do not show: written out before a model or a card gets them, and what they spell."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_TAGS = range(0xE0000, 0xE0080)
_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_JOINERS = "\u200c\u200d"
_FILLERS = "\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0\u034f"
_BREAKS = "\x0b\x0c\x85\u2028\u2029"
"""Ends of lines to some readers and not to others."""
_SEEN = re.compile(r"[\x20-\x7e\n\t\u4e00-\u9fff]*")
"""The commonest text needs no closer look."""
_BLACK_FLAG = 0x1F3F4
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝвкмнтАВЕКМНОРСТХУІЈЅɡαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwbkmhtABEKMHOPCTXYIJSgaeikvoptuxABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""


def visible(text: str) -> str:
    r"""The text with every character that does not show written as its escape (`\u200b`).

    Joiners between letters that need them, one selector after a sign, and the flags made of tags stay.
    """
    if _SEEN.fullmatch(text):
        return text
    return "".join(_escape(character) if _is_hidden(text, at) else character for at, character in enumerate(text))


def visible_json(value: Any) -> Any:  # any JSON
    """`visible` for every text in a value, names of fields included."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(name): visible_json(one) for name, one in value.items()}
    return [visible_json(one) for one in value] if isinstance(value, list) else value


def for_terminal(text: str) -> str:
    """Text that a terminal takes for text: no orders to it, and nothing that does not show."""
    return visible(text.replace("\r\n", "\n")).replace("\r", "\\r")


def one_line(text: str) -> str:
    """A name of strangers inside a line of ours: no line ends, nothing that does not show."""
    return visible(" ".join(text.split()))


def spelled(text: str) -> str:
    """What a reader of machines may take the text for: tags as letters, nothing invisible, one form of letters."""
    if _SEEN.fullmatch(text):
        return text
    text = _TERMINAL.sub("", text)
    shown = "".join(
        chr(ord(character) - 0xE0000) if 0xE0020 <= ord(character) < 0xE007F else character
        for at, character in enumerate(text)
        if 0xE0020 <= ord(character) < 0xE007F or not _is_hidden(text, at)
    )
    bare = "".join(one for one in unicodedata.normalize("NFKD", shown) if not unicodedata.combining(one))
    return bare.translate(LOOKALIKES)


def hides_words(text: str) -> bool:
    """Whether somebody wrote with characters that do not show: tags, many selectors, or reversed text."""
    if _SEEN.fullmatch(text):
        return False
    hidden = [ord(character) for at, character in enumerate(text) if _is_hidden(text, at)]
    return sum(code in _TAGS or code in _SELECTORS for code in hidden) > 3 or any(
        0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 for code in hidden
    )


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_hidden(text: str, at: int) -> bool:
    code = ord(text[at])
    if 0x20 <= code < 0x7F or text[at] in "\n\t\r":
        return False
    if code in _TAGS:
        return not _is_in_flag(text, at)
    if code in _SELECTORS:
        return at == 0 or ord(text[at - 1]) in _SELECTORS or not text[at - 1].strip() or _is_ascii_letter(text[at - 1])
    if text[at] in _JOINERS:
        return not _joins(text, at)
    return text[at] in _FILLERS or text[at] in _BREAKS or unicodedata.category(text[at]) in ("Cf", "Cc", "Co")


def _is_ascii_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _is_in_flag(text: str, at: int) -> bool:
    """England, Scotland and Wales are a black flag with up to seven tags."""
    start = at
    while start > 0 and ord(text[start - 1]) in _TAGS and at - start < 7:
        start -= 1
    return start > 0 and ord(text[start - 1]) == _BLACK_FLAG


def _joins(text: str, at: int) -> bool:
    """Between pictures, or letters of scripts that are written with joiners."""
    return 0 < at < len(text) - 1 and all(_is_joined(text[beside]) for beside in (at - 1, at + 1))


def _is_joined(character: str) -> bool:
    code = ord(character)
    return (
        code in _SELECTORS
        or 0x0600 <= code < 0x1000
        or 0x1780 <= code < 0x1880
        or 0x2190 <= code < 0x2C00
        or (0x1F000 <= code < 0x20000)
    )
