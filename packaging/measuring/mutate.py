#!/usr/bin/env python3
"""Change the program at random places, one at a time, and report the changes that no test notices (mutation testing).

    python packaging/measuring/mutate.py [--number 200] [--seed N] [PATH ...]

Modules of `swgui/core` by default, each with the tests of its own name, or of its folder where it has none, and with
those that import it. What is changed is decided by Cosmic Ray: operators, comparisons, numbers, conditions.
Annotations are left alone. A change is noticed if its tests fail or do not come to their end. Survivors are printed as
differences: some of them mean the same as the original, the others want a test. The exit status is 1 if less than
`--least` percent were noticed.
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

ROOT = Path(__file__).resolve().parents[2]
PYTEST = ("-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not gpu")
SECONDS = 300  # that tests of one change may take
IMPORTERS = 8  # files of tests that import a module and are run for it, at most
Position = tuple[int, int]


@dataclass(frozen=True)
class Change:
    """The nth place of a module that an operator of Cosmic Ray can change."""

    module: str
    operator: str
    occurrence: int
    line: int


def annotations(source: str) -> list[tuple[Position, Position]]:
    """Return where annotations begin and end, as line and column: to change one changes nothing that runs."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parts = [node.returns]
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
    spans, nodes = annotations(source), list(ast_nodes(get_ast(source)))  # two hundred operators look at all of them
    places: dict[Position, list[Change]] = defaultdict(list)
    for name in filter(plain, plugins.operator_names()):
        operator = plugins.get_operator(name)()
        starts = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, start in enumerate(starts):
            if not any(begin <= start < end for begin, end in spans):
                places[start].append(Change(module, name, occurrence, start[0]))
    return [random.Random(f"{module}{place}").choice(found) for place, found in sorted(places.items())]


@cache
def tests_of(module: str) -> tuple[str, ...]:
    """Return the tests of a module: the file of its name or the nearest folder that has tests, and what imports it.

    Importers are left out where there are more than `IMPORTERS`: such a module is used everywhere, and has its own.
    """
    path = Path(module)
    folder = Path("tests", *path.parts[1:-1])
    own = folder / f"test_{path.stem}.py"
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    first = own if (ROOT / own).exists() else folder
    name = ".".join(path.with_suffix("").parts)
    lines = (f"from {name} import ", f"import {name}\n", f"from {name.rpartition('.')[0]} import {path.stem}")
    importers = [
        other.relative_to(ROOT)
        for other in sorted((ROOT / "tests").rglob("test_*.py"))
        if any(line in other.read_text("utf-8") for line in lines)
    ]
    outside = [str(other) for other in importers if not other.is_relative_to(first)]
    return (str(first), *(outside if len(outside) <= IMPORTERS else ()))


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


def pass_in(folder: Path, tests: Sequence[str]) -> bool:
    """Return whether tests pass in a copy."""
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, *PYTEST, *tests]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def survivors(chosen: Sequence[Change], folder: Path) -> Iterator[tuple[Change, str]]:
    """Make each change in the copy, run its tests and mend it; yield those that pass, with the changed line."""
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    for number, change in enumerate(chosen, 1):
        path = folder / change.module
        sound = path.read_text("utf-8")
        changed = mutate_code(sound, plugins.get_operator(change.operator)(), change.occurrence)
        path.write_text(changed, "utf-8")
        passed = pass_in(folder, tests_of(change.module))
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
        failing = [
            " ".join(tests)
            for tests in sorted({tests_of(item.module) for item in chosen})
            if not pass_in(Path(name), tests)
        ]
        if failing:
            print(f"These tests fail without any change: {', '.join(failing)}")
            return 1
        unnoticed = list(survivors(chosen, Path(name)))
    for change, line in unnoticed:
        print(f"{change.module}:{change.line}: {line}")
    share = 100 * (len(chosen) - len(unnoticed)) / max(len(chosen), 1)
    print(f"{len(chosen)} of {len(possible)} changes, {share:.0f} % noticed.")
    return int(share < asked.least)


if __name__ == "__main__":
    sys.exit(main())
