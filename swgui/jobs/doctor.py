"""Looks at the surroundings of the program and says what is wrong with them and what to do about it.

Each check is a generator of `Finding`; `examine` runs them in order. The last two are about exactness: the self-check
of every device (`swgui.jobs.check.device`, small awkward cases), and the sample that ships with the program, searched
on every engine and compared with the scores of an independent program.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

import swgui
from swgui.core.alphabet import PROTEIN
from swgui.core.engines import Kind
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.words import agree, count
from swgui.engines import native
from swgui.engines.base import NOT_USED, TILES, EngineStatus
from swgui.engines.host import usable_cores
from swgui.engines.registry import facts, prepare, probe_engines
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.check.device import SelfCheck, check_engine
from swgui.jobs.events import run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from swgui.packages import INSTALL_WINDOW, WINDOW, missing_for_window
from swgui.paths import cache_dir, config_dir, data_dir, kernels_dir, resources_dir

Level = Literal["fine", "note", "problem"]

# Package -> what it is for, and how bad it is to be without it.
PACKAGES: Final[dict[str, tuple[str, Level]]] = {
    "numpy": ("all computing", "problem"),
    "biopython": ("reading sequences", "problem"),
    "msgspec": ("settings and saved files", "problem"),
}
LITTLE_SPACE: Final = 1 << 30  # bytes
COMPILERS: Final = 16  # kernels compiled at the same time, at most
QT_TIMEOUT: Final = 60.0  # seconds
DO_NOT_USE: Final = "Do not use this engine on this computer, and report this."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    topic: str  # what was looked at, in a word or two
    level: Level  # a note may be as it should be; a problem keeps something from working
    message: str  # one sentence
    hint: str = ""


def examine(cancel: threading.Event | None = None) -> Iterator[Finding]:
    """Run every check; takes a few seconds. Ends early once `cancel` is set."""
    stop = cancel or threading.Event()
    for check in CHECKS:
        if stop.is_set():
            return
        yield from check(stop)


def check_program(cancel: threading.Event) -> Iterator[Finding]:
    """Name the versions, and look for the files that ship with the program."""
    yield Finding("program", "fine", f"swgui {swgui.__version__} on Python {sys.version.split()[0]} ({sys.platform}).")
    for find in (kernels_dir, resources_dir):
        try:
            find()
        except FileNotFoundError as error:
            yield Finding("program", "problem", str(error), "Install the program again.")


def check_packages(cancel: threading.Event) -> Iterator[Finding]:
    """Look for the packages the program is built on."""
    if _frozen():  # carries the packages without their records
        return
    packages = []
    for name, (purpose, level) in PACKAGES.items():
        try:
            packages.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            yield Finding("packages", level, f"{name} is missing ({purpose}).", f"pip install {name}")
    for name in WINDOW.values():  # `check_window` tells of those that are missing
        with suppress(importlib.metadata.PackageNotFoundError):
            packages.append(f"{name} {importlib.metadata.version(name)}")
    if packages:
        yield Finding("packages", "fine", ", ".join(packages) + ".")
    if any(entry.startswith("PySide6-Essentials 6.12.0") for entry in packages) and sys.version_info < (3, 12):
        yield Finding(
            "packages",
            "problem",
            "PySide6 6.12.0 ends the program after a while on Python below 3.12 (PYSIDE-3474).",
            "pip install 'PySide6-Essentials<6.12'",
        )


def check_compiled(cancel: threading.Event) -> Iterator[Finding]:
    """Check whether the program can use its compiled library."""
    if problem := native.problem():
        yield Finding("compiled code", "problem", f"{problem}.", native.REMEDY)
        return
    yield Finding("compiled code", "fine", f"The compiled library is in use ({', '.join(native.facts().values())}).")


def check_folders(cancel: threading.Event) -> Iterator[Finding]:
    """Ask whether the user's folders can be written and have room."""
    for purpose, folder in (("settings", config_dir()), ("cache", cache_dir()), ("databases", data_dir())):
        existing = folder
        while not existing.exists() and existing != existing.parent:
            existing = existing.parent
        if not os.access(existing, os.W_OK):
            yield Finding(
                "folders",
                "problem",
                f"The folder for {purpose}, {folder}, cannot be written.",
                f"Check who owns {existing}.",
            )
            continue
        free = shutil.disk_usage(existing).free
        space = f"{free / 2**30:.1f} GiB free"
        if free < LITTLE_SPACE and purpose != "settings":
            yield Finding("folders", "note", f"Little room for {purpose} in {folder}: {space}.", "Make room.")
        else:
            yield Finding("folders", "fine", f"{purpose}: {folder}, {space}.")


