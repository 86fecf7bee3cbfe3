"""Taking changes of files back: all of an entry or nothing of it."""

from __future__ import annotations

import pytest

from jupyter_linda.errors import CannotUndo
from jupyter_linda.journal.files import GONE, FileUndo
from jupyter_linda.permissions.paths import PathPolicy
from jupyter_linda.storage.files import Results


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def kept(tmp_path):
    return Results(tmp_path / "kept")


@pytest.fixture
def undo(root, kept):
    return FileUndo(PathPolicy(str(root)), kept)


def deleted(kept, **contents):
    return [
        {"op": "write", "path": f"d/{name}", "old": kept.put_bytes(content), "new": GONE}
        for name, content in contents.items()
    ]


def test_a_deleted_folder_comes_back_and_goes_again(root, kept, undo):
    done = undo.take_back(deleted(kept, a=b"A", b=b"B"))
    assert {path.name: path.read_bytes() for path in (root / "d").iterdir()} == {"a": b"A", "b": b"B"}
    undo.take_back(done)
    assert list((root / "d").iterdir()) == []


def test_nothing_comes_back_where_one_of_them_cannot(root, kept, undo):
    (root / "d").mkdir()
    (root / "d/a").write_text("a person's own")
    with pytest.raises(CannotUndo, match="Another file is at 'd/a' now"):
        undo.take_back(deleted(kept, a=b"A", b=b"B"))
    assert [path.name for path in (root / "d").iterdir()] == ["a"]
    assert (root / "d/a").read_text() == "a person's own"
