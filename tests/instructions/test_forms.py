"""Heads of skills and commands: what is read of them, whatever somebody wrote there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.instructions.finding import folders_to
from jupyter_linda.instructions.forms import command_from, is_name, skill_from
from jupyter_linda.instructions.library import BUILT_IN
from jupyter_linda.instructions.reading import as_text
from tests.contracts.test_structure import ROOT


def test_a_skill_needs_its_name_and_what_it_is_for():
    made = skill_from("---\nname: pdf\ndescription: |\n  Two\n  lines\nlicense: MIT\n---\n# Do\nit\n", "pdf")
    assert made is not None
    assert (made.name, made.description, made.body) == ("pdf", "Two lines", "# Do\nit")
    assert skill_from("---\nname: pdf\n---\nx", "pdf") is None
    assert skill_from("---\nname: pdf\ndescription: x\n---\n", "other") is None
    assert skill_from("name: pdf\ndescription: x\n", "pdf") is None


def test_a_command_may_do_without_a_head_and_says_its_first_line():
    made = command_from("# Draw it\nAs a line.", "draw")
    assert made is not None
    assert (made.description, made.body, made.hint) == ("Draw it", "# Draw it\nAs a line.", "")
    assert command_from("", "draw") is None
    assert command_from("---\nbroken: [\n---\nx", "draw") is None


def test_a_head_makes_no_objects_and_does_not_grow():
    assert skill_from("---\nname: !!python/object/apply:os.system [id]\ndescription: x\n---\n", "x") is None
    bomb = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" if n else "a0: &a0 [x]" for n in range(30))
    made = command_from(f"---\n{bomb}\ndescription: *a29\n---\nBody.", "x")
    assert made is not None
    assert made.description == "Body."
    assert command_from("---\nx: " + "[" * 3_000 + "\n---\nBody.", "x") is None


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_a_fault(content):
    made = as_text(content)
    assert bool(made.digest) != (made.fault == "not_text")
    assert "\0" not in made.text


@given(st.text(max_size=60))
def test_any_text_is_a_form_or_none(text):
    for made in (skill_from(text, "x"), command_from(text, "x"), skill_from(f"---\n{text}\n---\nx", "x")):
        assert made is None or "\n" not in made.description


@given(st.text(max_size=30))
def test_folders_never_leave_the_root(path):
    for folder in folders_to(path):
        assert not folder.startswith("/")
        assert ".." not in folder.split("/")


def test_names_are_small_letters_digits_and_single_hyphens():
    assert all(map(is_name, ("a", "pdf-2", "x" * 64)))
    assert not any(map(is_name, ("", "A", "a--b", "-a", "a-", "a b", "x" * 65, "图")))


def test_the_built_in_words_are_those_of_the_panel():
    text = (ROOT / "labextension/src/slash.ts").read_text(encoding="utf-8")
    assert [word for word in BUILT_IN if f"'{word}'" not in text] == []


@pytest.mark.parametrize(
    "value",
    ["!!bool x", '!!int ""', '!!float ""', "!!timestamp foo", "!!python/object:os.system x", "2020-99-99", "&a [*a]"],
)
def test_an_odd_head_is_an_odd_head_and_no_fault(value):
    form = command_from(f"---\na: {value}\ndescription: Does it.\n---\nDo it.", "x")
    assert form is None or form.description == "Does it."
