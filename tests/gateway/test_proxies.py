"""What is on this machine is reached without the proxy of the environment."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from jupyter_linda.gateway.proxies import LOOPBACK, is_loopback, spare
from tests.fakes.provider import FakeProvider

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, "localhost,127.0.0.1,::1"),
        ({"NO_PROXY": "intern.example, 127.0.0.1"}, "intern.example,127.0.0.1,localhost,::1"),
        ({"no_proxy": "a", "NO_PROXY": "b"}, "a,localhost,127.0.0.1,::1"),
        ({"no_proxy": "*"}, "*,localhost,127.0.0.1,::1"),
    ],
)
def test_both_spellings_spare_this_machine_and_keep_what_was_said(before, after):
    environment = dict(before)
    spare(*LOOPBACK, environment=environment)
    spare(*LOOPBACK, environment=environment)
    assert environment == {"no_proxy": after, "NO_PROXY": after}


def test_a_loopback_address_of_its_own_is_spared_too(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://corp.example:3128")
    monkeypatch.setenv("no_proxy", "other.example")  # both are put back afterwards
    monkeypatch.setenv("NO_PROXY", "other.example")
    assert is_loopback("127.0.0.9")
    assert not urllib.request.proxy_bypass("127.0.0.9")
    spare("127.0.0.9")
    assert urllib.request.proxy_bypass("127.0.0.9")


def test_a_model_here_is_not_asked_through_the_proxy_of_the_environment(provider, tmp_path):
    dead = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), NOBODY)
    assert "Finished" in _ask(provider, tmp_path, "near/scripted", dead)
    assert provider.requests


def test_no_word_of_the_environment_sends_requests_to_another_place(provider, tmp_path):
    """Of a provider whose address litellm knows; the way there is closed, the one to the other place open."""
    closed = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), NOBODY)
    rerouting = {
        "USE_LITELLM_PROXY": "true",
        "LITELLM_PROXY_API_BASE": provider.base_url,
        "LITELLM_PROXY_API_KEY": "sk-other-0123456789",
        "GROQ_API_KEY": "gsk-0123456789",
    }
    assert "unreachable" in _ask(provider, tmp_path, "groq/llama-3.3-70b-versatile", {**closed, **rerouting})
    assert not provider.requests


def _ask(provider: FakeProvider, folder: Path, model: str, variables: Mapping[str, str]) -> str:
    """The last event or the kind of fault, asked in a process of its own: litellm reads the environment at once."""
    code = f"""
import asyncio
from pathlib import Path
from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.asking import Timeouts
from jupyter_linda.gateway.client import LitellmModel
from jupyter_linda.gateway.providers import Providers
from jupyter_linda.ports import ModelRequest
from jupyter_linda.schemas import ProviderInput
from jupyter_linda.seeds import RandomIds, SystemClock

providers = Providers(Path({str(folder)!r}), SystemClock(), default_model="", allowed_models=(), is_demo_ready=lambda: False)
providers.put("near", ProviderInput(kind="openai", base_url={provider.base_url!r}, models=("scripted",), key="sk-0123456789"))
model = LitellmModel(providers, RandomIds(), None, timeouts=Timeouts(5, 20, 20))

async def ask():
    try:
        async for event in model.stream(ModelRequest({model!r}, [{{"role": "user", "content": "hi"}}])):
            last = event
    except ProviderFault as fault:
        return fault.kind_of_fault
    return last

print(asyncio.run(ask()))
"""
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**_plain(), **variables}
    )
    assert made.returncode == 0, made.stderr[-2000:]
    return made.stdout


def _plain():
    return {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
