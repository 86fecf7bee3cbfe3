"""JupyterLab in a process of its own, in an empty home, and Chromium to drive it."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": False,
    },
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Lab:
    """One JupyterLab (or Notebook 7): start, kill, start again on the same home and port."""

    def __init__(
        self,
        home: Path,
        *,
        overrides: Mapping[str, Any] | None = None,
        app: str = "jupyterlab",
        python: str = sys.executable,
        base_url: str = "/",
        with_linda: bool = True,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.home = home
        self.root = home / "work"
        self.data_dir = home / "data" / "linda"
        self.app = app
        self.python = python
        self.port = free_port()
        self.base_url = base_url
        self.token = secrets.token_hex(16)
        self.process: subprocess.Popen[bytes] | None = None
        self.extra_environment: dict[str, str] = {}
        self.log = home / "lab.log"
        self.root.mkdir(parents=True, exist_ok=True)
        config = home / "config"
        (config / "labconfig").mkdir(parents=True, exist_ok=True)
        merged = {**OVERRIDES, **(overrides or {})}
        (config / "labconfig" / "default_setting_overrides.json").write_text(json.dumps(merged))
        server_config: dict[str, Any] = {"LindaSettings": dict(settings or {})}
        if not with_linda:
            server_config["ServerApp"] = {"jpserver_extensions": {"jupyter_linda": False}}
            (config / "labconfig" / "page_config.json").write_text(
                json.dumps({"disabledExtensions": {"jupyter-linda": True}})
            )
        (config / "jupyter_server_config.json").write_text(json.dumps(server_config))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.base_url}"

    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("JUPYTER", "LINDA", "OPENAI", "ANTHROPIC"))
        }
        return {
            **kept,
            "HOME": str(self.home),
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.home / "runtime"),
            "JUPYTER_TOKEN": self.token,
            "IPYTHONDIR": str(self.home / "ipython"),
            **self.extra_environment,
        }

    def start(self) -> Lab:
        command = [
            self.python,
            "-m",
            self.app,
            "--no-browser",
            f"--ServerApp.port={self.port}",
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={self.root}",
            f"--ServerApp.base_url={self.base_url}",
            "--ServerApp.allow_root=True",
            *{
                "jupyterlab": ["--LabApp.expose_app_in_browser=True"],
                "notebook": ["--JupyterNotebookApp.expose_app_in_browser=True"],
            }.get(self.app, []),
        ]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=self.root, env=self.environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if self.get("api/status"):
                    return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.02)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text(errors='replace')[-3000:]}")

    def get(self, path: str) -> Any:
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"token {self.token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")

    def linda(self, path: str) -> Any:
        return self.get(f"linda/api/{path}")

    def kill(self) -> None:
        """As a crash does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def connect(self, base_url: str, *, models: tuple[str, ...] = ("scripted",)) -> None:
        """A connected provider, as the panel would write it; before the start."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        provider = {
            "label": "Scripted",
            "kind": "openai",
            "base_url": base_url,
            "proxy": "",
            "ca_file": "",
            "models": list(models),
        }
        (self.data_dir / "providers.json").write_text(
            json.dumps({"providers": {"fake": provider}, "default_model": f"fake/{models[0]}"})
        )
        keys = self.data_dir / "keys.json"
        keys.write_text(
            json.dumps({"fake": {"key": "sk-test-0123456789abcdef", "set_at": "2026-11-29T00:00:00+00:00"}})
        )
        keys.chmod(0o600)


@contextmanager
def running(lab: Lab) -> Iterator[Lab]:
    lab.start()
    try:
        yield lab
    finally:
        lab.stop()


class Page:
    """What the panel's plain `fetch` is: cookie and XSRF, no token."""

    def __init__(self, lab: Lab) -> None:
        import httpx

        self._http = httpx.Client(base_url=lab.url, timeout=60.0, trust_env=False)
        self._http.get("login")  # a rendered page sets the XSRF cookie
        self._http.get(f"api/status?token={lab.token}")  # a token in the address logs the browser in

    def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._http.request(
            method, f"linda/api/{path}", json=body, headers={"X-XSRFToken": self._http.cookies.get("_xsrf", "")}
        )
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def close(self) -> None:
        self._http.close()
