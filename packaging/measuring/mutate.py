#!/usr/bin/env python3
"""Change the program at random places, one at a time, and report the changes that no test notices (mutation testing).

    python packaging/measuring/mutate.py [--number 200] [--seed N] [PATH ...]

Modules of `swgui/core` by default. Each change is tried by the tests that run its line, as a run of `RECORDED` under
coverage says, those of its own module first; code that runs at import by the tests of the module's name,
or of its folder, and by those that import it. Cosmic Ray chooses the changes: operators, comparisons,
numbers, conditions. Annotations, decorators and the like are left alone. A change is noticed if its tests fail or do
not come to their end. Survivors are printed as differences: some of them mean the same as the original, the others
want a test. The exit status is 1 if less than `--least` percent were noticed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]
PYTEST = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not gpu")
SECONDS = 300  # that tests of one change may take
IMPORTERS = 12  # files of tests that import a module and are run for what runs at its import, at most
TESTS = 80  # tests that run a line and are run for it, at most
RECORDED = tuple(f"tests/{room}" for room in ("core", "laws", "library", "history"))
Position = tuple[int, int]


@dataclass(frozen=True)
class Change:
    """The nth place of a module that an operator of Cosmic Ray can change."""

    module: str
    operator: str
    occurrence: int
    line: int


def unseen(source: str) -> list[tuple[Position, Position]]:
    """Return where annotations, decorators and ``repr=False`` begin and end: to change them changes no result."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parts = [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            parts = [*node.decorator_list]
        elif isinstance(node, ast.keyword) and node.arg in ("repr", "compare", "hash"):
            parts = [node.value]
        spans += [((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)) for part in parts if part]
    return spans


def plain(operator: str) -> bool:
    """Return whether an operator needs no settings, and changes more than a decorator or the type of an exception."""
    return not operator.endswith(("VariableReplacer", "VariableInserter", "RemoveDecorator", "ExceptionReplacer"))


def changes(module: str) -> list[Change]:
    """Return all changes of one module, one for each place, its operator drawn by the place."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    source = (ROOT / module).read_text("utf-8")
    spans, nodes = unseen(source), list(ast_nodes(get_ast(source)))  # two hundred operators look at all of them
    places: dict[Position, list[Change]] = defaultdict(list)
    for name in filter(plain, plugins.operator_names()):
        operator = plugins.get_operator(name)()
        starts = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, start in enumerate(starts):
            if not any(begin <= start < end for begin, end in spans):
                places[start].append(Change(module, name, occurrence, start[0]))
    return [random.Random(f"{module}{place}").choice(found) for place, found in sorted(places.items())]


@dataclass(frozen=True)
class Recorded:
    """Which tests ran which line of a checkout, and which failed there without any change."""

    root: Path
    data: CoverageData
    failing: tuple[str, ...]

    def tests_of(self, change: Change) -> tuple[str, ...]:
        """Return the tests that ran a line, `TESTS` at most, those of its own module first; none ran it: none."""
        lines = self.data.contexts_by_lineno(str(self.root / change.module))
        ran = sorted({test for name in lines.get(change.line, []) if name for test in _test(self.root, name)})
        own = f"test_{Path(change.module).stem}.py"
        return tuple(sorted(ran, key=lambda test: own not in test)[:TESTS])


def _test(root: Path, name: str) -> list[str]:
    """Return the name that pytest knows a test by which coverage calls ``tests.folder.module.function``."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        path = Path(*parts[:length]).with_suffix(".py")
        if (root / path).is_file():
            return [f"{path}::{'::'.join(parts[length:])}"]
    return []


def record(folder: Path) -> Recorded:
    """Run `RECORDED` in a copy and note which lines each test runs."""
    settings = folder / "coverage.ini"
    settings.write_text(f"[run]\ndynamic_context = test_function\nsource = {folder / 'swgui'}\n", "utf-8")
    coverage = ("-m", "coverage", "run", f"--rcfile={settings}", f"--data-file={folder / 'coverage.data'}")
    done = run_in(folder, (*coverage, *PYTEST, *RECORDED), 7200)
    lines = done.stdout.decode(errors="replace").splitlines()
    failing = tuple(line.split()[1] for line in lines if line.startswith(("FAILED ", "ERROR ")))
    data = CoverageData(str(folder / "coverage.data"))
    data.read()
    return Recorded(folder, data, failing)


