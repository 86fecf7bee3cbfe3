"""The server extension: settings in, one lazy route mounted; nothing heavy at JupyterLab's start."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.routing import PathMatches, Router, Rule
from traitlets import TraitError

from . import __version__
from .config import LindaSettings
from .storage.peek import has_unfinished_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_server.serverapp import ServerApp
    from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest

log = logging.getLogger(__name__)


class LazyRouter(Router):
    """Adds the real routes at the first request to one of them, then steps aside."""

    SUPPORTED_METHODS: tuple[str, ...] = ()
    """jupyter_server looks here for methods without authentication; a router has none of either."""

    def __init__(self, web_app: web.Application, add_routes: Callable[[], None]) -> None:
        self._web_app = web_app
        self._add_routes = add_routes

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> HTTPMessageDelegate | None:
        """Mostly none: the routes just added stand behind this one. Where they cannot be added, one that says why."""
        try:
            self._add_routes()
        except Exception as error:  # else tornado would close the connection without a word
            log.exception("Linda cannot be loaded")
            problem = {
                "kind": "Unavailable",
                "message": f"Linda cannot be loaded: {type(error).__name__}: {error}",
                "remedy": "What she needs is missing or of another version: install jupyter_linda anew with pip, "
                "then restart JupyterLab.",
            }
            return self._web_app.get_handler_delegate(request, OutOfOrder, {"problem": problem})
        return None


class OutOfOrder(APIHandler):
    """Answers every request of a Linda that cannot work here."""

    def initialize(self, problem: dict[str, str]) -> None:
        """`problem`: kind, message and remedy."""
        self._problem = problem

    @web.authenticated
    def get(self) -> None:
        """503, and why."""
        self.set_status(503)
        self.finish(self._problem)

    post = put = patch = delete = get


class LindaApp(ExtensionApp):
    """Linda's half of the Jupyter server."""

    name = "jupyter_linda"
    app_name = "Linda"
    description = "An AI assistant inside JupyterLab"
    version = __version__
    extension_url = "/lab"
    load_other_extensions = True
    classes = [LindaSettings]  # noqa: RUF012  traitlets' own convention

    _has_routes = False
    _settings_problem = ""
    _services: Any = None  # api.services.Services, whose import is what we put off

    @property
    def jupyter_server(self) -> ServerApp:
        """The server we are part of."""
        if self.serverapp is None:
            raise RuntimeError("the extension is not linked to a server")
        return self.serverapp

    def initialize_settings(self) -> None:
        """Read the settings. Wrong ones are never replaced by guesses: Linda says what is wrong, JupyterLab starts."""
        try:
            self.linda_settings = LindaSettings(parent=self)
        except TraitError as error:
            self._settings_problem = str(error)
            self.log.error("Linda's settings are wrong: %s", error)  # noqa: TRY400  # the cause is in the message

    def initialize_handlers(self) -> None:
        """Mount one lazy route, and look once, after the start, for runs that a dead server left."""
        web_app = self.jupyter_server.web_app
        base = url_path_join(web_app.settings["base_url"], "linda/api/")
        if self._settings_problem:
            problem = {
                "kind": "InvalidSettings",
                "message": f"Linda's settings are wrong: {self._settings_problem}",
                "remedy": "Mend c.LindaSettings in jupyter_server_config.py (or .json), then restart JupyterLab.",
            }
            rules = [(f"{base}.*", OutOfOrder, {"problem": problem})]
            web_app.add_handlers(".*$", rules)  # type: ignore[no-untyped-call]  # tornado has no types here
            return
        web_app.add_handlers(  # type: ignore[no-untyped-call]  # tornado has no types here
            ".*$", [Rule(PathMatches(f"{base}.*"), LazyRouter(web_app, self._add_routes))]
        )

    async def _start_jupyter_server_extension(self, serverapp: object) -> None:
        """The event loop runs now."""
        self._look = asyncio.ensure_future(self._resume_left_runs())

    async def _resume_left_runs(self) -> None:
        if self._settings_problem:
            return
        database = Path(self.linda_settings.database_url.removeprefix("sqlite:///"))
        if await asyncio.to_thread(has_unfinished_runs, database):
            services = self.services()
            await services.ready()
            services.brain.nudge("runs")

    def _add_routes(self) -> None:
        if self._has_routes:
            return
        from .api.routes import handlers  # noqa: PLC0415  pydantic, SQLAlchemy: not at JupyterLab's start

        self.services()
        self._has_routes = True
        web_app = self.jupyter_server.web_app
        web_app.add_handlers(  # type: ignore[no-untyped-call]  # tornado has no types here
            ".*$", handlers(web_app.settings["base_url"])
        )

    def services(self) -> Any:
        """What the handlers share, made at the first use."""
        if self._services is None:
            from .api.base import SERVICES  # noqa: PLC0415  see _add_routes
            from .server import build  # noqa: PLC0415  see _add_routes

            self._services = build(self.jupyter_server, self.linda_settings)
            self.jupyter_server.web_app.settings[SERVICES] = self._services
        return self._services

    async def stop_extension(self) -> None:
        """JupyterLab ends: so do the worker and the streams."""
        look = getattr(self, "_look", None)
        if look is not None:
            look.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await look
        if self._services is not None:
            await self._services.close()
