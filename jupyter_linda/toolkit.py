"""`@tool`: a typed function with a docstring becomes a tool with a schema."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from .errors import ToolRetry
from .ports import Json, Permit, Resource, ToolContext, ToolResult, Unknown
from .ports.held import Holds
from .schemas import Action, Preview
from .storage.texts import is_deep, whole_json

if TYPE_CHECKING:
    from types import FunctionType

Body = Callable[..., Awaitable[ToolResult]]
Previewer = Callable[[Mapping[str, Json], ToolContext], Awaitable[Preview]]
Finder = Callable[[Mapping[str, Json], ToolContext], Awaitable[ToolResult | Unknown | None]]
Resourcer = Callable[[Mapping[str, Json]], Resource]


def _arguments_model(function: FunctionType) -> type[BaseModel]:
    """A pydantic model of the function's parameters, the leading `context` left out."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}  # pydantic's own signature takes Any here
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        kind = hints[name]
        if get_origin(kind) is Annotated and isinstance(get_args(kind)[1], str):
            bare, text = get_args(kind)[0], get_args(kind)[1]
            kind = Annotated[bare, Field(description=text)]
        fields[name] = (kind, ... if parameter.default is inspect.Parameter.empty else parameter.default)
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _without_titles(schema: Json) -> Json:
    if isinstance(schema, dict):
        return {k: _without_titles(v) for k, v in schema.items() if not (k == "title" and isinstance(v, str))}
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    return schema


def _nothing(_arguments: Mapping[str, Json]) -> Holds | None:
    return None


def _as_function(holds: Holds | Callable[[Mapping[str, Json]], Holds]) -> Callable[[Mapping[str, Json]], Holds]:
    return holds if callable(holds) else lambda _arguments: holds


Shows = Callable[[Mapping[str, Json]], Holds | None]


def _text_bytes(value: Json) -> int:
    if isinstance(value, dict):
        return sum(map(_text_bytes, value.values()))
    if isinstance(value, list):
        return sum(map(_text_bytes, value))
    return len(value.encode()) if isinstance(value, str) else 0


@dataclass
class FunctionTool:
    """A tool made of a function; see `ports.Tool`. `previews` and `finds` attach the other two parts."""

    body: Body
    action: Action
    family: str
    resource_of: Resourcer
    always_asks: bool = False
    values_shown: Shows = _nothing
    reads_data: bool = False
    writes: tuple[str, ...] = ()
    held_by: Callable[[Mapping[str, Json]], Holds] = lambda _arguments: "values"
    name: str = ""
    description: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    _previewer: Previewer | None = None
    _finder: Finder | None = None

    def __post_init__(self) -> None:
        function: FunctionType = self.body  # type: ignore[assignment]  # tools are plain functions
        self.name = function.__name__
        self.description = inspect.cleandoc(function.__doc__ or "")
        self._model = _arguments_model(function)
        self.parameters = _without_titles(self._model.model_json_schema())

    def previews(self, previewer: Previewer) -> Previewer:
        """Decorator: how a question about this tool looks."""
        self._previewer = previewer
        return previewer

    def finds(self, finder: Finder) -> Finder:
        """Decorator: how to find out after a crash whether the effect happened."""
        self._finder = finder
        return finder

    def parse(self, arguments: str) -> Mapping[str, Json]:
        """Argument text -> checked arguments with defaults filled in."""
        try:
            raw = json.loads(arguments or "{}")
        except json.JSONDecodeError as error:
            raise ToolRetry(f"The arguments of {self.name} are not valid JSON: {error}.") from None
        except (ValueError, RecursionError):
            raise ToolRetry(f"The arguments of {self.name} hold a number too long, or are nested too deeply.") from None
        if is_deep(raw) or whole_json(raw) is not raw:
            raise ToolRetry(f"The arguments of {self.name} hold half a character, or are nested too deeply.")
        try:
            return self._model.model_validate(raw).model_dump()
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}"
                for fault in error.errors(include_url=False)
            )
            raise ToolRetry(f"The arguments of {self.name} do not fit its schema: {faults}.") from None

    def resource(self, arguments: Mapping[str, Json]) -> Resource:
        """What these arguments touch."""
        return self.resource_of(arguments)

    def shows_values(self, arguments: Mapping[str, Json]) -> Holds | None:
        """How much of the user's data the result shows on purpose; None for nothing."""
        return self.values_shown(arguments)

    def holds(self, arguments: Mapping[str, Json]) -> Holds:
        """What its text holds at least; passages that hold more are marked in it."""
        return self.held_by(arguments)

    def written_bytes(self, arguments: Mapping[str, Json]) -> int | None:
        """How many bytes of text these arguments would write; None where the tool does not say which they are."""
        return sum(_text_bytes(arguments[name]) for name in self.writes) if self.writes else None

    async def preview(self, arguments: Mapping[str, Json], context: ToolContext) -> Preview:
        """What a question shows; the exact arguments are always shown beside it."""
        if self._previewer is None:
            return Preview(sentence=f"{self.name.replace('_', ' ').capitalize()}")
        return await self._previewer(arguments, context)

    async def run(self, permit: Permit, arguments: Mapping[str, Json], context: ToolContext) -> ToolResult:
        """Do it, with a permit for exactly this tool."""
        if permit.tool != self.name:
            raise ValueError(f"a permit for {permit.tool} cannot run {self.name}")
        return await self.body(context, **arguments)

    async def find(self, arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
        """After a crash; reads simply run again, everything else is unknown unless a finder knows better."""
        if self.action == "read":
            return None
        return Unknown() if self._finder is None else await self._finder(arguments, context)


def tool(
    *,
    action: Action,
    family: str,
    resource: Resourcer,
    shows_values: Holds | Shows | None = None,
    always_asks: bool = False,
    writes: tuple[str, ...] = (),
    holds: Holds | Callable[[Mapping[str, Json]], Holds] = "values",
) -> Callable[[Body], FunctionTool]:
    """Make a tool of `async def name(context, **arguments) -> ToolResult`.

    The docstring is the description the model reads; `Annotated[type, "text"]` describes an argument.
    `shows_values`: how much of the user's data the result shows on purpose, so it asks where that is more than may go
    to the model; `always_asks`: no rule and no grant lets it through. `writes` names the arguments that hold all the
    text it writes. `holds` is what its text holds at least (see `ports.held`): left out, it counts as values.
    """
    shown: Shows = shows_values if callable(shows_values) else lambda _arguments: shows_values

    def make(body: Body) -> FunctionTool:
        return FunctionTool(
            body=body,
            action=action,
            family=family,
            resource_of=resource,
            always_asks=always_asks,
            values_shown=shown,
            reads_data=shows_values is not None,
            writes=writes,
            held_by=_as_function(holds),
        )

    return make
