"""Routes that say how Linda stands: status and readiness."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from ..errors import LindaError
from ..events.log import home_of
from ..runs import readiness
from ..schemas import Check, Status
from .base import LindaHandler


class StatusHandler(LindaHandler):
    """GET status"""

    needs_database = False

    async def get(self) -> None:
        """Answers even when the database does not."""
        services = self.services
        try:
            await services.ready()
        except LindaError as error:
            services.log_problem(error)
        services.rules.current()
        services.policies.current()
        try:
            default_model = services.providers.default_model
        except LindaError:
            default_model = ""
        self.reply(
            Status(
                version=importlib.metadata.version("jupyter_linda"),
                worker=services.brain.state,
                worker_problem=services.brain.problem,
                database_problem=services.database_problem,
                rules_problem=services.rules.problem,
                policy_problem=services.policies.problem,
                default_model=default_model,
                demo_model="ready" if services.providers.is_demo_ready else "missing",
                home_id=home_of(self.owner_id),
                root_name=Path(services.root_dir).name,
                is_token_only=self.owner_id == "local",
            )
        )


class ReadinessHandler(LindaHandler):
    """GET and POST readiness"""

    needs_database = False

    async def get(self) -> None:
        """What the server knows by itself."""
        self.reply({"checks": [check.model_dump() for check in await self._checks()]})

    async def post(self) -> None:
        """The same, and whether the worker comes up."""
        checks = await self._checks()
        try:
            tools = await self.services.brain.ask("tools", {}, timeout_s=20.0)
            checks.append(Check(name="worker", title="Worker", state="ok", detail=f"Answers, with {len(tools)} tools."))
        except LindaError as error:
            checks.append(
                Check(name="worker", title="Worker", state="error", detail=error.message, remedy=error.remedy)
            )
        self.reply({"checks": [check.model_dump() for check in checks]})

    async def _checks(self) -> list[Check]:
        services = self.services
        return await services.database.run(
            readiness.check_all,
            services.database,
            services.providers,
            services.rules,
            services.policies,
            Path(services.settings.data_dir),
            services.root_dir,
        )
