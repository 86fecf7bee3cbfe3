"""jupyter linda ask: one question, streamed to the terminal; approvals as prompts."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..client import FINAL, LindaClient
from ..errors import InvalidInput, LindaError
from ..schemas.requests import MESSAGE_CHARS
from ..storage.hidden import for_terminal
from .servers import some_server

if TYPE_CHECKING:
    from argparse import Namespace

Json = Any  # events of the API

EXIT_CODES = {"done": 0, "failed": 1, "interrupted": 1, "stopped": 130}
WRONG_USAGE = 2
REFUSED = 3
ALWAYS_ASKS = " always asks"
"""How the rule of such a question ends."""
YES = ("y", "yes", "j", "是")
UNASKED = "unasked"
"""The answer where there is no terminal: it counts as no, and nobody is said to have given it."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command."""
    made = commands.add_parser(
        "ask",
        help="ask something, through the running server or alone",
        description="Asks through the running JupyterLab whose folder holds this one; where none runs, a server is "
        "started for the moment. What needs consent is asked on the terminal; without a terminal it is refused unless "
        "--yes-to allows it.",
    )
    made.add_argument("text", help="what to ask; - reads it from standard input")
    made.add_argument("--model", default="", help="the model, as the picker names it")
    made.add_argument("--chat", default="", metavar="ID", help="go on in this chat")
    made.add_argument("--notebook", default="", metavar="PATH", help="the notebook it is about")
    made.add_argument(
        "--yes-to",
        default="",
        metavar="ACTIONS",
        type=_actions,
        help="say yes once to each such action without asking: READ, WRITE, RUN, SEND (to a model elsewhere), "
        "separated by commas or |",
    )
    made.add_argument("--json", action="store_true", help="print every event as a line of JSON")
    made.set_defaults(run=run)


def _actions(text: str) -> frozenset[str]:
    chosen = frozenset(part.strip().lower() for part in text.replace("|", ",").split(",") if part.strip())
    if not chosen <= {"read", "write", "run", "send"}:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of READ, WRITE, RUN, SEND")
    return chosen


def run(chosen: Namespace) -> int:
    """Do it."""
    try:
        text = _text_of(chosen)
    except InvalidInput as error:
        print(f"{error.message} {error.remedy}", file=sys.stderr)
        return WRONG_USAGE
    with some_server(Path.cwd().resolve()) as server, LindaClient(server) as client:
        chat_id = chosen.chat or client.new_chat(model=chosen.model)
        after = client.last_seq(chat_id)
        context = [{"kind": "notebook", "path": chosen.notebook}] if chosen.notebook else []
        try:
            accepted = client.send(chat_id, text, model=chosen.model, context=context)
            return Talk(client, chosen, accepted["run"]["run_id"]).follow(chat_id, after)
        except (KeyboardInterrupt, BrokenPipeError):  # nobody is there any more to read, or to be asked
            with contextlib.suppress(LindaError):  # a server that went stops it by itself
                client.stop(chat_id)
            raise


def _text_of(chosen: Namespace) -> str:
    """The question, checked here: no server need be started to refuse it."""
    try:
        text = sys.stdin.read().removeprefix("\ufeff") if chosen.text == "-" else str(chosen.text)
        for one in (text, chosen.model, chosen.chat, chosen.notebook):
            one.encode()
    except UnicodeError:
        raise InvalidInput(
            "What was given is not text in this terminal's encoding.",
            remedy="Give it as UTF-8, for instance with `iconv -t UTF-8`.",
        ) from None
    if not text.strip():
        where = "nothing came on standard input" if chosen.text == "-" else "the text is blank"
        raise InvalidInput(f"There is no question: {where}.", remedy='Write one: jupyter linda ask "which notebooks …"')
    if "\0" in text:
        raise InvalidInput("The question holds a NUL character.", remedy="Is it a text at all? Name the file instead.")
    if len(text) > MESSAGE_CHARS:
        raise InvalidInput(
            f"The question has {len(text):,} characters; {MESSAGE_CHARS:,} is the most.",
            remedy="Put the long part into a file, and ask about the file.",
        )
    return text


