"""What providers say when they fail, told without the key."""

from __future__ import annotations

import pytest

from jupyter_linda.gateway.faults import Said, as_fault, kind_of, without_keys


@pytest.mark.parametrize("key", ["sk-demo-AAAA1111", "Zitronenbaum.77.Apfel"])
@pytest.mark.parametrize("has_begun", [True, False])
def test_a_fault_never_quotes_the_key_that_was_used(key, has_begun):
    fault = as_fault(RuntimeError(f"Incorrect API key provided: {key}."), model="m", has_begun=has_begun, key=key)
    assert key not in fault.message + fault.words
    assert "[key]" in fault.words


def test_our_sentence_stands_apart_from_what_the_provider_said():
    error = RuntimeError("litellm.NotFoundError: NotFoundError: OpenAIException - The model `x` does not exist")
    fault = as_fault(error, model="near/x", has_begun=False)
    assert fault.message == "The provider does not know this model."
    assert fault.words == "near/x, The model `x` does not exist"
    cut = as_fault(RuntimeError("litellm.APIError: gone"), model="near/x", has_begun=True)
    assert (cut.message, cut.words) == ("The provider's stream broke off; what arrived is kept.", "gone")


def test_what_looks_like_a_key_is_taken_out_wherever_it_is_from():
    assert without_keys("Authorization: Bearer abc.def, or sk-proj-0123456789") == "Authorization: [key] or [key]"


def kind(words: str, status: int | None = 400, wait_s: float | None = None, *names: str) -> str:
    return kind_of(Said(frozenset(names), status, words, wait_s))


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "{'code': 'context_length_exceeded'}",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "prompt is too long: 208310 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "the request exceeds the available context size. try increasing the context size",
        "Input is too long for requested model.",
        "Please reduce the length of the messages or completion.",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "Range of input length should be [1, 30720]",
        "Invalid request: Your request exceeded model token limit: 131072",
        "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081",
        "Prompt 超长",
        "Current length is 9000 while limit is 8192",
        "`inputs` tokens + `max_new_tokens` must be <= 4096",
        "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with 4096",
    ],
)
def test_every_spelling_of_a_prompt_that_does_not_fit_is_known(words):
    assert kind(words) == "context_overflow"


def test_a_request_above_the_limit_a_minute_is_too_long_and_not_too_soon():
    assert (
        kind("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.", 429)
        == "context_overflow"
    )
    assert kind("Rate limit reached for gpt-4o on tokens per min (TPM)", 429) == "rate_limit"


@pytest.mark.parametrize(
    "words",
    [
        "registry.ollama.ai/library/gemma:latest does not support tools",
        "No endpoints found that support tool use. To learn more about provider routing, visit: https://…",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "Function calling is not enabled for this model",
        "Tool use is not supported by this model",
        "`tools` is not supported",
        "Unsupported parameter: 'tools' is not supported with this model.",
        "Unrecognized request argument supplied: tools",
        "This model doesn't support function calling",
    ],
)
def test_every_spelling_of_no_tools_is_known(words):
    assert kind(words) == "no_tools"


@pytest.mark.parametrize(
    "words",
    [
        "Invalid schema for function 'look': In context=(), 'oneOf' is not permitted.",
        "tools.3.custom.input_schema: JSON schema is invalid",
        "Invalid 'tools[0].function.name': string does not match pattern",
    ],
)
def test_a_fault_in_our_tools_is_not_a_model_without_tools(words):
    assert kind(words) == "bad_request"


@pytest.mark.parametrize(
    "words",
    ["Streaming is not supported for this model", "This model does not support streaming", "'stream' is not supported"],
)
def test_every_spelling_of_no_streaming_is_known(words):
    assert kind(words) == "no_streaming"


@pytest.mark.parametrize(
    ("words", "status", "wait_s", "wanted"),
    [
        ("You exceeded your current quota, please check your plan and billing details.", 429, None, "billing"),
        ("You exceeded your current quota, please check your plan. Please retry in 34s.", 429, 34.0, "rate_limit"),
        ("Your credit balance is too low to access the Anthropic API.", 400, None, "billing"),
        ("Insufficient Balance", 402, None, "billing"),
        ("API key not valid. Please pass a valid API key.", 400, None, "auth"),
        ("The model `x` does not exist or you do not have access to it.", 404, None, "unknown_model"),
        ("Model Not Exist", 400, None, "unknown_model"),
        ("x is not a valid model ID", 400, None, "unknown_model"),
        ("Output blocked by content filtering policy", 400, None, "refused"),
        ("Content Exists Risk", 400, None, "refused"),
        ("The request was rejected because it was considered high risk", 400, None, "refused"),
        ("Overloaded", 529, None, "overloaded"),
        ("teapot", 418, None, "bad_request"),
        ("bad gateway", 502, None, "server"),
        ("gateway timeout", 504, None, "timeout"),
    ],
)
def test_what_a_provider_means_counts_for_more_than_its_status(words, status, wait_s, wanted):
    assert kind(words, status, wait_s) == wanted


def test_a_connection_that_takes_too_long_is_no_slow_model():
    assert kind("Request timed out.", None, None, "APITimeoutError", "Timeout", "ConnectTimeout") == "unreachable"
    assert kind("Request timed out.", None, None, "APITimeoutError", "Timeout") == "timeout"
