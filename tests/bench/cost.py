"""What a turn costs before anybody has said anything, and what counting and condensing take.

Tokens are those of the o200k tokenizer over the JSON that is sent, and as OpenAI writes functions into its prompts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from jupyter_linda.agent import families
from jupyter_linda.agent.context import system_prompt
from jupyter_linda.agent.extracting import extract
from jupyter_linda.agent.hands import ASK_USER_SCHEMA
from jupyter_linda.agent.inner import READ_RESULT_SCHEMA
from jupyter_linda.agent.loop import schema_of
from jupyter_linda.agent.window import Unit, fit
from jupyter_linda.gateway.client import import_litellm
from jupyter_linda.gateway.tokens import ModelTokens, estimate
from jupyter_linda.schemas import Message
from jupyter_linda.seeds import SystemClock
from jupyter_linda.worker import TOOLS
from tests.bench.report import Report, main, median

GOAL_TOKENS = 4_000
PASSAGE = (
    "The monthly totals were computed in cell 4 of reports/sales.ipynb; March is the highest with 18,220. "
    "We decided to drop rows without a customer, because they were tests. 三月的总额最高，所以先画三月的图。\n"
)


def milliseconds(work: Callable[[], object], *, times: int) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begun) * 1000)
    return median(taken)


def measure(chosen: argparse.Namespace) -> Report:
    """Measure the parts of an empty prompt, and the times."""
    report = Report("cost")
    litellm = import_litellm()

    async def library() -> Any:
        return litellm

    counter = asyncio.run(ModelTokens(lambda model: model, library).counter("openai/gpt-4o"))
    tools = list(TOOLS.values())
    always = [schema_of(tool) for tool in families.offered(tools, [])]
    more = families.schema(tools)
    ours = {"ask_user": ASK_USER_SCHEMA, "read_result": READ_RESULT_SCHEMA, families.MORE_TOOLS: more}

    def tokens(what: object) -> int:
        return counter.count(json.dumps(what, ensure_ascii=False))

    report.add("tools installed", len(tools) + len(ours), "")
    report.add("tools offered at the start", len(always) + len(ours), "")
    for name in families.FAMILIES:
        mine = [schema_of(tool) for tool in tools if tool.family == name and not families.is_on_demand(tool)]
        if mine:
            report.add(f"always there of {name} ({len(mine)})", tokens(mine), "tokens")
    for name, schema in ours.items():
        report.add(name, tokens([schema]), "tokens")
    whole = [*always, *ours.values()]
    report.add("before user content, instructions excluded", tokens(whole), "tokens", at_most=GOAL_TOKENS)
    report.add("the same, as OpenAI writes functions", counter.count_tools(whole), "tokens", at_most=GOAL_TOKENS)
    report.add("the same with every family opened", tokens([*map(schema_of, tools), *ours.values()]), "tokens")
    report.add("instructions", counter.count(system_prompt("work")), "tokens")

    text = PASSAGE * 1_500
    millions = len(text) / 1e6
    litellm.token_counter(model="gpt-4o", text="warm")
    report.add(
        "counting, o200k",
        milliseconds(lambda: litellm.token_counter(model="gpt-4o", text=text), times=chosen.times) / millions,
        "ms/MB",
    )
    report.add("counting, by characters", milliseconds(lambda: estimate(text), times=chosen.times) / millions, "ms/MB")
    counter.count(text)
    report.add(
        "counting again what was counted",
        milliseconds(lambda: counter.count(text), times=chosen.times) / millions,
        "ms/MB",
    )
    units = [Unit(f"m{n}", 300, ((f"c{n}", 2_000),), is_asked=n == 1_999) for n in range(2_000)]
    report.add(
        "fitting 2,000 messages", milliseconds(lambda: fit(units, fixed=5_000, window=75_000), times=chosen.times), "ms"
    )
    now = SystemClock().now()
    said = [
        (
            Message(
                message_id=f"m{n}",
                chat_id="c",
                parent_id=None,
                run_id=None,
                role="assistant",
                text=PASSAGE * 4,
                created_at=now,
            ),
            (),
        )
        for n in range(400)
    ]
    report.add(
        "picking sentences from 400 messages",
        milliseconds(lambda: extract(said, before="", budget=1_200, count=estimate), times=chosen.times),
        "ms",
    )
    return report


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=5, help="how often each time is taken")


if __name__ == "__main__":
    sys.exit(main(measure, options))
