"""A file that gets another place has one name afterwards, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from jupyter_linda.errors import NotAllowed, StaleRevision, ToolFailed, ToolRetry
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


# ---- to another file system ----------------------------------------------------------------------


@pytest.fixture
def other_disk(tmp_path, monkeypatch):
    """A folder that behaves as one on another file system; a file and a folder to be moved there."""
    for name in ("here/d", "there"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "here/old.txt").write_text("hers")
    (tmp_path / "here/old.txt").chmod(0o640)
    os.utime(tmp_path / "here/old.txt", ns=(10**18, 10**18))

    def apart(deed):
        def do(source, target):
            if Path(source).parent != Path(target).parent:
                raise OSError(errno.EXDEV, "Invalid cross-device link")
            return deed(source, target)

        return do

    monkeypatch.setattr(os, "link", apart(os.link))
    monkeypatch.setattr(Path, "rename", apart(Path.rename))
    return tmp_path


def moved_over(folder):
    move_into_place(str(folder / "here/old.txt"), str(folder / "there/new.txt"), label="new.txt")


def files_in(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_file_goes_to_another_disk_whole_with_its_mode_and_time(other_disk):
    moved_over(other_disk)
    assert files_in(other_disk) == {"there/new.txt": "hers"}
    status = (other_disk / "there/new.txt").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o640, 10**18)


def test_a_copy_whose_old_file_cannot_go_goes_again(other_disk, monkeypatch):
    before_unlink(monkeypatch, refuse)
    with pytest.raises(NotAllowed, match="Permission denied"):
        moved_over(other_disk)
    assert files_in(other_disk) == {"here/old.txt": "hers"}


def test_what_was_saved_during_the_copy_is_not_taken_away(other_disk, monkeypatch):
    def saved_meanwhile(source, target):
        (other_disk / "here/old.txt").write_text("newer")

    monkeypatch.setattr("jupyter_linda.permissions.placing.shutil.copystat", saved_meanwhile)
    with pytest.raises(StaleRevision, match="changed meanwhile"):
        moved_over(other_disk)
    assert files_in(other_disk) == {"here/old.txt": "newer"}


def test_nothing_is_overwritten_on_another_disk(other_disk, monkeypatch):
    def made_meanwhile(source, target):
        (other_disk / "there/new.txt").write_text("a person's")

    monkeypatch.setattr("jupyter_linda.permissions.placing.shutil.copystat", made_meanwhile)
    with pytest.raises(ToolRetry, match="nothing is overwritten"):
        moved_over(other_disk)
    assert files_in(other_disk) == {"here/old.txt": "hers", "there/new.txt": "a person's"}


def test_a_folder_for_another_disk_is_refused_with_words(other_disk):
    with pytest.raises(ToolFailed, match="lies on another disk"):
        move_into_place(str(other_disk / "here/d"), str(other_disk / "there/d"), label="there/d")
    assert (other_disk / "here/d").is_dir()
