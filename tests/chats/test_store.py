"""Searching chats by their titles, in any alphabet."""

from __future__ import annotations

import pytest

from jupyter_linda.chats import store
from jupyter_linda.schemas import NewChat


def found(event_log, ids, title: str, query: str) -> bool:
    with event_log.transaction() as tx:
        made = store.create(tx, ids.new("chat"), "local", NewChat(title=title))
        store.create(tx, ids.new("chat"), "local", NewChat(title="something else"))
    with event_log.database.read() as connection:
        return [chat.chat_id for chat in store.list_all(connection, "local", query)] == [made.chat_id]


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("Lakes of Finland", "LAKES"),
        ("Große Straße", "GROSSE STRASSE"),
        ("GROSSE STRASSE", "straße"),
        ("Анализ Продаж", "анализ продаж"),
        ("анализ продаж", "ПРОДАЖ"),
        ("İstanbul'da satışlar", "istanbul"),
        ("istanbul", "İSTANBUL"),
        ("ISPARTA", "ısparta"),
        ("ΟΔΟΣ", "οδος"),
        ("οδός", "ΟΔΌΣ"),
        ("Éléments", "éléments"),
        ("e\u0301le\u0300ve", "ÉLÈVE"),
        ("ÉLÈVE", "e\u0301le\u0300ve"),
        ("ＡＢＣ的销售", "abc的"),
        ("Ծառ", "ծառ"),
        ("湖泊数据分析", "数据"),
    ],
)
def test_a_title_is_found_whatever_the_case_and_the_alphabet(event_log, ids, title, query):
    assert found(event_log, ids, title, query)


@pytest.mark.parametrize(
    ("title", "query"), [("Lakes", "rivers"), ("анализ", "анализы"), ("100%", "_00"), ("ab", "a%b")]
)
def test_nothing_else_is_found(event_log, ids, title, query):
    assert not found(event_log, ids, title, query)


def test_only_the_owners_chats_are_searched(event_log, ids):
    with event_log.transaction() as tx:
        store.create(tx, ids.new("chat"), "somebody else", NewChat(title="Straße"))
    with event_log.database.read() as connection:
        assert store.list_all(connection, "local", "STRASSE") == ()
