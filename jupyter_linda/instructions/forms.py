"""The forms of skills and commands: a head in YAML, and a body (pure; the one file that imports yaml).

Skills have the open Agent Skills form: a folder of the skill's name with `SKILL.md`, whose head gives `name` and
`description`. A command is a Markdown file of its name; its head is optional.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from ..storage.hidden import one_line

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
NAME_CHARS = 64
DESCRIPTION_CHARS = 1_024
"""Limits of the Agent Skills form."""
HINT_CHARS = 80
HEAD_CHARS = 8_000
ARGUMENTS = "$ARGUMENTS"
_HEAD = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*$\n?", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Form:
    """What a skill or a command is."""

    name: str
    description: str
    body: str
    hint: str = ""


def is_name(text: str) -> bool:
    """Whether a skill or a command can have this name: small letters, digits, single hyphens between."""
    return len(text) <= NAME_CHARS and NAME.fullmatch(text) is not None


def skill_from(text: str, folder: str) -> Form | None:
    """The skill in a `SKILL.md`; None where it has not the form, or another name than its folder."""
    parted = _parted(text)
    if parted is None:
        return None
    head, body = parted
    description = _line(head.get("description"), DESCRIPTION_CHARS)
    if head.get("name") != folder or not description:
        return None
    return Form(folder, description, body)


def command_from(text: str, name: str) -> Form | None:
    """The command in a Markdown file of that name; None where its head cannot be read or its body is empty."""
    parted = _parted(text)
    head, body = ({}, text) if parted is None else parted
    if not body or (parted is None and text.startswith("---\n")):
        return None
    first = body.splitlines()[0].lstrip("# ")
    description = _line(head.get("description"), DESCRIPTION_CHARS) or _line(first, HINT_CHARS)
    return Form(name, description, body, _line(head.get("argument-hint"), HINT_CHARS))


def with_arguments(body: str, arguments: str) -> str:
    """The body with what stands behind the command's name in the place of `$ARGUMENTS`."""
    return body.replace(ARGUMENTS, arguments)


def _parted(text: str) -> tuple[dict[object, object], str] | None:
    found = _HEAD.match(text)
    if found is None or len(found[1]) > HEAD_CHARS:
        return None
    try:
        head = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506  makes texts, lists and mappings, nothing else
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return (head, text[found.end() :].strip()) if isinstance(head, dict) else None


def _line(value: object, most: int) -> str:
    """Text on one line; a list such as `[issue number]`, which YAML makes of a hint, is written out again."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = f"[{', '.join(value)}]"
    text = one_line(value) if isinstance(value, str) else ""
    return text if len(text) <= most else text[: most - 1] + "…"