def check_window(cancel: threading.Event) -> Iterator[Finding]:
    """Try whether Qt starts here, and if not, which system libraries are missing; an installation may do without Qt."""
    if not _frozen() and (missing := missing_for_window()):
        verb = agree(len(missing), "is", "are")
        message = f"There is no window here: {' and '.join(missing)} {verb} not installed."
        yield Finding("window", "note", message, f"The command line needs neither. For the window: {INSTALL_WINDOW}")
        return
    display = sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if sys.platform == "linux":
        yield from missing_libraries(display)
    if _frozen():
        return
    code = "from PySide6.QtWidgets import QApplication; QApplication([])"
    variables = dict(os.environ) if display else {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], env=variables, capture_output=True, text=True, timeout=QT_TIMEOUT, check=False
        )
        failure = "" if done.returncode == 0 else last_line(done.stderr) or f"status {done.returncode}"
    except subprocess.TimeoutExpired:
        failure = f"no answer within {QT_TIMEOUT:.0f} s"
    if failure:
        yield Finding("window", "problem", f"Qt does not start: {failure}", "The command line works without Qt.")
    elif display:
        yield Finding("window", "fine", "Qt starts.")
    else:
        yield Finding(
            "window", "note", "Qt starts, but there is no display to open a window on.", "Use the command line."
        )


def missing_libraries(display: bool) -> Iterator[Finding]:
    """Yield a finding if libraries that Qt needs are missing, with the command that installs them on Debian."""
    libraries = json.loads((resources_dir() / "qt_libraries.json").read_text("utf-8"))
    wanted: dict[str, str] = libraries["offscreen"] | (libraries["window"] if display else {})
    missing = [library for library in wanted if not loadable(library)]
    if missing:
        packages = " ".join(dict.fromkeys(wanted[library] for library in missing))
        yield Finding(
            "window",
            "problem",
            f"Libraries that Qt needs are missing: {', '.join(missing)}.",
            f"On Debian or Ubuntu: sudo apt-get install --no-install-recommends {packages}",
        )


def check_engines(cancel: threading.Event) -> Iterator[Finding]:
    """List which engines can run here, on which devices."""
    for status in probe_engines():
        if status.available:
            yield Finding(f"engine {status.name}", "fine", f"{', '.join(device.name for device in status.devices)}.")
            yield from _tiles(status)
        else:
            # Without a GPU there is the CPU; without SIMD on the CPU nothing is quick.
            level: Level = "note" if facts(status.name).accelerated else "problem"
            yield Finding(f"engine {status.name}", level, status.reason, status.hint)


def _tiles(status: EngineStatus) -> Iterator[Finding]:
    """Yield where the tiles of each GPU are from."""
    for device in status.devices:
        if trouble := device.facts.get(NOT_USED):
            yield Finding("tiles", "note", f"{device.name}: {trouble}")
        elif said := device.facts.get(TILES):
            yield Finding("tiles", "fine", f"{device.name}: {said}.")


def check_kernels(cancel: threading.Event) -> Iterator[Finding]:
    """Compile the kernels of common searches on all cores, so that the first search need not wait for them."""
    threads = min(usable_cores(), COMPILERS)
    for status in probe_engines():
        if not (status.available and facts(status.name).accelerated):
            continue
        done = 0
        try:
            for _ in prepare(status.name, _usual_scheme(), None, cancel, threads):
                done += 1
        except SwguiError as error:
            yield Finding("kernels", "problem", error.message, error.hint)
        if done:
            yield Finding("kernels", "fine", f"{count(done, 'kernel')} of common searches are compiled.")


