"""A file that gets another place has one name afterwards, whatever goes wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_linda.errors import NotAllowed
from jupyter_linda.permissions.placing import move_into_place

NAMES = ("old.txt", "new.txt")


@pytest.fixture
def places(tmp_path):
    old, new = (tmp_path / name for name in NAMES)
    old.write_text("hers")
    return old, new


def before_unlink(monkeypatch, deed):
    """Do something between the new name and the end of the old one."""
    unlink = Path.unlink

    def late(path, **options):
        if path.name == NAMES[0]:
            deed(path)
        unlink(path, **options)

    monkeypatch.setattr(Path, "unlink", late)


def refuse(_path):
    raise PermissionError(13, "Permission denied")


def test_where_the_old_name_cannot_go_the_new_one_goes_again(places, monkeypatch):
    old, new = places
    before_unlink(monkeypatch, refuse)
    with pytest.raises(NotAllowed, match=r"'new\.txt' cannot be written: Permission denied"):
        move_into_place(str(old), str(new), label="new.txt")
    assert old.read_text() == "hers"
    assert old.stat().st_nlink == 1
    assert not new.exists()


def test_what_somebody_saved_at_the_new_place_meanwhile_stays(places, monkeypatch):
    old, new = places

    def save_and_refuse(path):
        new.unlink()
        new.write_text("a person's")
        refuse(path)

    before_unlink(monkeypatch, save_and_refuse)
    with pytest.raises(NotAllowed):
        move_into_place(str(old), str(new), label="new.txt")
    assert (old.read_text(), new.read_text()) == ("hers", "a person's")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root removes from any folder")
def test_a_file_stays_in_a_folder_that_gives_nothing_away(tmp_path):
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut/a.txt").write_text("hers")
    (tmp_path / "shut").chmod(0o555)
    try:
        with pytest.raises(NotAllowed):
            move_into_place(str(tmp_path / "shut/a.txt"), str(tmp_path / "b.txt"), label="b.txt")
    finally:
        (tmp_path / "shut").chmod(0o755)
    assert [path.name for path in tmp_path.rglob("*.txt")] == ["a.txt"]


def test_an_old_name_that_is_gone_by_then_counts_as_moved(places, monkeypatch):
    old, new = places
    link = os.link

    def link_and_lose(source, target):
        link(source, target)
        os.remove(source)  # noqa: PTH107  # not the method that a move uses

    monkeypatch.setattr(os, "link", link_and_lose)
    move_into_place(str(old), str(new), label="new.txt")
    assert (old.exists(), new.read_text()) == (False, "hers")
