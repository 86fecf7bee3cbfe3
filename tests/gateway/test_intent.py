"""Intents: masking, the classifier and the decision to act, ask or talk."""

import json
from importlib.resources import files

import pytest

from jupyter_linda.gateway.decision import decide
from jupyter_linda.gateway.intent import Guess, trained
from jupyter_linda.gateway.masking import SIGNS, mask

from .train_intents import digest


@pytest.mark.parametrize(
    ("text", "kinds", "pieces"),
    [
        ("打开销售数据.ipynb", ["notebook"], ["销售数据.ipynb"]),
        ("open data/lakes.ipynb", ["notebook"], ["data/lakes.ipynb"]),
        ("insert x = 1 at the end", ["code"], ["x = 1"]),
        ("insert\n```python\nx = 1\ny\n```", ["code"], ["x = 1\ny"]),
        ("add print((1, f(2))) now", ["code"], ["print((1, f(2)))"]),
        ("run the 3rd cell", ["number"], ["3rd"]),
        ("运行第十二个单元格", ["number"], ["第十二"]),
        ("run In [4]", ["number"], ["In [4]"]),
        ("describe sales_df", ["frame"], ["sales_df"]),
        ("find “湖泊” and read_csv", ["quote", "name"], ["湖泊", "read_csv"]),
        ("don't say it's so", [], []),
        ("RUN THE CELL", [], []),
    ],
)
def test_masks_what_is_fixed_in_a_request(text, kinds, pieces):
    masked = mask(text)
    assert [piece.kind for piece in masked.pieces] == kinds
    assert [piece.text for piece in masked.pieces] == pieces
    assert [sign for sign in masked.text if sign in SIGNS.values()] == [SIGNS[kind] for kind in kinds]


def test_traditional_characters_are_read_as_simplified():
    assert mask("運行這個單元格").text == "运行这个单元格"


def test_the_shipped_weights_are_those_of_the_examples():
    stored = json.loads(files("jupyter_linda.gateway").joinpath("intents.json").read_text(encoding="utf-8"))
    assert stored["sources_sha256"] == digest(), "run: python -m tests.gateway.train_intents --write"


def test_probabilities_sum_to_one():
    guess = trained().classify(mask("run cell 3"))
    assert guess.intent == "run_cell"
    assert sum(share for _, share in guess.ranked) == pytest.approx(1.0)


def decision(text, **shares):
    rest = {"chat": 1.0 - sum(shares.values())} if "chat" not in shares else {}
    ranked = sorted({**shares, **rest}.items(), key=lambda pair: -pair[1])
    return decide(mask(text), Guess(tuple(ranked)))


def test_acts_when_sure():
    assert decision("run cell 3", run_cell=0.9).kind == "act"


def test_a_change_needs_more_than_a_read():
    assert decision("run cell 3", run_cell=0.48, read_cell=0.2).kind == "ask"
    assert decision("show cell 3", read_cell=0.48, run_cell=0.2).kind == "act"


def test_asks_between_the_likely_ones_when_unsure():
    asked = decision("cell 3 run show", run_cell=0.45, read_cell=0.3)
    assert (asked.kind, asked.choices) == ("ask", ("run_cell", "read_cell"))


def test_never_acts_without_a_word_for_it():
    assert decision("lovely weather", run_cell=0.99).kind != "act"


@pytest.mark.parametrize(
    "text", ["don't run cell 3", "别运行第三个单元格", "I already ran cell 3", "第三格我已经跑过了"]
)
def test_never_runs_what_is_refused_or_reported(text):
    assert decision(text, run_cell=0.99).kind == "talk"


def test_does_not_read_a_cell_that_was_to_be_deleted():
    assert decision("delete cell 3", read_cell=0.8).intent == "cannot"
