"""The rules of the house that a machine can hold: sizes of rooms and functions, names, types."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.sources import statements_of, tree_of

ROOT = Path(__file__).resolve().parents[1]
AT_THE_TOP = {
    *(".ci", ".editorconfig", ".github", ".gitignore", ".pre-commit-config.yaml", "pyproject.toml"),
    *("README.md", "BENCHMARKS.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "SECURITY.md"),
    *("swgui", "kernels", "resources", "tests", "packaging", "docs", "benchmarks"),
}
MAX_LINES = 60  # of a function, its docstring included
MAX_FILE = 800  # lines
MAX_AT_THE_ROOT = 7
# Constants behind the first class or function of their module, which could stand before it; a number here only falls.
MAX_LATE_CONSTANTS = {"swgui": 0, "tests": 129, "packaging": 0}
# Names with an underscore that others may use: of IPython, of ctypes, of the standard library.
PROTOCOLS = {"_repr_html_", "_fields_", "_obj", "_exit", "_replace"}
# Attributes of others, imports from the package, and attributes that a test replaces.
PRIVATE = re.compile(
    r"(?<!\bself)(?<!\bcls)(?<!sanitized_runs)\.(_[a-z]\w*)"
    r"|^from swgui[\w.]* import .*?\b(_[a-z]\w*)"
    r"|(?:set|del)(?:attr|item)\([^()]*?[\"'](?:[\w.]+\.)?(_[a-z]\w*)[\"']",
    re.MULTILINE,
)


def late_constants(path: Path) -> list[str]:
    """Return the constants behind the first class or function of a module that need none of those before them."""
    late: list[str] = []
    defined: set[str] = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif defined and isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if defined & {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}:
                defined |= set(names)
            else:
                late += [f"{path.relative_to(ROOT)}: {name}" for name in names if name.isupper()]
    return late


def test_nothing_is_kept_at_the_top_by_mistake():
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    assert {path.split("/")[0] for path in kept if path} <= AT_THE_TOP


def test_few_modules_are_at_the_root():
    assert len(list((ROOT / "swgui").glob("*.py"))) <= MAX_AT_THE_ROOT


@pytest.mark.parametrize("top", MAX_LATE_CONSTANTS)
def test_constants_stand_before_the_first_class_or_function(top):
    late = [name for path in sorted((ROOT / top).rglob("*.py")) for name in late_constants(path)]
    assert len(late) <= MAX_LATE_CONSTANTS[top], "\n".join(late)


@pytest.mark.slow  # as in test_language.py
def test_functions_can_be_read_on_a_screen():
    long = []
    for path in sorted((ROOT / "swgui").rglob("*.py")):
        text = path.read_text("utf-8")
        assert text.count("\n") <= MAX_FILE, f"{path} has {text.count(chr(10))} lines: what is it really two of?"
        for node in statements_of(tree_of(path)):
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


def documented(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """Return the names in the section Parameters of a docstring."""
    _, found, section = (ast.get_docstring(node) or "").partition("Parameters\n----------\n")
    section = re.split(r"\n\w[^\n]*\n-{3,}", section)[0]
    heads = re.findall(r"^([\w*][\w *,]*?) : ", section, re.MULTILINE) if found else []
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def accepted(node: ast.FunctionDef | ast.ClassDef) -> set[str] | None:
    """Return the parameters of a function, or of the __init__ of a class; None for a class without one."""
    if isinstance(node, ast.ClassDef):
        return next((accepted(one) for one in node.body if getattr(one, "name", "") == "__init__"), None)
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    return {one.arg for one in every if one is not None}


@pytest.mark.slow  # as above
def test_documented_parameters_exist():
    wrong = []
    for path in sorted((ROOT / "swgui").rglob("*.py")):
        for node in statements_of(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (names := documented(node)):
                known = accepted(node)
                wrong += [f"{path.relative_to(ROOT)}, {node.name}: {name}" for name in names - (known or names)]
    assert wrong == []


def test_tests_ask_by_public_names():
    used = {}
    for path in sorted({*(ROOT / "tests").rglob("*.py")} - {*(ROOT / "tests/data").rglob("*.py")}):  # of 0.2, too
        names = {name for found in PRIVATE.findall(path.read_text("utf-8")) for name in found if name}
        if names - PROTOCOLS:
            used[str(path.relative_to(ROOT))] = sorted(names - PROTOCOLS)
    assert used == {}, "Give what the test wants a property, a function or an event, or ask what a user sees."
