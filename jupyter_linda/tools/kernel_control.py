"""Kernels in hand: start, restart, interrupt, and run code without a cell. Each one asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import Conflict, ToolRetry
from ..ports import ToolContext, ToolResult, Unknown
from ..ports.held import held
from ..schemas import Preview
from ..toolkit import tool
from .kernel import kernel_of
from .languages import code_language, seen_in
from .naming import NotebookPath, api_path
from .rendering import error_line, images_of, outputs_text, raised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ports import Json, Kernel

RESULT_CHARS = 16_000


async def _kernel(context: ToolContext, path: str) -> Kernel | None:
    return next((kernel for kernel in await context.live.list_kernels() if kernel.path == path), None)


def _result(path: str, kernel: Kernel, words: str, title: str) -> ToolResult:
    return ToolResult(
        text=f"{words} It is {kernel.name} ({kernel.language or 'unknown language'}), {kernel.state}.",
        title=f"{title} the kernel of {path}",
        data={"path": path, "kernel": kernel.name, "language": kernel.language, "state": kernel.state},
    )


@tool(action="run", family="kernel", resource=kernel_of, holds="words")
async def start_kernel(
    context: ToolContext,
    path: NotebookPath,
    kernel: Annotated[str, "Name of the kernel; empty: the one that the notebook names."] = "",
) -> ToolResult:
    """Start a kernel for a notebook that has none. run_cell starts one by itself."""
    # `data` holds path, kernel, language, state
    name = api_path(context, path)
    try:
        started = await context.live.control_kernel(name, "start", kernel=kernel)
    except Conflict as error:
        raise ToolRetry(f"{error.message} {error.remedy}") from None
    return _result(name, started, f"The kernel of {name} runs now.", "Started")


@start_kernel.previews
async def _preview_start(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    which = f" {arguments['kernel']}" if arguments["kernel"] else ""
    return Preview(sentence=f"Start the kernel{which} for {api_path(context, arguments['path'])}.")


@start_kernel.finds
async def _find_start(arguments: Mapping[str, Json], context: ToolContext) -> ToolResult | Unknown | None:
    name = api_path(context, arguments["path"])
    running = await _kernel(context, name)
    return None if running is None else _result(name, running, f"The kernel of {name} runs.", "Started")


@tool(action="run", family="kernel", resource=kernel_of, holds="words")
async def restart_kernel(context: ToolContext, path: NotebookPath) -> ToolResult:
    """Restart a notebook's kernel. All its variables are lost and a running cell ends; outputs stay."""
    # `data` holds path, kernel, language, state
    name = api_path(context, path)
    restarted = await context.live.control_kernel(name, "restart")
    return _result(name, restarted, f"The kernel of {name} was restarted: its variables are gone.", "Restarted")


@restart_kernel.previews
async def _preview_restart(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name = api_path(context, arguments["path"])
    running = await _kernel(context, name)
    busy = " A cell is running and is cut off." if running is not None and running.state == "busy" else ""
    return Preview(sentence=f"Restart the kernel of {name}: all its variables are lost.{busy}")


@tool(action="run", family="kernel", resource=kernel_of, holds="words")
async def interrupt_kernel(context: ToolContext, path: NotebookPath) -> ToolResult:
    """Interrupt what a notebook's kernel runs; its variables stay. Code may ignore it: then only a restart helps."""
    # `data` holds path, kernel, language, state
    name = api_path(context, path)
    after = await context.live.control_kernel(name, "interrupt")
    words = f"The kernel of {name} was interrupted."
    if after.state == "busy":
        words = f"The kernel of {name} was interrupted, but what it runs goes on: it ignores interrupts."
    return _result(name, after, words, "Interrupted")


@interrupt_kernel.previews
async def _preview_interrupt(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    return Preview(sentence=f"Interrupt the cell that the kernel of {api_path(context, arguments['path'])} runs.")


@interrupt_kernel.finds
async def _find_interrupt(_arguments: Mapping[str, Json], _context: ToolContext) -> None:
    return None  # interrupting again does no harm


@tool(action="run", family="kernel", resource=kernel_of, holds="words")
async def run_code(
    context: ToolContext,
    path: NotebookPath,
    code: Annotated[str, Field(min_length=1, max_length=50_000, description="The code, in the kernel's language.")],
    timeout_s: Annotated[float, Field(gt=0, le=86_400, description="Seconds until it is interrupted.")] = 120.0,
) -> ToolResult:
    """Run code in a notebook's running kernel without putting it into the notebook. The user is asked.

    It shares the notebook's variables. For work that the notebook should keep, insert a cell and run that.
    """
    # `data` holds path, status, text, error, execution_count, duration_s, note
    name = api_path(context, path)
    outcome = await context.live.run_code(name, code, timeout_s=timeout_s, on_progress=context.report)
    text = outputs_text(outcome.outputs, RESULT_CHARS)
    head = f"status: {outcome.status}, {outcome.duration_s:.1f} s" + (f". {outcome.note}" if outcome.note else "")
    head += f". {raised(outcome.outputs)}" if outcome.status == "error" else ""
    error = error_line(outcome.outputs) if outcome.status == "error" else ""
    return ToolResult(
        text=f"{head}\n{held(text, 'values') or '(no output)'}",
        title=f"{'Ran' if outcome.status == 'ok' else 'Not finished:'} code in the kernel of {name}",
        outputs=tuple(outcome.outputs),
        data={
            "path": name,
            "status": outcome.status,
            "text": text,
            "error": error or (outcome.note if outcome.status not in ("ok", "error") else ""),
            "execution_count": outcome.execution_count,
            "duration_s": round(outcome.duration_s, 3),
            "note": outcome.note,
        },
        images=images_of(outcome.outputs),
    )


@run_code.previews
async def _preview_code(arguments: Mapping[str, Json], context: ToolContext) -> Preview:
    name, code = api_path(context, arguments["path"]), arguments["code"]
    language = await code_language(context, await context.live.read_notebook(name))
    return Preview(
        sentence=f"Run this code in the kernel of {name}. It is not put into the notebook.",
        code=code,
        language=language,
        findings=seen_in(code, language),
    )


TOOLS = (start_kernel, restart_kernel, interrupt_kernel, run_code)
"""The tools of this file."""
