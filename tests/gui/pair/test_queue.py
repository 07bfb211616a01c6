"""Several pairs wait in the queue of the Runs page, with searches, and are aligned one after another."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QPushButton

from swgui.core.records import SequenceRecord
from tests.gui.pair.conftest import Slow, choose, dna, fasta, text_of


def records(what, *seeds):
    return [SequenceRecord(f"{what}{number}", "", dna(60, seed)) for number, seed in enumerate(seeds, 1)]


def fill(page, qtbot, queries, subjects):
    page.setup.query.set_text(fasta(*queries))
    page.setup.subject.set_text(fasta(*subjects))
    qtbot.waitUntil(lambda: page.ready)


def names(window):
    return [(row.state, row.name) for row in window.runs_page.model.rows]


def test_files_with_several_sequences_make_several_pairs(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, records("q", 1), records("s", 2))
    which = page.findChild(QComboBox, "pairWhich")
    assert not which.isVisible()
    fill(page, qtbot, records("q", 1, 2), records("s", 1, 2, 3))
    assert which.isVisible()
    assert len(page.setup.requests()) == page.setup.number == 1
    choose(which, "each")
    assert "2 queries and 3 subjects do not pair off." in text_of(page, "pairPlan")
    assert not page.ready
    choose(which, "all")
    qtbot.waitUntil(lambda: page.ready)
    assert text_of(page, "pairPlan").startswith("6 pairs, one after another in the queue. The chosen one: ")
    pairs = [(one.query.id, one.subject.id) for one in page.setup.requests()]
    assert pairs == [("q1", "s1"), ("q1", "s2"), ("q1", "s3"), ("q2", "s1"), ("q2", "s2"), ("q2", "s3")]
    assert "--pairs all" in page.setup.command_line()
    with qtbot.waitSignal(page.queue_wanted) as wanted:
        page.align()
    assert len(wanted.args[0]) == 6


def test_pairs_wait_for_each_other_and_can_leave(make_window, qtbot):
    window = make_window()
    window.show_page("pair")
    page, slow = window.pages["pair"], Slow()
    usual, page.control.align = page.control.align, slow
    fill(page, qtbot, records("q", 1, 2, 3), records("s", 1, 2, 3))
    choose(page.findChild(QComboBox, "pairWhich"), "each")
    qtbot.waitUntil(lambda: page.ready)
    page.align()
    assert window.statusBar().currentMessage().startswith("2 of 3 runs wait in the queue")
    qtbot.waitUntil(slow.going.is_set)
    window.show_page("runs")
    assert window.queue.waiting == 2
    qtbot.waitUntil(lambda: [state for state, _ in names(window)] == ["running", "waiting", "waiting"])
    assert "q2" in names(window)[1][1]
    window.queue.stop(window.queue.runs[1].id)
    assert window.queue.waiting == 1
    page.findChild(QPushButton, "pairQueueNext").click()  # while one runs, more can be added
    assert window.queue.waiting == 4
    for run in window.queue.runs[2:]:
        window.queue.remove(run.id)
    page.control.align = usual
    page.stop()
    qtbot.waitUntil(lambda: page.result is not None and page.result.query.id == "q3")
    assert window.queue.waiting == 0
    qtbot.waitUntil(lambda: "done" in [state for state, _ in names(window)])