class Talk:
    """Shows one run's events."""

    def __init__(self, client: LindaClient, chosen: Namespace, run_id: str) -> None:
        self._client = client
        self._yes_to: frozenset[str] = chosen.yes_to or frozenset()
        self._is_json: bool = chosen.json
        self._run_id = run_id
        self._was_refused = False
        self._is_in_line = False

    def follow(self, chat_id: str, after: int) -> int:
        """Until the run is over; returns the exit code."""
        for event in self._client.follow(chat_id, after=after):
            if event["run_id"] != self._run_id:
                continue
            if self._is_json:
                print(json.dumps(event, ensure_ascii=False), flush=True)
            payload = event["payload"]
            match event["kind"]:
                case "message.delta":
                    self._say(payload.get("text", ""))
                case "call.changed":
                    self._show_call(payload["call"])
                case "model.retrying":
                    self._remark(_wait(payload))
                case "message.done" if payload.get("notice"):
                    self._remark(payload["notice"])
                case "question.changed" if payload["question"].get("state") == "open":
                    self._ask(payload["question"])
                case "run.changed" if payload["run"]["state"] in FINAL:
                    return self._end(payload["run"])
        self._end_line()  # the chat's last event came before the run's
        print("The chat was deleted meanwhile, and the run with it.", file=sys.stderr)
        return 1

    def _say(self, text: str) -> None:
        if not self._is_json and text:
            print(for_terminal(text), end="", flush=True)
            self._is_in_line = not text.endswith("\n")

    def _line(self, text: str) -> None:
        if not self._is_json:
            self._end_line()
            print(for_terminal(text), flush=True)

    def _remark(self, text: str) -> None:
        """What is not the answer goes beside it."""
        if not self._is_json:
            self._end_line()
            print(text, file=sys.stderr, flush=True)

    def _end_line(self) -> None:
        if self._is_in_line:
            print(flush=True)
            self._is_in_line = False

    def _show_call(self, call: Json) -> None:
        state = call["state"]
        if state in ("done", "failed", "refused", "unknown"):
            mark = {"done": "✓", "failed": "✗", "refused": "–", "unknown": "?"}[state]
            problem = call.get("problem") or {}
            self._line(f"{mark} {call.get('title') or call['name']}{': ' + problem['message'] if problem else ''}")

    def _ask(self, question: Json) -> None:
        preview = question["preview"]
        if question["kind"] == "consent":
            self._client.answer(question["question_id"], self._consent(question))
            return
        if question["kind"] != "approval":
            self._client.answer(question["question_id"], self._choose(question))
            return
        # What asks whatever the rules say asks a person here too.
        if question.get("action", "read") in self._yes_to and not preview["rule"].endswith(ALWAYS_ASKS):
            self._line(f"{preview['sentence']} Yes (--yes-to).")
            self._client.answer(question["question_id"], "once")
            return
        self._line(preview["sentence"])
        for line in _lines_of(question):
            self._line(f"    {line}")
        for finding in preview.get("findings") or []:
            self._line(f"    ! {finding}")
        self._client.answer(question["question_id"], self._once_or_no("Allow once? [y/N] "))

    def _consent(self, question: Json) -> str:
        """May this leave? `--yes-to SEND` says yes to this run; nothing else does but a person."""
        preview = question["preview"]
        self._line(preview["sentence"])
        if question.get("action") in self._yes_to:
            self._line("Yes (--yes-to).")
            return "once"
        for line in preview.get("code", "").splitlines():
            self._line(f"    {line}")
        return self._once_or_no("Send it this time? [y/N] ")

    def _choose(self, question: Json) -> str:
        choices = question.get("choices") or []
        self._line(question["preview"]["sentence"])
        for number, choice in enumerate(choices, 1):
            self._line(f"  {number}. {choice}")
        said = (self._prompt("> ") or "").strip()
        if said.isdigit() and 1 <= int(said) <= len(choices):
            return str(choices[int(said) - 1])
        # Of a cut call, leaving it is the last choice; to the model's own question nobody answered.
        return said or (str(choices[-1]) if question["kind"] == "outcome" else "(Nobody is there to answer.)")

    def _once_or_no(self, text: str) -> str:
        said = self._prompt(text)
        answer = UNASKED if said is None else "once" if said.lower() in YES else "no"
        self._was_refused = self._was_refused or answer != "once"
        return answer

    def _prompt(self, text: str) -> str | None:
        """What was typed; None where there is nobody to type."""
        if not sys.stdin.isatty():
            self._line(f"{text}(no terminal to ask on: no)")
            return None
        try:
            return input(text)
        except (EOFError, UnicodeDecodeError):
            return ""

    def _end(self, run: Json) -> int:
        self._end_line()
        problem = run.get("problem")
        if problem and not self._is_json:
            print(for_terminal(f"{problem['message']} {problem.get('remedy', '')}".strip()), file=sys.stderr)
            if detail := problem.get("detail"):
                print(for_terminal(f"({detail})"), file=sys.stderr)
        if run["state"] == "done" and self._was_refused:
            return REFUSED
        return EXIT_CODES[run["state"]]


def _wait(told: Json) -> str:
    """Why and when a model is asked again."""
    if told["next_model"] != told["model"]:
        return f"{told['message']} {told['next_model']} is asked instead."
    return f"{told['message']} Next try in {told['wait_s']:.0f} s."


def _lines_of(question: Json) -> list[str]:
    """What would be done: the code, the changes as a diff, else the exact arguments."""
    preview = question["preview"]
    if preview.get("code"):
        return str(preview["code"]).split("\n")
    lines: list[str] = []
    for diff in preview.get("diffs") or []:
        old, new = str(diff["old"]).split("\n"), str(diff["new"]).split("\n")
        lines += [diff["label"], *list(difflib.unified_diff(old if diff["old"] else [], new, lineterm=""))[2:]]
    return lines or json.dumps(question["arguments"], ensure_ascii=False, indent=1).split("\n")
