"""Whole round trips in Chromium: real JupyterLab, real worker, real kernel, scripted provider through real litellm."""

from __future__ import annotations

import psutil
from playwright.sync_api import expect

from tests.fakes.provider import End, Fail, Say, Stall, Think, Use, says, uses
from tests.ui.panel import sources_on_disk


def test_ask_and_the_reply_streams_with_code_and_mathematics(open_panel, provider):
    provider.script(
        "stream to me",
        [
            Think("Let me see."),
            Say("Here is **bold** and $a^2$.\n\n```python\nprint('hi')\n```\n", size=6, pause_s=0.01),
            End("stop"),
        ],
    )
    panel = open_panel()
    panel.new_chat()
    panel.ask("stream to me")
    panel.expect_text("Here is bold")
    expect(panel.log.locator("strong", has_text="bold")).to_be_visible()
    expect(panel.log.locator("code", has_text="print('hi')")).to_be_visible()
    expect(panel.log.get_by_role("button", name="Copy")).to_be_visible()
    assert panel.errors == []


def test_approve_an_insert_and_the_notebook_changes_on_screen_and_on_disk(open_panel, provider, notebook):
    provider.script(
        "insert please",
        uses(Use("insert_cell", {"path": notebook.name, "index": 1, "source": "y = 41 + 1"})),
        says("Inserted."),
    )
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("insert please")
    expect(panel.button("Allow once")).to_be_visible(timeout=30_000)
    assert "y = 41 + 1" in panel.log.inner_text()
    assert panel.cell_sources() == ["x = 1", "x + 1", "print('third')"]
    panel.button("Allow once").click()
    panel.expect_text("Inserted.")
    assert panel.cell_sources() == ["x = 1", "y = 41 + 1", "x + 1", "print('third')"]
    panel.until(lambda: sources_on_disk(notebook) == panel.cell_sources(), what="the file on disk follows")


def test_case_nt_07_unsaved_edits_of_the_person_are_not_lost(open_panel, provider, notebook):
    edit = {"path": notebook.name, "cell_id": "cell-2", "old_text": "third", "new_text": "THIRD"}
    provider.script("edit the third", uses(Use("edit_cell", edit)), says("Edited."))
    panel = open_panel(notebook)
    panel.page.evaluate("""() => {
      const cells = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells;
      cells[1].setSource('x + 1  # typed by a person, not saved');
    }""")
    panel.new_chat()
    panel.ask("edit the third")
    panel.button("Allow once").click()
    panel.expect_text("Edited.")
    assert panel.cell_sources() == ["x = 1", "x + 1  # typed by a person, not saved", "print('THIRD')"]
    panel.until(lambda: sources_on_disk(notebook) == panel.cell_sources(), what="the file on disk follows")


def test_refuse_and_nothing_happens(open_panel, provider, notebook):
    provider.script(
        "delete it", uses(Use("write_file", {"path": "refused.txt", "content": "no"})), says("As you wish.")
    )
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("delete it")
    panel.button("No").click()
    panel.expect_text("As you wish.")
    assert not (panel.lab.root / "refused.txt").exists()


def test_run_a_cell_and_its_output_lands_in_the_notebook_and_in_the_card(open_panel, provider, notebook):
    provider.script(
        "run the third", uses(Use("run_cell", {"path": notebook.name, "cell_id": "cell-2"})), says("It printed third.")
    )
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("run the third")
    panel.button("Allow once").click()
    panel.expect_text("It printed third.", seconds=60)
    expect(panel.page.locator(".jp-Notebook .jp-OutputArea", has_text="third").first).to_be_visible()
    expect(panel.log.locator(".linda-Outputs", has_text="third").first).to_be_visible()


def test_case_nb_08_text_is_never_split_into_characters(open_panel, provider, notebook):
    source = "for i in range(3):\n    print(i)"
    provider.script(
        "count for me", uses(Use("insert_cell", {"path": notebook.name, "index": -1, "source": source})), says("There.")
    )
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("count for me")
    panel.button("Allow once").click()
    panel.expect_text("There.")
    panel.until(lambda: len(sources_on_disk(notebook)) == 4, what="the file on disk follows")
    import json

    written = json.loads(notebook.read_text())["cells"][3]["source"]
    assert written in (source, ["for i in range(3):\n", "    print(i)"])


def test_always_asks_no_second_time_and_can_be_revoked(open_panel, provider, notebook):
    write = {"path": "always.txt", "content": "1\n"}
    provider.script("write always", uses(Use("write_file", write)), says("Written."))
    panel = open_panel(notebook)
    panel.new_chat()
    panel.ask("write always")
    panel.root.get_by_role("button", name="Always here: choose how far").click()
    panel.root.get_by_role("menuitem").first.click()
    panel.expect_text("Written.")
    (panel.lab.root / "always.txt").unlink()
    panel.ask("write always, again")
    panel.until(lambda: (panel.lab.root / "always.txt").exists(), what="the second write")
    grants = panel.lab.linda("grants")["grants"]
    assert [(grant["tool"], grant["path"]) for grant in grants] == [("write_file", "always.txt")]
    panel.button("Permissions").click()
    panel.root.get_by_role("button", name="Revoke:").first.click()
    panel.until(lambda: panel.lab.linda("grants")["grants"] == [], what="the grant to go")


