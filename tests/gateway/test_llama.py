"""The real small language model; skipped, saying so, where it or its weights are not installed."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.llama import SmallModel
from jupyter_linda.gateway.local import DemoModel

from .demo_chat import DemoChat


@pytest.fixture(scope="module")
def weights():
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: pip install 'jupyter_linda[local]'")
    from jupyter_linda.config import LindaSettings
    from jupyter_linda.gateway.weights import find_weights

    found = find_weights(Path(LindaSettings().data_dir), configured=os.environ.get("LINDA_DEMO_WEIGHTS", ""))
    if found is None:
        pytest.skip("the demo model's weights are not there: set LINDA_DEMO_WEIGHTS or run `jupyter linda start`")
    return found


@pytest.fixture(scope="module")
def model(weights):
    return SmallModel(weights)


def collect(pieces):
    async def all_of_them():
        return [piece async for piece in pieces]

    return asyncio.run(all_of_them())


def test_streams_an_answer_in_pieces(model):
    pieces = collect(model.reply([{"role": "user", "content": "Say hello."}], max_tokens=20))
    assert 1 < len(pieces) <= 20
    assert "".join(pieces).strip()


def test_closing_the_stream_stops_the_generation(model):
    async def first_of_many():
        pieces = model.reply([{"role": "user", "content": "Tell me a long story about lakes."}], max_tokens=400)
        async for piece in pieces:
            await pieces.aclose()
            return piece
        return ""

    assert asyncio.run(first_of_many())


def test_too_long_a_prompt_is_a_fault_in_words(model):
    with pytest.raises(ProviderFault, match="context"):
        collect(model.reply([{"role": "user", "content": "lake " * 3000}], max_tokens=5))


def test_quotes_only_what_was_said(model):
    request = "search my files for rainfall"
    found = asyncio.run(model.quote(request, "Copy only the words that should be searched for."))
    assert found in request


def test_english_small_talk_through_the_demo_model(weights, model):
    told = DemoChat(model=DemoModel(talker=model)).say("how are you doing today?")
    assert len(told) > 5


def test_a_file_that_is_no_model_is_a_fault_in_words(tmp_path):
    pytest.importorskip("xllamacpp")
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"no model")
    with pytest.raises(ProviderFault) as caught:
        collect(SmallModel(path).reply([{"role": "user", "content": "hi"}], max_tokens=5))
    assert caught.value.kind_of_fault == "no_model"


def test_without_xllamacpp_the_fault_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ProviderFault) as caught:
        collect(SmallModel(tmp_path / "x.gguf").reply([{"role": "user", "content": "hi"}], max_tokens=5))
    assert caught.value.remedy == "pip install 'jupyter_linda[local]'"
