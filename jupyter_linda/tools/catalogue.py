"""Every built-in tool, family by family, as the worker offers them."""

from __future__ import annotations

from . import (
    aggregating,
    comparing,
    data_files,
    dataframe,
    deleting,
    exporting,
    file,
    file_changes,
    filtering,
    kernel,
    kernel_control,
    notebook,
    notebook_upgrade,
    plotting,
    profiling,
    shell,
    tasks,
)

TOOLS = (
    *notebook.TOOLS,
    *notebook_upgrade.TOOLS,
    *kernel.TOOLS,
    *kernel_control.TOOLS,
    *dataframe.TOOLS,
    *profiling.TOOLS,
    *filtering.TOOLS,
    *aggregating.TOOLS,
    *comparing.TOOLS,
    *plotting.TOOLS,
    *exporting.TOOLS,
    *file.TOOLS,
    *file_changes.TOOLS,
    *deleting.TOOLS,
    *data_files.TOOLS,
    *shell.TOOLS,
    *tasks.TOOLS,
)
"""In the order in which models read them."""
