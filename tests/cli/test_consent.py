"""`jupyter linda ask` with a model elsewhere: the consent is asked on the terminal, `--yes-to SEND` gives it."""

from __future__ import annotations

from argparse import Namespace

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
        ("a", "", "always"),
        ("", "", "no"),
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
