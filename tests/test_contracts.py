"""The map of the rooms in pyproject.toml, compared with the code."""

import ast
from pathlib import Path

import pytest

from tests.sources import statements_of, tree_of

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "swgui" / "core"
MAX_MUTUAL = 1  # pairs of rooms in core that import each other: the limits of hits are part of a search


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


def room_of(module: str) -> str:
    """Return the room of a module of core: its folder, or itself if it lies next to the folders."""
    return module.removeprefix("swgui.core.").split(".")[0]


def rooms_imported(path: Path) -> set[str]:
    """Return the rooms of core that a module imports, also inside functions and for type checkers."""
    found = set()
    for node in statements_of(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "swgui.core":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("swgui.core."):
            found.add(room_of(node.module or ""))
        elif isinstance(node, ast.Import):
            found |= {room_of(alias.name) for alias in node.names if alias.name.startswith("swgui.core.")}
    return found


def test_few_rooms_of_core_import_each_other():
    arrows = set()
    for path in sorted(CORE.rglob("*.py")):
        here = path.relative_to(CORE).with_suffix("").parts[0]
        arrows |= {(here, there) for there in rooms_imported(path) if there != here}
    assert len({here for here, _ in arrows}) > 10, "the rooms were not found"
    mutual = sorted({tuple(sorted(arrow)) for arrow in arrows if arrow[::-1] in arrows})
    assert len(mutual) <= MAX_MUTUAL, mutual
