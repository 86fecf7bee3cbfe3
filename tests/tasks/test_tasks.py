"""The task list: through the tools, with changes taken back around a person's own."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_linda.errors import CannotUndo, InvalidInput, StaleRevision, ToolRetry
from jupyter_linda.journal.tasks import FIELDS, turn_task
from jupyter_linda.ports import ToolResult
from jupyter_linda.tasks import store
from jupyter_linda.tools.tasks import add_task, change_task, delete_task, list_tasks
from tests.fakes.task_list import task_list
from tests.fakes.tool_bench import ToolBench


@pytest.fixture
def bench(tmp_path):
    made = ToolBench(tmp_path)
    made.tasks = task_list(tmp_path)
    return made


def all_of(bench):
    return [{name: task[name] for name in FIELDS} for task in asyncio.run(bench.tasks.list())]


def turn(bench, change):
    with bench.tasks._log.transaction() as tx:
        return turn_task(tx, "local", change)


def last_change(bench):
    return list(bench.journal.entries.values())[-1][2][0]


def test_tasks_come_open_first_then_by_due_date(bench):
    for title, due in (("late", "2026-03-01"), ("none", ""), ("soon", "2026-01-02T14:00")):
        bench.run(add_task, title=title, due=due)
    done = bench.run(add_task, title="over", due="2025-01-01").data
    bench.run(change_task, task_id=done["task_id"], status="done")
    result = bench.run(list_tasks)
    assert [task["title"] for task in result.data["tasks"]] == ["soon", "late", "none", "over"]
    assert "[open] soon (the person, due 2026-01-02T14:00:00)" in result.text
    assert [task["title"] for task in bench.run(list_tasks, status="done").data["tasks"]] == ["over"]


@pytest.mark.parametrize("due", ["tomorrow", "2026-02-30", "31.1.2026", "2026-01-31T25:00"])
def test_a_due_date_that_is_none_is_refused_with_an_example(bench, due):
    with pytest.raises(InvalidInput) as caught:
        bench.run(add_task, title="x", due=due)
    assert "2026-01-31" in caught.value.remedy
    assert bench.journal.entries == {}
    assert all_of(bench) == []


def test_a_call_that_is_tried_again_adds_one_task(bench):
    first = bench.run(add_task, request_id="call_x", title="once")
    assert isinstance(bench.find(add_task, request_id="call_x", title="once"), ToolResult)
    again = bench.run(add_task, request_id="call_x", title="once")
    assert again.data["task_id"] == first.data["task_id"]
    assert len(all_of(bench)) == 1


def test_an_unknown_task_and_an_empty_change_are_refused(bench):
    with pytest.raises(ToolRetry, match="list_tasks"):
        bench.run(change_task, task_id="task_no", status="done")
    task = bench.run(add_task, title="x").data
    with pytest.raises(ToolRetry, match="Nothing to change"):
        bench.run(change_task, task_id=task["task_id"])


async def test_a_task_that_changed_since_it_was_read_is_not_overwritten(bench):
    task = (await bench.call(add_task, title="x")).data
    await bench.tasks.change(task["task_id"], {"title": "mine"})
    with pytest.raises(StaleRevision):
        await bench.tasks.change(task["task_id"], {"title": "hers", "revision": task["revision"]})


def test_tasks_of_another_owner_are_not_there(bench, tmp_path):
    task = bench.run(add_task, title="x").data
    other = store.SqlTasks(bench.tasks._log, "somebody")
    assert asyncio.run(other.list()) == []
    assert asyncio.run(other.get(task["task_id"])) is None


def test_each_change_is_taken_back_and_done_again(bench):
    task_id = bench.run(add_task, title="x", notes="n").data["task_id"]
    added = last_change(bench)
    start = all_of(bench)
    bench.run(change_task, task_id=task_id, status="done", due="2026-05-01")
    changed, after = last_change(bench), all_of(bench)
    undone = turn(bench, changed)
    assert all_of(bench) == start
    turn(bench, undone)
    assert all_of(bench) == after
    bench.run(delete_task, task_id=task_id)
    deleted = last_change(bench)
    undone = turn(bench, deleted)
    assert all_of(bench) == after
    turn(bench, undone)
    assert all_of(bench) == []
    turn(bench, deleted)
    turn(bench, changed)
    undone = turn(bench, added)
    assert all_of(bench) == []
    turn(bench, undone)
    assert all_of(bench) == start


def test_what_a_person_changed_since_stays(bench):
    task_id = bench.run(add_task, title="x").data["task_id"]
    added = last_change(bench)
    bench.run(change_task, task_id=task_id, status="done")
    asyncio.run(bench.tasks.change(task_id, {"title": "mine"}))
    turn(bench, last_change(bench))
    assert [(task["title"], task["status"]) for task in all_of(bench)] == [("mine", "open")]
    with pytest.raises(CannotUndo, match="changed since"):
        turn(bench, added)
    bench.run(change_task, task_id=task_id, title="hers")
    asyncio.run(bench.tasks.change(task_id, {"title": "mine again"}))
    with pytest.raises(CannotUndo, match="title"):
        turn(bench, last_change(bench))


STEPS = st.lists(
    st.tuples(st.sampled_from(["title", "notes", "status"]), st.sampled_from(["open", "done", "doing"])), max_size=5
)


@settings(max_examples=25, deadline=None)
@given(steps=STEPS)
def test_any_sequence_of_her_changes_comes_back_to_where_it_began(steps, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    bench = ToolBench(folder)
    bench.tasks = task_list(folder)
    task_id = bench.run(add_task, title="x", notes="n").data["task_id"]
    start = all_of(bench)
    bench.journal.entries.clear()
    for name, value in steps:
        bench.run(change_task, task_id=task_id, **{name: value})
    for _, _, changes in reversed(list(bench.journal.entries.values())):
        turn(bench, changes[0])
    assert all_of(bench) == start


def test_changing_a_task_does_not_tell_the_model_what_it_held(bench):
    """Its words may be of strangers, and a change is not reading: they would come in unnoticed."""
    task_id = bench.run(add_task, title="STRANGE title", notes="STRANGE notes").data["task_id"]
    changed = bench.run(change_task, task_id=task_id, status="done", due="2026-01-02")
    assert changed.text == f"Changed the task {task_id} (status, due)."
    assert changed.title == "Changed the task “STRANGE title”", "the person reads whose it is"
    assert bench.run(delete_task, task_id=task_id).text == f"Deleted the task {task_id}."
