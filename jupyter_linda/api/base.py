"""The base of all handlers: identity, JSON in and out, and errors as problem JSON."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, TypeVar

from jupyter_server.auth.identity import IdentityProvider, LegacyIdentityProvider, PasswordIdentityProvider
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.utils import ensure_async
from pydantic import BaseModel, ValidationError
from tornado import web
from tornado.web import HTTPError

from ..errors import InvalidInput, LindaError, NotAllowed, Unavailable

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .services import Services

log = logging.getLogger(__name__)

SERVICES = "linda_services"
"""Key of `Services` in the web application's settings."""

N = TypeVar("N", bound=BaseModel)


def owner_of(handler: JupyterHandler) -> str:
    """`local` where the server only knows a token or a password, else the identity provider's user name."""
    provider = handler.identity_provider
    if type(provider) in (IdentityProvider, PasswordIdentityProvider, LegacyIdentityProvider):
        return "local"
    user = handler.current_user
    return str(getattr(user, "username", "") or "local")


async def check_access(handler: JupyterHandler) -> None:
    """403 unless this server knows the person and its authorizer lets them use Linda."""
    user = handler.current_user
    action = "read" if handler.request.method in ("GET", "HEAD") else "write"
    if not user or not await ensure_async(handler.authorizer.is_authorized(handler, user, action, "linda")):
        raise HTTPError(403)


class LindaHandler(APIHandler):
    """Handlers never catch: what is raised becomes a status and `{"kind", "message", "remedy"}` here."""

    needs_database = True

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Every method of every handler wants an identity; jupyter_server looks for this decorator."""
        super().__init_subclass__(**kwargs)
        for name in ("get", "post", "put", "patch", "delete"):
            if name in vars(cls):
                setattr(cls, name, web.authenticated(vars(cls)[name]))

    @property
    def services(self) -> Services:
        """What the server holds."""
        services: Services = self.settings[SERVICES]
        return services

    @property
    def owner_id(self) -> str:
        """Whose chats these are."""
        return owner_of(self)

    async def prepare(self, **kwargs: Any) -> None:
        """Only for people this server knows; the database is open before any handler runs."""
        await super().prepare(**kwargs)
        if self._finished:
            return
        await check_access(self)
        if self.needs_database:
            await self.services.ready()

    def body(self, noun: type[N]) -> N:
        """The request's body as a noun."""
        try:
            made = noun.model_validate_json(self.request.body or b"{}")
        except ValidationError as error:
            raise _in_words(error) from None
        check_texts(made.model_dump(), "body")
        return made

    def reply(self, value: BaseModel | dict[str, Any], *, status: int = 200) -> None:
        """Answer with JSON."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        self.finish(
            value.model_dump_json()
            if isinstance(value, BaseModel)
            else json.dumps(value, allow_nan=False, default=_plain)
        )

    def number(self, name: str, default: int | None = None) -> int | None:
        """A whole number from the query."""
        text = self.get_query_argument(name, "")
        if not text:
            return default
        try:
            return max(-(2**53), min(int(text[:20]), 2**53))  # what fits into every database
        except ValueError:
            raise InvalidInput(f"{name} is {text[:40]!r}, not a whole number.") from None

    def one_of(self, name: str, known: tuple[str, ...]) -> str:
        """A word of the query; empty where it has none, `InvalidInput` for one that is not known."""
        value = self.get_query_argument(name, "")
        if value and value not in known:
            raise InvalidInput(f"{name} is {value[:40]!r}.", remedy=f"Choose: {', '.join(known)}.")
        return value

    def refuse_tokens(self) -> None:
        """Only a person's browser session may do this: a kernel holds the token, so a token proves nothing."""
        if (
            self.token_authenticated
            or self.request.headers.get("Authorization")
            or self.get_query_argument("token", "")
        ):
            raise NotAllowed(
                "This can only be answered from the page itself, not with a token.",
                remedy="Answer in the Linda panel, or on the terminal that asked.",
            )
        self.check_xsrf_cookie()

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """Map the exception tree to statuses."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, LindaError):
            status_code = error.status
        super().send_error(status_code, **kwargs)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Problem JSON."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, LindaError):
            if isinstance(error, Unavailable):
                self.set_header("Retry-After", str(error.retry_after_s))
            told = {"kind": error.kind, "message": error.message, "remedy": error.remedy}
            words = getattr(error, "words", "")
            self.reply({**told, "detail": words} if words else told, status=status_code)
        elif isinstance(error, HTTPError):
            self.reply(
                {"kind": "HTTPError", "message": error.log_message or error.reason or "refused", "remedy": ""},
                status=status_code,
            )
        else:
            message = f"Linda failed here: {type(error).__name__}." if error else "Linda failed here."
            self.reply(
                {"kind": "bug", "message": message, "remedy": "The server's log has the details."}, status=status_code
            )

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Our own errors are one line; a bug keeps its traceback."""
        if isinstance(value, LindaError):
            log.info("%s %s: %s", self.request.method, self.request.path, value.message)
        else:
            super().log_exception(typ, value, tb)


def check_texts(value: object, name: str) -> None:
    """Refuse NUL characters anywhere: neither the database's search nor a file's path can hold them."""
    if isinstance(value, str) and "\0" in value:
        raise InvalidInput(f"The {name} holds a NUL character.", remedy="Take it out, and send it again.")
    if isinstance(value, dict):
        for key, one in value.items():
            check_texts(one, str(key))
    elif isinstance(value, list | tuple):
        for one in value:
            check_texts(one, name)


def _in_words(error: ValidationError) -> InvalidInput:
    """Texts that are blank, too short or too long are a person's to mend; all else is the client's fault."""
    faults = error.errors(include_url=False)
    if all(fault["type"] in ("value_error", "string_too_long", "string_too_short") for fault in faults):
        return InvalidInput(" ".join(map(_fault_of_text, faults)), remedy="Nothing was changed; mend it and try again.")
    listed = "; ".join(f"{'.'.join(str(part) for part in fault['loc']) or 'body'}: {fault['msg']}" for fault in faults)
    return InvalidInput(f"The request is malformed: {listed}.", remedy="Reload the page, so that panel and server fit.")


def _fault_of_text(fault: ErrorDetails) -> str:
    name = ".".join(str(part) for part in fault["loc"]) or "body"
    limits = fault.get("ctx", {})
    match fault["type"]:
        case "string_too_long":
            size = len(str(fault["input"]))
            return f"The {name} has {size:,} characters; {limits['max_length']:,} is the most."
        case "string_too_short":
            least = limits["min_length"]
            return f"The {name} needs at least {least:,} character{'' if least == 1 else 's'}."
        case _:
            return f"The {name} {limits.get('error') or fault['msg']}."


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} is not JSON")
