"""The words of a command: other names, mistakes, and how it ends."""

import os
import signal

import pytest

from swgui.cli import build_parser, main
from swgui.commands.table import COMMANDS

BASE = ["search", "-q", "q.fasta", "-d", "d.fasta"]


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (["-t", "3"], ["--threads", "3"]),
        (["--num-threads", "3"], ["--threads", "3"]),
        (["--max-target-seqs", "7"], ["--top", "7"]),
        (["--outfmt", "blast7"], ["--format", "blast7"]),
        (["--outfmt", "6"], ["--format", "blast6"]),
        (["--format", "0"], ["--format", "text"]),
        (["--db", "e.fasta"], ["--database", "e.fasta"]),
    ],
)
def test_other_names_mean_the_same(words, same):
    def values(more):
        return {key: value for key, value in vars(build_parser().parse_args([*BASE, *more])).items() if key != "parser"}

    assert values(words) == values(same)
    assert values(words) != values([])


def refused(words, capsys):
    """Return the message about a mistake, in lines."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    printed, said = capsys.readouterr()
    assert printed == ""
    return said.splitlines()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["search", "-q", "x", "--top"], "swgui search: Argument --top/-k/--max-target-seqs: expected one argument."),
        ([*BASE, "--thread", "3"], "swgui search: Unknown: --thread 3; did you mean --threads?"),
        ([*BASE, "--outfmt", "6 std qcovs"], "columns have an option of their own: --format 6 --columns std,qcovs."),
        (
            ["search", "-q", "x", "-d", "-"],
            "the standard input cannot be searched; 'swgui makedb - -o NAME.swdb' builds from it.",
        ),
        (["makedb", "a.fasta"], "swgui makedb: The following arguments are required: -o/--out."),
        (["bench", "--zzz"], "swgui bench: Unknown: --zzz."),
        (["--zzz"], "swgui: The following arguments are required: COMMAND."),
    ],
)
def test_a_mistake_is_a_sentence_and_a_line(words, sentence, capsys):
    said, usage = refused(words, capsys)
    assert said.endswith(sentence)
    command = words[0] if words[0] in COMMANDS else ""
    assert usage.startswith(f"usage: swgui {command}".rstrip())


@pytest.mark.parametrize("command", [*COMMANDS])
def test_no_option_can_be_shortened(command, capsys):
    assert "Unknown: --zz" in refused([command, *needed(command), "--zz"], capsys)[0]
    for option in COMMANDS[command].groups()[0].options if COMMANDS[command].options else ():
        long = option.names[-1]
        if long.startswith("--") and len(long) > 5:
            refused([command, *needed(command), long[:-1], "x"], capsys)


def needed(command):
    """Return words for all that a command must be given."""
    options = [option for group in COMMANDS[command].groups() for option in group.options]
    words = []
    for option in options:
        if option.required or option.positional:
            value = option.choices[0] if option.choices else "x.a3m"
            words += [value] if option.positional else [option.names[0], value]
    return words


def test_the_usage_names_what_must_be_given_and_what_usually_is():
    lines = {name: build_parser().parse_args([name, *needed(name)]).parser.line() for name in ("search", "makedb")}
    assert lines == {
        "search": "usage: swgui search -q FILE -d FILE [options]",
        "makedb": "usage: swgui makedb FILE ... -o NAME.swdb [options]",
    }


def test_help_begins_with_one_line(capsys):
    with pytest.raises(SystemExit):
        main(["search", "--help"])
    first, second, third, *_ = capsys.readouterr().out.splitlines()
    assert (first, second) == ("usage: swgui search -q FILE -d FILE [options]", "")
    assert third == "Search queries against a database."


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_command_that_is_ended_says_by_what(number, status, monkeypatch, capsys):
    def ended(arguments):
        os.kill(os.getpid(), number)
        raise AssertionError("the signal came to nothing")

    monkeypatch.setattr("swgui.cli.computer.devices.run", ended)
    assert main(["devices"]) == status
    assert capsys.readouterr().err == "swgui: stopped.\n"
