"""The map of the rooms in pyproject.toml, held against the code."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_imports_keep_to_the_map(monkeypatch, capsys):
    cli = pytest.importorskip("importlinter.cli", reason="import-linter is not installed")
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)  # it would silence our loggers in later tests
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    status = cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_every_save_dialog_spares_the_files_that_were_opened():
    asking = [path.name for path in sorted(ROOT.glob("swgui/gui/**/*.py")) if "getSaveFileName" in path.read_text()]
    assert asking == ["saving.py"]
