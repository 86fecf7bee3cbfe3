"""A measure for tests: a token is four characters."""

from __future__ import annotations

import json

from jupyter_linda.ports import Counter


class FakeTokens:
    """Implements `ports.Tokens`."""

    def __init__(self, max_input_tokens: int | None = None) -> None:
        self.max_input_tokens = max_input_tokens

    async def counter(self, model: str) -> Counter:
        return Counter(
            count=lambda text: (len(text) + 3) // 4,
            count_tools=lambda tools: len(json.dumps(list(tools))) // 4,
            count_picture=lambda content: 1_000,
            counted_by="four characters each",
            is_estimate=True,
            max_input_tokens=self.max_input_tokens,
        )
