"""The program's check of its surroundings: what is wrong is found, named and answered with a hint."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.errors import EngineFault, EngineUnavailable, KernelCompileError
from swgui.engines.base import NOT_USED, TILES, DeviceInfo, EngineStatus
from swgui.jobs import doctor
from swgui.jobs.check.device import SelfCheck
from swgui.jobs.events import Stage

NEVER = threading.Event()

CPU = EngineStatus("cpu", True, (DeviceInfo("cpu", "a CPU"),))
NO_GPU = EngineStatus("cuda", False, reason="No GPU was found.", hint="Run on the CPU.")


def by_topic(findings):
    return {finding.topic: finding for finding in findings}


@pytest.fixture
def statuses(monkeypatch):
    monkeypatch.setattr(doctor, "probe_engines", lambda: (NO_GPU, CPU))


def stored_result(change=None):
    """A result whose scores are the stored ones, changed or not."""
    expected, subjects = doctor.expected_scores()
    scores = expected.copy()
    if change:
        change(scores)
    queries = [SimpleNamespace(query=SimpleNamespace(id=f"query {i}"), scores=row) for i, row in enumerate(scores)]
    return SimpleNamespace(state="complete", message="", queries=queries), subjects


def test_stored_scores_are_complete():
    scores, subjects = doctor.expected_scores()
    assert scores.shape == (5, 5000)
    assert scores.dtype == np.int32
    assert scores.min() > 0
    assert len(set(subjects)) == 5000


def test_missing_package_is_a_problem_with_the_command(monkeypatch):
    def version(name):
        if name in ("biopython", "msgspec"):
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(importlib.metadata, "version", version)
    levels = {finding.message.split()[0]: finding for finding in doctor.check_packages(NEVER)}
    assert (levels["biopython"].level, levels["biopython"].hint) == ("problem", "pip install biopython")
    assert levels["msgspec"].level == "problem"


@pytest.mark.parametrize("lacking", [("PySide6", "pyqtgraph"), ("pyqtgraph",)])
def test_an_installation_without_a_window_is_well(monkeypatch, lacking):
    for module in lacking:
        monkeypatch.setitem(sys.modules, module, None)
    (finding,) = doctor.check_window(NEVER)
    assert finding.level == "note"
    assert finding.message.startswith("There is no window here: ")
    assert "PySide6-Essentials and pyqtgraph are" in finding.message or "pyqtgraph is" in finding.message
    assert finding.hint.endswith("pip install swgui")


def test_folder_that_cannot_be_written_is_a_problem(monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "none" / "yet"))
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: path != tmp_path)
    problems = [finding for finding in doctor.check_folders(NEVER) if finding.level == "problem"]
    assert len(problems) == 1
    assert str(tmp_path / "none" / "yet") in problems[0].message
    assert str(tmp_path) in problems[0].hint


def test_little_room_is_noted(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: SimpleNamespace(free=5 << 20))
    notes = [finding for finding in doctor.check_folders(NEVER) if finding.level == "note"]
    assert [note.message.split(" in ")[0] for note in notes] == ["Little room for cache", "Little room for databases"]


def test_missing_qt_libraries_are_named_with_their_packages(monkeypatch):
    monkeypatch.setattr(doctor, "loadable", lambda library: library != "libxcb-cursor.so.0")
    assert list(doctor.missing_libraries(display=False)) == []
    (finding,) = doctor.missing_libraries(display=True)
    assert finding.level == "problem"
    assert "libxcb-cursor.so.0" in finding.message
    assert finding.hint.endswith("libxcb-cursor0")


def test_qt_that_does_not_start_is_a_problem_with_its_reason(monkeypatch):
    failed = subprocess.CompletedProcess(
        [], 134, "", 'qt.qpa.plugin: Could not load the Qt platform plugin "xcb"\nmore'
    )
    monkeypatch.setattr(doctor.subprocess, "run", lambda *args, **kwargs: failed)
    monkeypatch.setattr(doctor, "loadable", lambda library: True)
    (finding,) = doctor.check_window(NEVER)
    assert finding.level == "problem"
    assert 'Could not load the Qt platform plugin "xcb".'.rstrip(".") in finding.message


def test_last_line_of_a_python_error_is_its_reason():
    assert doctor.last_line("Traceback (most recent call last):\n  x\nImportError: libEGL.so.1\n") == (
        "ImportError: libEGL.so.1"
    )


def test_missing_gpu_is_a_note(statuses):
    findings = by_topic(doctor.check_engines(NEVER))
    assert (findings["engine cuda"].level, findings["engine cuda"].hint) == ("note", "Run on the CPU.")
    assert findings["engine cpu"].level == "fine"


def test_tiles_of_a_card_are_told(monkeypatch):
    cards = (DeviceInfo("0", "a", facts={TILES: "ours"}), DeviceInfo("1", "b", facts={TILES: "ours", NOT_USED: "Old."}))
    monkeypatch.setattr(doctor, "probe_engines", lambda: (EngineStatus("cuda", True, cards),))
    told = [(one.level, one.message) for one in doctor.check_engines(NEVER) if one.topic == "tiles"]
    assert told == [("fine", "a: ours."), ("note", "b: Old.")]


def test_equal_scores_are_fine(statuses, monkeypatch):
    monkeypatch.setattr(doctor, "search_sample", lambda engine, cancel: stored_result()[0])
    (finding,) = doctor.check_scores(NEVER)
    assert (finding.topic, finding.level) == ("scores cpu", "fine")
    assert "25,000 scores" in finding.message


def test_one_wrong_score_is_found_and_named(statuses, monkeypatch):
    def spoil(scores):
        scores[2, 4321] += 1

    result, subjects = stored_result(spoil)
    monkeypatch.setattr(doctor, "search_sample", lambda engine, cancel: result)
    (finding,) = doctor.check_scores(NEVER)
    assert finding.level == "problem"
    assert finding.message.startswith(f"1 of 25000 scores differ; the first: query 2 against {subjects[4321]} scores ")
    assert "Do not use this engine" in finding.hint
    assert doctor.exit_status([finding]) == 1


def test_engine_that_fails_is_a_problem_with_its_hint(statuses, monkeypatch):
    def fail(engine, cancel):
        raise EngineUnavailable(engine, "It broke.", hint="Mend it.")

    monkeypatch.setattr(doctor, "search_sample", fail)
    (finding,) = doctor.check_scores(NEVER)
    assert (finding.level, finding.message, finding.hint) == (
        "problem",
        "The sample search failed: It broke.",
        "Mend it.",
    )


def outcome(differing):
    return SelfCheck(
        engine="cpu",
        device_id="cpu",
        device="a CPU",
        compared=120,
        differing=differing,
        differences=("case: query 1 against subject 2 gave 3 instead of 4.",) * bool(differing),
        seconds=0.1,
        checked_at="2026-01-02T03:04:05+00:00",
        fingerprint="",
    )


@pytest.mark.parametrize(("differing", "level"), [(0, "fine"), (1, "problem")])
def test_self_check_of_a_device_is_reported(statuses, monkeypatch, differing, level):
    monkeypatch.setattr(doctor, "check_engine", lambda name, cancel: iter([Stage("Checking"), outcome(differing)]))
    (finding,) = doctor.check_devices(NEVER)
    assert (finding.topic, finding.level) == ("self-check cpu", level)
    assert ("gave 3 instead of 4" in finding.message) == bool(differing)


def test_engine_that_fails_its_self_check_is_a_problem(statuses, monkeypatch):
    def fail(name, cancel):
        raise EngineFault("It broke.", hint="Mend it.")

    monkeypatch.setattr(doctor, "check_engine", fail)
    (finding,) = doctor.check_devices(NEVER)
    assert (finding.level, finding.message, finding.hint) == ("problem", "It broke.", "Mend it.")


def test_stopped_check_ends():
    stopped = threading.Event()
    stopped.set()
    assert list(doctor.examine(stopped)) == []


@pytest.mark.slow
def test_here_every_engine_gives_the_stored_scores():
    findings = list(doctor.examine())
    topics = {finding.topic for finding in findings}
    assert topics >= {"program", "packages", "folders", "window", "engine cpu", "self-check cpu", "scores cpu"}
    compared = [finding for finding in findings if finding.topic.startswith(("scores", "self-check"))]
    assert [finding for finding in compared if finding.level != "fine"] == []


def test_kernels_of_common_searches_are_compiled_where_there_is_a_gpu(monkeypatch):
    gpu = EngineStatus("cuda", True, (DeviceInfo("0", "a GPU"),))
    asked = []

    def prepare(name, scheme, database, cancel, threads):
        asked.append((name, scheme.matrix.name, threads >= 1))
        yield from ((1, 2), (2, 2))

    monkeypatch.setattr(doctor, "probe_engines", lambda: (gpu, CPU))
    monkeypatch.setattr(doctor, "prepare", prepare)
    assert [finding.message for finding in doctor.check_kernels(NEVER)] == [
        "2 kernels of common searches are compiled."
    ]
    assert asked == [("cuda", "BLOSUM62", True)]


def test_a_kernel_that_cannot_be_compiled_is_a_problem(monkeypatch):
    def prepare(name, scheme, database, cancel, threads):
        yield 1, 2
        raise KernelCompileError("streaming", (), "line 1: no")

    monkeypatch.setattr(doctor, "probe_engines", lambda: (EngineStatus("cuda", True, (DeviceInfo("0", "a GPU"),)),))
    monkeypatch.setattr(doctor, "prepare", prepare)
    assert [finding.level for finding in doctor.check_kernels(NEVER)] == ["problem", "fine"]


def test_without_a_gpu_no_kernel_is_compiled(statuses):
    assert list(doctor.check_kernels(NEVER)) == []
