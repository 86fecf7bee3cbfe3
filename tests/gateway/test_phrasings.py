"""The figures of the issue, on the development phrasings and on those kept for the final measure."""

import json
from pathlib import Path

import pytest

from .measure import measure

HERE = Path(__file__).parent


def entries(name):
    path = HERE / name
    if not path.is_file():
        pytest.skip(f"{name} is not there: its author has not delivered it")
    return json.loads(path.read_text(encoding="utf-8"))


def check(name):
    figures = measure(entries(name))[1]
    print(name, figures)
    assert figures["right_intent"] >= 90, figures
    assert figures["wrong_tool"] <= 3, figures
    assert figures["right_arguments"] >= 85, figures


@pytest.mark.parametrize("language", ["en", "zh"])
def test_development_phrasings_are_understood(language):
    check(f"phrasings_{language}.json")
    check(f"personas_{language}.json")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_held_out_phrasings_are_understood(language):
    check(f"heldout_{language}.json")
