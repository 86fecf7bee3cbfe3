"""What the distributions carry, and that they install and uninstall without a trace."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from pathlib import PurePosixPath

import pytest

from tests.packaging.fresh import REPOSITORY, Distributions, Venv

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

PANEL = "jupyter_linda-{version}.data/data/share/jupyter/labextensions/jupyter-linda"
SERVER = "jupyter_linda-{version}.data/data/etc/jupyter/jupyter_server_config.d/jupyter_linda.json"


@pytest.fixture(scope="module")
def in_wheel(distributions: Distributions) -> list[str]:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        return wheel.namelist()


@pytest.fixture(scope="module")
def in_sdist(distributions: Distributions) -> list[str]:
    with tarfile.open(distributions.sdist) as sdist:
        return [name.partition("/")[2] for name in sdist.getnames()]


def version_of(distributions: Distributions) -> str:
    return distributions.wheel.name.split("-")[1]


def test_the_wheel_holds_a_production_build_and_nothing_else(in_wheel):
    assert [
        name for name in in_wheel if name.endswith((".map", ".ts", ".tsx", ".pyc")) or "build_log.json" in name
    ] == []
    assert [
        name for name in in_wheel if {"node_modules", ".yarn", "tests", "__pycache__"} & set(PurePosixPath(name).parts)
    ] == []
    assert [name for name in in_wheel if re.search(r"static/remoteEntry\.[0-9a-f]+\.js$", name)]


def test_the_wheel_holds_what_the_product_reads_at_run_time(in_wheel):
    needed = {
        "jupyter_linda/agent/prompts/system.md",
        "jupyter_linda/gateway/intents.json",
        "jupyter_linda/notebooks/tour.ipynb",
        "jupyter_linda/labextension/package.json",
        "jupyter_linda/labextension/static/style.js",
        "jupyter_linda/storage/migrations/env.py",
        "jupyter_linda/jupyter_linda.json",
    }
    assert needed - set(in_wheel) == set()
    assert [
        name
        for name in in_wheel
        if name.startswith("jupyter_linda/storage/migrations/versions/") and name.endswith(".py")
    ]
    assert [name for name in in_wheel if name.startswith("jupyter_linda/locale/zh_CN/LC_MESSAGES/")]
    tracked = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "jupyter_linda").rglob("*.py")}
    assert {name for name in in_wheel if name.startswith("jupyter_linda/") and name.endswith(".py")} <= tracked


def test_the_wheel_enables_the_server_extension_and_the_panel(distributions, in_wheel):
    version = version_of(distributions)
    server, panel = SERVER.format(version=version), PANEL.format(version=version)
    assert {server, f"{panel}/install.json", f"{panel}/package.json", f"{panel}/static/style.js"} - set(
        in_wheel
    ) == set()
    with zipfile.ZipFile(distributions.wheel) as wheel:
        assert json.loads(wheel.read(server)) == {"ServerApp": {"jpserver_extensions": {"jupyter_linda": True}}}
        assert json.loads(wheel.read(f"{panel}/install.json"))["packageName"] == "jupyter_linda"
        assert json.loads(wheel.read(f"{panel}/package.json"))["jupyterlab"]["_build"]["load"].startswith(
            "static/remoteEntry."
        )


def test_the_wheel_is_small(distributions):
    assert distributions.wheel.stat().st_size < 2_000_000


def test_the_sdist_holds_the_sources_and_a_production_build(in_sdist):
    names = set(in_sdist)
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "labextension/yarn.lock",
        "labextension/src/index.ts",
        "notebooks/tour.ipynb",
    } <= names
    assert "jupyter_linda/labextension/static/style.js" in names
    assert [
        name
        for name in names
        if name.endswith((".map", ".pyc", "build_log.json")) or "node_modules" in name or "/.yarn/" in name
    ] == []
    assert [name for name in names if name.startswith("labextension/lib/")] == []


def test_a_package_installs_from_the_wheel_and_leaves_without_a_trace(distributions, fresh_venv: Venv):
    fresh_venv.run("pip", "uninstall", "-y", "jupyter_linda")  # another test may have left it
    assert fresh_venv.files_named("linda") == []
    fresh_venv.run("pip", "install", str(distributions.wheel))
    assert fresh_venv.run("pip", "check").strip() == "No broken requirements found."
    servers = fresh_venv.run("jupyter", "server", "extension", "list")
    assert re.search(r"jupyter_linda.*enabled", servers)
    assert re.search(rf"jupyter_linda {re.escape(version_of(distributions))}.*OK", servers)
    panels = fresh_venv.run("jupyter", "labextension", "list")
    assert re.search(rf"jupyter-linda v{re.escape(version_of(distributions))}.*enabled.*OK", panels)
    fresh_venv.run("pip", "uninstall", "-y", "jupyter_linda")
    assert fresh_venv.files_named("linda") == []
    assert "jupyter-linda" not in fresh_venv.run("jupyter", "labextension", "list")


def test_yarn_lock_names_no_host():
    text = (REPOSITORY / "labextension" / "yarn.lock").read_text(encoding="utf-8")
    assert not re.search(r"https?://|__archiveUrl", text)
