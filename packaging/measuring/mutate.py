#!/usr/bin/env python3
"""Make faults in a copy of the program, one at a time, and report those that no test notices.

    python packaging/measuring/mutate.py [NAME ...]

The faults stand in `mutants.toml`. The tests named there must pass without any; a fault is noticed if one of them
fails then. Faults in `kernels/cpu` make a library of their own. The exit status is 1 if a fault was not noticed, or if
its text does not stand in the file exactly once any more. With parts of names only those faults are made.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTEST = ("-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider")
PASSED, FAILED = 0, 1  # exit statuses of pytest


@dataclass(frozen=True)
class Mutant:
    """One fault: what is wrong then, where, the text and what stands in its place, and the tests that should notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str


def mutants() -> list[Mutant]:
    """Return the table."""
    with open(Path(__file__).with_name("mutants.toml"), "rb") as file:
        return [Mutant(**record) for record in tomllib.load(file)["fault"]]


def places(mutant: Mutant, root: Path = ROOT) -> int:
    """Return how often the text of a fault stands in its file."""
    path = root / mutant.file
    return path.read_text("utf-8").count(mutant.old) if path.is_file() else 0


def copy_to(folder: Path) -> None:
    """Copy what git tracks or would, and the compiled library, so that only faults in C compile anything."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    built = "swgui/engines/native/_build"
    if (ROOT / built).is_dir():
        shutil.copytree(ROOT / built, folder / built, dirs_exist_ok=True)


def run_tests(folder: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Run tests in a copy; returns pytest's exit status and the end of what it said."""
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, *PYTEST, *tests]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr)[-1500:]


def outcome(mutant: Mutant, folder: Path) -> str:
    """Make a fault, run its tests, mend it; returns what is wrong with the tests, empty if they noticed."""
    if places(mutant, folder) != 1:
        return f"its text stands in {mutant.file} {places(mutant, folder)} times"
    path = folder / mutant.file
    sound = path.read_text("utf-8")
    path.write_text(sound.replace(mutant.old, mutant.new), "utf-8")
    try:
        status, said = run_tests(folder, mutant.tests.split())
    finally:
        path.write_text(sound, "utf-8")
    if status == FAILED:
        return ""
    return "no test notices" if status == PASSED else f"pytest ended with {status}:\n{said}"


def main() -> int:
    """Make the faults and print which are not noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of names of faults; all without them")
    asked = parser.parse_args()
    chosen = [one for one in mutants() if not asked.names or any(part in one.name for part in asked.names)]
    unnoticed = 0
    with tempfile.TemporaryDirectory(prefix="swgui-mutants-") as name:
        folder = Path(name)
        copy_to(folder)
        status, said = run_tests(folder, sorted({test for one in chosen for test in one.tests.split()}))
        if status != PASSED:
            print(f"The tests fail without any fault:\n{said}")
            return 1
        for number, mutant in enumerate(chosen, start=1):
            began = time.monotonic()
            wrong = outcome(mutant, folder)
            unnoticed += bool(wrong)
            print(f"{number:3} {time.monotonic() - began:5.1f} s  {mutant.name}: {wrong or 'noticed'}", flush=True)
    print(f"{len(chosen)} faults, {unnoticed} not noticed.")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
