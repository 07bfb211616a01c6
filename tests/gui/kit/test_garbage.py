"""Widgets of a cycle are destroyed in the window's thread, whichever thread fills the memory."""

import gc
import threading

import pytest
from PySide6.QtWidgets import QWidget

from swgui import app as program
from swgui.gui.kit import garbage


class Knot(QWidget):
    """A widget that only the collector can destroy; says in which thread that happens."""

    def __init__(self, ended: list[int]) -> None:
        super().__init__()
        self.itself = self
        self._ended = ended

    def __del__(self) -> None:
        self._ended.append(threading.get_ident())


def allocate_in_another_thread():
    """Allocate enough for every generation to be collected, were that left to Python; return what must be kept."""
    kept = []
    thread = threading.Thread(target=lambda: kept.extend([number] for number in range(200_000)))
    thread.start()
    thread.join()
    return kept


@pytest.fixture
def left_to_python(collector):
    """Collect as Python does by itself."""
    gc.enable()
    yield
    gc.disable()


def test_another_thread_destroys_no_widget(collector):
    ended = []
    Knot(ended)
    kept = allocate_in_another_thread()
    assert kept
    assert not ended
    collector.check()
    assert ended == [threading.get_ident()]


def test_what_is_frozen_is_collected_in_the_end(left_to_python):
    ended = []
    with garbage.collected_here():
        assert not gc.isenabled()
        Knot(ended)
        garbage.keep_what_is()
        gc.collect()
        assert not ended
    assert ended == [threading.get_ident()]
    assert gc.isenabled()
    assert not gc.get_freeze_count()


@pytest.mark.nightly  # late in a run there is much to collect
def test_the_timer_collects(collector, qtbot, monkeypatch):
    monkeypatch.setattr(garbage, "INTERVAL_MS", 10)
    ended = []
    Knot(ended)
    with garbage.collected_here():
        kept = allocate_in_another_thread()
        assert kept
        qtbot.waitUntil(lambda: bool(ended))
    assert ended == [threading.get_ident()]


def test_all_objects_are_collected_once_that_is_no_burden(collector, monkeypatch):
    now = [0.0]
    seen = []

    def collect(generation=2):
        seen.append(generation)
        now[0] += 0.05 if generation == 2 else 0.001

    monkeypatch.setattr(garbage.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(garbage.gc, "collect", collect)
    monkeypatch.setattr(garbage.gc, "get_count", lambda: (10_000, 0, 0))
    mine = garbage.Collector()
    for _ in range(100):
        mine.check()
        now[0] += 0.5
    mine.stop()
    assert 5 <= seen.count(2) <= 6  # 50 seconds, one in ten
    assert len(seen) == 100


@pytest.mark.nightly
def test_the_program_collects_in_its_own_thread(left_to_python, monkeypatch, engines):
    seen = []
    make_window = program.make_window

    def noted(app):
        seen.append(gc.isenabled())
        return make_window(app)

    monkeypatch.setattr(program, "make_window", noted)
    assert program.run([], exec_app=False) == 0
    assert seen == [False]
    assert gc.isenabled()
