"""Retrying, stopping and what other servers left behind: the chat shows what is so, and goes on."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from playwright.sync_api import expect

from tests.fakes.provider import End, Say, Stall, Think, says


def shown(panel) -> str:
    return panel.log.inner_text()


def test_a_message_right_after_retry_goes_behind_the_new_answer(open_panel, provider):
    provider.script("tell me once", says("The old answer."))
    provider.script("and then", says("Then this."))
    panel = open_panel()
    panel.new_chat()
    panel.ask("tell me once")
    panel.expect_text("The old answer.")
    provider.hold()
    provider.script("tell me once", [Stall(), Say("The new answer."), End("stop")])
    panel.button("Answer again").first.click()
    expect(panel.log).not_to_contain_text("The old answer.")
    panel.ask("and then")
    expect(panel.log).to_contain_text("and then")
    provider.go()
    panel.expect_text("Then this.")
    text = shown(panel)
    assert "The old answer." not in text
    assert (
        text.index("tell me once") < text.index("The new answer.") < text.index("and then") < text.index("Then this.")
    )
    panel.button("Previous version").click()
    panel.expect_text("The old answer.")


def test_the_answer_stays_in_sight_while_a_message_waits_behind_it(open_panel, provider):
    provider.hold()
    provider.script("begin slowly", [Stall(), Say("In the end."), End("stop")])
    provider.script("wait behind", says("At last."))
    panel = open_panel()
    panel.new_chat()
    panel.ask("begin slowly")
    expect(panel.button("Stop")).to_be_visible()
    panel.ask("wait behind")
    expect(panel.log).to_contain_text("wait behind")
    provider.go()
    panel.expect_text("At last.")
    text = shown(panel)
    assert text.index("In the end.") < text.index("wait behind") < text.index("At last.")


def test_what_was_stopped_says_so_when_the_chat_has_gone_on(open_panel, provider):
    provider.hold()
    provider.script("never mind", [Stall(), Say("too late"), End("stop")])
    provider.script("something else", says("Gladly."))
    panel = open_panel()
    panel.new_chat()
    panel.ask("never mind")
    panel.button("Stop").click()
    panel.expect_text("Stopped by you.")
    panel.ask("something else")
    panel.expect_text("Gladly.")
    text = shown(panel)
    assert text.index("never mind") < text.index("Stopped by you.") < text.index("something else")
    assert {"role": "assistant", "content": "[no answer: the user stopped it]"} in provider.requests[-1]["messages"]
    provider.go()


def test_thoughts_without_an_answer_are_shown_and_told_as_such(open_panel, provider):
    provider.script("think only", [Think("Let me weigh this."), End("stop")])
    panel = open_panel()
    panel.new_chat()
    panel.ask("think only")
    panel.expect_text("The model only thought and gave no answer.")
    expect(panel.log.get_by_text("Let me weigh this.")).to_be_visible()


def test_a_run_left_in_another_folder_says_so_and_the_next_message_goes_on(open_panel, provider):
    provider.script("begun elsewhere", says("A word."))
    provider.script("go on here", says("Here we are."))
    panel = open_panel()
    panel.new_chat()
    panel.ask("begun elsewhere")
    panel.expect_text("A word.")
    with closing(sqlite3.connect(panel.lab.data_dir / "linda.sqlite", isolation_level=None, timeout=10)) as database:
        (run_id,) = database.execute("SELECT run_id FROM runs ORDER BY queued_at DESC LIMIT 1").fetchone()
        database.execute(
            "UPDATE runs SET state = 'running', server_id = 'gone', root_dir = '/elsewhere', ended_at = NULL "
            "WHERE run_id = ?",
            (run_id,),
        )
    panel.expect_text("The Jupyter server in /elsewhere that worked on this is gone")
    panel.ask("go on here")
    panel.expect_text("Here we are.")
    text = shown(panel)
    assert "that worked on this is gone" not in text
    assert text.index("that is gone; it went no further") < text.index("Here we are.")
