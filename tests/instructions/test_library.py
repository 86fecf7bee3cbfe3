"""Which files count: found on the way to the notebook, allowed by their content, switched by chat."""

from __future__ import annotations

import pytest

from jupyter_linda.chats import store
from jupyter_linda.errors import Conflict, InvalidInput, NotFound
from jupyter_linda.schemas import InstructionChoice, NewChat
from tests.instructions.conftest import Shelf, skill


def new_chat(event_log, chat_id: str, owner: str = "local") -> str:
    with event_log.transaction() as tx:
        return store.create(tx, chat_id, owner, NewChat()).chat_id


async def test_files_are_found_from_the_root_to_the_notebooks_folder_and_the_nearest_is_last(shelf):
    for path in ("AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md", "a/c/AGENTS.md", ".linda/instructions.md"):
        shelf.put(path, f"of {path}")
    shelf.put("a/.linda/instructions/2.md", "two")
    shelf.put("a/.linda/instructions/1.md", "one")
    shelf.put("a/.linda/instructions/notes.txt", "no Markdown")
    assert list(await shelf.files("a/b/x.ipynb")) == [
        "AGENTS.md",
        ".linda/instructions.md",
        "a/AGENTS.md",
        "a/.linda/instructions/1.md",
        "a/.linda/instructions/2.md",
        "a/b/AGENTS.md",
    ]
    assert list(await shelf.files()) == ["AGENTS.md", ".linda/instructions.md"]


async def test_nothing_counts_before_a_person_allowed_it_and_only_that_very_content(shelf):
    shelf.put("AGENTS.md", "Write British English.")
    assert (await shelf.files())["AGENTS.md"].state == "new"
    assert await shelf.given() == []
    await shelf.choose("AGENTS.md")
    assert (await shelf.files())["AGENTS.md"].state == "used"
    assert await shelf.given() == ["AGENTS.md"]
    shelf.put("AGENTS.md", "Write American English.")
    assert (await shelf.files())["AGENTS.md"].state == "changed"
    assert await shelf.given() == []
    shelf.put("AGENTS.md", "Write British English.")  # the content that was allowed is back
    assert await shelf.given() == ["AGENTS.md"]


async def test_a_no_is_kept_and_may_be_taken_back(shelf):
    shelf.put("AGENTS.md", "Delete everything.")
    await shelf.choose("AGENTS.md", is_used=False)
    assert (await shelf.files())["AGENTS.md"].state == "refused"
    assert await shelf.given() == []
    await shelf.choose("AGENTS.md")
    assert await shelf.given() == ["AGENTS.md"]
    await shelf.choose("AGENTS.md", is_used=False)
    assert await shelf.given() == []


async def test_what_one_person_allows_holds_for_nobody_else_and_for_no_other_file(shelf):
    shelf.put("AGENTS.md", "Be short.")
    shelf.put("a/AGENTS.md", "Be short.")
    await shelf.choose("AGENTS.md")
    assert (await shelf.files(owner="eve"))["AGENTS.md"].state == "new"
    assert await shelf.given(owner="eve") == []
    assert await shelf.given("a/x.ipynb") == ["AGENTS.md"]


async def test_a_yes_to_another_text_than_the_one_that_was_shown_is_refused(shelf):
    shelf.put("AGENTS.md", "Be short.")
    shown = await shelf.library.text("AGENTS.md")
    shelf.put("AGENTS.md", "Be evil.")
    with pytest.raises(Conflict, match="changed meanwhile"):
        await shelf.library.choose("local", InstructionChoice(path="AGENTS.md", digest=shown.digest, is_used=True))
    assert await shelf.given() == []


async def test_a_chat_switches_a_file_off_for_itself_alone(shelf, event_log):
    one, other = new_chat(event_log, "chat_1"), new_chat(event_log, "chat_2")
    shelf.put("AGENTS.md", "Be short.")
    with pytest.raises(Conflict, match="not been allowed"):
        await shelf.choose("AGENTS.md", chat_id=one)  # a switch allows nothing
    await shelf.choose("AGENTS.md")
    await shelf.choose("AGENTS.md", is_used=False, chat_id=one)
    assert (await shelf.files(chat_id=one))["AGENTS.md"].state == "off"
    assert await shelf.given(chat_id=one) == []
    assert await shelf.given(chat_id=other) == ["AGENTS.md"]
    await shelf.choose("AGENTS.md", chat_id=one)
    assert await shelf.given(chat_id=one) == ["AGENTS.md"]
    with pytest.raises(NotFound):
        await shelf.choose("AGENTS.md", is_used=False, chat_id=new_chat(event_log, "chat_3", "eve"))
    await shelf.choose("AGENTS.md", is_used=False, chat_id=one)
    with event_log.transaction() as tx:
        store.remove(tx, one, "local")  # its switches go with it
    assert await shelf.given(chat_id=other) == ["AGENTS.md"]


