"""Findings in code: hints for the person who is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize(
    ("source", "findings"),
    [
        ("!ls -la", (SHELL,)),
        ("   !ls", (SHELL,)),
        ("  %rm -rf data", (SHELL, DELETES)),
        ("!!ls", (SHELL,)),
        ("x = !cat secrets.txt", (SHELL,)),
        ("a, b = !ls", (SHELL,)),
        ("%%!\nls", (SHELL,)),
        ("%%sh\nls", (SHELL,)),
        ("\n\n%%bash --out x\nwget http://x.example/a", (SHELL, NETWORK)),
        ("%%script bash\nrm -rf data", (SHELL, DELETES)),
        ("%sx rm x", (SHELL, DELETES)),
        ("%system ls", (SHELL,)),
        ("for f in fs:\n    !rm {f}", (SHELL, DELETES)),
        ("%pip install x", (NETWORK, INSTALLS)),
        ("  %pip install -q x", (NETWORK, INSTALLS)),
        ("%conda install -y x", (NETWORK, INSTALLS)),
        ("!python -m pip install x", (SHELL, NETWORK, INSTALLS)),
        ("!uv pip install x", (SHELL, NETWORK, INSTALLS)),
        ("!apt-get install -y x", (SHELL, NETWORK, INSTALLS)),
        ("import subprocess\nsubprocess.check_output('ls', shell=True)", (SHELL,)),
        ("from subprocess import Popen as P\nP(['ls'])", (SHELL,)),
        ("import os as o\no.system('ls')", (SHELL,)),
        ("from os import system as s\ns('ls')", (SHELL,)),
        ("from os import *\nsystem('ls')", (SHELL,)),
        ("import os\ngetattr(os, 'system')('ls')", (SHELL,)),
        ("import os\ngetattr(os, 'sys' + 'tem')('ls')", (DYNAMIC,)),
        ("import os\nf = os.system\nf('ls')", (SHELL,)),
        ("import os\nlist(map(os.remove, files))", (DELETES,)),
        ("__import__('os').system('ls')", (SHELL, DYNAMIC)),
        ("__import__('subprocess').run(['ls'])", (SHELL, DYNAMIC)),
        ("import importlib\nimportlib.import_module('subprocess').run(['ls'])", (SHELL, DYNAMIC)),
        ("from importlib import import_module as im\nim('socket')", (NETWORK, DYNAMIC)),
        ("import os\nos.popen(f'rm -rf {folder}')", (SHELL,)),
        ("import os\nos.execvp('ls', ['ls'])", (SHELL,)),
        ("import asyncio\nawait asyncio.create_subprocess_shell('ls')", (SHELL,)),
        ("import pty\npty.spawn('/bin/sh')", (SHELL,)),
        ("import ctypes\nctypes.CDLL(None).system(b'ls')", (SHELL,)),
        ("import pathlib\npathlib.Path('x').unlink()", (DELETES,)),
        ("from pathlib import Path\nfor p in Path('.').glob('*'): p.unlink(missing_ok=True)", (DELETES,)),
        ("from pathlib import Path\nPath('x').rmdir()", (DELETES,)),
        ("import shutil as sh\nsh.rmtree('data')", (DELETES,)),
        ("from shutil import rmtree as gone\ngone('data')", (DELETES,)),
        ("import os\nos.unlink('x'); os.rmdir('y')", (DELETES,)),
        ("from os import remove\nremove('x')", (DELETES,)),
        ("import os\nos.replace('a', 'b')", (DELETES,)),
        ("import send2trash\nsend2trash.send2trash('x')", (DELETES,)),
        ("open('data.csv', 'w').write('')", ()),
        ("import requests as r\nr.post('http://x', json=d)", (NETWORK,)),
        ("from urllib.request import urlopen\nurlopen('http://x')", (NETWORK,)),
        ("import urllib.request as u\nu.urlretrieve('http://x', 'f')", (NETWORK,)),
        ("import httpx\nhttpx.get(f'https://{host}/x')", (NETWORK,)),
        ("import socket\ns = socket.socket()", (NETWORK,)),
        ("import pandas as pd\npd.read_csv('https://x.example/a.csv')", (NETWORK,)),
        ("import pandas as pd\npd.read_csv(f'https://{host}/a.csv')", (NETWORK,)),
        ("url = 'https://x.example/a.csv'\ndf = pd.read_csv(url)", (NETWORK,)),
        ("df = pd.read_csv('s3://bucket/a.csv')", (NETWORK,)),
        ("df.to_csv('gcs://bucket/a.csv')", (NETWORK,)),
        ("from ftplib import FTP\nFTP('x')", (NETWORK,)),
        ("import smtplib\nsmtplib.SMTP('x')", (NETWORK,)),
        ("eval(compile(text, 'x', 'exec'))", (DYNAMIC,)),
        ("exec(open('x.py').read())", (DYNAMIC,)),
        ("import builtins\nbuiltins.exec('1')", (DYNAMIC,)),
        ("__builtins__['eval']('1')", (DYNAMIC,)),
        ("import pickle\npickle.loads(b)", (DYNAMIC,)),
        ("import base64\nexec(base64.b64decode(x))", (DYNAMIC,)),
        ("get_ipython().run_line_magic('pip', 'install x')", (SHELL,)),
        ("get_ipython().run_cell_magic('bash', '', 'ls')", (SHELL,)),
        ("from IPython import get_ipython as g\ng().system('ls')", (SHELL,)),
        ("import pip\npip.main(['install', 'x'])", (INSTALLS,)),
        ("%run other.py", (SHELL,)),
        ("%load_ext sql", ()),
        ("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1])", ()),
        ("df.remove_unused_levels()", ()),
        ("names.remove('x')", ()),
        ("s.replace('a', 'b')", ()),
        ("print('!ls')", ()),
        ("text = '''\n!rm -rf /\n'''", ()),
        ("# see https://x.example", ()),
        ("system = 1\nsystem + 1", ()),
    ],
)
def test_spellings_that_hide_nothing(source, findings):
    assert set(find_in_code(source)) == set(findings)


@given(st.text(max_size=200))
def test_no_text_breaks_the_look(source):
    assert set(find_in_code(source)) <= {SHELL, DELETES, NETWORK, INSTALLS, DYNAMIC, UNREADABLE}
