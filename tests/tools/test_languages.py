"""In which language code is judged and shown: the kernel says so, never the notebook."""

from __future__ import annotations

import json

import pytest

from jupyter_linda.permissions.taint import BEYOND, CODE, findings_of
from jupyter_linda.tools.notebook_edits import insert_cell
from jupyter_linda.tools.notebook_runs import run_cell
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.server_of_files import live_over
from tests.fakes.tool_bench import ToolBench

SHELL_CODE = '"$(touch pwned)"'
"""A text to Python, a program to a shell."""


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({}, "python"),
        ({"kernelspec": {"name": "python3", "language": "R"}}, "python"),
        ({"kernelspec": {"name": "ir"}}, "r"),
        ({"kernelspec": {"name": "ir", "language": "python"}, "language_info": {"name": "python"}}, "r"),
        ({"kernelspec": {"name": "bash"}, "language_info": {"name": "Bash"}}, "bash"),
        ({"kernelspec": {"name": "bash", "display_name": "Bash"}}, "unknown"),
        ({"kernelspec": {"name": "bash", "language": "python"}}, "unknown"),
        ({"kernelspec": {"name": "bash"}, "language_info": "python"}, "unknown"),
    ],
)
def test_the_language_is_the_kernels(root, metadata, language):
    content = {**notebook(code_cell(SHELL_CODE, "c")), "metadata": metadata}
    (root / "a.ipynb").write_text(json.dumps(content))
    bench = ToolBench(root, live=live_over(root))
    run = bench.preview(run_cell, path="a.ipynb", cell_id="c")
    written = bench.preview(insert_cell, path="a.ipynb", source=SHELL_CODE)
    assert (run.language, written.language) == (language, language)
    if language == "python":
        assert run.findings == ()
    else:
        assert "not looked through" in run.findings[0]
        assert BEYOND in findings_of("run_cell", "run", run)
        assert CODE in findings_of("insert_cell", "write", written)
    assert ("unknown language" in " ".join(run.findings)) == (language == "unknown")


def test_text_cells_have_no_language_to_run_in(root):
    (root / "a.ipynb").write_text(json.dumps(notebook(code_cell("1", "c"))))
    bench = ToolBench(root, live=live_over(root))
    for kind, language in (("markdown", "markdown"), ("raw", "")):
        assert bench.preview(insert_cell, path="a.ipynb", source="Def f() of x.", cell_type=kind).language == language
