"""Keys and tokens in text, by detect-secrets: the one file that imports it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OWN = (
    re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{1,10000}?-----END [A-Z ]{0,30}PRIVATE KEY-----"),
    re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,300}"),
    re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"),
    re.compile(r":_authToken\s{0,4}=\s{0,4}(\S{8,300})"),  # npm's detector takes quadratic time over long lines
    re.compile(r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
    re.compile(r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{22,255}"),
    re.compile(r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,60}"),
    re.compile(
        r"(?i)\bauthorization['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?:bearer|basic|token)\s{1,4}([A-Za-z0-9._~+/=-]{8,2000})"
    ),
    re.compile(r"(?i)\bbearer\s{1,4}((?=\S{0,300}\d)[A-Za-z0-9._~+/=-]{20,2000})"),
    re.compile(r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:([^\s/'\"]{1,200})@"),
    re.compile(
        r"(?<![A-Za-z0-9])(?:gsk_|xai-|pplx-|r8_|npm_|nvapi-|do[op]_v1_|ya29\.|glpat-|shpat_|lin_api_|tvly-)"
        r"[A-Za-z0-9_.-]{20,300}"
    ),
    re.compile(
        r"(?i)(?:passw(?:or)?d|passwd|pwd|passphrase|secret(?:[_-]?key)?|(?:api|access|private)[_-]?key"
        r"|(?:api|auth|access|refresh|bot|session)[_-]?token|密码|密钥|口令)(?:_[a-z0-9]{1,20}){0,2}"
        r"['\"\]]{0,2}\s{0,4}[:=是为]\s{0,4}"
        r"(?:[rbuf]?(['\"])(?P<quoted>[^'\"\n]{4,300})\1|(?P<bare>(?=\S{0,300}\d)[^\s'\"(),;\[\]{}<>]{8,300}))"
    ),
    re.compile(r"(?i)\btoken['\"\]]{0,2}\s{0,4}[:=]\s{0,4}['\"](?=[^'\"\n]{0,300}\d)([A-Za-z0-9._~+/=-]{16,300})['\"]"),
    re.compile(  # lines of .env files
        r"(?m)^[ \t]{0,8}(?:export )?[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_KEY)"
        r"[A-Z0-9_]{0,40}=([^\s'\"(),;\[\]{}<>$]{8,300})[ \t]*$"
    ),
)
"""What the detectors lack: whole private keys, newer tokens, and words that say what they hold."""
_HEAD = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----")
_FOOT = re.compile(r"-----END [A-Z ]{0,30}PRIVATE KEY-----")
_BODY = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\\"'\r\n")
"""What private keys are written in, as they stand and in the strings of programs."""
KEY_CHARS = 10_000
_BEHIND = 2
"""A quote, an @ or a bracket may stand behind a key."""
_WORDS = re.compile(
    r"(?i)none|null|true|false|str|string|bytes|self\.\w+|os\.\w+.*|[a-z_]+(?:\.[a-z_]+)+|\*+|x+|\.{3}|⟦.*"
)
"""What stands after `password =` in code without being one."""
_QUOTED_WORDS = re.compile(r"(?i)none|null|true|false|str|string|bytes|\*+|x+|\.{3}|⟦[a-z]{2,8}-\d{1,9}⟧")
"""The same between quotes: a name with dots is no name there."""


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """The detectors' expressions (0.2 s to import, at the first text that leaves)."""
    from detect_secrets.plugins import (  # noqa: PLC0415  only where something leaves the machine
        aws,
        azure_storage_key,
        cloudant,
        discord,
        github_token,
        gitlab_token,
        ibm_cloud_iam,
        ibm_cos_hmac,
        mailchimp,
        openai,
        pypi_token,
        sendgrid,
        slack,
        softlayer,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    # Those of one form each: detectors that go by entropy take every hash for a key.
    detectors = (
        aws.AWSKeyDetector,
        azure_storage_key.AzureStorageKeyDetector,
        cloudant.CloudantDetector,
        discord.DiscordBotTokenDetector,
        github_token.GitHubTokenDetector,
        gitlab_token.GitLabTokenDetector,
        ibm_cloud_iam.IbmCloudIamDetector,
        ibm_cos_hmac.IbmCosHmacDetector,
        mailchimp.MailchimpDetector,
        openai.OpenAIDetector,
        pypi_token.PypiTokenDetector,
        sendgrid.SendGridDetector,
        slack.SlackDetector,
        softlayer.SoftlayerDetector,
        square_oauth.SquareOAuthDetector,
        stripe.StripeDetector,
        telegram_token.TelegramBotTokenDetector,
        twilio.TwilioKeyDetector,
    )
    return tuple(pattern for detector in detectors for pattern in detector().denylist)


def find_keys(text: str) -> Iterator[tuple[int, int]]:
    """Where keys, tokens, passwords and private keys stand, as (start, end); they may overlap."""
    for pattern in _OWN:
        for match in pattern.finditer(text):
            start, end = _inner(match)
            words = _QUOTED_WORDS if match.groupdict().get("quoted") else _WORDS
            if not words.fullmatch(text[start:end]):
                yield start, end
    yield from _parts_of_private_keys(text)
    for pattern in _patterns():
        for match in pattern.finditer(text):
            yield _inner(match)


def _parts_of_private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Of private keys that a text was cut in: what follows a first line, and what stands before a last one."""
    for head in _HEAD.finditer(text):
        end = head.end()
        while end < min(len(text), head.end() + KEY_CHARS) and text[end] in _BODY:
            end += 1
        yield head.start(), end
    for foot in _FOOT.finditer(text):
        start = foot.start()
        while start > max(0, foot.start() - KEY_CHARS) and text[start - 1] in _BODY:
            start -= 1
        yield start, foot.end()


def _inner(match: re.Match[str]) -> tuple[int, int]:
    """The last group that took part, where it holds more than a quote and ends the match, else the whole match.

    A group before its end is only how a key begins, such as `glpat`.
    """
    groups = [match.span(at) for at in range(1, (match.re.groups or 0) + 1) if match.start(at) >= 0]
    long = [span for span in groups if span[1] - span[0] >= 4 and match.end() - span[1] <= _BEHIND]
    return long[-1] if long else match.span()
