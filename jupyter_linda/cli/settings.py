"""Linda's settings as a Jupyter server of this user would read them."""

from __future__ import annotations

import contextlib

from jupyter_core.paths import jupyter_config_path
from traitlets import TraitError
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

from ..config import LindaSettings
from ..errors import InvalidInput

FILES = ("jupyter_config", "jupyter_server_config", "jupyter_linda_config")


def read_settings() -> LindaSettings:
    """Linda's own."""
    try:
        return LindaSettings(config=read_configuration())
    except TraitError as error:
        raise InvalidInput(
            f"Linda's settings are wrong: {error}",
            remedy="Mend c.LindaSettings in jupyter_server_config.py (or .json).",
        ) from None


def read_configuration() -> Config:
    """The configuration files, in Jupyter's order: which folder wins is Jupyter's own choice."""
    config = Config()
    for name in FILES:
        for folder in reversed(jupyter_config_path()):
            for loader, ending in ((PyFileConfigLoader, "py"), (JSONFileConfigLoader, "json")):
                config.merge(_load(loader(f"{name}.{ending}", path=folder)))
    return config


def _load(loader: PyFileConfigLoader | JSONFileConfigLoader) -> Config:
    with contextlib.suppress(ConfigFileNotFound):
        try:
            return loader.load_config()
        except (ValueError, SyntaxError) as error:
            raise InvalidInput(
                f"{loader.full_filename} is no configuration: {error}.",
                remedy="Mend it: Jupyter cannot read it either.",
            ) from None
    return Config()
