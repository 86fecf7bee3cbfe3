"""Every route and its handler."""

from __future__ import annotations

from jupyter_server.utils import url_path_join

from . import (
    audit,
    chats,
    context,
    instructions,
    models,
    permissions,
    privacy,
    rules,
    status,
    stream,
    tasks,
    undo,
    usage,
)
from .base import LindaHandler

ID = r"([\w:.-]+)"
NAME = "([^/]+)"
"""What a person named."""

ROUTES: tuple[tuple[str, type], ...] = (
    ("status", status.StatusHandler),
    ("readiness", status.ReadinessHandler),
    ("chats", chats.ChatsHandler),
    (f"chats/{ID}", chats.ChatHandler),
    (f"chats/{ID}/messages", chats.MessagesHandler),
    (f"chats/{ID}/messages/{ID}", context.MessageHandler),
    (f"chats/{ID}/condense", context.CondenseHandler),
    (f"chats/{ID}/retry", chats.RetryHandler),
    (f"chats/{ID}/stop", chats.StopHandler),
    (f"chats/{ID}/undo", undo.UndoHandler),
    (f"chats/{ID}/redo", undo.RedoHandler),
    (f"chats/{ID}/events", stream.EventsHandler),
    (f"results/{ID}", chats.ResultHandler),
    (f"runs/{ID}/trace", usage.TraceHandler),
    ("usage", usage.UsageHandler),
    ("usage/budgets", usage.BudgetsHandler),
    ("tasks", tasks.TasksHandler),
    (f"tasks/{ID}", tasks.TaskHandler),
    ("questions", permissions.QuestionsHandler),
    (f"questions/{ID}/answer", permissions.AnswerHandler),
    ("grants", permissions.GrantsHandler),
    (f"grants/{ID}", permissions.GrantHandler),
    ("instructions", context.StandingHandler),
    ("instructions/files", instructions.InstructionsHandler),
    ("instructions/text", instructions.InstructionTextHandler),
    ("rules", rules.RulesHandler),
    ("rules/try", rules.TryRulesHandler),
    ("audit", audit.AuditHandler),
    ("audit/export", audit.AuditExportHandler),
    ("privacy", privacy.PrivacyHandler),
    ("privacy/try", privacy.TryRequestHandler),
    ("consents", privacy.ConsentsHandler),
    (f"consents/{ID}", privacy.ConsentHandler),
    (f"sent/{ID}", privacy.SentHandler),
    ("models", models.ModelsHandler),
    ("models/default", models.DefaultModelHandler),
    ("models/fallbacks", models.FallbackModelsHandler),
    ("providers", models.ProvidersHandler),
    ("providers/test", models.TestProviderHandler),
    ("providers/detect", models.DetectHandler),
    (f"providers/{NAME}", models.ProviderHandler),
    ("stream", stream.PanelSocket),
)


class UnknownHandler(LindaHandler):
    """Any other path below linda/api."""

    needs_database = False

    def check_xsrf_cookie(self) -> None:
        """There is nothing to protect."""

    async def prepare(self, **_kwargs: object) -> None:
        """404 as problem JSON; no identity is needed to say that there is nothing."""
        self.reply({"kind": "NotFound", "message": f"There is no {self.request.path}.", "remedy": ""}, status=404)


def handlers(base_url: str) -> list[tuple[str, type]]:
    """The routes below a server's base URL, as tornado takes them."""
    prefix = url_path_join(base_url, "linda/api/")
    return [*((f"{prefix}{path}", handler) for path, handler in ROUTES), (f"{prefix}.*", UnknownHandler)]
