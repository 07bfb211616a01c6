"""The map of the rooms in pyproject.toml, compared with the code."""

import ast
import graphlib
from pathlib import Path

import pytest

from tests.sources import statements_of, tree_of

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


def room_of(module: str, house: str) -> str:
    """Return the room of a module of a house: its folder, or itself if it lies next to the folders; "" outside."""
    return module.removeprefix(f"{house}.").split(".")[0] if module.startswith(f"{house}.") else ""


def rooms_imported(path: Path, house: str) -> set[str]:
    """Return the rooms of a house that a module imports, also inside functions and for type checkers."""
    found = set()
    for node in statements_of(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module == house:
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(room_of(node.module or "", house))
        elif isinstance(node, ast.Import):
            found |= {room_of(alias.name, house) for alias in node.names}
    return found - {""}


@pytest.mark.parametrize("house", ["core", "io"])
def test_rooms_import_downwards_only(house):
    arrows: dict[str, set[str]] = {}
    for path in sorted((ROOT / "swgui" / house).rglob("*.py")):
        here = path.relative_to(ROOT / "swgui" / house).with_suffix("").parts[0]
        arrows.setdefault(here, set()).update(rooms_imported(path, f"swgui.{house}") - {here})
    assert sum(map(len, arrows.values())) > 50, "the rooms were not found"
    graphlib.TopologicalSorter(arrows).prepare()  # `CycleError` names the circle
