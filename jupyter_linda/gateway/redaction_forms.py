"""Identities in text by their form: mails, phones, cards, ids, IBANs, addresses; with their checksums."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LETTERS = "A-Za-z\\u00c0-\\u024f\\u0370-\\u052f"
_DOMAIN = r"@(?:[A-Za-z0-9\u00c0-\uffef-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
_MAIL = re.compile(rf"(?<![{_LETTERS}0-9._%+-])[{_LETTERS}0-9_%+-][{_LETTERS}0-9._%+-]{{0,63}}{_DOMAIN}")
_MAIL_OF_CHINESE = re.compile(rf"[\u3400-\u9fff]{{1,8}}{_DOMAIN}")
_CARD = re.compile(
    r"(?<![\dA-Za-z.])[2-6]\d{3}(?:([ .-]?)\d{4}){2}\1\d{1,7}(?!\d)"
    r"|(?<![\dA-Za-z.])3[47]\d{2}([ .-]?)\d{6}\2\d{5}(?!\d)"
)
_CHINESE_ID = re.compile(
    r"(?<![\dA-Za-z])[1-9]\d{5}( {0,2}|-)(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\1\d{3}[\dXx]"
    r"(?![\dA-Za-z])"
)
_SOCIAL = re.compile(r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])"
)
_PHONES = (
    re.compile(r"(?<![\w+])\+\d[\d ().-]{6,22}\d(?!\d)"),
    re.compile(r"(?<![\w.+-])\(?[2-9]\d{2}\)?[ .-][2-9]\d{2}[ .-]\d{4}(?![\w-])"),
    re.compile(r"(?<![\w.+-])\(?0\d{1,4}\)?[ /-]\d{2,4}(?:[ -]?\d{2,4}){1,3}(?![\w-])"),
)
"""Candidates: with a country's number, in the American grouping, and with a leading 0; a library judges them."""
_CHINESE_MOBILE = re.compile(r"(?<![\dA-Za-z.+])(?:\+?86[ -]?)?1[3-9]\d([ .-]?)\d{4}\1\d{4}(?![\dA-Za-z])")
_HOME_REGIONS = ("US", "GB", "DE", "FR", "CN", "JP", "IN")
_ADDRESSES = (
    re.compile(
        r"(?<!\w)\d{1,5}[A-Za-z]? (?:[A-Z][A-Za-z'.]{1,20} ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|"
        r"Ln|Drive|Dr|Court|Ct|Square|Sq|Way|Place|Pl|Terrace|Crescent)\b\.?(?:,? (?:Apt|Suite|Unit|Flat)\.? ?\w{1,6})?"
    ),
    re.compile(r"(?<!\w)[A-ZÄÖÜ][A-Za-zäöüß-]{2,30}(?:straße|strasse|str\.|weg|platz|gasse|allee) \d{1,4}[a-z]?(?!\w)"),
    re.compile(
        r"(?:[\u4e00-\u9fff]{2,3}省)?(?:[\u4e00-\u9fff]{2,4}?市)?(?:[\u4e00-\u9fff]{1,4}?[区县])?[\u4e00-\u9fff]{1,6}?"
        r"(?:路|街|大道|巷|弄|胡同)\s?\d{1,5}\s?[号號](?:[\u4e00-\u9fff\d-]{0,12}(?:室|楼|单元|栋|幢))?"
    ),
)
_CARD_PREFIX = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6(?:011|5\d\d|2\d\d|4[4-9]\d)\d{12,15}"
)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
"""GB 11643-1999, of the first 17 digits."""
_CONTROL = "10X98765432"


def passes_luhn(digits: str) -> bool:
    """ISO/IEC 7812: every second digit from the right doubled, the sum of all digits divisible by ten."""
    total = 0
    for at, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + at % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def is_card(text: str) -> bool:
    """A payment card's number: a known first group, its length and its check digit."""
    digits = re.sub(r"[ .-]", "", text)
    return _CARD_PREFIX.fullmatch(digits) is not None and len(set(digits)) > 1 and passes_luhn(digits)


def is_chinese_id(text: str) -> bool:
    """A resident identity number by its control character (GB 11643-1999)."""
    signs = re.sub(r"[ -]", "", text)
    total = sum(int(digit) * weight for digit, weight in zip(signs[:17], _WEIGHTS, strict=True))
    return _CONTROL[total % 11] == signs[17].upper()


def is_iban(text: str) -> bool:
    """ISO 13616: the first four signs moved to the end, letters as numbers, remainder 1 by 97."""
    bare = re.sub(r"[ -]", "", text).upper()
    if not 15 <= len(bare) <= 34:
        return False
    return int("".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])) % 97 == 1


@lru_cache(maxsize=4096)
def is_phone(text: str) -> bool:
    """Whether the numbering plan of its country, or of one of the commonest, knows such a number."""
    import phonenumbers  # noqa: PLC0415  only where something leaves the machine

    for region in (None,) if text.startswith("+") else _HOME_REGIONS:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(text, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def _phone_length(text: str) -> int:
    """How much of a row of groups of digits is a number: what follows it may be another one. 0: nothing."""
    while len(text) >= 7:
        if is_phone(text):
            return len(text)
        shorter = re.sub(r"[ ().-]+\d*$", "", text)
        if shorter == text:
            return 0
        text = shorter
    return 0


def find_identities(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of everything that has the form of an identity; they may overlap."""
    for kind, pattern, check in _CHECKED:
        for match in pattern.finditer(text):
            if check is None or check(match[0]):
                yield kind, match.start(), match.end()
    for pattern in _PHONES:
        for match in pattern.finditer(text):
            length = _phone_length(match[0])
            if length:  # a bracket that does not close within stands around the number
                around = match[0].startswith("(") and ")" not in match[0][:length]
                yield "phone", match.start() + around, match.start() + length


_CHECKED = (
    ("mail", _MAIL, None),
    ("mail", _MAIL_OF_CHINESE, None),
    ("card", _CARD, is_card),
    ("id", _CHINESE_ID, is_chinese_id),
    ("id", _SOCIAL, None),
    ("iban", _IBAN, is_iban),
    ("phone", _CHINESE_MOBILE, None),
    *(("address", pattern, None) for pattern in _ADDRESSES),
)
