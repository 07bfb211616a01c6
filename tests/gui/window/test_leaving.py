"""Runs on other computers when the window closes, and at the next start."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow, QMessageBox

from swgui.gui.window.leaving import Leaving
from swgui.runs.kept import About
from swgui.runs.queue import QueuedRun
from swgui.runs.records import RunRecord

pytestmark = pytest.mark.gui


class Window(QMainWindow):
    """Stands for the window: closes as that does."""

    def __init__(self) -> None:
        super().__init__()
        self.queue, self.resumed, self.said = Queue(), [], []
        notes = SimpleNamespace(post=lambda *words, action: self.said.append((words, action)))
        self.runs_page = SimpleNamespace(resume_run=self.resumed.append)
        self.leaving = Leaving(self, self.queue, notes)

    def closeEvent(self, event) -> None:
        event.setAccepted(self.leaving.may_close())

    def press(self, text: str) -> None:
        """Press a button of the question."""
        (box,) = self.findChildren(QMessageBox)
        next(button for button in box.buttons() if button.text().replace("&", "") == text).click()


class Queue(QObject):
    """Stands for the queue: a search on another computer, and one here."""

    ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.runs = [
            QueuedRun(number, "search", None, About("P1"), frozenset({device}), state="running")
            for number, device in enumerate(("elsewhere gpu1", "cpu"))
        ]
        self.stopped = []

    def stop(self, run_id: int) -> None:
        self.stopped.append(run_id)


@pytest.fixture
def window(qtbot) -> Window:
    made = Window()
    made.show()
    yield made
    made.queue.runs.clear()
    made.close()
    made.deleteLater()


def test_a_window_without_runs_elsewhere_closes_at_once(window) -> None:
    del window.queue.runs[0]
    assert window.close()


def test_the_window_names_the_run_that_continues_and_stays_until_it_is_answered(window, qtbot) -> None:
    assert not window.close()
    (box,) = window.findChildren(QMessageBox)
    assert box.text() == "The search “P1” continues on gpu1 when the window is closed."
    assert "Resume" in box.informativeText()
    window.press("Cancel")
    assert window.isVisible()
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    assert not window.close()
    window.press("Close")
    qtbot.waitUntil(lambda: not window.isVisible())
    assert window.queue.stopped == []


def test_stop_and_close_waits_for_the_results_so_far(window, qtbot) -> None:
    assert not window.close()
    window.press("Stop and close")
    assert window.queue.stopped == [0]
    window.queue.ended.emit()
    qtbot.wait(1)
    assert window.isVisible()
    del window.queue.runs[0]
    window.queue.ended.emit()
    qtbot.waitUntil(lambda: not window.isVisible())


def test_stop_and_close_closes_where_the_runs_ended_before_the_answer(window, qtbot) -> None:
    assert not window.close()
    del window.queue.runs[0]
    window.queue.ended.emit()
    window.press("Stop and close")
    qtbot.waitUntil(lambda: not window.isVisible())
    assert window.queue.stopped == []


def test_the_next_start_offers_the_runs_that_were_left(window) -> None:
    left = [
        RunRecord(name, name, "interrupted", on="gpu1", kind=kind) for name, kind in (("b", "leak"), ("a", "search"))
    ]
    window.leaving.say_left(left[1:])
    window.leaving.say_left(left)
    (one, _), (several, action) = window.said
    assert one[1] == "The search “a” was left on gpu1."
    assert several[1] == "2 runs were left on gpu1."
    action.does()
    assert window.resumed == ["a", "b"]
