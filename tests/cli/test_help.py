"""Help and wrong usage."""

from __future__ import annotations

import pytest

from jupyter_linda.cli.main import main, parser

COMMANDS = ("start", "ask", "doctor", "support")


def test_the_help_names_every_command_an_example_and_the_exit_codes(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert all(command in said for command in COMMANDS)
    assert 'jupyter linda ask "' in said
    assert "exit codes: 0 done, 1 failed" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself_and_its_options(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert said.startswith(f"usage: jupyter linda {command}")
    commands = next(action for action in parser()._actions if action.dest == "command").choices
    options = [action for action in commands[command]._actions if action.option_strings]
    assert all(option.help for option in options)
    assert all(option.option_strings[-1] in said for option in options)


@pytest.mark.parametrize(
    "arguments", [[], ["fly"], ["ask"], ["ask", "x", "--yes-to", "EVERYTHING"], ["doctor", "--on-line"]]
)
def test_wrong_usage_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: jupyter linda" in capsys.readouterr().err


def test_yes_to_takes_commas_and_bars_in_any_case():
    chosen = parser().parse_args(["ask", "x", "--yes-to", "read|Write,RUN"])
    assert chosen.yes_to == {"read", "write", "run"}