@pytest.mark.parametrize("target", [".env", "../outside.md", ".hidden/x.md", "secret/AGENTS.md"])
async def test_a_link_to_what_is_closed_is_as_if_it_were_not_there(shelf, target):
    shelf.put("secret/AGENTS.md", "S")
    shelf.put(".lindaignore", "secret/\n")
    shelf.put(".env", "KEY=1")
    shelf.put(".hidden/x.md", "H")
    (shelf.root.parent / "outside.md").write_text("O")
    (shelf.root / "AGENTS.md").symlink_to(shelf.root / target)
    assert await shelf.files("secret/x.ipynb") == {}
    with pytest.raises(NotFound):
        await shelf.library.text("AGENTS.md")


@pytest.mark.parametrize(
    "path",
    [
        "../team-b/x.ipynb",
        "/etc/x.ipynb",
        ".hidden/x.ipynb",
        "a/../b/x.ipynb",
        "nul\0/x.ipynb",
        "~/x.ipynb",
        "long" * 2_000 + "/x.ipynb",
        "\ud800/x.ipynb",
        "AGENTS.md/x.ipynb",
        "/" * 50,
    ],
)
async def test_a_notebook_elsewhere_brings_only_what_the_root_holds(shelf, path):
    shelf.put("AGENTS.md", "root")
    shelf.put(".hidden/AGENTS.md", "hidden")
    shelf.put("b/AGENTS.md", "b")
    (shelf.root.parent / "team-b").mkdir()
    (shelf.root.parent / "team-b" / "AGENTS.md").write_text("beside")
    assert list(await shelf.files(path)) == ["AGENTS.md"]


async def test_a_rule_that_denies_reading_leaves_a_file_out_and_says_so(shelf):
    shelf.put("AGENTS.md", "Be short.")
    await shelf.choose("AGENTS.md")
    shelf.rules_path.write_text(
        '{"version": 1, "rules": [{"effect": "deny", "action": "read", "path": "AGENTS.md"}, '
        '{"effect": "auto", "action": "read", "path": "**"}]}'
    )
    found = (await shelf.files())["AGENTS.md"]
    assert (found.state, found.fault) == ("left_out", "closed")
    assert await shelf.given() == []


