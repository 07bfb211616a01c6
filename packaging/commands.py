"""Commands ``bootstrap.py run`` and ``bootstrap.py test``. Standard library only."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from environment import Environment, this_version
from system import (
    COMPILER_PACKAGE,
    NoPackage,
    Stop,
    find_driver,
    has_compiler,
    has_display,
    missing_adapter,
    missing_libraries,
    provide,
    say,
)

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"  # git ignores it
EXAMPLES = ROOT / "resources" / "examples"
QUERIES = EXAMPLES / "sample_queries.fasta"
DATABASE = EXAMPLES / "sample_database.fasta.gz"
HITS = BUILD / "sample-hits.tsv"
PICTURE = BUILD / "sample-result.png"
SHOWN = 22  # hits printed: the haemoglobins' family and the first ones by chance

# The checks of the test command, in order; pytest last, so that its closing line closes the output. One process of
# tests for each core; whichever has done its own takes half of what another still has. Tests of a file mostly stay
# together, since many share what is made once.
CHECKS = (
    ("lint", ["ruff", "check"]),
    ("format", ["ruff", "format", "--check"]),
    ("types", ["mypy"]),
    ("tests", ["pytest", "--numprocesses=auto", "--dist=worksteal", "--durations=10"]),
)


def run(options: argparse.Namespace) -> int:
    """Open the window, or show the sample in the terminal."""
    started = time.monotonic()
    environment = prepare(options, [])
    allowed = not options.no_install_system
    why_terminal = ""
    if options.terminal:
        why_terminal = "As asked for:"
    elif not has_display():
        why_terminal = "There is no display:"
    elif not provide(missing_libraries(window=True), "by the window", environment.log, allowed=allowed):
        why_terminal = "Until these are there:"
    elif reason := why_no_window(environment):
        why_terminal = f"The window cannot be opened here ({reason}):"
    if options.verbose:
        say(f"Ready after {time.monotonic() - started:.2f} s")
    if not why_terminal:
        say(f"Opening the window. To start it directly: {environment.python.with_name('swgui')}")
        return subprocess.call([environment.python, "-m", "swgui"], cwd=ROOT)
    say(f"{why_terminal} searching the sample in the terminal.")
    picture = provide(missing_libraries(window=False), "for a picture of the window", environment.log, allowed=allowed)
    return show_sample(environment, picture=picture)


def test(options: argparse.Namespace) -> int:
    """Run every check and the whole test suite without a screen."""
    environment = prepare(options, ["dev"])
    missing = missing_libraries(window=False)
    if not provide(missing, "by the tests of the window", environment.log, allowed=not options.no_install_system):
        raise Stop("The tests need these system packages.", "Install them, then run this again.")
    if not has_compiler():
        provide(
            {"a C++ compiler": COMPILER_PACKAGE},
            "by the tests that run the GPU kernels on the CPU (they are skipped without it)",
            environment.log,
            allowed=not options.no_install_system,
        )
    provide(
        missing_adapter(),
        "by the tests of the engine for any GPU (they are skipped without it)",
        environment.log,
        allowed=not options.no_install_system,
    )
    variables = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # else every process that a test starts compiles the program anew
    failed = []
    for name, command in CHECKS:
        say(f"\n== {name}: {' '.join(command)}")
        extra = options.arguments if name == "tests" else []
        started = time.monotonic()
        if subprocess.call([environment.python, "-m", *command, *extra], cwd=ROOT, env=variables):
            failed.append(name)
        elif name != "tests":
            say(f"   fine, {time.monotonic() - started:.1f} s")
    if failed:
        say(f"\nNot all is well: {', '.join(failed)}.")
    return 1 if failed else 0


def prepare(options: argparse.Namespace, extras: list[str]) -> Environment:
    """Make the environment with the extras and with what the driver asks for."""
    BUILD.mkdir(exist_ok=True)
    environment = Environment(ROOT, ROOT / ".venv", BUILD / "bootstrap.log")
    wanted = list(extras)
    if not options.cpu_only:
        driver = find_driver()
        present = environment.installed_extras()
        if options.renew or not present or not {driver.extra} - {""} <= present:
            say(driver.sentence)
        wanted += [driver.extra] if driver.extra else []
    # A Python that was named on the command line gets an environment of its own version.
    renew = options.renew or (options.this_python and environment.version() not in ("", this_version()))
    system_packages = not options.no_install_system
    try:
        environment.prepare(wanted, renew=renew, system_packages=system_packages)
    except NoPackage as missing:
        if wanted == extras:
            raise
        # Better a program on the CPU than none.
        say(f"Without the GPU packages: {missing} {missing.hint}")
        environment.prepare(extras, renew=False, system_packages=system_packages)
    return environment


def why_no_window(environment: Environment) -> str:
    """Return why Qt cannot open a window on this display; empty if it can."""
    code = "from PySide6.QtWidgets import QApplication; QApplication([])"
    try:
        done = subprocess.run(
            [environment.python, "-c", code], capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return "Qt did not answer within a minute."
    if not done.returncode:
        return ""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[0] if lines else f"Qt ended with status {done.returncode}."


def show_sample(environment: Environment, *, picture: bool) -> int:
    """Search the sample, print the ranked hits and the first alignment, save a picture of the result page."""
    first = BUILD / "sample-first-query.fasta"
    first.write_text(">" + QUERIES.read_text("ascii").split(">")[1], "ascii")
    search = [str(environment.python), "-m", "swgui", "search", "-d", str(DATABASE)]
    report = subprocess.run(
        [*search, "-q", str(first), "--top", str(SHOWN), "--format", "text"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    if report.returncode:
        return report.returncode
    say("\n" + until_second_alignment(report.stdout))
    if status := subprocess.call([*search, "-q", str(QUERIES), "-o", str(HITS), "--format", "tsv"], cwd=ROOT):
        return status
    say(f"The hits of all {QUERIES.read_text('ascii').count('>')} sample queries: {HITS}")
    if not picture:
        return 0
    command = [str(environment.python), "-m", "swgui.app", "--sample", "--snapshot", str(PICTURE)]
    variables = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    # Qt has much to say about a screen that is not there; it matters only if the picture fails.
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        say(f"The picture of the window could not be made:\n{done.stdout}{done.stderr}")
        return 1
    say(f"A picture of the window with this result: {PICTURE}")
    return 0


def until_second_alignment(report: str) -> str:
    """Cut a report of hits after its first alignment; alignments begin with ">" and the subject."""
    head, *alignments = report.split("\n>")
    return "\n>".join([head, *alignments[:1]]).rstrip() + "\n"


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    common.add_argument("--python", metavar="FILE", help="make the environment with this Python instead")
    common.add_argument("--this-python", action="store_true", help=argparse.SUPPRESS)
    common.add_argument("--renew", action="store_true", help="make the environment anew")
    common.add_argument("--cpu-only", action="store_true", help="leave the GPU packages out")
    common.add_argument("--no-install-system", action="store_true", help="name missing system packages, install none")
    common.add_argument("--verbose", action="store_true", help="say how long the preparation took")
    parser = argparse.ArgumentParser(description="Start swgui, or run its tests, from a bare checkout.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="{run,test}")
    start = commands.add_parser(
        "run", parents=[common], allow_abbrev=False, help="open the window, or show the sample in the terminal"
    )
    start.add_argument("--terminal", action="store_true", help="show the sample in the terminal even with a display")
    start.set_defaults(action=run)
    check = commands.add_parser(
        "test", parents=[common], allow_abbrev=False, help="run every check and test; more arguments go to pytest"
    )
    check.set_defaults(action=test)
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "test":
        parser.error(f"unknown arguments: {' '.join(rest)}")
    options.arguments = [argument for argument in rest if argument != "--"]
    return options


def main(arguments: list[str]) -> int:
    """Run the command; return the exit status."""
    options = parse(arguments)
    try:
        if options.python:
            return with_other_python(options, arguments)
        return int(options.action(options))
    except Stop as stop:
        say(f"\n{str(stop).rstrip('.')}. {stop.hint}".rstrip())
    except KeyboardInterrupt:
        say("\nStopped.")
    except BrokenPipeError:
        # The reader of the output (head, less) has seen enough; Python must not complain at its end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def with_other_python(options: argparse.Namespace, arguments: list[str]) -> int:
    """Start this script with the requested Python."""
    place = next(at for at, argument in enumerate(arguments) if argument.split("=")[0] == "--python")
    rest = arguments[:place] + arguments[place + (1 if "=" in arguments[place] else 2) :]
    script = ROOT / "packaging" / "bootstrap.py"
    try:
        return subprocess.call([options.python, script, rest[0], "--this-python", *rest[1:]])
    except OSError as error:
        raise Stop(f"{options.python} cannot be started: {error.strerror}", "Name a Python interpreter.") from None