def test_stop_in_mid_stream(open_panel, provider):
    provider.hold()
    provider.script("tell a long story", [Say("Once upon a time"), Stall(), End("stop")])
    panel = open_panel()
    panel.new_chat()
    panel.ask("tell a long story")
    panel.expect_text("Once upon a time")
    panel.button("Stop").click()
    expect(panel.root.get_by_role("button", name="Send", exact=True)).to_be_visible(timeout=15_000)
    panel.expect_text("Once upon a time")
    provider.go()


def test_case_ui_02_reload_and_a_second_tab_in_mid_stream_show_the_same_once(open_panel, provider):
    provider.hold()
    provider.script("half then all", [Say("first half, "), Stall(), Say("second half."), End("stop")])
    panel = open_panel()
    panel.new_chat()
    panel.ask("half then all")
    panel.expect_text("first half,")
    panel.page.reload()
    panel.page.wait_for_selector(".jp-Launcher", timeout=60_000)
    panel.show()
    second = open_panel()
    second.root.get_by_text("half then all").first.click()
    for one in (panel, second):
        one.expect_text("first half,")
    provider.go()
    for one in (panel, second):
        one.expect_text("first half, second half.")
        assert one.log.inner_text().count("first half,") == 1
    chat_id = panel.lab.linda("chats")["chats"][0]["chat_id"]
    states = lambda: [run["state"] for run in panel.lab.linda(f"chats/{chat_id}")["runs"]]  # noqa: E731
    panel.until(lambda: states() == ["done"], what="the run's end, once")


def test_a_reload_shows_the_chat_that_was_open_and_a_new_tab_the_list(open_panel, provider):
    provider.script("tell it", says("Told."))
    panel = open_panel()
    panel.new_chat()
    panel.ask("tell it")
    panel.expect_text("Told.")
    panel.page.reload()
    panel.page.wait_for_selector(".jp-Launcher", timeout=60_000)
    panel.show()
    panel.expect_text("Told.")
    second = open_panel()
    expect(second.root.get_by_text("tell it").first).to_be_visible()
    expect(second.log).to_have_count(0)


def test_case_ap_04_two_tabs_answer_and_the_other_learns_who_decided(open_panel, provider):
    provider.script("both tabs", uses(Use("write_file", {"path": "both.txt", "content": "1"})), says("Decided."))
    first = open_panel()
    first.new_chat()
    first.ask("both tabs")
    expect(first.button("Allow once")).to_be_visible(timeout=30_000)
    second = open_panel()
    if not second.log.is_visible():
        second.root.get_by_text("both tabs").first.click()
    expect(second.button("Allow once")).to_be_visible(timeout=30_000)
    first.button("No").click()
    second.expect_text("Decided.")
    expect(second.button("Allow once")).to_have_count(0)
    assert not (first.lab.root / "both.txt").exists()


def test_a_provider_fault_is_told_with_its_remedy_and_retry_works(open_panel, provider):
    provider.script("fail first", [Fail(401, "bad key sk-test-0123456789abcdef")])
    panel = open_panel()
    panel.new_chat()
    panel.ask("fail first")
    panel.expect_text("The provider refused the key.")
    assert "sk-test" not in panel.log.inner_text()
    provider.script("fail first", says("Now it works."))
    panel.root.get_by_role("button", name="Retry").first.click()
    panel.expect_text("Now it works.")


def test_the_worker_is_killed_in_mid_run_and_the_run_goes_on(open_panel, provider):
    provider.hold()
    provider.script("survive a kill", [Say("before the kill, "), Stall(), Say("after."), End("stop")])
    panel = open_panel()
    panel.new_chat()
    panel.ask("survive a kill")
    panel.expect_text("before the kill,")
    server = psutil.Process(panel.lab.process.pid)
    (worker,) = [child for child in server.children() if "jupyter_linda.worker" in " ".join(child.cmdline())]
    provider.script("survive a kill", says("Told again, whole."))
    worker.kill()
    panel.expect_text("Told again, whole.")
    assert "before the kill" not in panel.log.inner_text()
    provider.go()


def test_the_server_is_restarted_while_a_question_waits(open_panel, provider):
    provider.script(
        "wait for me", uses(Use("write_file", {"path": "waited.txt", "content": "1"})), says("Thanks for waiting.")
    )
    panel = open_panel()
    panel.new_chat()
    panel.ask("wait for me")
    expect(panel.button("Allow once")).to_be_visible(timeout=30_000)
    panel.lab.kill()
    panel.lab.start()
    panel.page.goto(f"{panel.lab.url}{panel.place}?token={panel.lab.token}")
    panel.page.wait_for_selector(".jp-Launcher", timeout=60_000)
    panel.show()
    panel.button("Allow once").click()
    panel.expect_text("Thanks for waiting.")
    assert (panel.lab.root / "waited.txt").exists()


def test_rename_search_and_delete_a_chat(open_panel, provider):
    panel = open_panel()
    panel.new_chat()
    panel.ask("a chat to find by its title")
    panel.expect_text("You said:")
    panel.button("All chats").click()
    panel.root.get_by_role("searchbox").fill("find by its")
    expect(panel.root.get_by_text("a chat to find by its title")).to_be_visible()
