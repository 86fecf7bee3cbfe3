"""Which models somebody has, as far as their names tell."""

from __future__ import annotations

import pytest

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.client import import_litellm
from jupyter_linda.gateway.litellm_words import LITELLM_WORDS, check_known


def test_every_word_of_the_installed_litellm_is_known():
    words = {str(getattr(word, "value", word)) for word in import_litellm().provider_list}
    assert words <= LITELLM_WORDS, f"add {sorted(words - LITELLM_WORDS)}"


@pytest.mark.parametrize("model", ["nonsense", "nobody/m", "openai/", "/m", "", "OpenAI/m", "linda/other"])
def test_a_model_of_nobody_is_told_with_a_remedy(model):
    with pytest.raises(ProviderFault, match="Nobody is known") as caught:
        check_known(model, as_given=model)
    assert (caught.value.kind_of_fault, bool(caught.value.remedy)) == ("unknown_model", True)


@pytest.mark.parametrize("model", ["openai/gpt-5", "openrouter/maker/model", "ollama_chat/llama3:8b"])
def test_a_model_that_somebody_may_have_passes(model):
    check_known(model, as_given=model)
