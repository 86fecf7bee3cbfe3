"""The server extension: settings in, one lazy route mounted; nothing heavy at JupyterLab's start."""

from __future__ import annotations

import asyncio
import contextlib
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
    from tornado.httputil import HTTPServerRequest


class LazyRouter(Router):
    """Adds the real routes at the first request to one of them, then steps aside."""

    SUPPORTED_METHODS: tuple[str, ...] = ()
    """jupyter_server looks here for methods without authentication; a router has none of either."""

    def __init__(self, add_routes: Callable[[], None]) -> None:
        self._add_routes = add_routes

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> None:
        """Never a handler of its own: the routes just added stand behind this one."""
        self._add_routes()


class WrongSettings(APIHandler):
    """Answers every request of a Linda whose settings cannot be read."""

    def initialize(self, problem: str) -> None:
        """`problem` is traitlets' own words."""
        self._problem = problem

    @web.authenticated
    def get(self) -> None:
        """503, and why."""
        self.set_status(503)
        message = f"Linda's settings are wrong: {self._problem}"
        remedy = "Mend c.LindaSettings in jupyter_server_config.py (or .json), then restart JupyterLab."
        self.finish({"kind": "InvalidSettings", "message": message, "remedy": remedy})

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
            rules = [(f"{base}.*", WrongSettings, {"problem": self._settings_problem})]
            web_app.add_handlers(".*$", rules)  # type: ignore[no-untyped-call]  # tornado has no types here
            return
        web_app.add_handlers(  # type: ignore[no-untyped-call]  # tornado has no types here
            ".*$", [Rule(PathMatches(f"{base}.*"), LazyRouter(self._add_routes))]
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

        self._has_routes = True
        self.services()
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