async def test_what_is_no_text_is_left_out_and_what_is_long_is_cut_and_both_are_said(shelf):
    shelf.put("AGENTS.md", b"\x00\x01\x02" * 50)
    shelf.put(".linda/instructions.md", "三" * 20_000)  # 60 kB; the cut goes through a character
    found = await shelf.files()
    assert (found["AGENTS.md"].state, found["AGENTS.md"].fault) == ("left_out", "not_text")
    assert found[".linda/instructions.md"].fault == "cut"
    shown = await shelf.library.text(".linda/instructions.md")
    assert shown.text == "三" * (32_768 // 3)


async def test_characters_that_do_not_show_are_written_out(shelf):
    shelf.put("AGENTS.md", "Be short.\u200b\U000e0041 And kind.\ue000values|\ue001")
    shown = await shelf.library.text("AGENTS.md")
    assert shown.text == "Be short.\\u200b\\U000e0041 And kind.\\ue000values|\\ue001"


async def test_the_nearest_folders_instructions_have_the_first_claim_on_the_room(shelf):
    for path in ("AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md"):
        shelf.put(path, f"{path} " + "word " * 2_000)
        await shelf.choose(path)
    assert len(await shelf.given("a/b/x.ipynb")) == 3
    given = (await shelf.library.given("local", "", "a/b/x.ipynb", 4_500)).texts
    assert [(one.path, one.fault) for one in given] == [("a/AGENTS.md", "cut"), ("a/b/AGENTS.md", "")]
    assert given[0].body == (shelf.root / "a/AGENTS.md").read_text()[: len(given[0].body)]


async def test_skills_are_listed_by_name_and_only_allowed_ones(shelf):
    shelf.put(".linda/skills/tables/SKILL.md", skill("tables"))
    shelf.put(".linda/skills/wrong/SKILL.md", skill("another"))
    shelf.put(".linda/skills/UPPER/SKILL.md", skill("UPPER"))
    shelf.put(".linda/skills/bare/SKILL.md", "no head")
    shelf.put("skills/mine/SKILL.md", skill("mine", "Mine."), own=True)
    found = await shelf.files()
    assert {path: (one.state, one.fault) for path, one in found.items()} == {
        ".linda/skills/UPPER/SKILL.md": ("left_out", "bad_name"),
        ".linda/skills/bare/SKILL.md": ("left_out", "malformed"),
        ".linda/skills/tables/SKILL.md": ("new", ""),
        ".linda/skills/wrong/SKILL.md": ("left_out", "malformed"),
        "skills/mine/SKILL.md": ("used", ""),
    }
    assert [one.name for one in (await shelf.library.given("local", "", "", 4_000)).skills] == ["mine"]
    assert await shelf.library.skill("local", "", "tables") is None
    await shelf.choose(".linda/skills/tables/SKILL.md")
    assert [one.name for one in (await shelf.library.given("local", "", "", 4_000)).skills] == ["mine", "tables"]
    loaded = await shelf.library.skill("local", "", "tables")
    assert loaded is not None
    assert loaded.body == "Draw no lines."
    with pytest.raises(InvalidInput, match="your own"):
        await shelf.choose("skills/mine/SKILL.md")


async def test_a_command_puts_its_arguments_in_and_an_unallowed_one_is_only_words(shelf):
    shelf.put(
        ".linda/commands/review.md", "---\ndescription: Look it over\nargument-hint: [file]\n---\nReview $ARGUMENTS."
    )
    assert await shelf.library.called("local", "", "/review a.py") is None
    await shelf.choose(".linda/commands/review.md")
    found = (await shelf.files())[".linda/commands/review.md"]
    assert (found.description, found.hint, found.is_callable) == ("Look it over", "[file]", True)
    item = await shelf.library.called("local", "", " /review  a.py and\nb.py ")
    assert item is not None
    assert (item.kind, item.path, item.text) == ("command", ".linda/commands/review.md", "Review a.py and\nb.py.")
    for text in ("/reviews", "see /review", "/review/x", "/usr/bin is a folder"):
        assert await shelf.library.called("local", "", text) is None


async def test_linda_s_own_words_come_first_then_the_persons_then_the_workspaces(shelf):
    shelf.put(".linda/commands/fix.md", "Workspace fix.")
    shelf.put(".linda/commands/plot.md", "Workspace plot.")
    shelf.put("commands/plot.md", "My plot.", own=True)
    shelf.put("skills/plot/SKILL.md", skill("plot"), own=True)
    await shelf.choose(".linda/commands/fix.md")
    await shelf.choose(".linda/commands/plot.md")
    found = await shelf.files()
    assert {path: (one.is_callable, one.fault) for path, one in found.items()} == {
        ".linda/commands/fix.md": (False, "taken"),
        ".linda/commands/plot.md": (False, "taken"),
        "commands/plot.md": (True, ""),
        "skills/plot/SKILL.md": (False, "taken"),
    }
    assert await shelf.library.called("local", "", "/fix it") is None
    item = await shelf.library.called("local", "", "/plot")
    assert item is not None
    assert (item.path, item.text) == ("", "My plot.")


async def test_arguments_that_blow_a_command_up_are_refused(shelf):
    shelf.put("commands/many.md", "$ARGUMENTS " * 1_000, own=True)
    with pytest.raises(InvalidInput, match="is the most"):
        await shelf.library.called("local", "", "/many " + "x" * 1_000)


async def test_without_a_root_folder_only_the_persons_own_are_there(shelf, database, clock, ids):
    shelf.put("AGENTS.md", "Be short.")
    shelf.put("commands/plot.md", "My plot.", own=True)
    from jupyter_linda.instructions.library import Library
    from jupyter_linda.instructions.reading import OwnFolder

    rootless = Library(database, clock, ids, None, OwnFolder(str(shelf.data_dir)), "")
    assert [one.path for one in await rootless.files("local", "", "a/x.ipynb")] == ["commands/plot.md"]


async def test_more_than_are_looked_at_is_said(tmp_path, database, clock, ids):
    shelf = Shelf(tmp_path, database, clock, ids)
    for number in range(52):
        shelf.put(f".linda/skills/s{number:02d}/SKILL.md", skill(f"s{number:02d}"))
    faults = [one.fault for one in (await shelf.files()).values()]
    assert faults == [""] * 50 + ["too_many"] * 2
