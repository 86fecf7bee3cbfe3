"""What may not be read is not read by way of a change either."""

from __future__ import annotations

import json

import pytest

from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.provider import Use, says, uses

WRITES = {"effect": "auto", "action": "write", "path": ""}
READS = {"effect": "auto", "action": "read", "path": ""}


@pytest.fixture
def payroll(jp_root_dir):
    folder = jp_root_dir / "payroll"
    folder.mkdir()
    (folder / "p.txt").write_text("alice 100\n")
    (folder / "n.ipynb").write_text(json.dumps(notebook(code_cell("salary = 300", "a"), code_cell("b = 1", "b"))))
    return folder


async def work(api, data_dir, rules, *calls):
    data_dir.mkdir(parents=True, exist_ok=True)
    (data_dir / "rules.json").write_text(json.dumps({"version": 1, "rules": rules}))
    api.connect()
    api.provider.script("do it", *[uses(call) for call in calls], says("Told."))
    chat_id = await api.new_chat()
    await api.send(chat_id, "do it")
    return chat_id


async def test_a_deny_of_reading_closes_patches_moves_and_merges(api, payroll, data_dir):
    denied = {"effect": "deny", "action": "read", "path": "payroll"}
    calls = (
        Use("patch_file", {"path": "payroll/p.txt", "old_text": "zzz", "new_text": "y"}),
        Use("move_file", {"path": "payroll/p.txt", "to": "p.txt"}),
        Use("merge_cells", {"path": "payroll/n.ipynb", "cell_ids": ["a", "b"]}),
    )
    view = await api.until(await work(api, data_dir, [READS, WRITES, denied], *calls))
    assert [call["state"] for call in view["calls"]] == ["refused"] * 3
    assert "alice" not in json.dumps(view)
    assert "salary" not in json.dumps(view)
    assert (payroll / "p.txt").exists()


async def test_a_question_about_reading_is_not_passed_by_a_change_and_its_fault_tells_nothing(api, payroll, data_dir):
    asked = {"effect": "ask", "action": "read", "path": "payroll"}
    wrong = Use("patch_file", {"path": "payroll/p.txt", "old_text": "zzz", "new_text": "y"})
    right = Use("patch_file", {"path": "payroll/p.txt", "old_text": "100", "new_text": "200"})
    chat_id = await work(api, data_dir, [READS, WRITES, asked], wrong, right)
    view = await api.until(chat_id, "waiting")
    assert "alice" not in json.dumps(view["calls"])
    assert "Read it first" in view["calls"][0]["result"]
    (question,) = view["questions"]  # one, for reading and writing
    assert question["preview"]["diffs"][0]["old"] == "alice 100\n"
    await api.answer(question["question_id"], "once")
    await api.until(chat_id)
    assert (payroll / "p.txt").read_text() == "alice 200\n"


async def test_a_file_outside_the_root_is_written_after_one_question(api, tmp_path, jp_root_dir):
    api.connect()
    target = tmp_path / "elsewhere" / "o.txt"
    target.parent.mkdir()
    target.write_text("old\n")
    api.provider.script(
        "outside",
        uses(Use("patch_file", {"path": str(target), "old_text": "old", "new_text": "new"})),
        uses(Use("write_file", {"path": str(target.with_name("p.txt")), "content": "x"})),
        says("Done."),
    )
    chat_id = await api.new_chat()
    await api.send(chat_id, "outside")
    for number in (1, 2):
        view = await api.until(chat_id, "waiting")
        while len(view["questions"]) < number:
            view = await api.until(chat_id, "waiting")
        await api.answer(view["questions"][-1]["question_id"], "once")
    view = await api.until(chat_id)
    assert [call["state"] for call in view["calls"]] == ["done", "done"]
    assert len(view["questions"]) == 2
    assert target.read_text() == "new\n"
    assert target.with_name("p.txt").read_text() == "x"
