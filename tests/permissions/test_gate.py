"""The gate: default deny, permits, answers, grants, the audit."""

from __future__ import annotations

import asyncio
import dataclasses
import json

import pytest

from jupyter_linda.agent.wording import how_to_allow
from jupyter_linda.errors import NotAllowed
from jupyter_linda.permissions.approvals import scopes_for
from jupyter_linda.ports import Resource
from jupyter_linda.schemas import Grant
from tests.fakes.permission_stores import FakeClock

RUN = {"tool": "run_cell", "action": "run", "kind": "notebook"}
WRITE = {"tool": "write_file", "action": "write"}


def judge(bench, path="ok.csv", **fields):
    return asyncio.run(bench.judge(path, **fields))


def grant(bench, **fields):
    values = {"grant_id": "grant_1", "owner_id": "local", "tool": "write_file", "action": "write", "path": "data",
              "chat_id": "chat_1", "created_at": bench.clock.now(), "expires_at": None, **fields}  # fmt: skip
    bench.grants.grants.append(Grant(**values))


def test_reading_in_the_root_is_let_through_with_a_permit(bench):
    verdict = judge(bench)
    assert verdict.effect == "auto"
    bench.gate.check(verdict.permit, bench.call())


def test_writing_and_running_ask_and_give_no_permit(bench):
    for fields in (WRITE, RUN):
        verdict = judge(bench, **fields)
        assert (verdict.effect, verdict.permit) == ("ask", None)


def test_a_permit_fits_one_call_with_its_exact_arguments(bench):
    permit = judge(bench).permit
    with pytest.raises(NotAllowed):
        bench.gate.check(permit, bench.call(arguments='{"path": "other"}'))
    with pytest.raises(NotAllowed):
        bench.gate.check(dataclasses.replace(permit, seal=object()), bench.call())


@pytest.mark.parametrize("path", [".env", "id_rsa", ".git/config", "a\0b"])
def test_secret_paths_are_denied_even_after_a_yes(bench, path):
    verdict = judge(bench, path, answer="once")
    assert (verdict.effect, verdict.permit) == ("deny", None)


def test_an_answer_to_the_very_call_lets_it_through(bench):
    assert judge(bench, **RUN, answer="once").effect == "auto"
    assert bench.audit.entries[-1]["by"] == "person"
    assert judge(bench, **RUN, answer="no").effect == "deny"
    assert judge(bench, **RUN).effect == "ask"


def test_a_deny_rule_stands_above_a_persons_answer(bench):
    bench.rules.save('{"version": 1, "rules": [{"effect": "deny", "action": "run", "path": ""}]}')
    assert judge(bench, **RUN, answer="always").effect == "deny"
    assert bench.gate.hidden_tools([("run_cell", "run")]) == {"run_cell"}


def test_plan_mode_reads_and_nothing_else(bench):
    assert judge(bench, mode="plan").effect == "auto"
    refused = judge(bench, **WRITE, mode="plan")
    assert refused.effect == "deny"
    assert "below the box" in how_to_allow(refused)
    assert judge(bench, **RUN, mode="plan", answer="once").effect == "deny"


def test_edit_mode_writes_in_the_root_but_still_asks_before_running(bench):
    assert judge(bench, **WRITE, mode="edit").effect == "auto"
    assert judge(bench, "../private/s.txt", **WRITE, mode="edit").effect == "ask"
    assert judge(bench, **RUN, mode="edit").effect == "ask"


def test_edit_mode_respects_an_ask_that_names_a_folder(bench):
    bench.rules.save('{"version": 1, "rules": [{"effect": "ask", "action": "write", "path": "data"}]}')
    assert judge(bench, "data/x", **WRITE, mode="edit").effect == "ask"
    assert judge(bench, "x", **WRITE, mode="edit").effect == "auto"


def test_nobody_being_there_to_ask_is_a_no_that_nobody_is_said_to_have_given(bench):
    verdict = judge(bench, "x", **WRITE, answer="unasked")
    assert (verdict.effect, verdict.permit) == ("deny", None)
    assert verdict.reason == "Nobody could be asked, which means no."
    assert bench.audit.entries[-1]["decision"] == "refused"


