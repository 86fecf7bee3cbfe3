"""A file that is written anew keeps what else belongs to it."""

from __future__ import annotations

import os
import resource
import signal
import stat
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from jupyter_linda.errors import LindaError, NotAllowed, NotFound, StaleRevision, ToolFailed
from jupyter_linda.permissions.paths import write_checked
from jupyter_linda.permissions.replacing import make_folder_of, write_in_place

only_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root gives files away")
NOBODY, FRIEND = 65_534, 54_321


@pytest.fixture
def file(tmp_path):
    target = tmp_path / "a.txt"
    target.write_bytes(b"old")
    return target


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_every_name_of_a_file_sees_the_new_content(file, tmp_path):
    other = tmp_path / "other.txt"
    other.hardlink_to(file)
    file.chmod(0o640)
    write_checked(str(file), b"new content", expect=b"old")
    write_checked(str(file), b"short", expect=b"new content")
    assert other.read_bytes() == b"short"
    assert other.samefile(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert names(tmp_path) == ["a.txt", "other.txt"], "no backup is left"


def test_a_file_of_several_names_that_changed_is_left_as_it_is(file, tmp_path):
    (tmp_path / "other.txt").hardlink_to(file)
    with pytest.raises(StaleRevision):
        write_checked(str(file), b"new", expect=b"older")
    assert file.read_bytes() == b"old"
    assert names(tmp_path) == ["a.txt", "other.txt"]


@contextmanager
def files_end_at(size_bytes):
    """Writing past that many bytes fails, as on a full disk."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
@pytest.mark.parametrize("has_two_names", [False, True])
def test_a_disk_that_fails_leaves_the_old_content_and_is_told(file, tmp_path, has_two_names):
    if has_two_names:
        (tmp_path / "other.txt").hardlink_to(file)
    with files_end_at(1000), pytest.raises(LindaError, match=r"'a\.txt' cannot be written") as caught:
        write_checked(str(file), b"n" * 100_000, expect=b"old")
    assert str(tmp_path) not in caught.value.message
    assert file.read_bytes() == b"old"
    assert [name for name in names(tmp_path) if name.startswith(".")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_writing_in_place_that_fails_halfway_brings_the_old_content_back(file, tmp_path):
    with files_end_at(1000), pytest.raises(OSError, match="too large"):
        write_in_place(str(file), b"n" * 100_000, expect=b"old", label="a.txt")
    assert file.read_bytes() == b"old"
    assert names(tmp_path) == ["a.txt"]


def test_when_not_even_that_works_the_old_content_is_beside_it_and_told(file, tmp_path, monkeypatch):
    def fail(_descriptor, _content):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(ToolFailed, match="failed halfway: Input/output error") as caught:
        write_in_place(str(file), b"new", expect=b"old", label="a.txt")
    (backup,) = [path for path in tmp_path.iterdir() if path != file]
    assert backup.read_bytes() == b"old"
    assert backup.name in caught.value.message


def test_extended_attributes_are_kept(file):
    if sys.platform != "linux":
        pytest.skip("no extended attributes in Python there")
    try:
        os.setxattr(file, "user.note", b"mine")
    except OSError:
        pytest.skip("a file system without extended attributes")
    write_checked(str(file), b"new", expect=b"old")
    assert (file.read_bytes(), os.getxattr(file, "user.note")) == (b"new", b"mine")


@only_root
def test_owner_and_group_are_kept(file):
    os.chown(file, NOBODY, FRIEND)
    file.chmod(0o4750)
    before = file.stat()
    write_checked(str(file), b"new", expect=b"old")
    after = file.stat()
    assert (after.st_uid, after.st_gid, after.st_mode) == (NOBODY, FRIEND, before.st_mode)
    assert after.st_ino != before.st_ino, "it was replaced in one step"


@contextmanager
def as_somebody(user_id, group_id):
    """Without root's rights, in a folder everybody may write."""
    folder = Path(os.path.realpath(tempfile.mkdtemp()))
    folder.chmod(0o777)
    os.setegid(group_id)
    os.seteuid(user_id)
    try:
        yield folder
    finally:
        os.seteuid(0)
        os.setegid(0)
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


@only_root
def test_a_colleagues_file_stays_the_colleagues(file):
    """What may be written but not given away is written in place."""
    with as_somebody(NOBODY, FRIEND) as folder:
        target = folder / "shared.txt"
        os.seteuid(0)
        target.write_bytes(b"old")
        os.chown(target, 12_345, FRIEND)
        target.chmod(0o664)
        os.seteuid(NOBODY)
        write_checked(str(target), b"new", expect=b"old")
        after = target.stat()
        assert (target.read_bytes(), after.st_uid, after.st_gid) == (b"new", 12_345, FRIEND)
        assert names(folder) == ["shared.txt"]


def test_new_content_is_never_open_to_more_people_than_the_file(file, tmp_path, monkeypatch):
    """The copy beside it was readable by all until it took the file's place."""
    seen = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (seen.append(os.fstat(descriptor).st_mode), fsync(descriptor)))
    file.chmod(0o600)
    write_checked(str(file), b"new", expect=b"old")
    assert seen
    assert all(stat.S_IMODE(mode) == 0o600 for mode in seen)


def test_what_the_system_refuses_is_told_by_the_name_that_was_asked_for(tmp_path):
    (tmp_path / "plain").write_text("a file")
    with pytest.raises(NotAllowed, match=r"'x\.txt' cannot be written: File name too long"):
        write_checked(str(tmp_path / ("n" * 300 + ".txt")), b"x", expect=None, label="x.txt")
    with pytest.raises(NotFound, match="is a file, not a folder"):
        make_folder_of(str(tmp_path / "plain/sub/x.txt"), label="plain/sub/x.txt")
    with pytest.raises(NotFound, match="is a file, not a folder"):
        make_folder_of(str(tmp_path / "plain/x.txt"), label="plain/x.txt")
    with pytest.raises((NotFound, NotAllowed)) as caught:
        make_folder_of(str(tmp_path / ("n" * 300) / "x.txt"), label="n/x.txt")
    assert str(tmp_path) not in caught.value.message