def check_devices(cancel: threading.Event) -> Iterator[Finding]:
    """Check every device anew with the awkward cases whose exact scores are stored; remembered like any self-check."""
    for status in probe_engines():
        if not status.available:
            continue
        try:
            for outcome in check_engine(status.name, cancel):
                if isinstance(outcome, SelfCheck):
                    yield _device_finding(outcome)
        except SwguiError as error:
            yield Finding(f"self-check {status.name}", "problem", error.message, error.hint)


def _device_finding(outcome: SelfCheck) -> Finding:
    topic = f"self-check {outcome.engine}"
    if outcome.ok:
        return Finding(topic, "fine", outcome.describe())
    return Finding(topic, "problem", f"{outcome.describe()} {' '.join(outcome.differences[:1])}".rstrip(), DO_NOT_USE)


def check_scores(cancel: threading.Event) -> Iterator[Finding]:
    """Search the sample on every engine and compare with the stored scores of an independent program."""
    for status in probe_engines():
        if cancel.is_set():
            return
        # The reference engine would take minutes for it, and tests compare the other engines with it.
        if status.available and facts(status.name).kind is not Kind.REFERENCE:
            yield _compare(status, cancel)


def _compare(status: EngineStatus, cancel: threading.Event) -> Finding:
    topic = f"scores {status.name}"
    try:
        result = search_sample(status.name, cancel)
    except SwguiError as error:
        return Finding(topic, "problem", f"The sample search failed: {error.message}", error.hint)
    if result is None or result.state != "complete":
        return Finding(topic, "note", f"The sample search was not finished. {result.message if result else ''}".strip())
    expected, subjects = expected_scores()
    scores = np.stack([query.scores for query in result.queries if query.scores is not None])
    if scores.shape != expected.shape:
        return Finding(
            topic, "problem", "The sample is not the one that the stored scores belong to.", "Install again."
        )
    wrong = np.argwhere(scores != expected)
    if len(wrong):
        query, subject = (int(i) for i in wrong[0])
        return Finding(
            topic,
            "problem",
            f"{len(wrong)} of {scores.size} scores differ; the first: {result.queries[query].query.id} against "
            f"{subjects[subject]} scores {scores[query, subject]} instead of {expected[query, subject]}.",
            DO_NOT_USE,
        )
    return Finding(topic, "fine", f"All {scores.size:,} scores of the sample equal those of an independent program.")


def search_sample(engine: str, cancel: threading.Event) -> SearchResult | None:
    """Return the result of the sample search with an engine; None if it was stopped."""
    examples = resources_dir() / "examples"
    request = SearchRequest(
        queries=tuple(read_sequences(examples / "sample_queries.fasta", PROTEIN)),
        database=examples / "sample_database.fasta.gz",
        search=Search(scheme=_usual_scheme(), engine=engine),
    )
    return run_to_end(search_steps(request, cancel))


def _usual_scheme() -> ScoringScheme:
    return ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)


def expected_scores() -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int32]], list[str]]:
    """Return the stored scores of the sample, a row for each query, and the names of the subjects."""
    with closing(np.load(resources_dir() / "examples" / "sample_scores.npz")) as stored:
        return stored["scores"], [str(name) for name in stored["subject_ids"]]


def _frozen() -> bool:
    return bool(getattr(sys, "frozen", False))


def loadable(library: str) -> bool:
    """Whether a library of the system can be loaded."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def last_line(text: str) -> str:
    """Return the line of a message that has its reason; empty without one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # A Python error ends with its reason, Qt's own messages begin with it.
    return (lines[-1] if lines[0].startswith("Traceback") else lines[0]) if lines else ""


CHECKS: Final[tuple[Callable[[threading.Event], Iterator[Finding]], ...]] = (
    check_program,
    check_packages,
    check_compiled,
    check_folders,
    check_window,
    check_engines,
    check_kernels,
    check_devices,
    check_scores,
)


def exit_status(findings: list[Finding]) -> int:
    """Return 1 if there is a problem among the findings."""
    return int(any(finding.level == "problem" for finding in findings))
