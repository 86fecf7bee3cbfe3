"""Settings: what a configuration may give, and what is refused in words that name the setting."""

from __future__ import annotations

import pytest
from traitlets import List, TraitError
from traitlets.config import Application, Config

from jupyter_linda.config import LindaSettings

LISTS = [name for name, trait in LindaSettings.class_traits(config=True).items() if isinstance(trait, List)]


def settings(**values: object) -> LindaSettings:
    return LindaSettings(config=Config({"LindaSettings": values}))


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("value", ["company/*", "", b"company/*", "a, b"])
def test_a_list_given_as_a_text_is_refused_by_its_name(name, value):
    with pytest.raises(TraitError, match=f"{name}: expected a list of texts"):
        settings(**{name: value})


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("value", [[3], [None], 3, None, {"a": 1}])
def test_a_list_of_anything_else_is_refused_by_its_name(name, value):
    with pytest.raises(TraitError, match=name):
        settings(**{name: value})


def test_lists_are_taken_from_files_and_from_the_command_line():
    assert settings(allowed_models=["company/*", "linda/demo"]).allowed_models == ["company/*", "linda/demo"]

    class App(Application):
        classes = [LindaSettings]  # noqa: RUF012  traitlets' own convention

    app = App()
    app.parse_command_line(["--LindaSettings.allowed_models=a", "--LindaSettings.allowed_models=b"])
    assert LindaSettings(parent=app).allowed_models == ["a", "b"]
