"""How providers spell what went wrong: patterns over their words."""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


TOO_LONG = _any(
    r"maximum context|context[_ ]length|context window|context limit|context size",  # OpenAI, vLLM, llama.cpp
    r"context the overflows|context overflow",  # LM Studio
    r"prompt is too long|prompt: length",  # Anthropic
    r"maximum prompt length",  # xAI
    r"prompt exceeds max|prompt 超长",  # Zhipu
    r"too many (input )?tokens|number of (input )?tokens allowed|input tokens exceed",  # Cohere, Google, OpenAI
    r"model token limit",  # Moonshot
    r"input is too long|input too long|maximum input length",  # Bedrock, Cohere
    r"range of input length",  # DashScope
    r"reduce the length of the (messages|prompt)",  # Groq, Mistral
    r"current length is \d+ while limit is",  # Cerebras
    r"request too large for",  # OpenAI: one request above the limit of tokens a minute
    r"tokens`? \+ `?max_(new_)?tokens`? must be",  # text-generation-inference
)
"""The prompt does not fit."""

UNWANTED = _any(
    r"content_policy|violating our usage policy|safety system",  # OpenAI
    r"ResponsibleAIPolicyViolation|content management policy|content_?filter",  # Azure
    r"content filtering policy",  # Anthropic
    r"data_?inspection_?failed|inappropriate content",  # DashScope
    r"Content Exists Risk",  # DeepSeek
    r"敏感内容",  # Zhipu
    r"PROHIBITED_CONTENT|blocked due to safety",  # Google
    r"considered high risk",  # Moonshot
    r"flagged for",  # OpenRouter
)
"""The content is refused."""

UNPAID = _any(
    r"insufficient_quota|exceeded your current quota|billing_hard_limit",  # OpenAI, Google
    r"exceeded_current_quota",  # Moonshot
    r"credit balance is too low",  # Anthropic
    r"insufficient balance|余额不足",  # DeepSeek, Zhipu
    r"insufficient credits|payment required",  # OpenRouter
    r"arrearage",  # DashScope
)
"""No money, no answer."""

NO_MODEL = _any(
    r"model_not_found|model not exist|no such model|unknown model|not a valid model|模型不存在",
    r"try pulling it first",  # Ollama
    r"model\b.{0,80}\b(does not exist|not found|is not available)",
    r"llm provider not provided",  # litellm
)
"""There is no such model."""

BAD_KEY = _any(r"api key not valid|invalid api key|incorrect api key", r"api_key client option|missing .{0,20}api key")
"""The key is wrong, or there is none."""

NO_TOOLS = _any(
    r"\b(tools?|tool[ _-](use|choice|calling|calls)|function[ _-]call\w*|functions)\b[`'\"]?[^`'\":.]{0,30}"
    r"\b(not|n't|un)\s?(be )?(support|enabled|available)",
    r"(not|n't|unsupported).{0,12}(support|parameter|argument)\w*\W{0,3}.{0,30}"
    r"\b(tools?|tool_choice|function call\w*)\b",
    r"no endpoints found that support tool",  # OpenRouter
    r"enable-auto-tool-choice",  # vLLM
    r"unrecognized request argument.{0,20}tools",
)
"""The model, or its server, takes no tools."""

NO_STREAMING = _any(
    r"\bstream(ing)?\b[`'\"]?[^`'\":.]{0,30}\b(not|n't|un)\s?(be )?(support|enabled|available)",
    r"(not|n't) support\w*\W{0,3}.{0,20}\bstream",
)
"""The reply can only come whole."""
