"""Moves taken back: only what she moved, only to a free place; whatever else stands there stays as it is."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_linda.errors import CannotUndo
from jupyter_linda.journal.files import GONE, FileUndo
from jupyter_linda.journal.moves import mark_of
from jupyter_linda.journal.nodes import node_of
from jupyter_linda.journal.store import Written
from jupyter_linda.journal.turning import NOTHING_LEFT
from jupyter_linda.journal.undo import Undoing
from jupyter_linda.permissions.paths import PathPolicy
from jupyter_linda.schemas import JournalEntry
from jupyter_linda.storage.files import Results


def undo_over(root, kept):
    def discard(_real, path):
        raise AssertionError(path)

    return FileUndo(PathPolicy(str(root)), kept, discard)


@pytest.fixture
def undo(root, kept):
    return undo_over(root, kept)


def moved(root, source, target):
    """What the journal holds once she has moved it."""
    mark, node = mark_of(str(root / source)), node_of(str(root / source))
    (root / source).rename(root / target)
    return [{"op": "move", "path": source, "to": target, "mark": mark, "node": node}]


def everything(root):
    return {
        path.relative_to(root).as_posix(): (
            f"-> {path.readlink()}" if path.is_symlink() else path.read_bytes() if path.is_file() else None
        )
        for path in sorted(root.rglob("*"))
    }


only_born = pytest.mark.skipif(not node_of(__file__), reason="this file system does not tell when a file was made")


def make_folder(root, **files):
    (root / "d").mkdir()
    for name, content in files.items():
        (root / "d" / name).write_text(content)


def test_a_move_is_taken_back_and_made_again(root, undo):
    (root / "a.txt").write_text("A")
    changes = moved(root, "a.txt", "b.txt")
    done = undo.take_back(changes)
    assert everything(root) == {"a.txt": b"A"}
    again = undo.take_back(done.changes)
    assert everything(root) == {"b.txt": b"A"}
    undo.take_back(again.changes)
    assert everything(root) == {"a.txt": b"A"}


def test_a_folder_is_moved_back_whole(root, undo):
    make_folder(root, one="1", two="2")
    done = undo.take_back(moved(root, "d", "e"))
    assert everything(root) == {"d": None, "d/one": b"1", "d/two": b"2"}
    undo.take_back(done.changes)
    assert everything(root) == {"e": None, "e/one": b"1", "e/two": b"2"}


A_TICK_S = 0.03
"""File systems tell times of birth apart that lie so far apart."""
OTHERS = {
    "another file": (
        lambda at: at.write_text("a person's"),
        "was changed since she moved it there, or is another file",
    ),
    "a folder": (lambda at: at.mkdir(), "She moved a file to '{}', and a folder is there now"),
    "a link": (lambda at: at.symlink_to(at.parent / "same"), "A link is at '{}' now"),
    "nothing": (lambda at: None, "'{}' is not there any more"),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("is_redo", [False, True])
def test_what_somebody_put_in_its_place_stays(root, undo, other, is_redo):
    put, words = OTHERS[other]
    (root / "a.txt").write_text("A")
    (root / "same").write_text("A")
    changes = moved(root, "a.txt", "b.txt")
    if is_redo:
        changes = undo.take_back(changes).changes
    at = root / changes[0]["to"]
    time.sleep(A_TICK_S)
    at.unlink()
    put(at)
    before = everything(root)
    with pytest.raises(CannotUndo, match=words.format(at.name)):
        undo.take_back(changes)
    assert everything(root) == before


@pytest.mark.parametrize("name", ["one", "three"])
def test_a_folder_in_which_other_things_lie_by_now_stays(root, undo, name):
    make_folder(root, one="1", two="2")
    changes = moved(root, "d", "e")
    (root / "e" / name).write_text("a person's")
    before = everything(root)
    with pytest.raises(CannotUndo, match="What lies in 'e' is not what lay in the folder"):
        undo.take_back(changes)
    assert everything(root) == before


@only_born
def test_a_file_that_was_worked_in_since_is_moved_back_as_it_is(root, undo):
    (root / "n.ipynb").write_text("as it was")
    changes = moved(root, "n.ipynb", "m.ipynb")
    (root / "m.ipynb").write_text("run since")
    done = undo.take_back(changes)
    assert everything(root) == {"n.ipynb": b"run since"}
    (root / "n.ipynb").write_text("run again")
    undo.take_back(done.changes)
    assert everything(root) == {"m.ipynb": b"run again"}


@only_born
def test_a_file_that_was_worked_in_and_moved_back_by_hand_is_left(root, undo):
    (root / "a.txt").write_text("A")
    changes = moved(root, "a.txt", "b.txt")
    (root / "b.txt").rename(root / "a.txt")
    (root / "a.txt").write_text("more")
    assert undo.take_back(changes).words == NOTHING_LEFT


def test_a_file_that_was_written_anew_with_the_same_content_is_what_she_moved(root, undo):
    (root / "a.txt").write_text("A")
    changes = moved(root, "a.txt", "b.txt")
    (root / "new").write_text("A")
    (root / "new").replace(root / "b.txt")
    undo.take_back(changes)
    assert everything(root) == {"a.txt": b"A"}


@only_born
def test_another_file_that_got_the_number_of_one_that_is_gone_is_another_file(root):
    nodes = set()
    for _ in range(3):
        (root / "a.txt").write_text("A")
        nodes.add(node_of(str(root / "a.txt")))
        (root / "a.txt").unlink()
        time.sleep(A_TICK_S)
    assert len(nodes) == 3


def test_only_files_are_told_by_their_node(root):
    (root / "link").symlink_to("nothing")
    assert [node_of(str(path)) for path in (root, root / "link", root / "none")] == ["", "", ""]


def test_nothing_is_moved_over_what_stands_at_the_old_place_again(root, undo):
    (root / "a.txt").write_text("A")
    changes = moved(root, "a.txt", "b.txt")
    (root / "a.txt").write_text("a person's")
    with pytest.raises(CannotUndo, match=r"Something else is at 'a\.txt' now"):
        undo.take_back(changes)
    (root / "b.txt").unlink()
    with pytest.raises(CannotUndo, match=r"not there any more, and something else is at 'a\.txt'"):
        undo.take_back(changes)
    assert everything(root) == {"a.txt": b"a person's"}


def test_what_a_person_moved_back_by_hand_is_left(root, undo):
    (root / "a.txt").write_text("A")
    changes = moved(root, "a.txt", "b.txt")
    (root / "b.txt").rename(root / "a.txt")
    assert undo.take_back(changes).words == NOTHING_LEFT


@pytest.mark.parametrize("is_copy", [True, False])
def test_a_link_to_a_file_with_the_same_content_does_not_take_that_file_away(root, kept, undo, is_copy):
    """Undo of a copy, redo of a deletion: the path is the same, what stands there is not."""
    (root / "a.txt").write_text("A")
    (root / "b.txt").symlink_to("a.txt")
    change = {"op": "write", "path": "b.txt", "old": GONE, "new": kept.put_bytes(b"A"), "is_trashed": not is_copy}
    with pytest.raises(CannotUndo, match=r"A link is at 'b\.txt' now"):
        undo.take_back([change])
    assert everything(root) == {"a.txt": b"A", "b.txt": "-> a.txt"}


def test_a_deleted_file_does_not_come_back_through_a_link(root, kept, undo):
    (root / "b.txt").symlink_to("elsewhere.txt")
    with pytest.raises(CannotUndo, match=r"A link is at 'b\.txt' now"):
        undo.take_back([{"op": "write", "path": "b.txt", "old": kept.put_bytes(b"A"), "new": GONE}])
    assert everything(root) == {"b.txt": "-> elsewhere.txt"}


NAMES = ["a", "b", "c"]
HUMAN = st.tuples(
    st.sampled_from(["write", "remove", "rename", "folder"]), st.sampled_from(NAMES), st.sampled_from(NAMES)
)


def by_hand(root, deed, name, other, number):
    at = root / name
    if deed == "write" and not at.is_dir():
        at.write_text(f"person {number}")
    elif deed == "folder" and not at.exists():
        at.mkdir()
    elif deed == "remove" and at.exists():
        shutil.rmtree(at) if at.is_dir() else at.unlink()
    elif deed == "rename" and at.exists() and not (root / other).exists():
        at.rename(root / other)


def not_hers(root, node):
    """Everything but the file that she moved, whatever is in it."""
    return {
        name: content
        for name, content in everything(root).items()
        if content != b"hers" and (not node or node_of(str(root / name)) != node)
    }


@settings(max_examples=150, deadline=None)
@given(deeds=st.lists(HUMAN, max_size=4), turns=st.integers(1, 3))
def test_whatever_people_do_meanwhile_nothing_of_theirs_moves_or_goes(tmp_path_factory, deeds, turns):
    folder = tmp_path_factory.mktemp("moves")
    root = folder / "root"
    root.mkdir()
    (root / "a").write_text("hers")
    undo = undo_over(root, Results(folder / "kept"))
    changes = moved(root, "a", "b")
    node = changes[0]["node"]
    for number, (deed, name, other) in enumerate(deeds):
        by_hand(root, deed, name, other, number)
    for _ in range(turns):
        before, others = everything(root), not_hers(root, node)
        try:
            changes = undo.take_back(changes).changes
        except CannotUndo:
            assert everything(root) == before
            return
        after = everything(root)
        assert not_hers(root, node) == others
        assert sorted(map(str, after.values())) == sorted(map(str, before.values()))


class OneOpen:
    """A tab with one notebook in it."""

    async def list_notebooks(self):
        return [{"path": "e/deep/n.ipynb"}]


@pytest.mark.parametrize(
    ("target", "is_refused"), [("e", True), ("e/deep", True), ("./e", True), ("e/de", False), ("{}/e", True)]
)
def test_a_folder_stays_while_a_notebook_in_it_is_open(root, undo, target, is_refused):
    undoing = Undoing(log=None, live_of=None, files=undo, root_dir=str(root))
    change = {"op": "move", "path": "d", "to": target.format(root), "mark": "folder 0"}
    with pytest.raises(CannotUndo, match="is open in JupyterLab") if is_refused else nullcontext():
        asyncio.run(undoing._refuse_open([change], OneOpen()))


@pytest.mark.parametrize("stands_at", ["a.txt", "b.txt"])
def test_what_cannot_be_looked_at_is_said_and_stays(root, undo, monkeypatch, stands_at):
    (root / "a.txt").write_text("A")
    changes = [{**change, "node": ""} for change in moved(root, "a.txt", "b.txt")]
    (root / "b.txt").rename(root / stands_at)

    def refuse(_real):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("jupyter_linda.journal.moves.mark_of", refuse)
    with pytest.raises(CannotUndo, match=f"'{stands_at}' cannot be looked at: Permission denied"):
        undo.take_back(changes)
    assert everything(root) == {stands_at: b"A"}


def test_a_move_that_cannot_be_finished_is_said_and_nothing_has_two_names(root, undo, monkeypatch):
    (root / "a.txt").write_text("A")
    changes = moved(root, "a.txt", "b.txt")
    unlink = Path.unlink

    def refuse(path, **options):
        if path.name == "b.txt":
            raise PermissionError(13, "Permission denied")
        unlink(path, **options)

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(CannotUndo, match=r"'b\.txt' cannot be moved back: .*Permission denied"):
        undo.take_back(changes)
    assert everything(root) == {"b.txt": b"A"}


@pytest.mark.parametrize("inside", ["", "a file", "a link"])
def test_a_folder_comes_back_where_only_empty_folders_are_left(root, undo, inside):
    """She moves a folder, writes into a new one of its old name, and all of that is taken back."""
    make_folder(root, **{"a.txt": "hers"})
    changes = moved(root, "d", "d2")
    (root / "d" / "e" / "f").mkdir(parents=True)
    if inside:
        place = root / "d" / "e" / "x"
        place.write_text("somebody's") if inside == "a file" else place.symlink_to(root)
        before = everything(root)
        with pytest.raises(CannotUndo, match="Something else is at 'd' now"):
            undo.take_back(changes)
        assert everything(root) == before
        return
    done = undo.take_back(changes)
    assert everything(root) == {"d": None, "d/a.txt": b"hers"}
    undo.take_back(done.changes)
    assert everything(root) == {"d2": None, "d2/a.txt": b"hers"}


def test_a_file_does_not_come_back_over_an_empty_folder(root, undo):
    (root / "a").write_text("x")
    changes = moved(root, "a", "b")
    (root / "a").mkdir()
    with pytest.raises(CannotUndo, match="Something else is at 'a' now"):
        undo.take_back(changes)
    assert everything(root) == {"a": None, "b": b"x"}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (PermissionError(13, "Permission denied"), r"'a\.txt' cannot be changed back: Permission denied"),
        (ValueError("of ours"), r"failed inside \(ValueError\)\."),
    ],
)
def test_what_fails_in_an_undo_is_said_and_stays(root, kept, undo, monkeypatch, fault, words):
    (root / "a.txt").write_text("hers")
    change = {"op": "write", "path": "a.txt", "old": GONE, "new": kept.put_bytes(b"hers")}
    entry = JournalEntry(
        entry_id="e", chat_id="c", run_id="r", call_id="x", kind="file", path="a.txt", title="", state="done",
        at=datetime.now(UTC),
    )  # fmt: skip
    undoing = Undoing(log=None, live_of=lambda _owner: OneOpen(), files=undo, root_dir=str(root))

    def refuse(_path, **_options):
        raise fault

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(CannotUndo, match=words):
        asyncio.run(undoing._take_back_whole(Written(entry, [change], None, str(root)), "local", is_undo=True))
    assert everything(root) == {"a.txt": b"hers"}
