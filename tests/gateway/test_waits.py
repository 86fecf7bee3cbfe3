"""How long a provider asks to wait, in each of the ways providers say it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_linda.gateway.waits import as_words, wait_of

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        ({"Retry-After": "2"}, "", 2.0),
        ({"retry-after": "1.5"}, "", 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, "", 0.25),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:07 GMT"}, "", 7.0),
        ({"retry-after": "Sun, 29 Nov 2026 11:00:00 GMT"}, "", 0.0),
        ({"retry-after": "Sun, 29 Nov 2026 15:00:07 GMT", "date": "Sun, 29 Nov 2026 15:00:00 GMT"}, "", 7.0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "-3"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({}, "Rate limit reached. Please try again in 7.66s. Visit …", 7.66),
        ({}, "Please try again in 900ms.", 0.9),
        ({}, "Please retry in 2 minutes", 120.0),
        ({}, '{"details": [{"@type": "…RetryInfo", "retryDelay": "34s"}]}', 34.0),
        ({}, "too many requests", None),
    ],
)
def test_seconds_dates_milliseconds_and_words_are_understood(headers, words, seconds):
    assert wait_of(headers, words, now=NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(("seconds", "words"), [(4.2, "4 s"), (300, "5 minutes"), (7200, "2 hours")])
def test_a_wait_is_said_as_people_say_it(seconds, words):
    assert as_words(seconds) == words
