"""Routes of models and providers; keys go in and never come out."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..events.log import home_of
from ..events.payloads import SettingsChanged
from ..schemas import Noun, ProviderInput
from .base import LindaHandler


class ModelChoice(Noun):
    """PUT models/default"""

    model: Annotated[str, Field(min_length=1, max_length=300)]


class FallbackChoice(Noun):
    """PUT models/fallbacks"""

    models: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=300)], ...], Field(max_length=20)]


class ProviderTest(ProviderInput):
    """POST providers/test: the connection, and the name whose stored key it may use."""

    name: str = ""


class SettingsHandler(LindaHandler):
    """What handlers that change settings share."""

    async def announce(self) -> None:
        """Tell every tab and the worker."""
        owner, model = self.owner_id, self.services.providers.default_model

        def work() -> None:
            with self.services.log.transaction() as tx:
                tx.append(home_of(owner), SettingsChanged(default_model=model))

        await self.services.database.run(work)
        self.services.brain.nudge("settings")

    def reply_models(self) -> None:
        """The picker's content."""
        providers = self.services.providers
        self.reply(
            {
                "models": [model.model_dump() for model in providers.models()],
                "default": providers.default_model,
                "fallbacks": providers.fallbacks(),
            }
        )


class ModelsHandler(SettingsHandler):
    """GET models"""

    async def get(self) -> None:
        """Models on offer and the default."""
        self.reply_models()


class DefaultModelHandler(SettingsHandler):
    """PUT models/default"""

    async def put(self) -> None:
        """Choose the model of new chats."""
        self.refuse_tokens()  # where work goes is a person's to say
        self.services.providers.choose_default(self.body(ModelChoice).model)
        await self.announce()
        self.reply_models()


class FallbackModelsHandler(SettingsHandler):
    """PUT models/fallbacks"""

    async def put(self) -> None:
        """Choose which models are asked, in this order, when one cannot answer."""
        self.refuse_tokens()
        self.services.providers.choose_fallbacks(self.body(FallbackChoice).models)
        await self.announce()
        self.reply_models()


class ProvidersHandler(SettingsHandler):
    """GET providers"""

    async def get(self) -> None:
        """Connected providers; of a key only whether it is set."""
        self.reply({"providers": [provider.model_dump(mode="json") for provider in self.services.providers.list_all()]})


class ProviderHandler(SettingsHandler):
    """PUT and DELETE providers/{name}"""

    async def put(self, name: str) -> None:
        """Connect or change."""
        self.refuse_tokens()
        provider = self.services.providers.put(name, self.body(ProviderInput))
        await self.announce()
        self.reply(provider)

    async def delete(self, name: str) -> None:
        """Disconnect and forget the key."""
        self.refuse_tokens()
        self.services.providers.remove(name)
        await self.announce()
        self.set_status(204)
        self.finish()


class TestProviderHandler(LindaHandler):
    """POST providers/test"""

    async def post(self) -> None:
        """Try a connection before it is kept; the worker does."""
        wish = self.body(ProviderTest)
        params = {"name": wish.name, "wish": wish.model_dump(exclude={"name"})}
        self.reply(await self.services.brain.ask("test_provider", params, timeout_s=60.0))


class DetectHandler(LindaHandler):
    """POST providers/detect"""

    async def post(self) -> None:
        """Model servers on this machine."""
        self.reply({"found": await self.services.brain.ask("detect", {}, timeout_s=15.0)})
