"""Connected providers and their keys: files beside the database, keys apart with mode 0600."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, NotAllowed, NotFound, ProviderFault
from ..schemas import ModelInfo, Provider, ProviderInput
from ..storage.files import write_json
from .places import address_of, destination_of, is_here
from .provider_file import is_name, read_keys, read_providers, read_shared, stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ..ports import Clock
    from ..schemas import SharedProvider

DEMO_MODEL = "linda/demo"
AUTOMATIC = "linda/automatic"
"""The router chooses the model of each request."""

KEY_VARIABLES: Mapping[str, str] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "groq": "GROQ_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "xai": "XAI_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    "cohere": "COHERE_API_KEY",
    "perplexity": "PERPLEXITYAI_API_KEY",
    "fireworks_ai": "FIREWORKS_AI_API_KEY",
    "moonshot": "MOONSHOT_API_KEY",
    "dashscope": "DASHSCOPE_API_KEY",
}
"""litellm's provider word -> the environment variable that holds its key."""


@dataclass(frozen=True)
class Connection:
    """Everything one model call needs to reach its provider. Never logged."""

    litellm_model: str
    base_url: str
    key: str
    proxy: str
    ca_file: str
    million_usd: tuple[float | None, float | None] = (None, None)
    """US dollars of a million tokens in and out, as the person gave them."""

    def __repr__(self) -> str:
        return f"Connection({self.litellm_model!r}, {self.base_url!r}, key={'set' if self.key else 'none'})"


