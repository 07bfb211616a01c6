"""Compiling ahead behind the window, and what else waits while a run of the user computes."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.engines import registry
from swgui.gui.window.device_traffic import Preparing
from swgui.jobs.kind import kinds
from tests.asking import BLOSUM62

pytestmark = pytest.mark.gui
OF_USERS = [name for name, kind in kinds().items() if not kind.gives_way]


DATABASE = encode_database([SequenceRecord("s", "", b"ACDEFGH")], PROTEIN, "small")


class Steps:
    """Stands for the registry's function; waits for `go` before each step."""

    def __init__(self, error=None):
        self.schemes = []
        self.go = threading.Semaphore(0)
        self.error = error

    def __call__(self, name, scheme, database, cancel):
        self.schemes.append((name, scheme))
        for done in (1, 2, 3):
            self.go.acquire(timeout=60)
            if cancel.is_set():
                return
            if self.error:
                raise self.error
            yield done, 3


@pytest.fixture
def scheme():
    return BLOSUM62


@pytest.fixture
def make(qtbot, monkeypatch):
    made = []

    def build(steps, scheme):
        monkeypatch.setattr(registry, "prepare", steps)
        label = QLabel()
        qtbot.addWidget(label)
        preparing = Preparing(label, lambda: scheme and (scheme, DATABASE), label)
        made.append(preparing)
        return preparing, label

    yield build
    for preparing in made:
        preparing.shutdown()


def test_it_says_how_far_it_is_and_does_it_once(make, qtbot, scheme):
    steps = Steps()
    preparing, label = make(steps, scheme)
    preparing.start()
    steps.go.release()
    qtbot.waitUntil(lambda: label.text() == "Preparing the GPU program: 1 of 3")
    steps.go.release(2)
    qtbot.waitUntil(lambda: not preparing.running)
    assert label.text() == ""
    preparing.start()
    assert not preparing.running
    assert steps.schemes == [("auto", scheme)]


def test_a_search_interrupts_it_and_it_goes_on_afterwards(make, qtbot, scheme):
    steps = Steps()
    preparing, label = make(steps, scheme)
    preparing.start()
    preparing.stop()
    steps.go.release()
    qtbot.waitUntil(lambda: not preparing.running)
    assert label.text() == ""
    preparing.start()
    steps.go.release(3)
    qtbot.waitUntil(lambda: not preparing.running)
    assert len(steps.schemes) == 2


def test_a_failure_is_not_tried_again_and_again(make, qtbot, scheme, caplog):
    steps = Steps(error=ValueError("no compiler"))
    preparing, _ = make(steps, scheme)
    preparing.start()
    steps.go.release()
    qtbot.waitUntil(lambda: not preparing.running)
    assert "no compiler" in caplog.text
    preparing.start()
    assert len(steps.schemes) == 1


def test_without_a_scheme_there_is_nothing_to_do(make):
    preparing, _ = make(Steps(), None)
    preparing.start()
    assert not preparing.running


def test_other_engines_need_no_preparation(scheme):
    assert list(registry.prepare("cpu", scheme, None, threading.Event())) == []


def test_a_run_of_every_kind_goes_before_what_measures(make_window, qtbot):
    window = make_window()
    window.show_page("device")
    page, estimates = window.device_page, window.search_page.estimates
    estimates.active, estimates.busy = True, lambda: bool(window.holding.refusal)
    check = page.findChild(QPushButton, "runSelfCheck")
    for name in OF_USERS:
        estimates.resume()
        assert check.isEnabled(), name
        assert estimates.pending, name
        window.holding.take("a run", name)
        reason = f"Wait until the {kinds()[name].noun} has ended."
        assert not check.isEnabled(), name
        assert page.sweeps.blocked == reason, name
        page.sweeps.run()
        assert not page.sweeps.running, name
        assert not estimates.pending, name
        assert estimates.busy(), name
        window.holding.give_back("a run")
        assert page.sweeps.blocked == "", name
    estimates.pause()


def test_pages_that_compute_hold_a_device(make_window, qtbot):
    window = make_window()
    window.show_page("network")
    page, refused = window.pages["network"].network, []
    window.holding.listen(lambda: refused.append(window.holding.refusal))
    page.use_sample()
    qtbot.waitUntil(lambda: bool(refused))
    assert "the network" in refused[0]
    page.stop()
    qtbot.waitUntil(lambda: not window.holding.held)
