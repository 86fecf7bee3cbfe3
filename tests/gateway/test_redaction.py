"""What is replaced before something leaves, and put back in what comes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.gateway.redaction import LONGEST, Book, Redactor, Restorer, find

KEY = "".join(("AK", "IA", "IOSFODNN7EXAMPLE"))  # in parts: scanners of repositories look for whole ones
THINGS = {
    "mail": ["ada.lovelace@example.org", "a+b@mail.example.co.uk"],
    "phone": ["+49 30 901820", "+1 415-555-2671", "(415) 555-2671", "13812345678", "138 1234 5678", "030 901820"],
    "card": ["4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005"],
    "id": ["11010519491231002X", "536-90-4399"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    "address": ["221 Baker Street", "12 Old Mill Road, Apt 4", "Goethestraße 12a", "北京市朝阳区建国路88号"],
    "key": [
        KEY,
        "ghp_" + "a1B2" * 9,
        "sk-ant-" + "x9" * 20,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    ],
}
ALL = [(kind, value) for kind, values in THINGS.items() for value in values]
PLAIN = [
    "x = df.groupby('a')['b'].mean()  # 2026-03-08 01:30:00",
    "1772951400000 epoch ms, 3.14159265358979, 1234567890123456",
    "@app.route('/x')\ndef f(self): return self.password",
    "password = os.environ['PASSWORD']",
    "api_key=None, token = settings.token",
    "order 9007199254740993, shape (150, 4), v1.2.3, 0.25-0.75",
    "d41d8cd98f00b204e9800998ecf8427e",
    "df[df['year'] == 2024]; range(100, 200); 100-200-3000",
]


@pytest.mark.parametrize(("kind", "value"), ALL)
def test_each_thing_is_found_whole_among_words(kind, value):
    for text in (value, f"see {value}, please", f'x = "{value}"\n', f"（{value}）"):
        spans = find(text)
        assert [(k, text[a:b]) for k, a, b in spans] == [(kind, value)], text


@pytest.mark.parametrize("text", PLAIN)
def test_code_and_numbers_stay_as_they_are(text):
    assert find(text) == ()


def test_a_wrong_check_digit_is_no_card_no_id_and_no_iban():
    for text in ("4111 1111 1111 1112", "110105194912310021", "DE89 3704 0044 0532 0130 01"):
        assert not {kind for kind, _, _ in find(text)} & {"card", "id", "iban"}


def test_numbers_that_stand_close_together_are_told_apart():
    text = "- +49 30 901820\n- 4111 1111 1111 1111\n+1 415-555-2671 4111"
    assert [(kind, text[a:b]) for kind, a, b in find(text)] == [
        ("phone", "+49 30 901820"), ("card", "4111 1111 1111 1111"), ("phone", "+1 415-555-2671"),
    ]  # fmt: skip


def test_passwords_in_settings_and_addresses_are_keys():
    assert Redactor().redact('password = "hunter2hunter2"', Book())[0] == 'password = "⟦key-1⟧"'
    assert Redactor().redact("postgresql://me:s3cr3tpw@db/x", Book())[0] == "postgresql://me:⟦key-1⟧@db/x"


def gone(text, **options):
    """What of a text leaves as it is: the parts around placeholders."""
    return [part for part in re.split("⟦[a-z]+-[0-9]+⟧", Redactor().redact(text, Book(), **options)[0]) if part]


FULL = str.maketrans("0123456789X@", "０１２３４５６７８９Ｘ＠")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


@pytest.mark.parametrize(
    "value",
    [
        "4111 1111 1111 1111".translate(FULL),
        "4111 1111 1111 1111".translate(ARABIC),
        "4111\u00a01111\u00a01111\u00a01111",
        "4111.1111.1111.1111",
        "4111–1111–1111–1111",
        "41\u200b11111111111111",
        "11010519491231002X".translate(FULL),
        "110105 19491231 002X",
        "110105-19491231-002x",
        "13812345678".translate(FULL),
        "138\u30001234\u30005678",
        "138.1234.5678",
        "138－1234－5678",
        "ada＠example.org",
        "ａｄａ@example.org",
        "ada@exam\u00adple.org",
        "jürgen.müller@example.org",
        "ada@例え.jp",
        "张三@公司.cn",
        "gb82 west 1234 5698 7654 32",
        "DE89-3704-0044-0532-0130-00",
        "536–90–4399",
    ],
)
def test_odd_digits_spaces_and_signs_that_are_not_seen_hide_nothing(value):
    assert gone(f"看 {value} end") == ["看 ", " end"]
    book = Book()
    made, _ = Redactor().redact(f"a {value} b", book)
    assert book.restore(made) == f"a {value} b"


def test_terms_and_known_keys_are_found_in_any_form():
    assert gone("Ｆalcon, Fal\u200bcon", terms=("falcon",)) == [", "]
    assert gone("x abcd\u200bef012345 y", secrets=["abcdef012345"]) == ["x ", " y"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("-".join(("glpat", "abcdefghijklmnopqrst")), []),
        ("gsk" + "_" + "a1B2" * 12, []),
        ("npm" + "_" + "a1B2" * 9, []),
        ("password = 'correct.horse'", ["password = '", "'"]),
        ("SECRET_KEY = 'abcdefghijkl'", ["SECRET_KEY = '", "'"]),
        ("DB_PASSWORD_PROD: abc12345678", ["DB_PASSWORD_PROD: "]),
        ("x\nPASSWORD=correcthorsebattery\ny", ["x\nPASSWORD=", "\ny"]),
        ("token = 'abcdef0123456789abcdef'", ["token = '", "'"]),
        ("x-api-key: abcdef0123456789", ["x-api-key: "]),
        ("密码是 abc12345", ["密码是 "]),
        ("curl -H 'Bearer abcdef0123456789abcd'", ["curl -H 'Bearer ", "'"]),
        ("postgres://u:p@ss1@h/db", ["postgres://u:", "@h/db"]),
    ],
)
def test_of_a_key_nothing_is_left(text, left):
    assert gone(text, only_keys=True) == left


def test_half_a_character_in_arguments_that_are_changed_can_be_sent():
    made, _ = Redactor().redact_json('{"x": "\\ud83d ada@example.org"}', Book())
    assert "⟦mail-1⟧" in made.encode().decode()


def test_whole_numbers_in_arguments_are_looked_at_like_texts():
    text = '{"card": 4111111111111111, "rows": [150, 13812345678], "is": true}'
    made, counts = Redactor().redact_json(text, Book())
    assert json.loads(made) == {"card": "⟦card-1⟧", "rows": [150, "⟦phone-1⟧"], "is": True}
    assert counts == {"card": 1, "phone": 1}


def test_own_terms_hold_in_any_case_as_whole_words_and_in_chinese():
    book, redactor = Book(), Redactor()
    made, counts = redactor.redact("Project Falke, falke_df, falken, 隼计划书", book, terms=("Falke", "隼计划"))
    assert made == "Project ⟦term-1⟧, ⟦term-2⟧_df, falken, ⟦term-3⟧书"
    assert counts == {"term": 3}


def test_only_keys_leaves_the_rest():
    made, _ = Redactor().redact(f"{KEY} ada@example.org", Book(), only_keys=True)
    assert made == "⟦key-1⟧ ada@example.org"


def test_one_value_has_one_placeholder_all_through_a_chat():
    book, redactor = Book(), Redactor()
    first, _ = redactor.redact("a@example.org b@example.org a@example.org", book)
    assert first == "⟦mail-1⟧ ⟦mail-2⟧ ⟦mail-1⟧"
    later = Book(dict(book.values))
    assert redactor.redact("c@example.org b@example.org", later)[0] == "⟦mail-3⟧ ⟦mail-2⟧"
    assert later.fresh == {"⟦mail-3⟧": "c@example.org"}


def test_what_looks_like_a_placeholder_already_is_never_taken_for_one():
    book, redactor = Book(), Redactor()
    redactor.redact("a@example.org", book)
    made, _ = redactor.redact("the note says ⟦mail-1⟧", book)
    assert made == "the note says ⟦text-1⟧"
    assert book.restore(made) == "the note says ⟦mail-1⟧"


SOME = st.lists(
    st.one_of(
        st.sampled_from([value for _, value in ALL]),
        st.sampled_from(["⟦mail-1⟧", "⟦", "⟧", "⟦mail-", "⟦text-2⟧", " ", "\n", '"', "\\"]),
        st.text(max_size=12),
    ),
    max_size=12,
).map("".join)


@given(SOME)
def test_what_was_replaced_comes_back_exactly(text):
    book, redactor = Book(), Redactor()
    redactor.redact("known@example.org", book)
    made, _ = redactor.redact(text, book, terms=("please",))
    assert book.restore(made) == text


@given(SOME)
def test_no_value_that_was_found_is_left_in_what_leaves(text):
    book = Book()
    made, _ = Redactor().redact(text, book)
    for _, start, end in find(text):
        value = text[start:end]
        assert value not in made or value.startswith("⟦")


@given(SOME, st.lists(st.integers(1, 9), max_size=60))
def test_a_stream_cut_anywhere_says_the_same_and_waits_for_little(text, cuts):
    book = Book()
    made, _ = Redactor().redact(text, book)
    restorer, shown, at = Restorer(book), "", 0
    for size in cuts:
        shown += restorer.take(made[at : at + size])
        at += size
        assert len(restorer._held) < LONGEST
    shown += restorer.take(made[at:]) + restorer.rest()
    assert shown == text


@given(st.dictionaries(st.text(max_size=8), SOME, max_size=4), st.booleans())
def test_arguments_stay_json_and_come_back_exactly(arguments, is_ascii):
    book, redactor = Book(), Redactor()
    made, _ = redactor.redact_json(json.dumps(arguments), book)
    assert json.loads(book.restore_json(json.dumps(json.loads(made), ensure_ascii=is_ascii))) == arguments


def test_parts_of_a_private_key_that_was_cut_are_replaced_too():
    body = "\n".join(["MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaU"] * 5)
    head, foot = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    for text in (f"see\n{head}\n{body}", f"{body}\n{foot}\nthere", f'pem = "{head}\\n{body[:40]}'):
        gone, counts = Redactor().redact(text, Book())
        assert "MIIEow" not in gone
        assert counts["key"] == 1
    gone, _ = Redactor().redact(f"A file begins with {head} and goes on.", Book())
    assert gone.endswith(" and goes on.")
