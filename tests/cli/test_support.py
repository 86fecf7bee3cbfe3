"""`jupyter linda support` and everything else that might show a key: none does (case HB-06)."""

from __future__ import annotations

import json
import sqlite3
import stat
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import CommandLine
from tests.fakes.provider import Fail, FakeProvider
from tests.ui.lab import Lab, Page, running

pytestmark = pytest.mark.timeout(180)

KEY = "sk-demo-AAAA1111"
ODD_KEY = "Zitronenbaum.77.Apfel"
"""A key that looks like none: only who knows it can take it out."""


def connect_with(lab: Lab, base_url: str, key: str) -> None:
    lab.connect(base_url)
    keys = lab.data_dir / "keys.json"
    keys.write_text(json.dumps({"fake": {"key": key, "set_at": "2026-11-29T00:00:00+00:00"}}))
    keys.chmod(0o600)


def bundle_of(linda: CommandLine, tmp_path: Path) -> dict[str, str]:
    target = tmp_path / "bundle.zip"
    done = linda.run("support", "--output", str(target))
    assert done.code == 0, done
    assert "Look into it before you send it." in done.out
    with zipfile.ZipFile(target) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


@pytest.mark.parametrize("key", [KEY, ODD_KEY])
def test_the_bundle_holds_no_key_no_chat_and_no_home_folder(alone, provider, tmp_path, key):
    connect_with(alone.lab, provider.base_url, key)
    provider.script("a private matter", [Fail(401, f"Incorrect API key provided: {key}")])
    assert alone.run("ask", "a private matter").code == 1
    with (alone.lab.data_dir / "worker.log").open("a", encoding="utf-8") as log:
        log.write(f"WARNING a library said: Authorization: Bearer {key}\nERROR it was {key}\n")
    bundle = bundle_of(alone, tmp_path)
    assert {"versions.json", "doctor.json", "settings.json", "database.json", "providers.json", "worker.log"} <= set(
        bundle
    )
    everything = "\n".join(bundle.values())
    assert key not in everything
    assert "a private matter" not in everything
    assert str(alone.lab.home) not in everything
    assert "it was [key]" in bundle["worker.log"]
    assert json.loads(bundle["database.json"])["chats"] == 1


def test_a_key_of_the_environment_is_taken_out_too(alone, tmp_path):
    alone.lab.data_dir.mkdir(parents=True)
    (alone.lab.data_dir / "worker.log").write_text(f"it was {ODD_KEY}\n")
    target = tmp_path / "bundle.zip"
    assert alone.run("support", "--output", str(target), OPENAI_API_KEY=ODD_KEY).code == 0
    with zipfile.ZipFile(target) as bundle:
        assert bundle.read("worker.log").decode() == "it was [key]\n"


def test_in_a_fresh_home_the_bundle_says_that_nothing_is_there(alone, tmp_path):
    bundle = bundle_of(alone, tmp_path)
    assert json.loads(bundle["database.json"]) == {"state": "no database"}
    assert json.loads(bundle["versions.json"])["jupyter_linda"]


@pytest.fixture(scope="module", params=[KEY, ODD_KEY], ids=["usual", "odd"])
def loud(request, tmp_path_factory, provider: FakeProvider) -> Iterator[tuple[Lab, str]]:
    """A server that logs everything, after a run whose provider quoted the key in its error."""
    lab = Lab(tmp_path_factory.mktemp("loud"), app="jupyter_server", settings={"log_level": "DEBUG"})
    config = json.loads((lab.home / "config" / "jupyter_server_config.json").read_text())
    config["ServerApp"] = {"log_level": "DEBUG"}
    (lab.home / "config" / "jupyter_server_config.json").write_text(json.dumps(config))
    key = request.param
    lab.data_dir.mkdir(parents=True)
    with running(lab):
        page = Page(lab)
        wish = {
            "label": "Scripted",
            "kind": "openai",
            "base_url": provider.base_url,
            "models": ["scripted"],
            "key": key,
        }
        page.call("PUT", "providers/fake", wish)
        page.call("PUT", "models/default", {"model": "fake/scripted"})
        page.close()
        provider.script("quote my key", [Fail(401, f"Incorrect API key provided: {key}. Header: Bearer {key}")])
        assert CommandLine(lab).run("ask", "quote my key").code == 1
        provider.script("quote it at 500", [Fail(500, f"crash with {key}")])
        assert CommandLine(lab).run("ask", "quote it at 500").code == 1
        yield lab, key


def test_case_hb_06_no_response_holds_the_key(loud):
    lab, key = loud
    page = Page(lab)
    wish = {"name": "fake", "label": "Scripted", "kind": "openai", "base_url": lab.url + "nowhere", "models": ["x"]}
    tested = page.call("POST", "providers/test", wish)
    page.close()
    assert tested["ok"] is False
    assert key not in json.dumps(tested)
    chats = lab.linda("chats")["chats"]
    assert len(chats) == 2
    paths = ["status", "providers", "models", "readiness", "chats", "audit", "rules", "questions", "grants"]
    paths += [f"chats/{chat['chat_id']}" for chat in chats]
    for path in paths:
        assert key not in json.dumps(lab.linda(path), ensure_ascii=False), path
    assert '"has_key": true' in json.dumps(lab.linda("providers"))
    for chat in chats:
        assert key not in events_of(lab, chat["chat_id"])


def events_of(lab: Lab, chat_id: str) -> str:
    """The stream's replay, up to the run's end."""
    said = ""
    headers = {"Authorization": f"token {lab.token}"}
    url = f"{lab.url}linda/api/chats/{chat_id}/events?after=0"
    with httpx.stream("GET", url, headers=headers, timeout=20, trust_env=False) as answer:
        for piece in answer.iter_text():
            said += piece
            if '"failed"' in said:
                return said
    return said


def test_case_hb_06_no_file_but_keys_json_holds_the_key(loud):
    lab, key = loud
    with sqlite3.connect(lab.data_dir / "linda.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM runs WHERE state = 'failed'").fetchone() == (2,)
    connection.close()
    holders = [path for path in lab.home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert holders == [lab.data_dir / "keys.json"]
    assert lab.log.stat().st_size > 1000
    assert (lab.data_dir / "worker.log").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_case_hb_06_the_keys_file_is_its_owners_alone(loud):
    lab, _ = loud
    assert stat.S_IMODE((lab.data_dir / "keys.json").stat().st_mode) == 0o600