@cache
def importers(module: str) -> tuple[str, ...]:
    """Return the tests of a module's name, or of the nearest folder that has tests, and those that import it."""
    path = Path(module)
    folder = Path("tests", *path.parts[1:-1])
    own = folder / f"test_{path.stem}.py"
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    first = own if (ROOT / own).exists() else folder
    name = ".".join(path.with_suffix("").parts)
    lines = (f"from {name} import ", f"import {name}\n", f"from {name.rpartition('.')[0]} import {path.stem}")
    others = [
        str(other.relative_to(ROOT))
        for other in sorted((ROOT / "tests").rglob("test_*.py"))
        if any(line in other.read_text("utf-8") for line in lines)
    ]
    return (str(first), *(other for other in others if not Path(other).is_relative_to(first)))[: 1 + IMPORTERS]


def copy_to(folder: Path) -> None:
    """Copy what belongs to the checkout, and the compiled library."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    built = "swgui/engines/native/_build"
    shutil.copytree(ROOT / built, folder / built, dirs_exist_ok=True)


def run_in(folder: Path, command: Sequence[str], seconds: int) -> subprocess.CompletedProcess[bytes]:
    """Run Python in a copy; `TimeoutExpired` after some seconds."""
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, timeout=seconds, check=False
    )


def pass_in(folder: Path, tests: Sequence[str], failing: Sequence[str]) -> bool:
    """Return whether tests pass in a copy; those that fail anyway are left out."""
    left_out = [f"--deselect={test}" for test in failing]
    try:
        return run_in(folder, (*PYTEST, "-x", *left_out, *tests), SECONDS).returncode in (0, 5)
    except subprocess.TimeoutExpired:
        return False


def survivors(chosen: Sequence[Change], folder: Path, recorded: Recorded) -> Iterator[tuple[Change, str]]:
    """Make each change in the copy, run its tests and undo it; yield those that pass, with the changed line."""
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    for number, change in enumerate(chosen, 1):
        path = folder / change.module
        sound = path.read_text("utf-8")
        changed = mutate_code(sound, plugins.get_operator(change.operator)(), change.occurrence)
        path.write_text(changed, "utf-8")
        passed = pass_in(folder, recorded.tests_of(change) or importers(change.module), recorded.failing)
        path.write_text(sound, "utf-8")
        print(
            f"{number:4} {'SURVIVED' if passed else 'noticed '} {change.module}:{change.line} {change.operator}",
            flush=True,
        )
        if passed:
            yield change, changed.splitlines()[change.line - 1].strip()


def main() -> int:
    """Make the changes and print which are not noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=["swgui/core"], metavar="PATH", help="modules or folders")
    parser.add_argument("--number", type=int, default=200, help="changes made, drawn from all (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--least", type=int, default=75, metavar="PERCENT", help="to be noticed (default 75)")
    asked = parser.parse_args()
    files = [
        path
        for name in asked.paths
        for path in ([ROOT / name] if name.endswith(".py") else (ROOT / name).rglob("*.py"))
    ]
    possible = [change for path in sorted(files) for change in changes(path.relative_to(ROOT).as_posix())]
    chosen = random.Random(asked.seed).sample(possible, min(asked.number, len(possible)))
    with tempfile.TemporaryDirectory(prefix="swgui-mutation-") as name:
        copy_to(Path(name))
        recorded = record(Path(name))
        if recorded.failing:
            print(f"These fail without any change and are left out: {', '.join(recorded.failing)}")
        unnoticed = list(survivors(chosen, Path(name), recorded))
    for change, line in unnoticed:
        print(f"{change.module}:{change.line}: {line}")
    share = 100 * (len(chosen) - len(unnoticed)) / max(len(chosen), 1)
    print(f"{len(chosen)} of {len(possible)} changes, {share:.0f} % noticed.")
    return int(share < asked.least)


if __name__ == "__main__":
    sys.exit(main())
