"""`jupyter linda doctor`: every check with its remedy, and no secret."""

from __future__ import annotations

import json
import os
import sqlite3

import pytest

from tests.cli.conftest import CommandLine, Done, is_root
from tests.fakes.provider import Fail, says

pytestmark = pytest.mark.timeout(180)

KEY = "sk-demo-AAAA1111"
NAMES = [
    "versions", "data", "database", "rules", "model", "root", "server_extension", "panel", "engine", "worker",
]  # fmt: skip


def checks_of(done: Done) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(done.out)}


def data_folder(alone: CommandLine):
    folder = alone.lab.data_dir
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_in_a_fresh_home_nothing_is_broken_and_nothing_is_made(alone):
    before = sorted(alone.lab.home.rglob("*"))
    done = alone.run("doctor", "--offline", "--json")
    found = checks_of(done)
    assert done.code == 0
    assert list(found) == NAMES
    assert {name for name, check in found.items() if check["state"] == "error"} == set()
    assert all(check["remedy"] for check in found.values() if check["state"] in ("warning", "error"))
    assert sorted(alone.lab.home.rglob("*")) == before


def test_for_people_each_check_is_a_line_and_each_remedy_below_it(alone):
    (data_folder(alone) / "rules.json").write_text("{broken")
    done = alone.run("doctor", "--offline")
    lines = done.out.splitlines()
    assert done.code == 1
    assert any(line.startswith("✓ Versions: Python") for line in lines)
    at = next(number for number, line in enumerate(lines) if line.startswith("✗ Permission rules: rules.json"))
    assert lines[at + 1].strip().startswith("→ Mend")
    assert "Traceback" not in done.out + done.err


def test_it_looks_where_the_servers_settings_point(alone):
    elsewhere = alone.lab.home / "elsewhere"
    settings = {"LindaSettings": {"data_dir": str(elsewhere)}}
    (alone.lab.home / "config" / "jupyter_server_config.json").write_text(json.dumps(settings))
    assert str(elsewhere) in checks_of(alone.run("doctor", "--offline", "--json"))["data"]["detail"]


def test_a_configuration_file_that_cannot_be_read_is_named(alone):
    (alone.lab.home / "config" / "jupyter_server_config.json").write_text("{")
    done = alone.run("doctor", "--offline")
    assert done.code == 1
    assert "jupyter_server_config.json is no configuration" in done.err
    assert "Traceback" not in done.err


def test_a_damaged_database_is_an_error_with_a_way_out(alone):
    (data_folder(alone) / "linda.sqlite").write_bytes(os.urandom(20_000))
    done = alone.run("doctor", "--offline", "--json")
    check = checks_of(done)["database"]
    assert done.code == 1
    assert (check["state"], "damaged" in check["detail"]) == ("error", True)
    assert "backups" in check["remedy"]


def test_a_database_of_a_newer_linda_is_an_error(alone):
    with sqlite3.connect(data_folder(alone) / "linda.sqlite") as connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999_from_the_future')")
    connection.close()
    done = alone.run("doctor", "--offline", "--json")
    assert done.code == 1
    assert checks_of(done)["database"]["state"] == "error"
    assert checks_of(done)["database"]["remedy"]


@is_root
def test_a_data_folder_that_cannot_be_written_is_an_error(alone):
    folder = data_folder(alone)
    folder.chmod(0o500)
    try:
        done = alone.run("doctor", "--offline", "--json")
    finally:
        folder.chmod(0o700)
    assert done.code == 1
    assert "cannot be written" in checks_of(done)["data"]["detail"]


def test_a_switched_off_extension_is_an_error(alone):
    off = {"ServerApp": {"jpserver_extensions": {"jupyter_linda": False}}}
    (alone.lab.home / "config" / "jupyter_server_config.json").write_text(json.dumps(off))
    done = alone.run("doctor", "--offline", "--json")
    assert done.code == 1
    assert "jupyter_server_config.json" in checks_of(done)["server_extension"]["detail"]
    assert "enable jupyter_linda" in checks_of(done)["server_extension"]["remedy"]


def test_connected_models_are_asked_and_their_keys_never_shown(alone, provider):
    provider.script("Say: ok", says("ok"))
    alone.lab.connect(provider.base_url)
    keys = alone.lab.data_dir / "keys.json"
    keys.write_text(json.dumps({"fake": {"key": KEY, "set_at": "2026-11-29T00:00:00+00:00"}}))
    done = alone.run("doctor", "--json")
    assert done.code == 0, done
    assert "Answered 'ok'" in checks_of(done)["fake/scripted"]["detail"]
    provider.script("Say: ok", [Fail(401, f"Incorrect API key provided: {KEY}")])
    failed = alone.run("doctor", OPENAI_API_KEY=f"{KEY}-environment")
    assert failed.code == 1
    assert "refused the key" in failed.out
    assert KEY not in failed.out + failed.err


def test_offline_asks_no_model_elsewhere(alone):
    alone.lab.connect("https://models.example.invalid/v1")
    check = checks_of(alone.run("doctor", "--offline", "--json"))["fake/scripted"]
    assert (check["state"], check["detail"]) == ("skipped", "Not asked: --offline.")
