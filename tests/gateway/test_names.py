"""Names of people in what leaves: found by a real spaCy pipeline, here one that knows a list of them."""

from __future__ import annotations

import pytest

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.redaction import Book, Redactor
from jupyter_linda.gateway.redaction_names import PIECE_CHARS, NameFinder


@pytest.fixture
def finder(tmp_path):
    spacy = pytest.importorskip("spacy", reason="spaCy (the extra `names`) is not installed")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "PERSON", "pattern": "Ada Lovelace"},
            {"label": "PER", "pattern": "Bo"},
            {"label": "ORG", "pattern": "Acme"},
        ]
    )
    pipeline.to_disk(tmp_path / "people")
    return NameFinder([str(tmp_path / "people")])


def test_people_are_replaced_and_organisations_are_not(finder):
    book = Book()
    text = "Ada Lovelace of Acme wrote to Bo."
    made, counts = Redactor(finder).redact(text, book)
    assert made == "⟦name-1⟧ of Acme wrote to ⟦name-2⟧."
    assert counts == {"name": 2}
    assert book.restore(made) == text


def test_a_name_once_found_is_replaced_as_a_whole_word_wherever_it_stands(finder):
    book = Book()
    Redactor(finder).redact("Bo came.", book)
    made, _ = Redactor().redact("bo_x = 'Bo'; Bo_2, Bottle, BO", book)
    assert made == "bo_x = '⟦name-1⟧'; Bo_2, Bottle, BO"
    assert book.restore(made) == "bo_x = 'Bo'; Bo_2, Bottle, BO"


def test_an_open_file_keeps_its_names(finder):
    assert Redactor(finder).redact("Ada Lovelace", Book(), only_keys=True)[0] == "Ada Lovelace"


def test_long_texts_are_read_in_pieces_and_places_still_fit(finder):
    text = ("x" * 70 + "\n") * (PIECE_CHARS // 50) + "At last Ada Lovelace."
    ((kind, start, end),) = finder(text)
    assert (kind, text[start:end]) == ("name", "Ada Lovelace")
    assert finder("y" * (PIECE_CHARS * 3)) == []


def test_a_pipeline_that_is_not_there_stops_the_request():
    with pytest.raises(ProviderFault, match="no_such_pipeline") as caught:
        NameFinder(["no_such_pipeline"])("Ada Lovelace")
    assert caught.value.kind_of_fault == "no_names"
    assert "redact_names" in caught.value.remedy
