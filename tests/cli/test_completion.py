"""Completion of shells, and the manual page, come from the same tables as the parsers."""

import shutil
import subprocess
import sys

import pytest

from swgui.cli import main
from swgui.cli.computer.completion import SHELLS
from swgui.commands.option import options_of
from swgui.commands.table import COMMANDS


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_its_options_are_completed(shell, capsys):
    text = script(shell, capsys)
    for name, command in COMMANDS.items():
        assert name in text
        for option in options_of(command.groups()):
            for word in option.names:
                assert word.lstrip("-") in text or option.positional


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_options_formats_and_files(tmp_path, capsys):
    (tmp_path / "completion").write_text(script("bash", capsys))
    (tmp_path / "proteins.fasta").touch()
    tried = """
    complete_line() {
        COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        $(complete -p swgui | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        echo "${COMPREPLY[@]}"
    }
    source ./completion
    complete_line "swgui sea"
    complete_line "swgui search --max-h"
    complete_line "swgui search --format blast"
    complete_line "swgui search --query prot"
    """
    done = subprocess.run(["bash", "-c", tried], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "search",
        "--max-hsps",
        "blast6 blast7 blast-xml blast-xml1 blast-json",
        "proteins.fasta",
    ], done.stderr


def test_without_its_library_it_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install shtab" in capsys.readouterr().err


def test_the_manual_page_has_every_command(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository / "packaging"))
    monkeypatch.syspath_prepend(str(repository / "packaging" / "release"))
    from man_page import man_page

    page = man_page("1.2.3", "2026-11-22")
    for name in COMMANDS:
        assert f".SH COMMAND {name.upper()}" in page
    assert "\\-\\-max\\-target\\-seqs" in page