def test_a_grant_covers_its_tool_path_and_chat_only(bench):
    grant(bench)
    assert judge(bench, "data/new.csv", **WRITE).rule == "grant grant_1"
    assert judge(bench, "database.csv", **WRITE).effect == "ask"
    assert judge(bench, "data/new.csv", **WRITE, chat_id="chat_2").effect == "ask"
    assert judge(bench, "data/new.csv", **WRITE, owner_id="other").effect == "ask"
    assert judge(bench, "data/new.csv", tool="edit_cell", action="write").effect == "ask"


def test_a_grant_ends_when_it_expires(bench):
    grant(bench, expires_at=FakeClock().now())
    assert judge(bench, "data/new.csv", **WRITE).effect == "ask"


def test_a_grant_does_not_follow_a_link_put_in_its_place(bench):
    grant(bench, path="data/out.csv")
    (bench.team / "data/out.csv").symlink_to(bench.team / "ok.csv")
    assert judge(bench, "data/out.csv", **WRITE).effect == "ask"


def test_every_decision_is_written_down_before_it_counts(bench):
    judge(bench)
    judge(bench, **RUN)
    judge(bench, ".env")
    assert [entry["decision"] for entry in bench.audit.entries] == ["auto", "asked", "denied"]
    bench.audit.is_broken = True
    with pytest.raises(OSError, match="disk full"):
        judge(bench)


def test_running_can_be_granted_for_this_notebook_in_this_chat_only(bench):
    scopes = scopes_for(bench.call("data/a.ipynb", **RUN), bench.policy)
    assert [(s.tool, s.path, s.chat_id) for s in scopes] == [("run_cell", "data/a.ipynb", "chat_1")]
    assert scopes[0].days is not None


def test_scopes_of_a_write_go_from_narrow_to_wide(bench):
    scopes = scopes_for(bench.call("data/a.csv", **WRITE), bench.policy)
    assert [(s.path, s.chat_id) for s in scopes] == [("data/a.csv", "chat_1"), ("data/a.csv", ""), ("data", "chat_1")]
    assert all(s.tool == "write_file" for s in scopes)


def test_further_paths_need_a_rule_or_lie_in_what_was_permitted(bench):
    bench.rules.save('{"version": 1, "rules": [{"effect": "deny", "action": "any", "path": "data/closed"}]}')
    call = bench.call("data", tool="search_files", kind="folder", answer="once")
    admit = bench.gate.admitter("call_1")
    with pytest.raises(NotAllowed):
        admit("data/x", "read")
    assert asyncio.run(bench.gate.judge(call)).effect == "auto"
    assert admit("data/x", "read") == str(bench.team / "data/x")
    for path, action in (
        ("ok.csv", "read"),
        ("data/closed/x", "read"),
        ("data/x", "write"),
        ("../private/s.txt", "read"),
    ):
        with pytest.raises(NotAllowed):
            admit(path, action)


def test_a_denial_does_not_tell_whether_the_target_exists(bench):
    admit = bench.gate.admitter("call_none")
    messages = set()
    for path in ("../private/s.txt", "../private/none.txt"):
        with pytest.raises(NotAllowed) as caught:
            admit(path, "read")
        messages.add(caught.value.message.replace(path, "PATH"))
    assert len(messages) == 1


def copy_of(source, target, **fields):
    return {"tool": "copy_file", "action": "write", "resource": Resource("file", target, ((source, "read"),)), **fields}


def test_a_call_on_two_paths_needs_both(bench, tmp_path):
    assert judge(bench, **copy_of("ok.csv", "data/copy.csv")).effect == "ask"
    assert judge(bench, mode="edit", **copy_of("ok.csv", "data/copy.csv")).effect == "auto"
    assert judge(bench, mode="edit", **copy_of("../private/s.txt", "data/copy.csv")).effect == "ask"
    assert judge(bench, **copy_of(".env", "data/copy.csv", answer="once")).effect == "deny"
    rules = [
        {"effect": "auto", "action": "write", "path": "data"},
        {"effect": "auto", "action": "read", "path": "ok.csv"},
        {"effect": "deny", "action": "read", "path": "teammate"},
    ]
    (tmp_path / "rules2.json").write_text(json.dumps({"version": 1, "rules": rules}))
    fresh = type(bench)(bench.team, tmp_path / "rules2.json")
    assert judge(fresh, **copy_of("ok.csv", "data/copy.csv")).effect == "auto"
    assert judge(fresh, **copy_of("data/x", "data/copy.csv")).effect == "ask"
    assert judge(fresh, **copy_of("ok.csv", "other/copy.csv")).effect == "ask"
    assert judge(fresh, **copy_of("teammate/x", "data/copy.csv", answer="once")).effect == "deny"


