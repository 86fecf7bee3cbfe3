"""What the gateway adds to litellm, in processor time: to a call, and to a chunk. Waiting is the provider's.

And what is done with a prompt before it leaves and with an answer that comes: redaction, counting, fitting.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jupyter_linda.agent.window import Known, Unit, fit
from jupyter_linda.gateway.asking import Timeouts
from jupyter_linda.gateway.client import LitellmModel, import_litellm
from jupyter_linda.gateway.providers import Providers
from jupyter_linda.gateway.redaction import Book, Redactor, Restorer
from jupyter_linda.gateway.retrying import Patience, RetryingModel
from jupyter_linda.gateway.tokens import ModelTokens
from jupyter_linda.ports import ModelRequest, TextDelta
from jupyter_linda.schemas import ProviderInput
from jupyter_linda.seeds import RandomIds, SystemClock
from tests.bench.report import Report, main, median
from tests.fakes.provider import End, FakeProvider, Say

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

SETTLE_S = 0.1
"""What litellm does after a call, in the background, shall not count for the next."""
KEY = "sk-test-0123456789abcdef"


def measure(chosen: argparse.Namespace) -> Report:
    """Short and long replies through raw litellm and through the gateway, in turns, from the same provider."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, FakeProvider() as provider:
        provider.script("short", [Say("ok"), End("stop")])
        provider.script("long", [Say("".join(f"{at:04d} " for at in range(chosen.chunks)), size=5), End("stop")])
        patient = _patient(Path(folder), provider)
        found = asyncio.run(_rounds(patient, provider, chosen))
    report = Report("gateway")
    report.add(
        "a short reply, processor time, median",
        median(found["short"]) * 1000,
        "ms",
        baseline=median(found["raw short"]) * 1000,
        at_most=5,
    )
    report.add(
        "a chunk of a long reply, processor time, median",
        median(found["long"]) / chosen.chunks * 1e6,
        "us",
        baseline=median(found["raw long"]) / chosen.chunks * 1e6,
        at_most=100,
    )
    report.add("chunks of the long reply", chosen.chunks, "")
    _add_texts(report)
    report.add("rounds", chosen.rounds, "")
    return report


def _add_texts(report: Report) -> None:
    """Code and rows of tables, a tenth of them with a mail address and a phone number: 1 MB, none of it seen before."""
    lines = [
        f"{at}: m{at}@example.org, call +49 30 {1_000_000 + at}, since 2021"
        if at % 10 == 0
        else f"x_{at} = df.loc[{at}, 'amount'].mean()  # rows of region {at}"
        for at in range(18_000)
    ]
    texts = ["\n".join(lines[at : at + 100]) for at in range(0, len(lines), 100)]
    size = sum(map(len, texts)) / 1e6
    book, redactor = Book(), Redactor()
    made, spent = _timed(lambda: [redactor.redact(text, book)[0] for text in texts[:20]])
    report.add("redaction of new text", sum(map(len, texts[:20])) / 1e6 / spent, "MB/s")
    _, spent = _timed(lambda: [redactor.redact(text, book)[0] for text in texts[:20]])
    report.add("redaction of text seen before", sum(map(len, texts[:20])) / 1e6 / spent, "MB/s")
    answer = "\n".join(made)
    chunks = [answer[at : at + 5] for at in range(0, len(answer), 5)]
    restorer = Restorer(book)
    said, spent = _timed(lambda: [restorer.take(chunk) for chunk in chunks])
    assert "".join(said) + restorer.rest() == "\n".join(texts[:20])
    report.add("putting values back, per chunk", spent / len(chunks) * 1e6, "us", at_most=100)
    tokens = asyncio.run(ModelTokens(lambda model: model, _library).counter("openai/gpt-4o"))
    tokens.count("The tokenizer is loaded.")
    _, spent = _timed(lambda: [tokens.count(text) for text in texts])
    report.add("counting tokens of new text", size / spent, "MB/s")
    units = [Unit(f"m{at}", 400, ((f"c{at}", 2_000),), is_asked=at == 999) for at in range(1_000)]
    _, spent = _timed(lambda: fit(units, fixed=4_000, window=75_000, known=Known()))
    report.add("fitting 1,000 messages into 75,000 tokens", spent * 1000, "ms")


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.process_time()
    made = work()
    return made, time.process_time() - started


async def _library() -> Any:
    return await asyncio.to_thread(import_litellm)


def _patient(folder: Path, provider: FakeProvider) -> RetryingModel:
    providers = Providers(
        folder, SystemClock(), default_model="", allowed_models=(), is_demo_ready=lambda: False, environment={}
    )
    providers.put("fake", ProviderInput(kind="openai", base_url=provider.base_url, models=("scripted",), key=KEY))
    one = LitellmModel(providers, RandomIds(), None, timeouts=Timeouts(10, 60, 60))
    return RetryingModel(one, providers, patience=Patience(tries=4, total_s=90, longest_wait_s=30))


async def _rounds(patient: RetryingModel, provider: FakeProvider, chosen: argparse.Namespace) -> dict[str, list[float]]:
    litellm = await asyncio.to_thread(import_litellm)
    found: dict[str, list[float]] = {}
    for turn in range(-2, chosen.rounds):  # two to warm up
        for name in ("short", "long"):
            await asyncio.sleep(SETTLE_S)
            ours = await _ours(patient, name)
            await asyncio.sleep(SETTLE_S)
            raw = await _raw(litellm, provider, name)
            if turn >= 0:
                found.setdefault(name, []).append(ours)
                found.setdefault(f"raw {name}", []).append(raw)
    return found


async def _ours(patient: RetryingModel, text: str) -> float:
    started = time.process_time()
    request = ModelRequest("fake/scripted", [{"role": "user", "content": text}])
    said = [event.text async for event in patient.stream(request) if isinstance(event, TextDelta)]
    assert said
    return time.process_time() - started


async def _raw(litellm: Any, provider: FakeProvider, text: str) -> float:
    started = time.process_time()
    stream = await litellm.acompletion(
        model="openai/scripted",
        api_base=provider.base_url,
        api_key=KEY,
        stream=True,
        messages=[{"role": "user", "content": text}],
        stream_options={"include_usage": True},
        num_retries=0,
        max_retries=0,
    )
    said = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]
    assert said
    return time.process_time() - started


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--chunks", type=int, default=1000)


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
