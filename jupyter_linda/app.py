"""The server extension: settings in, one lazy route mounted; nothing heavy at JupyterLab's start."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_server.extension.application import ExtensionApp
from jupyter_server.utils import url_path_join
from tornado.routing import PathMatches, Router, Rule

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
    _services: Any = None  # api.services.Services, whose import is what we put off

    @property
    def jupyter_server(self) -> ServerApp:
        """The server we are part of."""
        if self.serverapp is None:
            raise RuntimeError("the extension is not linked to a server")
        return self.serverapp

    def initialize_settings(self) -> None:
        """Read the settings."""
        self.linda_settings = LindaSettings(parent=self)

    def initialize_handlers(self) -> None:
        """Mount one lazy route, and look once, after the start, for runs that a dead server left."""
        web_app = self.jupyter_server.web_app
        base = url_path_join(web_app.settings["base_url"], "linda/api/")
        web_app.add_handlers(  # type: ignore[no-untyped-call]  # tornado has no types here
            ".*$", [Rule(PathMatches(f"{base}.*"), LazyRouter(self._add_routes))]
        )

    async def _start_jupyter_server_extension(self, serverapp: object) -> None:
        """The event loop runs now."""
        self._look = asyncio.ensure_future(self._resume_left_runs())

    async def _resume_left_runs(self) -> None:
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
