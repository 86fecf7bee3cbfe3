"""Findings in code: hints for the person who is asked."""

from __future__ import annotations

import pytest

from jupyter_linda.permissions.code import DELETES, DYNAMIC, INSTALLS, NETWORK, SHELL, UNREADABLE, find_in_code


@pytest.mark.parametrize(
    ("source", "findings"),
    [
        ("df.head()", ()),
        ("!ls", (SHELL,)),
        ("files = !ls", (SHELL,)),
        ("%%bash\nrm -rf data", (SHELL, DELETES)),
        ("%%sx\ncurl http://x.example", (SHELL, NETWORK)),
        ("%%time\n!rm x", (SHELL, DELETES)),
        ("%time !ls", (SHELL,)),
        ("%%capture out\nimport os\nos.system('x')", (SHELL,)),
        ("%pip install x", (NETWORK, INSTALLS)),
        ("!pip install x", (SHELL, NETWORK, INSTALLS)),
        ("import subprocess as s\ns.run(['ls'])", (SHELL,)),
        ("from os import system as f\nf('x')", (SHELL,)),
        ("from shutil import rmtree\nrmtree('x')", (DELETES,)),
        ("from pathlib import Path\nPath('x').unlink()", (DELETES,)),
        ("import os\nos.remove('x')", (DELETES,)),
        ("import requests\nrequests.get('http://x')", (NETWORK,)),
        ("pd.read_csv('https://x.example/a.csv')", (NETWORK,)),
        ("get_ipython().system('ls')", (SHELL,)),
        ("eval('1')", (DYNAMIC,)),
        ("__import__('os').system('x')", (SHELL, DYNAMIC)),
        ("rm -rf data", (SHELL, DELETES, UNREADABLE)),
        ("rm = 1", ()),
        ("def (", (UNREADABLE,)),
        ("x?", ()),
        ("# %pip install\nx = 1", ()),
        ("if True:\n    !ls\n", (SHELL,)),
        ("", ()),
    ],
)
def test_findings(source, findings):
    assert find_in_code(source) == findings
