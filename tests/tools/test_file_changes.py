"""Patching, moving, copying and deleting files."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path

import pytest

from jupyter_linda.errors import NotAllowed, NotFound, StaleRevision, ToolFailed, ToolRetry
from jupyter_linda.journal.nodes import node_of
from jupyter_linda.ports import ToolResult, Unknown
from jupyter_linda.tools.deleting import delete_file
from jupyter_linda.tools.file import list_files, read_file, search_files
from jupyter_linda.tools.file_changes import copy_file, move_file, patch_file
from tests.fakes.tool_bench import ToolBench


@pytest.fixture(autouse=True)
def _own_trash(tmp_path, monkeypatch):
    """The tests' own trash, not the machine's."""
    import send2trash.plat_other as platform

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(platform, "HOMETRASH", str(tmp_path / "share" / "Trash"), raising=False)
    monkeypatch.setattr(platform, "HOMETRASH_B", os.fsencode(tmp_path / "share" / "Trash"), raising=False)


def test_a_passage_that_occurs_once_is_replaced_and_nothing_else(root, bench):
    (root / "a.py").write_bytes(b"x = 1\r\ny = 2\r\nz = 3")
    (root / "a.py").chmod(0o750)
    result = bench.run(patch_file, path="a.py", old_text="y = 2\nz", new_text="y = 20\nz")
    assert (root / "a.py").read_bytes() == b"x = 1\r\ny = 20\r\nz = 3"
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o750
    assert result.data["version"] == bench.run(read_file, path="a.py").data["version"]
    assert bench.journal.entries["entry_0"][2][0]["op"] == "write"
    assert bench.journal.kept[bench.journal.entries["entry_0"][2][0]["old"]] == b"x = 1\r\ny = 2\r\nz = 3"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_patch_keeps_the_encoding(root, bench, codec):
    (root / "a.txt").write_bytes("中文资料，销售额\n".encode(codec))
    bench.run(patch_file, path="a.txt", old_text="销售额", new_text="收入")
    assert (root / "a.txt").read_bytes() == "中文资料，收入\n".encode(codec)


def test_a_passage_that_is_not_there_once_is_refused_with_the_text_as_it_is(root, bench):
    (root / "a.txt").write_text("one\ntwo\ntwo\n")
    with pytest.raises(ToolRetry, match=r"occurs 2 times.*\n?.*one\ntwo\ntwo"):
        bench.run(patch_file, path="a.txt", old_text="two", new_text="x")
    (root / "b.txt").write_text("".join(f"line number {n}\n" for n in range(500)))
    with pytest.raises(ToolRetry, match="line number 400\n"):
        bench.run(patch_file, path="b.txt", old_text="line  number 400", new_text="x")
    assert bench.journal.entries == {}


def test_a_patch_of_what_cannot_be_kept_whole_is_refused(root, bench):
    (root / "a.bin").write_bytes(b"\0\1\2")
    with pytest.raises(ToolFailed, match="binary"):
        bench.run(patch_file, path="a.bin", old_text="x", new_text="y")
    (root / "a.txt").write_bytes("un café à Genève, déjà vu, très bien".encode("cp1252"))
    with pytest.raises(ToolRetry, match="no such characters"):
        bench.run(patch_file, path="a.txt", old_text="café", new_text="咖啡")
    with pytest.raises(ToolRetry, match="edit_cell"):
        bench.run(patch_file, path="a.ipynb", old_text="x", new_text="y")


def test_after_a_crash_a_patch_is_looked_up(root, bench):
    (root / "a.txt").write_text("one two\n")
    wish = {"path": "a.txt", "old_text": "two", "new_text": "three"}
    assert bench.find(patch_file, **wish) is None
    bench.run(patch_file, **wish)
    assert isinstance(bench.find(patch_file, **wish), ToolResult)
    (root / "a.txt").write_text("else\n")
    assert isinstance(bench.find(patch_file, **wish), Unknown)


def test_moving_keeps_the_file_and_overwrites_nothing(root, bench):
    (root / "a.txt").write_text("A")
    (root / "b.txt").write_text("B")
    before, node = (root / "a.txt").stat(), node_of(str(root / "a.txt"))
    with pytest.raises(ToolRetry, match="nothing is overwritten"):
        bench.run(move_file, path="a.txt", to="b.txt")
    bench.run(move_file, path="a.txt", to="new/deep/c.txt")
    after = (root / "new/deep/c.txt").stat()
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (before.st_ino, before.st_mode, before.st_mtime_ns)
    assert not (root / "a.txt").exists()
    assert (root / "b.txt").read_text() == "B"
    mark = f"file {hashlib.sha256(b'A').hexdigest()}"
    assert list(bench.journal.entries.values()) == [
        ("file", "a.txt", [{"op": "move", "path": "a.txt", "to": "new/deep/c.txt", "mark": mark, "node": node}])
    ]
    bench.run(move_file, path="new", to="other/place")
    assert (root / "other/place/deep/c.txt").read_text() == "A"


def test_what_cannot_be_looked_at_is_not_moved_and_it_is_said(root, bench, monkeypatch):
    (root / "a.txt").write_text("A")

    def refuse(_real):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("jupyter_linda.journal.moves.mark_of", refuse)
    with pytest.raises(ToolFailed, match=r"'a\.txt' cannot be looked at: Permission denied"):
        bench.run(move_file, path="a.txt", to="b.txt")
    assert [path.name for path in root.glob("*.txt")] == ["a.txt"]


def test_what_is_not_moved_is_said(root, bench):
    (root / "d/e").mkdir(parents=True)
    (root / "link").symlink_to(root / "d")
    with pytest.raises(NotFound):
        bench.run(move_file, path="none.txt", to="x")
    with pytest.raises(ToolRetry, match="inside what is to be moved"):
        bench.run(move_file, path="d", to="d/e/f")
    with pytest.raises(ToolRetry, match="is a link"):
        bench.run(move_file, path="link", to="x")
    with pytest.raises(ToolRetry, match="notebook folder"):
        bench.run(move_file, path=".", to="x")


def test_a_folder_that_holds_what_is_closed_is_neither_moved_nor_deleted(root, bench):
    for name in ("a/.env", "b/.git/config", "c/hidden.csv", "d/.ipynb_checkpoints/x"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("S")
    (root / "c/.lindaignore").write_text("hidden.csv\n")
    for folder in ("a", "b", "c"):
        with pytest.raises(NotAllowed):
            bench.run(move_file, path=folder, to="x")
        with pytest.raises(NotAllowed):
            bench.run(delete_file, path=folder)
        assert (root / folder).is_dir()
    bench.run(move_file, path="d", to="x")
    assert (root / "x/.ipynb_checkpoints/x").exists()


def test_copying_makes_a_whole_copy_with_the_same_mode(root, bench):
    (root / "a.bin").write_bytes(bytes(range(256)) * 5000)
    (root / "a.bin").chmod(0o640)
    result = bench.run(copy_file, path="a.bin", to="out/b.bin")
    assert (root / "out/b.bin").read_bytes() == (root / "a.bin").read_bytes()
    assert stat.S_IMODE((root / "out/b.bin").stat().st_mode) == 0o640
    assert result.data["size_bytes"] == 1_280_000
    with pytest.raises(ToolRetry, match="nothing is overwritten"):
        bench.run(copy_file, path="a.bin", to="out/b.bin")
    with pytest.raises(NotFound):
        bench.run(copy_file, path="none", to="x")
    assert [path.name for path in (root / "out").iterdir()] == ["b.bin"]


def test_both_paths_of_a_copy_are_judged(root, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "s.txt").write_text("S")
    (root / "a.txt").write_text("A")
    (root / "link").symlink_to(outside)
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"version": 1, "rules": [{"effect": "auto", "action": "any", "path": ""}]}))
    bench = ToolBench(root, rules_file=rules, answer=None)
    for path, to in (("link/s.txt", "b.txt"), ("a.txt", "link/b.txt"), (str(outside / "s.txt"), "b.txt")):
        for tool in (copy_file, move_file):
            with pytest.raises(PermissionError):
                bench.run(tool, path=path, to=to)
    for path, to in ((".env", "b.txt"), ("a.txt", ".env"), ("a.txt", "x/.hidden")):
        for tool in (copy_file, move_file):
            bench.answer = "once"
            with pytest.raises(PermissionError):
                bench.run(tool, path=path, to=to)
    assert [path.name for path in outside.iterdir()] == ["s.txt"]


def test_what_is_deleted_lies_in_the_trash_and_it_is_said_where(root, bench):
    (root / "名字 1.txt").write_text("A")
    result = bench.run(delete_file, path="名字 1.txt")
    assert not (root / "名字 1.txt").exists()
    assert Path(result.data["trash"]).read_text() == "A"
    assert result.data["trash"] in result.text
    (root / "d/e").mkdir(parents=True)
    (root / "d/e/f.txt").write_text("F")
    folder = bench.run(delete_file, path="d")
    assert (Path(folder.data["trash"]) / "e/f.txt").read_text() == "F"
    changes = [entry[2] for entry in bench.journal.entries.values()]
    assert [[(change["op"], change["path"]) for change in entry] for entry in changes] == [
        [("write", "名字 1.txt")],
        [("write", "d/e/f.txt"), ("folder", "d/e"), ("folder", "d")],
    ]


def test_a_folder_that_holds_more_than_files_and_folders_is_not_noted(root, bench):
    (root / "d/empty").mkdir(parents=True)
    (root / "d/f.txt").symlink_to(root / "d/empty")
    bench.run(delete_file, path="d")
    assert not (root / "d").exists()
    assert bench.journal.entries == {}


def test_only_the_version_that_was_read_is_deleted(root, bench):
    (root / "a.txt").write_text("A")
    version = bench.run(read_file, path="a.txt").data["version"]
    (root / "a.txt").write_text("changed")
    with pytest.raises(StaleRevision):
        bench.run(delete_file, path="a.txt", version=version)
    assert (root / "a.txt").exists()
    assert bench.journal.entries == {}


def test_without_a_trash_nothing_is_deleted(root, bench, monkeypatch):
    def refuse(path):
        raise PermissionError(path)

    monkeypatch.setattr("jupyter_linda.tools.trash.send2trash", refuse)
    (root / "a.txt").write_text("A")
    with pytest.raises(ToolFailed, match="has no trash"):
        bench.run(delete_file, path="a.txt")
    assert (root / "a.txt").exists()
    assert bench.journal.entries == {}


def test_an_open_notebook_is_neither_moved_nor_deleted(root, bench, browsers):
    from tests.fakes.browser_tab import FakeTab

    (root / "n").mkdir()
    (root / "n/a.ipynb").write_text("{}")
    FakeTab(browsers).opens("n/a.ipynb", {"cells": []})
    for path in ("n/a.ipynb", "n"):
        with pytest.raises(ToolRetry, match="open in JupyterLab"):
            bench.run(move_file, path=path, to="x")
        with pytest.raises(ToolRetry, match="open in JupyterLab"):
            bench.run(delete_file, path=path)


def test_after_a_crash_moves_copies_and_deletes_are_looked_up(root, bench):
    (root / "a.txt").write_text("A")
    both = {"path": "a.txt", "to": "b.txt"}
    assert bench.find(move_file, **both) is None
    assert bench.find(copy_file, **both) is None
    (root / "b.txt").write_text("B")  # as long as the other, and no copy of it
    assert isinstance(bench.find(copy_file, **both), Unknown)
    (root / "b.txt").unlink()
    bench.run(copy_file, **both)
    assert isinstance(bench.find(copy_file, **both), ToolResult)
    assert isinstance(bench.find(move_file, **both), Unknown)
    (root / "a.txt").unlink()
    assert isinstance(bench.find(move_file, **both), ToolResult)
    assert isinstance(bench.find(delete_file, path="a.txt"), ToolResult)
    assert bench.find(delete_file, path="b.txt") is None


def test_what_is_ignored_is_closed_to_every_file_tool(root, bench):
    (root / ".lindaignore").write_text("private/\n*.key.txt\n")
    (root / "private").mkdir()
    for name in ("private/a.txt", "b.key.txt", "c.txt"):
        (root / name).write_text("needle\n")
    assert bench.run(list_files).text == "c.txt  7 bytes"
    assert [match["path"] for match in bench.run(search_files, query="needle").data["matches"]] == ["c.txt"]
    for tool, wish in (
        (read_file, {"path": "private/a.txt"}),
        (patch_file, {"path": "b.key.txt", "old_text": "needle", "new_text": "x"}),
        (delete_file, {"path": "private"}),
        (move_file, {"path": "private/a.txt", "to": "x.txt"}),
        (copy_file, {"path": "c.txt", "to": "private/x.txt"}),
    ):
        with pytest.raises(PermissionError, match="hidden from Linda"):
            bench.run(tool, **wish)


def test_a_folder_that_holds_what_may_not_be_read_stays_in_its_place(root, bench, tmp_path):
    (root / "pay/2025").mkdir(parents=True)
    (root / "pay/2025/p.txt").write_text("alice 100")
    auto = {"effect": "auto", "action": "any", "path": ""}
    (tmp_path / "rules.json").write_text(
        json.dumps({"version": 1, "rules": [auto, {"effect": "deny", "action": "read", "path": "pay/2025"}]})
    )
    bench = ToolBench(root, live=bench.live, rules_file=tmp_path / "rules.json")
    for tool, arguments in ((move_file, {"path": "pay", "to": "open"}), (delete_file, {"path": "pay"})):
        with pytest.raises(NotAllowed, match="pay/2025"):
            bench.run(tool, **arguments)
    assert (root / "pay/2025/p.txt").exists()


@pytest.mark.parametrize("note", [b"Path=a%00b\n", b"\xff\xfe", b"no path\n"])
def test_an_odd_note_in_the_trash_makes_no_failure_of_a_deletion(root, bench, tmp_path, note):
    """The file is gone by then: a failure would be untrue, and its entry in the journal would be dropped."""
    info = tmp_path / "share" / "Trash" / "info"
    info.mkdir(parents=True)
    (info / "odd.trashinfo").write_bytes(note)
    os.utime(info / "odd.trashinfo", (4_000_000_000, 4_000_000_000))
    (root / "a.txt").write_text("A")
    result = bench.run(delete_file, path="a.txt")
    assert Path(result.data["trash"]).read_text() == "A"
    assert len(bench.journal.entries) == 1


def test_a_question_about_a_folder_says_how_much_lies_in_it(root, bench):
    (root / "data" / "raw").mkdir(parents=True)
    (root / "data" / "raw" / "a.csv").write_text("x")
    (root / "data" / ".ipynb_checkpoints").mkdir()
    (root / "none").mkdir()
    inside = "(a folder with 2 things in it)"
    assert bench.preview(delete_file, path="data").sentence == f"Delete data {inside}: it goes to the trash."
    assert bench.preview(move_file, path="data", to="old").sentence == f"Move data {inside} to old."
    assert bench.preview(delete_file, path="none").sentence == "Delete none (an empty folder): it goes to the trash."
    assert bench.preview(delete_file, path="data/raw/a.csv").sentence == "Delete data/raw/a.csv: it goes to the trash."
