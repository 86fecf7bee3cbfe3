"""Names of people, by spaCy pipelines that whoever runs the server installed; off unless a setting names some."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ..errors import ProviderFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Pipeline = Any  # spaCy is an extra, and imported only where it is wanted

PERSON_LABELS = frozenset({"PERSON", "PER"})
"""What pipelines call a person: of OntoNotes, and of WikiNER and its kin."""
PIECE_CHARS = 20_000
"""Longer texts are read in pieces, cut at the ends of lines."""
NOT_NEEDED = ("tagger", "morphologizer", "parser", "lemmatizer", "attribute_ruler", "senter")
SHORTEST = 2


class NameFinder:
    """Finds names with every pipeline; each is loaded at first need, which takes seconds, and used by one thread."""

    def __init__(self, pipelines: Sequence[str]) -> None:
        self._names = tuple(pipelines)
        self._loaded: list[Pipeline] = []
        self._lock = threading.Lock()

    def __call__(self, text: str) -> list[tuple[str, int, int]]:
        """("name", start, end) of each name. Raises `ProviderFault` where a pipeline is not there: nothing leaves."""
        if not self._names:
            return []
        with self._lock:
            if not self._loaded:
                self._loaded = [load(name) for name in self._names]
            return [
                ("name", start + entity.start_char, start + entity.end_char)
                for start, piece in _pieces(text)
                for pipeline in self._loaded
                for entity in pipeline(piece).ents
                if entity.label_ in PERSON_LABELS and len(entity.text.strip()) >= SHORTEST
            ]


def load(name: str) -> Pipeline:
    """A pipeline by the name of its package, with only what it needs to find names. Raises `ProviderFault`."""
    try:
        import spacy  # noqa: PLC0415  # heavy, and an extra

        return spacy.load(name, exclude=list(NOT_NEEDED))
    except (ImportError, OSError) as error:
        raise ProviderFault(
            "no_names",
            f"Nothing was sent: names of people are to be replaced, and the spaCy pipeline {name!r} is not there "
            f"({str(error).splitlines()[0][:200]}).",
            remedy=f"Install it (pip install 'jupyter-linda[names]', python -m spacy download {name}), or take it out "
            "of redact_names.",
        ) from None


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(where it begins, piece)."""
    at = 0
    while at < len(text):
        end = at + PIECE_CHARS
        if end < len(text):
            end = max(text.rfind("\n", at + 1, end), text.rfind(" ", at + 1, end)) + 1 or end
        yield at, text[at:end]
        at = end
