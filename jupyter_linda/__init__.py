"""Linda, an assistant inside JupyterLab: the version and the hooks Jupyter calls."""

__version__ = "0.1.0"


def _jupyter_server_extension_points() -> list[dict[str, object]]:
    """Tell jupyter_server which class to load; imported here so that a bare import stays light."""
    from .app import LindaApp  # noqa: PLC0415  a plain `import jupyter_linda` must not load the server

    return [{"module": "jupyter_linda", "app": LindaApp}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Tell JupyterLab where the prebuilt panel lies inside the package."""
    return [{"src": "labextension", "dest": "jupyter-linda"}]
