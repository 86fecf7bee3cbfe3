"""`.lindaignore`: hidden from listing, searching, reading and writing, whichever tool asks."""

from __future__ import annotations

import os
import time
import unicodedata

import pytest

from jupyter_linda.errors import NotAllowed
from jupyter_linda.permissions.paths import PathPolicy


def hide(folder, *lines):
    (folder / ".lindaignore").write_text("\n".join(lines) + "\n", encoding="utf-8")


def is_open(policy, path):
    try:
        policy.locate(path)
    except NotAllowed as error:
        return "hidden from Linda" not in error.message
    return True


def test_patterns_mean_what_they_mean_to_git(team, policy):
    hide(team, "# secrets", "*.csv", "!ok.csv", "/top", "build/", "a/**/z", "[", "")
    for path, expected in {
        "x.csv": False, "deep/x.csv": False, "ok.csv": True, "deep/ok.csv": True, "top": False, "b/top": True,
        "build/x": False, "b/build/c/d": False, "build": True, "a/1/2/z": False, "notes.txt": True, "": True,
    }.items():  # fmt: skip
        assert is_open(policy, path) is expected, path
    (team / "build").mkdir()
    assert not is_open(policy, "build")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_file_that_says_its_encoding_is_read_in_it(team, policy, encoding):
    (team / ".lindaignore").write_bytes("payroll/\r\ndonnées/\r\n".encode(encoding))
    assert not is_open(policy, "payroll/p.csv")
    assert not is_open(policy, "données/p.csv")
    assert is_open(policy, "ok.csv")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le", "gb18030"])
def test_a_file_in_an_encoding_that_nobody_can_tell_hides_everything(team, policy, encoding):
    word = "工资" if encoding == "gb18030" else "données"
    (team / ".lindaignore").write_bytes(f"{word}/\n".encode(encoding))
    assert not is_open(policy, f"{word}/p.csv")
    assert not is_open(policy, "ok.csv")


@pytest.mark.parametrize(("written", "named"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_the_form_of_a_letter_does_not_open_what_is_hidden(team, policy, written, named):
    hide(team, unicodedata.normalize(written, "résumés/"))
    assert not is_open(policy, unicodedata.normalize(named, "RÉSUMÉS/a.txt"))


def test_case_does_not_open_what_is_hidden(team, policy):
    hide(team, "Private/", "*.CSV")
    assert not is_open(policy, "PRIVATE/x")
    assert not is_open(policy, "x.csv")


def test_a_deeper_file_decides_for_its_folder_but_brings_nothing_back_from_a_hidden_one(team, policy):
    (team / "data/inner").mkdir()
    (team / "closed").mkdir()
    hide(team, "*.log", "closed/")
    hide(team / "data", "!keep.log", "*.tmp")
    hide(team / "closed", "!*")
    assert is_open(policy, "data/keep.log")
    assert is_open(policy, "data/inner/keep.log")
    assert not is_open(policy, "keep.log")
    assert not is_open(policy, "data/x.tmp")
    assert is_open(policy, "x.tmp")
    assert not is_open(policy, "closed/x")


def test_a_link_opens_nothing_and_hides_what_it_is_called(team, policy):
    hide(team, "data/secret.txt", "alias")
    (team / "data/secret.txt").write_text("S")
    (team / "link").symlink_to(team / "data/secret.txt")
    (team / "alias").symlink_to(team / "ok.csv")
    assert not is_open(policy, "link")
    assert not is_open(policy, "alias")
    assert not is_open(policy, "data/../data/secret.txt")
    assert not is_open(policy, str(team / "data/secret.txt"))


def test_a_change_holds_at_once(team, policy):
    assert is_open(policy, "ok.csv")
    hide(team, "ok.csv")
    assert not is_open(policy, "ok.csv")
    (team / ".lindaignore").write_text("other.csv\n")
    assert is_open(policy, "ok.csv")
    (team / ".lindaignore").unlink()
    assert is_open(policy, "other.csv")


def test_a_change_holds_whose_time_and_size_were_set_back(team, policy):
    file = team / ".lindaignore"
    hide(team, "other/")
    assert is_open(policy, "keeps/a")
    before = file.stat()
    while file.stat().st_ctime_ns == before.st_ctime_ns:  # one tick of the file system's clock
        hide(team, "keeps/")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)
    assert not is_open(policy, "keeps/a")


def test_a_file_that_cannot_be_read_hides_everything_beside_it(team, policy):
    (team / ".lindaignore").mkdir()
    assert not is_open(policy, "ok.csv")


def test_the_file_itself_is_closed_even_where_hidden_files_are_open(team):
    hide(team, "x")
    policy = PathPolicy(str(team), allow_hidden=True)
    with pytest.raises(NotAllowed, match="secret"):
        policy.locate(".lindaignore")


def test_it_holds_outside_the_root_too(team, policy):
    outside = team.parent / "private"
    hide(outside, "s.txt")
    assert not is_open(policy, str(outside / "s.txt"))
    assert is_open(policy, str(outside / "other.txt"))


def test_nothing_hidden_is_listed(team, policy):
    hide(team, "ok.csv")
    assert not policy.is_visible("ok.csv")
    assert policy.is_visible("data")


def test_looking_costs_little(team, policy):
    (team / "a/b/c/d").mkdir(parents=True)
    hide(team, *(f"pattern-{number}/*.x" for number in range(200)))
    started = time.process_time()
    for number in range(2000):
        policy.is_visible(f"a/b/c/d/{number}.txt")
    assert time.process_time() - started < 2.0
