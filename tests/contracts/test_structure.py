"""The house keeps its own rules: file lengths, first lines, generated types, what processes load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = sorted((ROOT / "jupyter_linda").rglob("*.py"))
PANEL = sorted(path for path in (ROOT / "labextension" / "src").rglob("*.ts*") if path.name != "types.ts")
STYLES = sorted((ROOT / "labextension" / "style").glob("*.css"))

MOST_LINES, MOST_VIEW_LINES, MOST_FIRST_LINE = 400, 300, 130


@pytest.mark.parametrize("path", PYTHON + PANEL + STYLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_file_is_longer_than_a_person_reads_in_one_sitting(path):
    limit = MOST_VIEW_LINES if path.parent.name == "views" else MOST_LINES
    assert len(path.read_text(encoding="utf-8").splitlines()) <= limit


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_module_says_on_its_first_line_what_lives_there(path):
    text = path.read_text(encoding="utf-8")
    doc = ast.get_docstring(ast.parse(text))
    assert doc, "no docstring"
    assert len(doc.splitlines()[0]) <= MOST_FIRST_LINE


@pytest.mark.parametrize("path", [path for path in PYTHON if path.name == "__init__.py"], ids=str)
def test_packages_do_nothing_on_import(path):
    if path.parent.name == "jupyter_linda":
        return  # the hooks Jupyter calls
    text, *rest = ast.parse(path.read_text(encoding="utf-8")).body
    assert isinstance(text, ast.Expr)
    if path.parent.name in ("ports", "schemas"):  # front doors: they give their modules' names on, no more
        *imports, names = rest
        assert all(isinstance(node, ast.ImportFrom) and node.level == 1 for node in imports)
        assert isinstance(names, ast.Assign)
        return
    assert not rest


def test_the_panels_types_are_what_the_nouns_give():
    script = ROOT / "labextension" / "scripts" / "write_types.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_of_a_machine_or_a_registry_is_written_down():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    words = [
        "/wor" + "k/",
        "/root" + "/.pyenv",
        "registry.npm" + "js.org",
        "files.python" + "hosted.org",
        "pypi" + ".org/simple",
    ]
    found = []
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if not name or not path.is_file() or path.suffix in (".png", ".gguf"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{name}: {word}" for word in words if word in text]
    assert found == []


SERVER = ("jupyter_linda.app", "jupyter_linda.server", "jupyter_linda.api.routes")
HEAVY = ("litellm", "lancedb", "pandas", "mcp", "xllamacpp")


@pytest.mark.parametrize(
    ("modules", "not_loaded"),
    [
        (SERVER, (*HEAVY, "alembic", "jupyter_linda.agent", "jupyter_linda.tools")),
        (("jupyter_linda.worker",), (*HEAVY, "nbformat", "jsonschema", "spacy", "detect_secrets", "phonenumbers")),
    ],
    ids=["server", "worker"],
)
def test_a_process_begins_without_what_it_may_never_need(modules, not_loaded):
    code = f"import sys, {', '.join(modules)}\nprint([name for name in {not_loaded!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
