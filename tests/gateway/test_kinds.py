"""What a request asks for, by the person's own words."""

from __future__ import annotations

import pytest

from jupyter_linda.gateway.kinds import HARD_CHARS, kind_of
from jupyter_linda.ports.held import held


def kind(text, task="chat"):
    return kind_of([{"role": "system", "content": "Translate, prove."}, {"role": "user", "content": text}], task)


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Translate cell 3 into French", "translation"),
        ("把这段话翻译成英文", "translation"),
        ("Please proofread my introduction", "polish"),
        ("润色一下这一段", "polish"),
        ("Summarize the notebook", "summary"),
        ("总结这个笔记本", "summary"),
        ("run the last cell", "chat"),
        ("plot sales in blue", "chat"),
        ("what does this mean in English units", "chat"),
        ("rename the date column to english month names", "chat"),
        ("用中文回答", "chat"),
    ],
)
def test_tasks_by_words_of_both_languages(text, task):
    assert kind(text).task == task


@pytest.mark.parametrize("text", ["prove that it converges", "debug this", "证明这个结论", "x" * (HARD_CHARS + 1)])
def test_what_is_hard(text):
    assert kind(text).complexity == "hard"
    assert kind("show the first rows").complexity == "simple"


def test_what_is_attached_counts_as_length_and_not_as_the_persons_words():
    found = kind("look at this: " + held("translate and prove " * 200, "source", "a.md"))
    assert (found.task, found.complexity) == ("chat", "simple")
    assert found.length_chars > 3_000


@pytest.mark.parametrize("name", ["algorithm.ipynb", "translation.ipynb", "work/proof.ipynb", "算法.ipynb"])
def test_the_name_of_what_is_open_is_not_the_persons_word(name):
    found = kind(f"[context] notebook: {name}\n\nhello")
    assert (found.task, found.complexity) == ("chat", "simple")


def test_a_known_task_is_about_the_whole_conversation():
    found = kind("translate this", "summary")
    assert (found.task, found.complexity, found.length_chars) == ("summary", "simple", len("translate this"))
