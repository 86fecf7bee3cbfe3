"""Taking changes of files back: all of an entry or nothing of it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from jupyter_linda.errors import CannotUndo
from jupyter_linda.journal.files import GONE, FileUndo
from jupyter_linda.journal.turning import NOTHING_LEFT
from jupyter_linda.permissions.paths import PathPolicy


@pytest.fixture
def trash(tmp_path):
    (tmp_path / "trash").mkdir()
    return tmp_path / "trash"


@pytest.fixture
def undo(root, kept, trash):
    def discard(real, path):
        Path(real).rename(trash / Path(path).name)

    return FileUndo(PathPolicy(str(root)), kept, discard)


def deleted(kept, **contents):
    return [
        {"op": "write", "path": f"d/{name}", "old": kept.put_bytes(content), "new": GONE}
        for name, content in contents.items()
    ]


FOLDERS = [
    {"op": "folder", "path": "d/empty", "mode": 0o700, "is_there": False},
    {"op": "folder", "path": "d", "mode": 0o750, "is_there": False},
]


def test_a_deleted_folder_comes_back_and_goes_to_the_trash_again(root, kept, undo, trash):
    done = undo.take_back([*deleted(kept, a=b"A", b=b"B"), *FOLDERS])
    assert {path.name: path.read_bytes() for path in (root / "d").iterdir() if path.is_file()} == {"a": b"A", "b": b"B"}
    assert [stat.S_IMODE((root / name).stat().st_mode) for name in ("d", "d/empty")] == [0o750, 0o700]
    assert undo.take_back(done.changes).words == ""
    assert not (root / "d").exists()
    assert {path.name: path.read_bytes() for path in trash.iterdir()} == {"a": b"A", "b": b"B"}


def test_a_folder_in_which_somebody_put_something_stays_and_it_is_said(root, kept, undo):
    done = undo.take_back([*deleted(kept, a=b"A"), *FOLDERS])
    (root / "d/mine").write_text("a person's own")
    assert undo.take_back(done.changes).words == "The folder 'd' stays: something else lies in it."
    assert [path.name for path in (root / "d").iterdir()] == ["mine"]


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o444])
def test_what_was_deleted_comes_back_with_its_mode(root, kept, undo, mode):
    [change] = deleted(kept, a=b"A")
    done = undo.take_back([{**change, "mode": mode}])
    assert stat.S_IMODE((root / "d/a").stat().st_mode) == mode
    (root / "d/a").chmod(0o640)
    again = undo.take_back(done.changes)
    undo.take_back(again.changes)
    assert stat.S_IMODE((root / "d/a").stat().st_mode) == 0o640


def test_what_a_person_took_back_by_hand_is_said_and_can_be_done_again(root, kept, undo):
    (root / "a.txt").write_text("two")
    change = {"op": "write", "path": "a.txt", "old": kept.put_bytes(b"two"), "new": kept.put_bytes(b"TWO")}
    turned = undo.take_back([change])
    assert turned.words == NOTHING_LEFT
    assert undo.take_back(turned.changes).words == ""
    assert (root / "a.txt").read_text() == "TWO"


@pytest.mark.parametrize("codec", ["cp1252", "gb18030", "utf-16", "utf-8"])
def test_a_text_in_any_encoding_is_taken_back_around_a_persons_lines(root, kept, undo, codec):
    old, new, now, wanted = (text.encode(codec) for text in ("é\nb\n", "é\nB\n", "é\nB\nmine\n", "é\nb\nmine\n"))
    (root / "l.txt").write_bytes(now)
    undo.take_back([{"op": "write", "path": "l.txt", "old": kept.put_bytes(old), "new": kept.put_bytes(new)}])
    assert (root / "l.txt").read_bytes() == wanted


def test_nothing_comes_back_where_one_of_them_cannot(root, kept, undo):
    (root / "d").mkdir()
    (root / "d/a").write_text("a person's own")
    with pytest.raises(CannotUndo, match="Another file is at 'd/a' now"):
        undo.take_back(deleted(kept, a=b"A", b=b"B"))
    assert [path.name for path in (root / "d").iterdir()] == ["a"]
    assert (root / "d/a").read_text() == "a person's own"


def made_notebook(**cell):
    cells = [{"cell_type": "code", "id": "a", "source": "x = 1", "metadata": {}, "outputs": [], **cell}]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def test_a_notebook_she_made_goes_again_however_jupyter_laid_it_out_and_comes_back_by_redo(root, kept, undo):
    made = json.dumps(made_notebook()).encode()
    saved = json.dumps(made_notebook() | {"metadata": {"language_info": {"name": "python"}}}, indent=1)
    (root / "n.ipynb").write_text(saved)
    done = undo.take_back([{"op": "write", "path": "n.ipynb", "old": GONE, "new": kept.put_bytes(made)}])
    assert not (root / "n.ipynb").exists()
    undo.take_back(done.changes)
    assert (root / "n.ipynb").read_text() == saved


@pytest.mark.parametrize("cell", [{"source": "x = 2"}, {"outputs": [{"output_type": "stream", "text": "1"}]}])
def test_a_notebook_she_made_that_was_worked_in_stays(root, kept, undo, cell):
    (root / "n.ipynb").write_text(json.dumps(made_notebook(**cell)))
    made = json.dumps(made_notebook()).encode()
    with pytest.raises(CannotUndo, match="changed since she made it"):
        undo.take_back([{"op": "write", "path": "n.ipynb", "old": GONE, "new": kept.put_bytes(made)}])
    assert (root / "n.ipynb").exists()


def changed(root, kept, path, **noted):
    """What the journal holds once she changed a file from "old" to "new"."""
    (root / path).write_text("new")
    return [{"op": "write", "path": path, "old": kept.put_bytes(b"old"), "new": kept.put_bytes(b"new"), **noted}]


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_change_is_not_taken_back_through_a_link_that_was_put_there_later(root, kept, undo, is_noted):
    changes = changed(root, kept, "a.txt", **({"real": str(root / "a.txt")} if is_noted else {}))
    (root / "a.txt").rename(root / "theirs.txt")
    (root / "a.txt").symlink_to("theirs.txt")
    with pytest.raises(CannotUndo, match=r"A link is at 'a\.txt' now"):
        undo.take_back(changes)
    assert (root / "theirs.txt").read_text() == "new"


def test_a_change_is_not_taken_back_where_a_folder_leads_elsewhere_now(root, kept, undo):
    (root / "d").mkdir()
    changes = changed(root, kept, "d/a.txt", real=str(root / "d/a.txt"))
    (root / "d").rename(root / "theirs")
    (root / "d").symlink_to("theirs")
    with pytest.raises(CannotUndo, match=r"'d/a\.txt' leads to another place now"):
        undo.take_back(changes)
    assert (root / "theirs/a.txt").read_text() == "new"


def test_a_change_through_a_link_that_was_there_is_taken_back_and_done_again(root, kept, undo):
    (root / "a.txt").symlink_to("meant.txt")
    done = undo.take_back(changed(root, kept, "a.txt", real=str(root / "meant.txt")))
    assert (root / "meant.txt").read_text() == "old"
    undo.take_back(done.changes)
    assert (root / "meant.txt").read_text() == "new"
    assert (root / "a.txt").is_symlink()


@pytest.mark.parametrize("name", ["a", "empty", "inner/deep"])
@pytest.mark.parametrize("is_link", [True, False])
def test_nothing_of_a_folder_comes_back_where_a_link_or_a_file_is_in_the_way(root, kept, undo, name, is_link):
    folders = [{"op": "folder", "path": "d/inner/deep", "mode": 0o755, "is_there": False}, *FOLDERS]
    in_the_way = root / "d" / name
    in_the_way.parent.mkdir(parents=True)
    if is_link:
        in_the_way.symlink_to(root / "elsewhere")
    else:
        in_the_way.write_text("a person's own")
    before = sorted(root.rglob("*"))
    with pytest.raises(CannotUndo, match=f"at 'd/{name}' now"):
        undo.take_back([*deleted(kept, a=b"A", b=b"B"), *folders])
    assert sorted(root.rglob("*")) == before


def test_the_folder_a_link_leads_to_does_not_go(root, undo):
    (root / "theirs").mkdir()
    (root / "d").symlink_to("theirs")
    with pytest.raises(CannotUndo, match="A link is at 'd' now"):
        undo.take_back([{"op": "folder", "path": "d", "mode": 0o755, "is_there": True}])
    assert (root / "theirs").is_dir()


def test_folders_have_their_modes_though_a_file_in_them_could_not_come_back(root, kept, undo, monkeypatch):
    def refuse(*_arguments):
        raise CannotUndo("The disk is full.")

    monkeypatch.setattr("jupyter_linda.journal.files._create", refuse)
    with pytest.raises(CannotUndo, match="The disk is full"):
        undo.take_back([*deleted(kept, a=b"A"), *FOLDERS])
    assert stat.S_IMODE((root / "d").stat().st_mode) == 0o750