class Providers:
    """The list of providers, read anew whenever its file changed."""

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        *,
        default_model: str,
        allowed_models: Sequence[str],
        is_demo_ready: Callable[[], bool],
        fallbacks: Sequence[str] = (),
        shared: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._file = folder / "providers.json"
        self._keys_file = folder / "keys.json"
        self._clock = clock
        self._configured_default = default_model
        self._allowed = tuple(allowed_models)
        self._configured_fallbacks = tuple(fallbacks)
        self._configured = shared or {}
        self.knows: Callable[[str], bool] = lambda _word: True
        """Whether litellm has a provider of that word; the worker, which loads litellm, puts its own answer here."""
        self._seen: tuple[tuple[int, ...], dict[str, Any]] | None = None
        """The file's stamp, and what was read."""
        self._is_demo_ready = is_demo_ready
        self._environment = os.environ if environment is None else environment

    @property
    def is_demo_ready(self) -> bool:
        """Whether the demo model's weights are there now."""
        return self._is_demo_ready()

    # ---- what is connected -------------------------------------------------------------------------

    def list_all(self) -> tuple[Provider, ...]:
        """Connected providers, and those whose key the environment holds; never a key."""
        keys = self._keys()
        listed = {name: self._as_provider(name, values, keys) for name, values in self._read()["providers"].items()}
        for kind, variable in KEY_VARIABLES.items():
            if self._environment.get(variable) and kind not in listed:
                listed[kind] = Provider(name=kind, label=kind, kind=kind, has_key=True, key_source="environment")
        return tuple(listed.values())

    def put(self, name: str, wish: ProviderInput) -> Provider:
        """Connect or change a provider; a key of None keeps the stored one, an empty one forgets it."""
        self._check_own(name)
        if not is_name(name):
            raise InvalidInput(f"{name!r} cannot name a provider.", remedy="Use a short word without a slash.")
        settings = read_providers(self._file)
        if wish.key is None and name in self._keys() and not self._is_same_place(name, wish):
            raise InvalidInput(
                "The provider's address or kind changed, so its stored key is not sent there.",
                remedy="Give the key again.",
            )
        settings["providers"][name] = wish.model_dump(exclude={"key"}, mode="json")
        if wish.key is not None:
            keys = self._keys()
            if wish.key:
                keys[name] = {"key": wish.key.strip(), "set_at": self._clock.now().isoformat()}
            else:
                keys.pop(name, None)
            write_json(self._keys_file, keys)
        write_json(self._file, settings)
        return self._as_provider(name, settings["providers"][name], self._keys())

    def remove(self, name: str) -> None:
        """Disconnect a provider and forget its key."""
        self._check_own(name)
        settings, keys = read_providers(self._file), self._keys()
        if settings["providers"].pop(name, None) is None:
            raise NotFound(f"There is no provider {name!r}.")
        write_json(self._file, settings)
        if keys.pop(name, None) is not None:
            write_json(self._keys_file, keys)

    # ---- models ------------------------------------------------------------------------------------

    def models(self) -> tuple[ModelInfo, ...]:
        """What the picker offers: the models of every provider, and the demo model."""
        offered = [
            ModelInfo(
                model_id=f"{provider.name}/{model}",
                label=model,
                provider=provider.label or provider.name,
                is_local=self.stays_here(f"{provider.name}/{model}"),
                is_ready=True,
            )
            for provider in self.list_all()
            for model in provider.models
        ]
        offered.append(
            ModelInfo(
                model_id=DEMO_MODEL,
                label="Built-in demo",
                provider="Linda",
                is_local=True,
                is_ready=True,
                note=""
                if self.is_demo_ready
                else "Commands work; for small talk the weights are missing: `jupyter linda start` fetches them.",
            )
        )
        allowed = [model for model in offered if self._is_allowed(model.model_id)]
        fit = [model.is_local for model in allowed if model.model_id != DEMO_MODEL]
        if any(fit) and not all(fit):
            note = "On this machine first; what is hard, long or a matter of language may go out, values of data not."
            allowed.append(
                ModelInfo(
                    model_id=AUTOMATIC, label="Automatic", provider="Linda", is_local=False, is_ready=True, note=note
                )
            )
        return tuple(allowed)

    @property
    def default_model(self) -> str:
        """The administrator's, else the panel's choice, else the first that is connected, else the demo model."""
        chosen = self._configured_default or self._read().get("default_model", "")
        if chosen and self._is_allowed(chosen):
            return str(chosen)
        models = self.models()
        return models[0].model_id if models else ""

    def choose_default(self, model_id: str) -> None:
        """Remember the panel's choice: one that the picker offers, or any litellm names of a provider with a key."""
        self._check_allowed(model_id)
        if "/" not in model_id:
            raise InvalidInput(
                f"{model_id[:60]!r} is not a model's name.", remedy="Use provider/model, as the picker does."
            )
        settings = read_providers(self._file)
        settings["default_model"] = model_id
        write_json(self._file, settings)

    def fallbacks(self) -> tuple[str, ...]:
        """Models that are asked, in this order, when one cannot answer: the panel's list, else the administrator's."""
        own = self._read().get("fallback_models")
        listed = self._configured_fallbacks if own is None else tuple(own)
        return tuple(one for one in listed if one not in (AUTOMATIC, DEMO_MODEL))

    def choose_fallbacks(self, models: Sequence[str]) -> None:
        """Remember the panel's list; an empty one asks no other model."""
        for model in models:
            self._check_allowed(model)
            if "/" not in model or model in (AUTOMATIC, DEMO_MODEL):
                raise InvalidInput(
                    f"{model[:60]!r} cannot answer in another's place.",
                    remedy="Use provider/model, as the picker does.",
                )
        settings = read_providers(self._file)
        settings["fallback_models"] = list(dict.fromkeys(models))
        write_json(self._file, settings)

    def resolve(self, model_id: str) -> str:
        """The model a run really uses; `ProviderFault` when there is none or it is not allowed."""
        wanted = model_id or self.default_model
        if not wanted:
            raise ProviderFault("no_model", "No model is connected.", remedy="Connect one in Models and settings.")
        self._check_allowed(wanted)
        return wanted

    def measured_as(self, model_id: str) -> str:
        """The model whose window and tokens count for one: itself; for automatic the first here, else the first."""
        if model_id != AUTOMATIC:
            return model_id
        fit = [model for model in self.models() if model.model_id not in (DEMO_MODEL, AUTOMATIC)]
        return next((model.model_id for model in fit if model.is_local), fit[0].model_id if fit else DEMO_MODEL)

    def check_key(self, model_id: str) -> None:
        """Raises `ProviderFault` where a provider that wants a key has none, or nobody knows the model's."""
        connection = self.connect(model_id)
        kind, _, model = connection.litellm_model.partition("/")
        if not model or not self.knows(kind):
            raise ProviderFault(
                "unknown_model",
                f"Nobody is known who has the model {model_id[:80]!r}; nothing was sent.",
                remedy="Choose one in the picker, or write provider/model; connect the provider in Models and "
                "settings.",
            )
        if kind not in KEY_VARIABLES or connection.key or connection.base_url:
            return
        makers = (KEY_VARIABLES[kind].partition("_")[0], *(("GOOGLE",) if kind == "gemini" else ()))
        names = (name for name in self._environment if name.endswith(("_KEY", "_TOKEN")))
        if not any(name.startswith(makers) for name in names):  # litellm knows more names than we list
            raise ProviderFault(
                "auth",
                f"No key is known for {model_id}.",
                remedy=f"Give one under ⋯ > Models and settings, or set {KEY_VARIABLES[kind]}.",
            )

    def stays_here(self, model_id: str) -> bool:
        """Whether what a model is told stays on this machine: the demo model, or one served at a loopback address.

        A server here can pass models of a cloud on (Ollama names those `…-cloud`): they count as elsewhere. Of the
        automatic choice: whether values of data do, as there is a model here for what holds them.
        """
        wanted = model_id or self.default_model
        if wanted == AUTOMATIC:
            return self.stays_here(self.measured_as(wanted))
        if wanted == DEMO_MODEL:
            return True
        name, _, model = wanted.partition("/")
        values = self._read()["providers"].get(name)
        return values is not None and bool(model) and is_here(self._as_provider(name, values, {}), model)

    def destination(self, model_id: str) -> str:
        """Who gets what a model elsewhere is told: litellm's word for the provider, its address, the proxy between."""
        name, _, model = model_id.partition("/")
        values = self._read()["providers"].get(name)
        known = values is not None and bool(model)
        provider = self._as_provider(name, values, {}) if known else Provider(name=name, label=name, kind=name)
        return destination_of(provider, model, self._environment)

    def known_keys(self) -> tuple[str, ...]:
        """Every key that is stored or in the environment: for keeping them out of prompts."""
        stored = [str(one["key"]) for one in self._keys().values() if isinstance(one, dict) and one.get("key")]
        names = [*KEY_VARIABLES.values(), *(one.key_variable for one in self._shared.values())]
        return tuple(stored + [key for name in names if (key := self._environment.get(name))])

    def connect(self, model_id: str) -> Connection:
        """How to reach a model: by the connected provider of its first part, else as litellm names it."""
        self._check_allowed(model_id)
        name, _, model = model_id.partition("/")
        values = self._read()["providers"].get(name)
        keys = self._keys()
        if values is not None and model:
            provider = self._as_provider(name, values, keys)
            key = self._key(name, provider.kind, provider.base_url, keys)
            return Connection(
                litellm_model=f"{provider.kind}/{model}",
                base_url=provider.base_url or self._set_address(provider.kind, key),
                key=key,
                proxy=provider.proxy,
                ca_file=provider.ca_file,
                million_usd=(provider.input_usd, provider.output_usd),
            )
        key = self._key(name, name, "", keys)
        base_url = self._set_address(name, key)
        return Connection(litellm_model=model_id, base_url=base_url, key=key, proxy="", ca_file="")

    def draft(self, name: str, wish: ProviderInput, model: str) -> Connection:
        """A connection to try before it is kept."""
        key = wish.key or ""
        if wish.key is None and self._is_same_place(name, wish):
            key = self._key(name, wish.kind, wish.base_url, self._keys())
        return Connection(
            litellm_model=f"{wish.kind}/{model}",
            base_url=wish.base_url,
            key=key,
            proxy=wish.proxy,
            ca_file=wish.ca_file,
        )

    def _is_same_place(self, name: str, wish: ProviderInput) -> bool:
        """Whether a connection goes where the stored key of that name was given for."""
        known = self._read()["providers"].get(name)
        if known is None:
            return name == wish.kind and not wish.base_url and not wish.proxy
        return (known["kind"], known.get("base_url", ""), known.get("proxy", "")) == (
            wish.kind,
            wish.base_url,
            wish.proxy,
        )

    def _is_allowed(self, model_id: str) -> bool:
        if model_id == AUTOMATIC:
            return True  # it chooses among those that are
        return not self._allowed or any(
            model_id == rule or (rule.endswith("*") and model_id.startswith(rule[:-1])) for rule in self._allowed
        )

    def _check_allowed(self, model_id: str) -> None:
        if not self._is_allowed(model_id):
            raise ProviderFault(
                "forbidden",
                f"The model {model_id} is not on this server's list of allowed models.",
                remedy="Choose another in the picker.",
            )

    # ---- files -------------------------------------------------------------------------------------

    @functools.cached_property
    def _shared(self) -> Mapping[str, SharedProvider]:
        return read_shared(self._configured, self._environment.get("LINDA_PROVIDERS", ""))

    def _read(self) -> dict[str, Any]:  # the file's JSON, validated, and what is shared in the place of its own
        stamp = stamp_of(self._file)
        if self._seen is None or self._seen[0] != stamp:  # every request asks for it many times
            values = read_providers(self._file)
            for name, one in self._shared.items():
                values["providers"][name] = one.model_dump(exclude={"key", "key_variable"}, mode="json")
            self._seen = (stamp, values)
        return self._seen[1]

    def _check_own(self, name: str) -> None:
        if name in self._shared:
            raise NotAllowed(
                f"The provider {name!r} is set up by whoever runs this server.",
                remedy="Connect one under another name.",
            )

    def _keys(self) -> dict[str, Any]:  # {name: {"key", "set_at"}}
        return read_keys(self._keys_file)

    def _key(self, name: str, kind: str, base_url: str, keys: Mapping[str, Any]) -> str:
        stored = keys.get(name)
        if isinstance(stored, dict) and stored.get("key") and name not in self._shared:
            return str(stored["key"])
        return self._environment.get(self._variable(name, kind, base_url), "")

    def _variable(self, name: str, kind: str, base_url: str) -> str:
        """Which environment variable holds the key of a provider that has none of its own.

        A key of the environment is that of the provider's usual address: it goes to no other that a person enters.
        """
        if name in self._shared:
            return self._shared[name].key_variable or KEY_VARIABLES.get(kind, "")
        return "" if base_url else KEY_VARIABLES.get(kind, "")

    def _set_address(self, kind: str, key: str) -> str:
        """The address that the environment sets; only where the key is known, for litellm looks for both together."""
        return address_of(kind, self._environment) if key else ""

    def _as_provider(self, name: str, values: Mapping[str, Any], keys: Mapping[str, Any]) -> Provider:
        wish = ProviderInput.model_validate({**values, "key": None})
        is_shared = name in self._shared
        stored = None if is_shared else keys.get(name)
        in_environment = bool(self._environment.get(self._variable(name, wish.kind, wish.base_url), ""))
        source = "file" if stored else "environment" if in_environment else ""
        return Provider(
            name=name,
            has_key=bool(source),
            key_source=source,
            key_set_at=datetime.fromisoformat(stored["set_at"]) if stored and stored.get("set_at") else None,
            is_shared=is_shared,
            **wish.model_dump(exclude={"key"}),
        )
