"""jupyter linda eval: notebook tasks for a model, each with a checker."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidInput, LindaError
from ..evaluation import report
from ..evaluation.bench import Bench
from ..evaluation.catalogue import TASKS, chosen
from ..gateway.level_file import LevelFile
from ..gateway.levels import Defaults, Privacy, to_text
from ..gateway.providers import AUTOMATIC, Providers
from ..gateway.usage import priced
from ..gateway.weights import find_weights
from ..schemas import Usage
from ..seeds import SystemClock
from .servers import own_server
from .settings import read_settings

if TYPE_CHECKING:
    import argparse
    from argparse import Namespace
    from collections.abc import Sequence

    from ..evaluation.tasks import Task

WRONG_USAGE = 2
STOPPED = 130


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command."""
    made = commands.add_parser(
        "eval",
        help="give a model notebook tasks, and see how many it does right",
        description=f"Gives a model up to {len(TASKS)} notebook tasks in a temporary folder, through a server of its "
        "own, and checks what it left: files, outputs, calls and words. What it may cost is said, and asked, before.",
    )
    made.add_argument("model", nargs="?", default="", metavar="MODEL", help="the model, as the picker names it")
    made.add_argument("--task", nargs="+", default=[], metavar="NAME", help="only these tasks")
    made.add_argument("--list", action="store_true", help="print the tasks and do nothing")
    made.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what the tasks left, and their traces, here")
    made.add_argument("--json", action="store_true", help="print one JSON document at the end, and nothing else")
    made.add_argument("--yes", action="store_true", help="do not ask before it begins")
    made.set_defaults(run=run)


def run(choice: Namespace) -> int:
    """Do it."""
    try:
        tasks = chosen(choice.task)
        if choice.list:
            _print_tasks(tasks, is_json=choice.json)
            return 0
        _check_folder(choice.keep)
        _agree(choice, tasks)
    except LindaError as error:
        print(f"{error.message} {error.remedy}".strip(), file=sys.stderr)
        return WRONG_USAGE
    return _Show(choice.model, tasks, is_json=choice.json).carry_out(choice.keep)


class _Show:
    """Carries the tasks out and shows how they end, whatever ends the bench."""

    def __init__(self, model: str, tasks: Sequence[Task], *, is_json: bool) -> None:
        self._model = model
        self._tasks = tasks
        self._is_json = is_json
        self._results: list[report.Result] = []

    def carry_out(self, keep: Path | None) -> int:
        """Returns the exit code."""
        self._say(report.HEAD)
        ended, code = "", 0
        try:
            ended = self._try(keep)
            code = 1 if ended else 0
        except KeyboardInterrupt:
            ended, code = "stopped with Ctrl-C", STOPPED
        except LindaError as error:
            ended, code = f"{error.message} {error.remedy}".strip(), 4 if error.status == 503 else 1
        made = report.Report(self._model, tuple(self._results), len(self._tasks), ended or "complete")
        if self._is_json:
            print(json.dumps(report.as_json(made), ensure_ascii=False, indent=1))
        for line in report.sums_of(made):
            self._say(line)
        return code

    def _try(self, keep: Path | None) -> str:
        with tempfile.TemporaryDirectory(prefix="linda-eval-", ignore_cleanup_errors=True) as made:
            root = Path(made).resolve() / "tasks"
            root.mkdir()
            rules = root.parent / "rules.json"  # not there: those of the first start hold, for everybody alike
            levels = root.parent / "privacy.json"
            levels.write_text(to_text(_opened(LevelFile(read_settings().privacy_file).current())), encoding="utf-8")
            options = (f"--LindaSettings.rules_file={rules}", f"--LindaSettings.privacy_file={levels}")
            with own_server(root, *options) as server:
                return Bench(server, self._model, keep).carry_out(self._tasks, self._show)

    def _show(self, result: report.Result) -> None:
        self._results.append(result)
        self._say(report.line_of(result))

    def _say(self, line: str) -> None:
        if not self._is_json:
            print(line, flush=True)


def _opened(privacy: Privacy) -> Privacy:
    """The person's levels, but with the tasks' own files open: else no model elsewhere could do them."""
    return privacy.model_copy(update={"default": Defaults(text="open", data="values"), "levels": ()})


def _print_tasks(tasks: Sequence[Task], *, is_json: bool) -> None:
    if is_json:
        print(
            json.dumps([{"task": task.name, "prompt": task.prompt_in("FOLDER")} for task in tasks], ensure_ascii=False)
        )
        return
    for task in tasks:
        print(f"{task.name:<24} {task.prompt_in('FOLDER')}")


def _check_folder(keep: Path | None) -> None:
    if keep is None:
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
        is_empty = not any(keep.iterdir())
    except OSError as error:
        raise InvalidInput(f"{keep} cannot be used: {error}.", remedy="Name a new folder.") from None
    if not is_empty:
        raise InvalidInput(f"{keep} is not empty.", remedy="Name a new folder: nothing of yours is written over.")


def _agree(choice: Namespace, tasks: Sequence[Task]) -> None:
    """Says what it may take; goes on where the person, or --yes, says so."""
    settings = read_settings()
    data_dir = Path(settings.data_dir)
    providers = Providers(
        data_dir,
        SystemClock(),
        default_model=settings.default_model,
        allowed_models=settings.allowed_models,
        shared=settings.providers,
        is_demo_ready=lambda: find_weights(data_dir, configured=settings.demo_weights) is not None,
    )
    _check_model(choice.model, providers)
    is_local = providers.stays_here(choice.model)
    privacy = LevelFile(settings.privacy_file).current()
    if not is_local and (privacy.all_local or privacy.offline):
        raise InvalidInput(
            f"{choice.model} runs elsewhere, and your privacy levels let nothing leave.",
            remedy="Choose a model on this machine, or change that under Permissions > What may leave.",
        )
    cost = 0.0 if is_local else _price(providers, choice.model, tasks)
    print(report.warning(choice.model, tasks, is_local=is_local, cost_usd=cost), file=sys.stderr)
    if choice.yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput("There is no terminal to ask on.", remedy="Say --yes if that is what you want.")
    print("Begin? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes", "j", "是"):
        raise InvalidInput("Nothing was sent and nothing was run.")


def _check_model(model: str, providers: Providers) -> None:
    offered = [one.model_id for one in providers.models() if one.model_id != AUTOMATIC]
    names = {provider.name for provider in providers.list_all()}
    if model not in offered and not ("/" in model and model.partition("/")[0] in names):
        said = f"There is no model {model!r}." if model else "No model is named."
        raise InvalidInput(said, remedy=f"On offer: {', '.join(offered) or 'none; connect a provider in the panel'}.")
    providers.connect(model)  # or it is not allowed


def _price(providers: Providers, model: str, tasks: Sequence[Task]) -> float | None:
    from ..gateway.client import import_litellm  # noqa: PLC0415  # litellm is heavy: only where money may be spent

    given, taken = report.expected_tokens(tasks)
    usage = Usage(input_tokens=given, output_tokens=taken, is_estimated=True)
    return priced(import_litellm(), usage, providers.connect(model), is_local=False).cost_usd
