"""The manual names everything a person can meet, and nothing in it leads nowhere."""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from jupyter_linda import errors
from jupyter_linda.agent import families
from jupyter_linda.agent.guidance import USE_SKILL, USE_SKILL_SCHEMA
from jupyter_linda.agent.hands import ASK_USER, ASK_USER_SCHEMA
from jupyter_linda.agent.inner import READ_RESULT, READ_RESULT_SCHEMA
from jupyter_linda.api.base import LindaHandler
from jupyter_linda.api.routes import ID, NAME, ROUTES
from jupyter_linda.api.stream import PanelSocket
from jupyter_linda.cli.main import parser
from jupyter_linda.config import LindaSettings
from jupyter_linda.events.payloads import PAYLOADS
from jupyter_linda.gateway.detect import KNOWN_SERVERS
from jupyter_linda.gateway.providers import KEY_VARIABLES
from jupyter_linda.permissions.paths import SECRET_NAMES
from jupyter_linda.permissions.rules import parse_rules
from jupyter_linda.worker import TOOLS

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
PAGES = sorted([REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md", *DOCS.rglob("*.md")])
COMMANDS = (
    'python -m pip install ".[local,tour]" && jupyter linda start',
    'python -m pip install ".[local,test]" && python -m pytest',
)
NOT_HERE = re.compile(
    r"(?<![\w.])/(home|root|work|tmp|Users|mnt|srv)/|[A-Z]:\\|"
    r"pypi\.org|pythonhosted|npmjs|npmmirror|yarnpkg\.com|nexus|artifactory|tuna\.tsinghua|aliyun",
    re.IGNORECASE,
)


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def sections(text: str, level: str) -> dict[str, str]:
    """Heading -> what stands below it, up to the next heading of that level or above."""
    parts = re.split(rf"^{level} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def subclasses(root: type[errors.LindaError]) -> Iterator[type[errors.LindaError]]:
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from subclasses(child)


# ---- everything of the code is in the manual -----------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_a_tool_its_action_and_its_arguments_are_in_the_manual(tool) -> None:
    section = sections(page("tools"), "###")[f"`{tool.name}`: {tool.action}"]
    assert [name for name in tool.parameters["properties"] if f"`{name}`" not in section] == []


@pytest.mark.parametrize(
    "schema",
    [ASK_USER_SCHEMA, READ_RESULT_SCHEMA, USE_SKILL_SCHEMA, families.schema([*TOOLS.values()])],
    ids=lambda schema: schema["function"]["name"],
)
def test_a_tool_that_touches_only_the_conversation_is_in_the_manual(schema) -> None:
    section = sections(page("tools"), "###")[f"`{schema['function']['name']}`"]
    assert all(f"`{name}`" in section for name in schema["function"]["parameters"]["properties"])


def test_the_manual_names_no_tool_that_does_not_exist() -> None:
    named = {heading.split("`")[1] for heading in sections(page("tools"), "###")}
    assert named == {*TOOLS, ASK_USER, READ_RESULT, USE_SKILL, families.MORE_TOOLS}


@pytest.mark.parametrize("name", sorted(LindaSettings.class_own_traits(config=True)))
def test_a_setting_is_in_the_manual_with_its_default(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| (.+?) \| .+ \|$", page("settings"), re.MULTILINE)
    assert row is not None, f"{name} has no row in settings.md"
    default = LindaSettings.class_own_traits()[name].default_value
    if name not in ("data_dir", "database_url", "rules_file", "privacy_file"):  # theirs are made when they are read
        shown = json.dumps(default) if isinstance(default, str) else str(default)
        shown = "{}" if name == "providers" else shown
        shown = "[]" if name in ("allowed_models", "fallback_models", "redact_names") else shown
        assert f"`{shown}`" in row[1]


def test_the_manual_names_no_setting_that_does_not_exist() -> None:
    table = sections(page("settings"), "##")["Every setting"]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(LindaSettings.class_own_traits(config=True))


def test_every_setting_of_the_panel_is_in_the_manual() -> None:
    schema = json.loads((REPOSITORY / "labextension" / "schema" / "panel.json").read_text(encoding="utf-8"))
    for name, of in schema["properties"].items():
        default = of["default"] if isinstance(of["default"], str) else json.dumps(of["default"])
        assert f"| `{name}` | `{default}` |" in page("panel")


def test_every_command_of_the_palette_is_in_the_manual() -> None:
    tokens = (REPOSITORY / "labextension" / "src" / "tokens.ts").read_text(encoding="utf-8")
    commands = re.findall(r"'(linda:[\w-]+)'", tokens)
    assert commands
    assert [command for command in commands if f"`{command}`" not in page("panel")] == []


def methods() -> Iterator[tuple[str, str]]:
    for path, handler in ROUTES:
        own = [base for base in handler.__mro__ if base is PanelSocket or _is_ours(base)]
        for method in ("get", "post", "put", "patch", "delete"):
            if any(method in vars(base) for base in own):
                yield path, method


def _is_ours(base: type) -> bool:
    return issubclass(base, LindaHandler) and base is not LindaHandler


@pytest.mark.parametrize(("path", "method"), list(methods()))
def test_a_route_is_in_the_manual(path: str, method: str) -> None:
    pattern = r"\{\w+\}".join(re.escape(part) for part in path.replace(NAME, ID).split(ID))
    assert re.search(rf"`{method.upper()} {pattern}[`?]", page("api"))


def test_every_frame_of_the_socket_is_in_the_manual() -> None:
    frames = [name.removeprefix("_on_") for name in vars(PanelSocket) if name.startswith("_on_")]
    frames += ["events", "request", "cancel", "heartbeat", "bye", "pong", "error"]
    assert [frame for frame in frames if f'"type": "{frame}"' not in page("api")] == []


def options() -> Iterator[tuple[str, str]]:
    subparsers = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    for command, made in subparsers.choices.items():
        yield command, ""
        for action in made._actions:
            yield from ((command, option) for option in action.option_strings if option.startswith("--"))


@pytest.mark.parametrize(("command", "option"), [pair for pair in options() if pair[1] != "--help"])
def test_a_command_and_its_options_are_in_the_manual(command: str, option: str) -> None:
    section = sections(page("cli"), "##")[f"`jupyter linda {command}`"]
    assert re.search(rf"^\| `{option}\b", section, re.MULTILINE) if option else section


@pytest.mark.parametrize("kind", sorted(PAYLOADS))
def test_an_event_and_its_payload_are_in_the_manual(kind: str) -> None:
    row = re.search(rf"^\| `{re.escape(kind)}` \| (.+?) \|", page("events"), re.MULTILINE)
    assert row is not None
    assert set(re.findall(r"`(\w+)`", row[1])) == set(PAYLOADS[kind].model_fields)


@pytest.mark.parametrize("error", list(subclasses(errors.LindaError)), ids=lambda error: error.__name__)
def test_an_error_is_in_the_manual(error: type[errors.LindaError]) -> None:
    assert f"`{error.__name__}`" in page("troubleshooting")


def test_every_fault_of_a_provider_is_in_the_manual() -> None:
    doc = errors.ProviderFault.__doc__ or ""
    kinds = re.findall(r"\w+", doc.split("is one of:")[1])
    assert [kind for kind in kinds if f"| `{kind}` |" not in page("troubleshooting")] == []


def test_every_key_variable_and_local_server_is_in_the_manual() -> None:
    text = page("models")
    assert [row for row in KEY_VARIABLES.items() if "| `{}` | `{}` |".format(*row) not in text] == []
    assert [server for server in KNOWN_SERVERS if f"| {server[0]} | `{server[2]}` |" not in text] == []


def test_the_names_that_are_always_closed_are_in_the_manual() -> None:
    own_words = ("id_", "jpserver", "nbserver", "kernel-", "jupyter_cookie", "notebook_cookie")  # said in words there
    names = [name for name in SECRET_NAMES if not name.startswith(own_words)]
    assert [name for name in names if f"`{name}`" not in page("permissions")] == []


def test_the_rules_of_the_manual_are_valid() -> None:
    example = re.search(r"```json\n(.+?)```", page("permissions"), re.DOTALL)
    assert example is not None
    assert len(parse_rules(example[1]).rules) > 5


def test_the_layers_of_the_manual_are_those_of_the_contract() -> None:
    contract = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    assert f"```\n{chr(10).join(contract['layers'])}\n```" in sections(page("architecture"), "##")["Layers"]


def test_every_benchmark_and_its_options_are_in_the_manual() -> None:
    for path in sorted((REPOSITORY / "tests" / "bench").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "__main__" in source:
            row = re.search(rf"^\| `python -m tests\.bench\.{path.stem}` \| .*$", page("testing"), re.MULTILINE)
            assert row is not None, path.stem
            options = re.findall(r"add_argument\(\"(--[\w-]+)\"(?:.*?default=(\d+))?", source)
            assert [" ".join(pair) for pair in options if f"`{' '.join(filter(None, pair))}`" not in row[0]] == []


# ---- the README's promises -----------------------------------------------------------------------


def test_the_two_commands_stand_in_the_readme_and_their_extras_exist() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"```\n(.+?)\n```", readme, re.DOTALL) == list(COMMANDS)
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert {"local", "tour", "test"} <= set(extras)


# ---- links, pictures, places -----------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", plain, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_and_picture_leads_somewhere(path: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        is_there = file.is_file() and (not anchor or anchor in anchors(file.read_text(encoding="utf-8")))
        broken += [] if is_there else [target]
    assert broken == []


def test_every_page_and_picture_is_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [REPOSITORY / "README.md"]
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        if path.suffix == ".md":
            targets = re.findall(r"\]\(([^)\s#]+)", path.read_text(encoding="utf-8"))
            waiting += [(path.parent / target).resolve() for target in targets if "://" not in target]
    there = {*DOCS.rglob("*.md"), *DOCS.rglob("*.png")}
    assert sorted(file.name for file in there - seen) == []


@pytest.mark.parametrize(
    "path", [*PAGES, *sorted((REPOSITORY / "notebooks").rglob("*.ipynb"))], ids=lambda path: path.name
)
def test_no_machine_path_and_no_registry_stands_in_the_manual(path: Path) -> None:
    assert [found[0] for found in NOT_HERE.finditer(path.read_text(encoding="utf-8"))] == []


def test_the_requests_of_the_tour_are_those_of_the_first_steps() -> None:
    tour = nbformat.read(REPOSITORY / "notebooks" / "tour.ipynb", as_version=4)
    cell = next(cell for cell in tour.cells if cell.id == "tour-try").source
    rows = re.findall(r"^\| (.+?) \| (.+?) \| ", sections(page("first-steps"), "##")["Ask"], re.MULTILINE)
    asked = [f"{english} · {chinese}" for english, chinese in rows if english not in ("ask", "Run cell 7")]
    assert len(asked) == 6
    assert [request for request in asked if request not in cell] == []
