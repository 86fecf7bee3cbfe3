"""`jupyter linda ask` with a model elsewhere: the consent is asked on the terminal, `--yes-to SEND` gives it."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace

import pytest

from jupyter_linda.cli.ask import Talk, _actions

QUESTION = {
    "question_id": "q1",
    "kind": "consent",
    "action": "send",
    "preview": {"sentence": "Send this to openai?", "code": "── user ──\nhello ⟦mail-1⟧"},
}


class FakeClient:
    """Keeps the answers."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def answer(self, _question_id: str, answer: str) -> None:
        self.said.append(answer)


@pytest.mark.parametrize(
    ("typed", "yes_to", "said"),
    [
        ("y", "", "once"),
        ("a", "", "no"),
        ("", "", "no"),
        (None, "", "unasked"),
        ("x", "", "no"),
        ("", "WRITE|RUN", "no"),
        ("", "SEND", "once"),
    ],
)
def test_consent_is_a_persons_word_or_an_explicit_one(monkeypatch, capsys, typed, yes_to, said):
    client = FakeClient()
    talk = Talk(client, Namespace(yes_to=_actions(yes_to), json=False), "run_1")
    monkeypatch.setattr(talk, "_prompt", lambda _text: typed)
    talk._ask(QUESTION)
    assert client.said == [said]
    shown = capsys.readouterr().out
    assert "Send this to openai?" in shown
    assert ("hello ⟦mail-1⟧" in shown) == (yes_to != "SEND"), "what would leave is shown before it is asked"


@pytest.mark.parametrize("text", ["nonsense", "READ,nonsense", "WRITE READ", "ALL", "*"])
def test_what_is_no_list_of_actions_is_refused(text):
    with pytest.raises(ArgumentTypeError, match="is not a list of READ, WRITE, RUN, SEND"):
        _actions(text)


APPROVAL = {
    "question_id": "q1",
    "kind": "approval",
    "action": "run",
    "arguments": {"command": "ls"},
    "preview": {"sentence": "Run this.", "code": "evil() #\x1b[2K\x1b]52;c;eA==\x07\rgood()\u202e", "rule": "ask: run"},
}


def asked(monkeypatch, question, typed="y", yes_to=""):
    client = FakeClient()
    talk = Talk(client, Namespace(yes_to=_actions(yes_to), json=False), "run_1")
    monkeypatch.setattr(talk, "_prompt", lambda _text: typed)
    talk._ask(question)
    return talk, client.said


def test_no_order_to_the_terminal_and_nothing_invisible_gets_onto_it(monkeypatch, capsys):
    talk, _ = asked(monkeypatch, APPROVAL)
    talk._say("\x1b]0;title\x07hi\tthere\n")
    talk._show_call({"state": "done", "title": "Ran \x1b[31mit", "name": "run_code"})
    shown = capsys.readouterr().out
    assert not any(character in shown for character in "\x1b\x07\r\u202e")
    assert "\\u001b[2K" in shown
    assert "\\rgood()\\u202e" in shown
    assert "hi\tthere\n" in shown


def test_yes_to_run_does_not_answer_what_always_asks(monkeypatch):
    always = {**APPROVAL, "preview": {**APPROVAL["preview"], "rule": "run_shell always asks"}}
    assert asked(monkeypatch, APPROVAL, typed="", yes_to="RUN")[1] == ["once"]
    assert asked(monkeypatch, always, typed="", yes_to="RUN")[1] == ["no"]


def test_an_edit_is_shown_as_what_changes(monkeypatch, capsys):
    diffs = [{"label": "a.ipynb, cell 1", "old": "x = 1\ny = 2", "new": "x = 1\ny = 3"}]
    asked(monkeypatch, {**APPROVAL, "preview": {"sentence": "Change it.", "code": "", "rule": "", "diffs": diffs}})
    shown = capsys.readouterr().out
    assert "    a.ipynb, cell 1\n" in shown
    assert "    -y = 2\n    +y = 3\n" in shown
    assert "command" not in shown
