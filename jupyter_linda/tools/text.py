"""Bytes to text for a model: encodings, binary files, line ranges."""

from __future__ import annotations

import codecs
import mimetypes
import re
from dataclasses import dataclass

from ..errors import ToolFailed, ToolRetry

_MAGIC = (
    (b"\x89PNG", "PNG image"), (b"\xff\xd8\xff", "JPEG image"), (b"GIF8", "GIF image"), (b"%PDF", "PDF document"),
    (b"PK\x03\x04", "ZIP archive or Office document"), (b"\x1f\x8b", "gzip archive"), (b"PAR1", "Parquet table"),
    (b"SQLite format 3", "SQLite database"), (b"\x7fELF", "program"), (b"\x89HDF", "HDF5 file"),
)  # fmt: skip
_NO_CHARACTER_SETS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined")
"""What Python calls encodings besides: some give half characters, some take hours."""
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True)
class Decoded:
    """Text with the encoding it had; `newline` is the line ending it mostly uses."""

    text: str
    encoding: str
    note: str = ""

    @property
    def newline(self) -> str:
        """The file's own line ending."""
        return "\r\n" if self.text.count("\r\n") * 2 > self.text.count("\n") else "\n"


def human_size(size_bytes: int) -> str:
    """Bytes for a reader: 812 bytes, 4.2 kB, 1.0 MB."""
    if size_bytes < 1000:
        return f"{size_bytes} bytes"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1000:.1f} kB"
    return f"{size_bytes / 1_000_000:.1f} MB"


def kind_of(content: bytes, name: str) -> str:
    """What a binary file seems to be, in words."""
    for magic, words in _MAGIC:
        if content.startswith(magic):
            return words
    return mimetypes.guess_type(name)[0] or "unknown type"


def decode(content: bytes, *, name: str, encoding: str = "") -> Decoded:
    """Whole content to text; never decided on a sample, so no character is cut at its edge.

    Raises `ToolFailed` for binary content and `ToolRetry` for a wrong `encoding`.
    """
    if encoding:
        return _decode_as(content, encoding, name)
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return _decode_as(content, codec, name)
    if b"\0" not in content:
        try:
            return Decoded(content.decode("utf-8"), "utf-8")
        except UnicodeDecodeError:
            guess = _guess(content)
            if guess is not None:
                return guess
    raise ToolFailed(
        f"{name!r} is a binary file ({kind_of(content, name)}, {human_size(len(content))}), not text.",
        remedy="Open it with code in a notebook, or say which encoding it has.",
        kind_of_failure="binary",
    )


def _decode_as(content: bytes, encoding: str, name: str) -> Decoded:
    try:
        is_text = codecs.lookup(encoding).name.replace("-", "_") not in _NO_CHARACTER_SETS
        text = content.decode(encoding) if is_text else None
    except LookupError:
        raise ToolRetry(f"There is no encoding {encoding!r}. Try utf-8, gb18030, shift_jis or cp1252.") from None
    except UnicodeDecodeError as error:
        raise ToolRetry(f"{name!r} is not {encoding}: {error.reason} at byte {error.start}.") from None
    except ValueError:
        text = None
    if text is None:
        raise ToolRetry(f"{encoding!r} is no encoding of text. Try utf-8, gb18030, shift_jis or cp1252.")
    return Decoded(text, encoding)


def _guess(content: bytes) -> Decoded | None:
    """Not UTF-8: Chinese text has its high bytes in pairs, western text one by one."""
    control = len(re.findall(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]", content))
    if control * 50 > len(content):
        return None
    high = len(re.findall(rb"[\x80-\xff]", content))
    alone = len(re.findall(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])", content))
    if high * 10 > len(content) * 9 and len(content) > 64:
        return None
    if alone * 5 < high:
        try:
            return Decoded(content.decode("gb18030"), "gb18030", "The encoding was guessed: gb18030.")
        except UnicodeDecodeError:
            pass
    return Decoded(content.decode("cp1252", errors="replace"), "cp1252", "The encoding was guessed: cp1252.")


def encode_like(text: str, old: Decoded | None) -> bytes:
    """New text in the encoding and with the line endings of the file it replaces; UTF-8 for a new one."""
    if old is None:
        return text.encode()
    if old.newline == "\r\n":
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        return text.encode(old.encoding)
    except UnicodeEncodeError:
        return text.encode()


def is_same_text(left: str, right: str) -> bool:
    """Equal but for line endings and a byte order mark."""
    return left.lstrip("\ufeff").replace("\r\n", "\n") == right.lstrip("\ufeff").replace("\r\n", "\n")


def amount(number: int, noun: str, plural: str = "") -> str:
    """How many of something, in words: "1 match", "2 matches"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
