"""The rules of the house that a machine can hold: sizes of rooms and functions, names, types."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import tree_of

ROOT = Path(__file__).resolve().parents[1]
AT_THE_TOP = {
    *(".ci", ".editorconfig", ".github", ".gitignore", ".pre-commit-config.yaml", "pyproject.toml"),
    *("README.md", "BENCHMARKS.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "SECURITY.md"),
    *("swgui", "kernels", "resources", "tests", "packaging", "docs", "benchmarks"),
}
MAX_MODULES = 20  # in a folder
MAX_LINES = 60  # of a function, its docstring included
MAX_FILE = 800  # lines
MAX_AT_THE_ROOT = 7


def folders(top: str) -> Iterator[tuple[Path, list[Path]]]:
    for folder in sorted({path.parent for path in (ROOT / top).rglob("*.py")}):
        yield folder.relative_to(ROOT), sorted(folder.glob("*.py"))


def test_nothing_is_kept_at_the_top_by_mistake():
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    assert {path.split("/")[0] for path in kept if path} <= AT_THE_TOP


def test_no_folder_is_crowded():
    crowded = {
        str(folder): len(files)
        for top in ("swgui", "tests", "packaging")
        for folder, files in folders(top)
        if len(files) > MAX_MODULES
    }
    assert crowded == {}
    assert len(list((ROOT / "swgui").glob("*.py"))) <= MAX_AT_THE_ROOT


def test_functions_can_be_read_on_a_screen():
    long = []
    for path in sorted((ROOT / "swgui").rglob("*.py")):
        text = path.read_text("utf-8")
        assert text.count("\n") <= MAX_FILE, f"{path} has {text.count(chr(10))} lines: what is it really two of?"
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MAX_LINES:
                    long.append(f"{path.relative_to(ROOT)}: {node.name}, {lines} lines")
    assert long == []


def imported_modules(path: Path, modules: set[str], *, inside_functions: bool) -> set[str]:
    """Return which of `modules` a module imports; in the window names for type checkers alone do not count, yet."""
    pending: list[ast.AST] = [tree_of(path)]
    names = set()
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= inside & modules or {node.module or ""}
        elif "gui" in path.parts and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending += node.orelse
        elif inside_functions or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += ast.iter_child_nodes(node)
    return names & modules


@pytest.mark.parametrize(("room", "inside_functions"), [("swgui", False), ("swgui.core", True)])
def test_no_modules_import_each_other(room, inside_functions):
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (ROOT / room.replace(".", "/")).rglob("*.py")
    }
    graph = {
        name: imported_modules(path, set(paths), inside_functions=inside_functions) - {name}
        for name, path in paths.items()
    }
    graphlib.TopologicalSorter(graph).prepare()  # `CycleError` names the circle


def test_every_module_is_typed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["strict"]
    assert settings["packages"] == ["swgui"]
    assert "exclude" not in settings
    ours = [
        entry["module"] for entry in settings["overrides"] if any(name.startswith("swgui") for name in entry["module"])
    ]
    assert ours == []


def takes_arrays(function: ast.FunctionDef, aliases: set[str]) -> bool:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    kinds = [ast.unparse(argument.annotation) for argument in arguments if argument.annotation is not None]
    return any(kind.startswith(("NDArray", "ArrayLike")) or kind.split(" |")[0] in aliases for kind in kinds)


@pytest.mark.parametrize("room", ["core", "engines", "library"])
def test_public_functions_give_the_shapes_of_arrays(room):
    silent = []
    for path in sorted((ROOT / "swgui" / room).rglob("*.py")):
        body = tree_of(path).body
        assigned = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
        aliases = {node.targets[0].id for node in assigned if ast.unparse(node.value).startswith("NDArray")}
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name[0] != "_" and takes_arrays(node, aliases):
                said = ast.get_docstring(node) or ""
                if "shape" not in said and not re.search(r"\b(as|of) `", said):  # or those of another function
                    silent.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert silent == []
