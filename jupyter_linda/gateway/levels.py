"""Privacy levels: what of a file, notebook or data frame may go to a model elsewhere. Data and pure decisions."""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ..errors import InvalidRules
from ..schemas import Noun
from ..storage.patterns import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..ports.held import Holds

TextLevel = Literal["local", "redacted", "open"]
"""local: nothing leaves; redacted: identities, keys and own terms are replaced; open: only keys are."""
DataLevel = Literal["names", "statistics", "samples", "values"]
"""How much of frames, data files and outputs leaves; each level holds those before it."""

TEXT: tuple[TextLevel, ...] = ("local", "redacted", "open")
DATA: tuple[DataLevel, ...] = ("names", "statistics", "samples", "values")
MOST_LINES, MOST_TERMS = 500, 500

Term = Annotated[str, Field(min_length=2, max_length=200)]


class LevelLine(Noun):
    """One line of the file: of what fits a path pattern, or of data frames of such a name."""

    path: Annotated[str, Field(max_length=4096, pattern=r"^[^\x00\n]*$")] = ""
    """As in .gitignore, from the notebook folder; empty for a line about frames of any notebook."""
    frame: Annotated[str, Field(max_length=200)] = ""
    """A variable's name, with * for any letters."""
    text: TextLevel | None = None
    data: DataLevel | None = None
    note: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> LevelLine:
        if not self.path and not self.frame:
            raise ValueError("a line names a path or a frame")
        if self.path.startswith("!"):
            raise ValueError("a pattern cannot begin with !: write a later line with another level")
        if self.text is None and self.data is None:
            raise ValueError("a line gives a level: text, data or both")
        if self.frame and self.text is not None:
            raise ValueError("text belongs to lines about paths; a frame has a level of data")
        return self

    def words(self) -> str:
        """How a person would call this line."""
        return " ".join(part for part in (self.path, f"frame {self.frame}" if self.frame else "") if part)


class Defaults(Noun):
    """What holds where no line fits."""

    text: TextLevel = "redacted"
    data: DataLevel = "names"


class Privacy(Noun):
    """The whole file."""

    version: Literal[1] = 1
    all_local: bool = False
    """Nothing goes to models elsewhere at all."""
    offline: bool = False
    """The network is not used for models."""
    default: Defaults = Defaults()
    levels: Annotated[tuple[LevelLine, ...], Field(max_length=MOST_LINES)] = ()
    terms: Annotated[tuple[Term, ...], Field(max_length=MOST_TERMS)] = ()
    """A person's own words that are replaced."""


FIRST = Privacy()
CLOSED = Privacy(default=Defaults(text="local", data="names"), all_local=True)
"""What holds while the file has never been readable: nothing leaves."""


@dataclass(frozen=True)
class Level:
    """What holds for one thing, and which line says so ("" for the default)."""

    text: TextLevel
    data: DataLevel
    text_line: str = ""
    data_line: str = ""

    def lets_out(self, holds: Holds) -> bool:
        """Whether something that holds so much may leave (words of this program always may)."""
        if holds == "words":
            return True
        if self.text == "local":
            return False
        if holds in ("names", "source"):
            return True
        return DATA.index(self.data) >= DATA.index(holds)

    def says(self, holds: Holds) -> str:
        """The level that decides about such content, in words, and where it stands."""
        is_text = self.text == "local" or holds in ("names", "source")
        name, line = (self.text, self.text_line) if is_text else (self.data, self.data_line)
        return f"“{name}” ({f'the line {line!r}' if line else 'the default'})"


def level_of(privacy: Privacy, paths: Sequence[str], frames: Sequence[str] = ()) -> Level:
    """The level of something that lies at all of these paths (as asked for, and as resolved): the strictest of them.

    Of the lines that fit, the last decides, for text and for data each.
    """
    return strictest(_one(privacy, path, frame) for path in paths or ("",) for frame in frames or ("",))


def strictest(levels: Iterable[Level]) -> Level:
    """The strictest of several, for text and for data each."""
    found = list(levels)
    text = min(found, key=lambda one: TEXT.index(one.text))
    data = min(found, key=lambda one: DATA.index(one.data))
    return Level(text.text, data.data, text.text_line, data.data_line)


def _one(privacy: Privacy, path: str, frame: str) -> Level:
    text: tuple[TextLevel, str] = (privacy.default.text, "")
    data: tuple[DataLevel, str] = (privacy.default.data, "")
    for line in privacy.levels:
        if line.path and not (path and fits(line.path, path)):
            continue
        if line.frame and not (frame and fnmatch.fnmatchcase(frame, line.frame)):
            continue
        if line.text is not None:
            text = (line.text, line.words())
        if line.data is not None:
            data = (line.data, line.words())
    return Level(text[0], data[0], text[1], data[1])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # any JSON value
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidRules(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def parse(text: str, *, name: str = "privacy.json") -> Privacy:
    """The file's content; `InvalidRules` names what is wrong and where."""
    try:
        raw = json.loads(text, object_pairs_hook=_unique)
        return Privacy.model_validate_json(json.dumps(raw))
    except InvalidRules as error:
        raise InvalidRules(f"{name}: {error.message}.", remedy="Remove one of them.") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InvalidRules(f"{name}: {place}: {first['msg']}.", remedy="Mend that entry.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidRules(f"{name}: not valid JSON: {error}.", remedy="Mend the JSON at that place.") from None


def to_text(privacy: Privacy) -> str:
    """The file's text."""
    values = privacy.model_dump(mode="json")
    values["levels"] = [
        {key: value for key, value in line.items() if value not in ("", None)} for line in values["levels"]
    ]
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"