def test_an_answer_for_two_paths_admits_exactly_those(bench):
    verdict = judge(bench, answer="once", **copy_of("../private/s.txt", "data/copy.csv"))
    assert verdict.permit is not None
    admit = bench.gate.admitter("call_1")
    assert admit("../private/s.txt", "read").endswith("s.txt")
    assert admit("data/copy.csv", "write").endswith("copy.csv")
    for path, action in (("../private/s.txt", "write"), ("../private", "read"), ("data/other.csv", "write")):
        with pytest.raises(NotAllowed):
            admit(path, action)


@pytest.mark.parametrize(
    "fields",
    [{"tool": "patch_file", "action": "write"}, {"tool": "merge_cells", "action": "write", "kind": "notebook"}, RUN],
)
def test_what_changes_or_runs_a_thing_is_judged_as_reading_it_too(bench, fields):
    auto, rule = {"effect": "auto", "action": "any", "path": ""}, {"action": "read", "path": "ok.csv"}
    bench.rules.save(json.dumps({"version": 1, "rules": [auto, {"effect": "deny", **rule}]}))
    assert judge(bench, **fields, answer="once").effect == "deny"
    bench.rules.save(json.dumps({"version": 1, "rules": [auto, {"effect": "ask", **rule}]}))
    verdict = judge(bench, **fields, mode="edit")
    assert (verdict.effect, verdict.is_closed) == ("ask", True)
    assert bench.gate.scopes(bench.call(**fields)) == ()  # reading would be asked about again
    assert judge(bench, **fields, answer="once").effect == "auto"  # one answer is for both


def test_a_new_file_shows_nothing_so_only_writing_is_judged(bench):
    deny = {"effect": "deny", "action": "read", "path": "data"}
    bench.rules.save(json.dumps({"version": 1, "rules": [{"effect": "auto", "action": "write", "path": "data"}, deny]}))
    assert judge(bench, "data/new.txt", **WRITE).effect == "auto"
    (bench.team / "data/new.txt").write_text("there")
    assert judge(bench, "data/new.txt", **WRITE).effect == "deny"


def test_a_card_may_show_what_its_call_waits_to_be_let_into(bench):
    admit = bench.gate.admitter("call_1")
    with pytest.raises(NotAllowed):
        admit("../private/s.txt", "read")
    assert judge(bench, "../private/s.txt", **WRITE).effect == "ask"
    assert admit("../private/s.txt", "read").endswith("s.txt")
    for path, action in (("../private/s.txt", "write"), ("../private/other.txt", "read")):
        with pytest.raises(NotAllowed):
            admit(path, action)


def test_an_always_for_what_is_no_path_names_none(bench):
    call = bench.call("", tool="add_task", action="write", kind="none")
    labels = [scope.label for scope in scopes_for(call, bench.policy)]
    assert labels == ["Let add_task go ahead, in this chat", "Let add_task go ahead, in every chat"]


def test_no_always_is_offered_for_two_paths(bench):
    call = bench.call(**copy_of("ok.csv", "data/copy.csv"))
    assert scopes_for(call, bench.policy) == ()


def test_a_path_that_leads_elsewhere_since_it_was_judged_is_not_admitted(bench):
    link = bench.team / "data/now.csv"
    link.symlink_to(bench.team / "ok.csv")
    assert judge(bench, "data/now.csv", **WRITE, answer="once").effect == "auto"
    admit = bench.gate.admitter("call_1")
    real = str(bench.team / "ok.csv")
    assert admit("data/now.csv", "write") == real
    assert bench.gate.judged_real("call_1", "data/../data/now.csv") == real
    link.unlink()
    link.symlink_to(bench.team / "data/other.csv")
    for action in ("read", "write"):
        with pytest.raises(NotAllowed, match="resolves outside"):
            admit("data/now.csv", action)
    with pytest.raises(NotAllowed):  # nor does it open what it leads to now
        admit("data/other.csv", "write")
    assert bench.gate.judged_real("call_1", "data/now.csv") == real
    assert bench.gate.judged_real("call_1", "data/other.csv") == ""
