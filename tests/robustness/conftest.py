"""The command without a process of its own, where nothing but its words and files matter."""

from types import SimpleNamespace

import pytest

from swgui.cli import main


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """Run ``swgui`` in the folder of the test; returns status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(status=status, out=out, err=err)

    return run
