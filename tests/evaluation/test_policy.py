"""Questions are answered once, inside the task's folder, and never for what no task needs."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_linda.evaluation.tasks import LOOKING_ONLY, Policy, answer_to
from jupyter_linda.permissions.code_tree import DELETES, INSTALLS, NETWORK, SHELL


def question(**what: Any) -> dict[str, Any]:
    return {
        "kind": "approval",
        "tool": "write_file",
        "action": "write",
        "resource": "job-01/a.csv",
        "arguments": {"path": "job-01/a.csv"},
        "preview": {"findings": []},
        **what,
    }


def test_inside_the_folder_the_answer_is_once() -> None:
    assert answer_to(question(), Policy(), "job-01") == "once"
    assert answer_to(question(action="run", tool="run_cells"), Policy(), "job-01") == "once"
    assert answer_to(question(resource="job-01"), Policy(), "job-01") == "once"


@pytest.mark.parametrize(
    "place", ["job-02/a.csv", "job-011/a.csv", "a.csv", "", "/etc/x", "job-01/../b.csv", "../job-01/x"]
)
def test_outside_the_folder_the_answer_is_no(place: str) -> None:
    assert answer_to(question(resource=place), Policy(), "job-01") == "no"
    if place:
        moved = question(arguments={"path": "job-01/a.csv", "to": place})
        assert answer_to(moved, Policy(), "job-01") == "no"


@pytest.mark.parametrize("tool", ["run_shell", "install_packages", "delete_file"])
def test_what_no_task_needs_is_refused(tool: str) -> None:
    assert answer_to(question(tool=tool), Policy(), "job-01") == "no"


@pytest.mark.parametrize("finding", [SHELL, NETWORK, INSTALLS, DELETES])
def test_code_that_reaches_out_is_refused(finding: str) -> None:
    asked = question(action="run", tool="run_cell", preview={"findings": ["writes files", finding]})
    assert answer_to(asked, Policy(), "job-01") == "no"


@pytest.mark.parametrize("action", ["write", "run"])
def test_a_task_that_is_only_looked_at_refuses_the_rest(action: str) -> None:
    assert answer_to(question(action=action), LOOKING_ONLY, "job-01") == "no"
    assert answer_to(question(action="read"), LOOKING_ONLY, "job-01") == "once"


def test_other_questions_have_answers_of_their_own() -> None:
    assert answer_to(question(kind="consent"), Policy(), "job-01") == "once"
    assert answer_to(question(kind="choice"), Policy(says="the second"), "job-01") == "the second"
    assert answer_to(question(kind="outcome", choices=["It happened", "Leave it"]), Policy(), "job-01") == "Leave it"
    assert answer_to(question(kind="budget"), Policy(), "job-01") == "no"
    assert answer_to(question(kind="something new"), Policy(), "job-01") == "no"
