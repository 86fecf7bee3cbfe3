"""Paths: what they lead to, and that only what was checked is opened."""

from __future__ import annotations

import os
import stat
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.errors import InvalidPath, NotAllowed, NotFound, StaleRevision
from jupyter_linda.permissions.paths import PathPolicy, is_secret_name, is_under, open_checked, write_checked


def test_a_path_inside_the_root_is_located_with_its_api_path(policy, team):
    located = policy.locate("data/../ok.csv")
    assert located.real == str(team / "ok.csv")
    assert located.api_path == "ok.csv"


def test_the_root_itself_is_the_empty_api_path(policy):
    assert policy.locate("").api_path == ""
    assert policy.locate("").canonical == "."


@pytest.mark.parametrize("spelling", ["../team-private/salaries.csv", "../teammate/x", "data/../../private/s.txt"])
def test_what_leaves_the_root_has_no_api_path(policy, spelling):
    assert policy.locate(spelling).api_path is None


@pytest.mark.parametrize(
    "spelling", ["%2e%2e/private/s.txt", "..%2fprivate/s.txt", "~/x", "file:///srv/private/s.txt", "C:\\srv\\s.txt"]
)
def test_odd_spellings_are_literal_names_inside_the_root(team, spelling):
    located = PathPolicy(str(team), allow_hidden=True).locate(spelling)
    assert is_under(located.real, str(team))
    assert not Path(located.real).exists()


@pytest.mark.parametrize("spelling", ["ok.txt\0.png", "a\ud800b"])
def test_impossible_paths_are_called_invalid(policy, spelling):
    with pytest.raises(InvalidPath, match="invalid path"):
        policy.locate(spelling)


@pytest.mark.parametrize(
    "name",
    [".env", ".ENV", ".env.local", "id_rsa", "id_ed25519", "ID_RSA", "id_ecdsa_sk", "id_mine_sk.pub", "server.pem", "x.KEY", ".ssh/config",
     ".git/config", "jpserver-12.json", "data/../.env", "x/jupyter/runtime/kernel-1.json", ".netrc", "id_rsa.bak"],
)  # fmt: skip
def test_secret_names_stay_closed_even_with_hidden_files_allowed(team, name):
    with pytest.raises(NotAllowed, match="secret"):
        PathPolicy(str(team), allow_hidden=True).locate(name)


@pytest.mark.parametrize(
    "name", ["id_list.csv", "id_work", "id_map/x.csv", "identity.txt", "keyboard.py", "environment.yml", "monkey.txt"]
)
def test_names_that_only_look_similar_are_not_secret(policy, name):
    assert policy.locate(name).api_path == name


def test_hidden_names_are_closed_unless_allowed(team):
    with pytest.raises(NotAllowed, match="hidden") as caught:
        PathPolicy(str(team)).locate(".config/a")
    assert "settings" in caught.value.remedy
    assert PathPolicy(str(team), allow_hidden=True).locate(".config/a").api_path == ".config/a"


def test_a_harmless_name_that_links_to_a_secret_is_closed(policy, team):
    (team / ".env").write_text("KEY=demo")
    (team / "notes.txt").symlink_to(team / ".env")
    with pytest.raises(NotAllowed):
        policy.locate("notes.txt")
    assert not policy.is_visible("notes.txt")


def test_lindas_own_folder_is_closed_by_any_spelling(team):
    (team / "linda").mkdir()
    policy = PathPolicy(str(team), never=(str(team / "linda"),))
    for spelling in ("linda/rules.json", str(team / "linda/x"), "LINDA/rules.json"):
        with pytest.raises(NotAllowed):
            policy.locate(spelling)


def test_a_root_that_lies_in_a_hidden_folder_works(tmp_path):
    root = tmp_path / ".cache/work"
    root.mkdir(parents=True)
    assert PathPolicy(str(root)).locate("a.csv").api_path == "a.csv"


def test_a_link_out_of_the_root_is_not_listed(policy, team):
    (team / "link").symlink_to(team.parent / "private")
    assert not policy.is_visible("link/s.txt")
    assert policy.is_visible("ok.csv")


_NAMES = st.text(string.ascii_letters + string.digits + "._-~% ", min_size=1, max_size=6)
_PATHS = st.lists(st.one_of(st.just(".."), st.just("."), st.just(""), _NAMES), max_size=8).map("/".join)


@given(path=_PATHS)
def test_an_api_path_never_names_anything_outside_the_root(path, tmp_path_factory):
    root = os.path.realpath(tmp_path_factory.getbasetemp())
    policy = PathPolicy(root, allow_hidden=True)
    try:
        located = policy.locate(path)
    except (NotAllowed, InvalidPath):
        return
    if located.api_path is None:
        assert not is_under(located.real, root)
    else:
        assert str(Path(root) / located.api_path) == located.real
        assert ".." not in located.api_path.split("/")


@given(
    st.lists(st.sampled_from(["a", "ab", "a-b", "A"]), max_size=4),
    st.lists(st.sampled_from(["a", "ab", "a-b", "A"]), max_size=4),
)
def test_being_under_a_folder_goes_by_whole_components(inner, outer):
    assert is_under("/" + "/".join(inner), "/" + "/".join(outer)) == (inner[: len(outer)] == outer)


def test_reading_refuses_a_link_that_was_swapped_in_after_the_check(policy, team):
    real = policy.locate("ok.csv").real
    (team / "ok.csv").unlink()
    (team / "ok.csv").symlink_to(team.parent / "private/s.txt")
    with pytest.raises(NotAllowed), open_checked(real):
        pass


def test_reading_refuses_a_folder_that_became_a_link_after_the_check(policy, team):
    (team / "data/s.txt").write_text("fine")
    real = policy.locate("data/s.txt").real
    (team / "data").rename(team / "gone")
    (team / "data").symlink_to(team.parent / "private")
    with pytest.raises(NotAllowed, match="outside"), open_checked(real):
        pass


def test_reading_a_pipe_does_not_hang(team):
    os.mkfifo(team / "pipe")
    with pytest.raises(NotFound, match="regular"), open_checked(str(team / "pipe")):
        pass


def test_writing_replaces_whole_and_keeps_the_mode(team):
    target = team / "ok.csv"
    target.chmod(0o640)
    write_checked(str(target), b"new", expect=b"a,b\n1,2\n")
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(p.name for p in team.iterdir()) == ["data", "ok.csv"]


def test_writing_over_a_changed_file_is_refused(team):
    with pytest.raises(StaleRevision):
        write_checked(str(team / "ok.csv"), b"new", expect=b"old")
    assert (team / "ok.csv").read_text() == "a,b\n1,2\n"


def test_creating_what_exists_meanwhile_is_refused(team):
    with pytest.raises(StaleRevision, match="created meanwhile"):
        write_checked(str(team / "ok.csv"), b"new", expect=None)


def test_writing_through_a_swapped_folder_is_refused(team):
    (team / "data").rename(team / "gone")
    (team / "data").symlink_to(team.parent / "private")
    with pytest.raises(NotAllowed):
        write_checked(str(team / "data/new.txt"), b"x", expect=None)
    assert [p.name for p in (team.parent / "private").iterdir()] == ["s.txt"]


def test_secret_names_are_told_by_pattern():
    assert is_secret_name("deploy.pem")
    assert not is_secret_name("pem.txt")
