#!/usr/bin/env python3
"""Run the checks that are too long for every change, and keep their last results in packaging/nightly.json.

    python packaging/nightly.py                  # all of `CHECKS`, some two hours on two cores
    python packaging/nightly.py mutation bundle  # some
    python packaging/nightly.py --share 0.25     # with a quarter of the changes and of the minutes of each
    python packaging/nightly.py --list           # what there is, and how each ended last

The exit status is 1 if one fails. `.ci/run` does what every change needs; this is for a night, and for a release.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).with_suffix(".json")
PYTEST = ("-m", "pytest", "-q", "-n", "auto", "--dist=worksteal")

# Name: what it is for, and the arguments of Python; numbers among them are amounts, of which `--share` takes a part.
CHECKS: dict[str, tuple[str, tuple[str | int, ...]]] = {
    "tests": ("tests that .ci/run leaves out: whole tables of kernels, long processes", (*PYTEST, "-m", "nightly")),
    "look": (
        "tests of the window with its style sheet, which most leave out by day",
        (*PYTEST, "tests/gui", "--styled"),
    ),
    "examples": (
        "properties with 1,000 examples instead of 50",
        (*PYTEST, "tests/laws", "tests/core", "tests/io", "tests/commands", "--hypothesis-profile=night"),
    ),
    "mutation": ("changes of the program that tests must notice", ("packaging/measuring/mutate.py", "--number", 200)),
    "hostile": (
        "hostile use of the installed command",
        ("packaging/measuring/hostile.py", "--times", 15, "--percent", 100),
    ),
    "bundle": ("the folder that needs no Python, and its Debian package", ("packaging/release/bundle.py", "--check")),
    "rules": ("places of every rule against their definitions", ("-m", "tests.long.rules", "--cases", 10_000)),
    "pairs": (
        "edges of real proteins against scores of parasail, which must be installed",
        ("-m", "tests.long.all_pairs", "--proteins", 5000),
    ),
    "fuzz": ("random changes of every kind of input file", ("-m", "tests.fuzz", "--seconds", 1200)),
    "searches": (
        "search after search: memory, threads and files",
        ("-m", "tests.long.loops", "searches", "--seconds", 600),
    ),
    "window": ("the same in the window", ("-m", "tests.long.loops", "window", "--seconds", 600)),
    "soak": ("every kind of work in turn", ("packaging/measuring/soak.py", "commands", "--minutes", 20)),
}
# Name: the arguments of Python that make what a check needs; it runs if they succeed.
BEFORE: dict[str, tuple[str, ...]] = {"bundle": ("packaging/documentation.py", "--fast")}


def state() -> str:
    """Return the commit that is checked, with a sign if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no checkout"


def results() -> dict[str, dict[str, str | float]]:
    """Return the last result of each check."""
    return json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}


def carried_out(arguments: Sequence[str]) -> tuple[int, str]:
    """Run Python with arguments and show what it says; returns its status and its last line."""
    variables = {"QT_QPA_PLATFORM": "offscreen", "MALLOC_ARENA_MAX": "1"} | os.environ  # see tests/long/meter.py
    last = ""
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
    return process.returncode, last


def run(name: str, share: float, commit: str) -> bool:
    """Run one check, show what it says and keep how it ended; returns whether all was well."""
    arguments = [str(max(1, round(part * share))) if isinstance(part, int) else part for part in CHECKS[name][1]]
    began = time.monotonic()
    status, last = 0, ""
    for command in filter(None, (BEFORE.get(name), arguments)):
        if not status:
            status, last = carried_out(command)
    known = results()
    known[name] = {
        "date": datetime.date.today().isoformat(),
        "commit": commit,
        "seconds": round(time.monotonic() - began),
        "share": share,
        "status": status,
        "last line": last.strip("= "),
    }
    RESULTS.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", "utf-8")
    return status == 0


def main() -> int:
    """Run the requested checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CHECKS)}; all without")
    parser.add_argument("--share", type=float, default=1.0, help="of the changes, and of the time, of each check")
    parser.add_argument("--list", action="store_true", help="only say what there is, and how each ended last")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(CHECKS)):
        parser.error(f"there is no check {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    known = results()
    if asked.list:
        for name, (purpose, _) in CHECKS.items():
            last = known.get(name, {})
            print(f"{name:10} {purpose}")
            print(f"{'':10} {last.get('date', 'never')} {last.get('commit', '')} {last.get('last line', '')}")
        return 0
    commit = state()  # before a result is written, which changes a file of the checkout
    failed = [name for name in asked.names or CHECKS if not run(name, asked.share, commit)]
    print(f"Failed: {', '.join(failed)}." if failed else "All checks passed.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
