"""The files behind the connected providers, read and checked: what is wrong is said with the entry's name."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ..errors import InvalidInput
from ..schemas import ProviderInput, SharedProvider

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LIST = TypeAdapter(Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=20)] | None)


def read_providers(path: Path) -> dict[str, Any]:  # any JSON object with "providers"
    """`providers.json`: {"providers": {name: ProviderInput}, "default_model", "fallback_models"}; two are optional.

    Raises `InvalidInput` for what is malformed; a file that is not there is an empty one.
    """
    values = _read_json(path)
    try:
        _LIST.validate_python(values.get("fallback_models"), strict=True)
    except ValidationError:
        raise _malformed(path, "fallback_models is a list of at most 20 names of models") from None
    if not isinstance(values.setdefault("providers", {}), dict) or not isinstance(values.get("default_model", ""), str):
        raise _malformed(path, "providers is an object by name, and default_model a text")
    for name, provider in values["providers"].items():
        try:
            ProviderInput.model_validate({**provider, "key": None})
        except (ValidationError, TypeError) as error:
            raise InvalidInput(
                f"{path}: the provider {name!r} is malformed: {_why(error)}.",
                remedy="Mend the file, or delete that entry and connect again.",
            ) from None
    return values


def read_keys(path: Path) -> dict[str, Any]:  # {name: {"key", "set_at"}}
    """`keys.json`; what is wrong is said without any key."""
    keys = _read_json(path)
    for name, stored in keys.items():
        if not isinstance(stored, dict) or not isinstance(stored.get("key"), str) or not _is_instant(stored):
            raise InvalidInput(
                f"{path}: the entry of {name!r} is malformed.",
                remedy="Mend the file, or delete that entry and give the key again.",
            )
    return keys


def read_shared(settings: Mapping[str, Any], text: str) -> dict[str, SharedProvider]:
    """Those of `c.LindaSettings.providers`, and before them of `text`, the JSON of LINDA_PROVIDERS.

    Raises `InvalidInput`, which names the place and the provider.
    """
    try:
        of_environment = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise _unusable("LINDA_PROVIDERS", f"it is no JSON: {error}") from None
    made = {}
    for place, values in (("LINDA_PROVIDERS", of_environment), ("c.LindaSettings.providers", settings)):
        if not isinstance(values, dict):
            raise _unusable(place, "it is no object by name")
        for name, value in values.items():
            if not is_name(name):
                raise _unusable(place, f"{name!r} cannot name a provider")
            try:
                made[name] = SharedProvider.model_validate(value)
            except ValidationError as error:
                raise _unusable(place, f"the provider {name!r}: {_why(error)}") from None
    return made


def is_name(name: str) -> bool:
    """Whether a text can name a provider; models are named provider/model, and ours linda/…"""
    return bool(name) and "/" not in name and name != "linda" and len(name) <= 60


def stamp_of(path: Path) -> tuple[int, ...]:
    """Changes with a file; of one that cannot be seen, empty."""
    try:
        seen = path.stat()
    except OSError:
        return ()
    return (seen.st_mtime_ns, seen.st_size, seen.st_ino)


def _why(error: ValidationError | TypeError) -> str:
    """What is wrong where, without the values: one of them may be a key that was put in the wrong place."""
    if not isinstance(error, ValidationError):
        return "it is no object"
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_input=False))


def _unusable(place: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"{place} cannot be used: {why}.",
        remedy="Whoever runs this server can mend it; see “Models for everybody” in the manual.",
    )


def _read_json(path: Path) -> dict[str, Any]:  # any JSON object
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{path} cannot be read: {error}.", remedy="Mend the file, or delete it and connect the provider again."
        ) from None
    if not isinstance(values, dict):
        raise _malformed(path, "it holds no JSON object")
    return values


def _malformed(path: Path, why: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is malformed: {why}.", remedy="Mend the file, or delete it and connect the provider again."
    )


def _is_instant(stored: Mapping[str, Any]) -> bool:
    """Whether `set_at` is absent, as in an entry written by hand, or a date and time."""
    try:
        datetime.fromisoformat(stored.get("set_at") or "2000-01-01")
    except (TypeError, ValueError):
        return False
    return True
