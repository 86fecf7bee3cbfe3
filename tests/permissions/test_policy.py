"""Policy files: narrower for everybody, never looser, and strict while they cannot be read."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from jupyter_linda.permissions.policy import NAME, Policies, find_policies, policy_paths
from jupyter_linda.runs.readiness import check_policies
from jupyter_linda.schemas import Grant

WRITE = {"tool": "write_file", "action": "write"}
RUN = {"tool": "run_cell", "action": "run", "kind": "notebook"}


def text(*rules, **more):
    return json.dumps({"version": 1, "rules": list(rules), **more})


def ask(action, path=""):
    return {"effect": "ask", "action": action, "path": path}


def deny(action, path="", **more):
    return {"effect": "deny", "action": action, "path": path, **more}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "policy.json"


@pytest.fixture
def bound(bench, place):
    """A bench whose user allows everything, under a policy at `place`."""
    bench.rules.save(text({"effect": "auto", "action": "any", "path": ""}))
    bench.gate._policies = Policies((str(place),))
    return bench


def judge(bench, path="ok.csv", **fields):
    return asyncio.run(bench.judge(path, **fields))


def test_without_a_policy_nothing_changes(bound):
    assert judge(bound, **RUN).effect == "auto"
    assert bound.gate._policies.problem is None


def test_its_denies_and_asks_win_over_rules_modes_and_grants(bound, place):
    place.write_text(text(deny("run"), ask("write")))
    assert judge(bound, **RUN, answer="once").effect == "deny"
    assert bound.audit.entries[-1]["by"] == "policy"
    assert judge(bound, **WRITE).effect == "ask"
    assert judge(bound, **WRITE, mode="edit").effect == "ask"
    bound.grants.grants.append(
        Grant(grant_id="g", owner_id="local", tool="write_file", action="write", path="", chat_id="chat_1",
              created_at=bound.clock.now(), expires_at=None)
    )  # fmt: skip
    verdict = judge(bound, **WRITE)
    assert verdict.effect == "ask"
    assert verdict.rule == f"policy {place}: ask: write in the notebook folder"
    assert judge(bound, **WRITE, answer="once").effect == "auto"
    assert bound.gate.scopes(bound.call(**WRITE)) == ()
    assert bound.gate.hidden_tools([("run_cell", "run"), ("write_file", "write")]) == {"run_cell"}


def test_its_auto_opens_nothing(bench, place):
    bench.gate._policies = Policies((str(place),))
    place.write_text(text({"effect": "auto", "action": "any", "path": "/"}))
    assert judge(bench, **RUN).effect == "ask"
    assert len(bench.gate.scopes(bench.call(**RUN))) == 1


@pytest.mark.parametrize("broken", ["{", text(profiles={"x": []}), text({"effect": "perhaps"}), '{"version": 2}'])
def test_a_broken_one_makes_everything_ask_until_it_is_mended(bound, place, broken):
    place.write_text(broken)
    assert judge(bound).effect == "ask"
    assert "policy" in judge(bound).rule
    problem = bound.gate._policies.problem
    assert str(place) in problem.message
    assert problem.message.endswith("Until it is mended, everything asks.")
    assert check_policies(bound.gate._policies)[0].state == "error"
    place.write_text(text(deny("run")))
    assert judge(bound).effect == "auto"
    assert bound.gate._policies.problem is None
    assert check_policies(bound.gate._policies)[0].state == "ok"


def test_one_that_breaks_later_keeps_its_denies_and_everything_else_asks(bound, place):
    place.write_text(text(deny("run")))
    assert judge(bound, **RUN).effect == "deny"
    place.write_text("{ broken")
    assert judge(bound, **RUN).effect == "deny"
    assert judge(bound).effect == "ask"
    place.unlink()
    assert judge(bound, **RUN).effect == "deny"
    assert judge(bound).effect == "ask"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_one_that_may_not_be_read_makes_everything_ask(bound, place):
    place.write_text(text(deny("run")))
    place.chmod(0)
    assert judge(bound).effect == "ask"
    place.chmod(0o600)
    assert judge(bound).effect == "auto"


def test_one_that_the_settings_name_has_to_be_there(bound, place):
    bound.gate._policies = Policies((str(place),), required=str(place))
    assert judge(bound).effect == "ask"
    assert "not there" in bound.gate._policies.problem.message
    place.write_text(text(deny("run")))
    assert judge(bound).effect == "auto"
    assert judge(bound, **RUN).effect == "deny"


def test_several_hold_together(bound, tmp_path):
    for name, rule in (("one.json", deny("run")), ("two.json", deny("write"))):
        (tmp_path / name).write_text(text(rule))
    bound.gate._policies = Policies(tuple(str(tmp_path / name) for name in ("one.json", "two.json")))
    assert {judge(bound, **RUN).effect, judge(bound, **WRITE).effect} == {"deny"}


def test_the_system_place_cannot_be_switched_off(monkeypatch, tmp_path):
    for name in ("JUPYTER_NO_CONFIG", "JUPYTER_CONFIG_PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    from jupyter_core.paths import SYSTEM_CONFIG_PATH

    wanted = {os.path.join(folder, NAME) for folder in SYSTEM_CONFIG_PATH}  # noqa: PTH118  as it is joined there
    assert wanted <= set(policy_paths(""))
    assert policy_paths("/srv/rules.json")[0] == "/srv/rules.json"
    assert find_policies("/nowhere/at/all.json").current() == ()


def test_a_profile_narrows_what_she_does(bench):
    bench.rules.save(
        text({"effect": "auto", "action": "any"}, profiles={"linda": [ask("run")], "careful": [deny("write")]})
    )
    assert judge(bench, **RUN).effect == "ask"
    assert bench.audit.entries[-1]["by"] == "profile"
    assert judge(bench, **WRITE).effect == "auto"
    assert judge(bench, **WRITE, profile="careful").effect == "deny"
    assert judge(bench, **RUN, profile="careful").effect == "ask"
    assert judge(bench, profile="unknown").effect == "ask"


def test_conditions_reach_the_gate(bench):
    bench.rules.save(
        text(
            ask("write"),
            {"effect": "auto", "action": "write", "path": "data", "max_bytes": 10, "started_by": ["person"]},
        )
    )
    assert judge(bench, "data/x", **WRITE, size_bytes=10).effect == "auto"
    assert judge(bench, "data/x", **WRITE, size_bytes=11).effect == "ask"
    assert judge(bench, "data/x", **WRITE).effect == "ask"
    assert judge(bench, "data/x", **WRITE, size_bytes=1, started_by="mail").effect == "ask"
    assert bench.audit.entries[0]["rule"] == "auto: write in data, up to 10 bytes, when started by person"


def test_a_window_of_time_opens_and_closes_by_itself(bench):
    local = bench.clock.now().astimezone()
    start, end = local.strftime("%H:00"), f"{(local.hour + 2) % 24:02}:00"
    reads = {"effect": "auto", "action": "read"}
    bench.rules.save(text(reads, {"effect": "auto", "action": "run", "between": [start, end]}))
    assert judge(bench, **RUN).effect == "auto"
    bench.clock.move(hours=3)
    assert judge(bench, **RUN).effect == "ask"
