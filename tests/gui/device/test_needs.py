"""The calculator on the Device page: any device, any database."""

from __future__ import annotations

import pytest

from swgui.core.words import duration
from swgui.gui.device.needs import OWN, NeedsPanel
from swgui.gui.kit.tasks.pool import Tasks
from swgui.jobs.needs import SIZES, TYPICAL, needs
from swgui.jobs.search.estimate import Calibration, remember

MEASURED = Calibration("cpu", ("a CPU",), "x", start=1.0, per_query=0.5, cold=1e-9, rates=((100, 1e-8), (200, 2e-8)))


@pytest.fixture
def panel(qtbot, user_folders):
    tasks = Tasks(threads=1)
    made = NeedsPanel(tasks)
    qtbot.addWidget(made)
    yield made
    tasks.shutdown()


def choose(box, text):
    box.setCurrentText(text)
    box.activated.emit(box.currentIndex())


def test_it_says_time_and_memory_of_what_is_described(panel):
    assert panel.device.itemText(0).startswith("This computer: cpu, ")
    assert panel.device.currentIndex() == 0
    panel.device.setCurrentIndex(1)
    assert "10.6 ms" in panel.time.text()
    for size in SIZES:
        choose(panel.database, size.title)
        expected = needs(TYPICAL[0], 350, 1, size.residues, size.sequences)
        assert duration(expected.seconds, measured=True) in panel.time.text()
        assert panel.database.currentText() == size.title
    assert "90.0 GB" in panel.gpu.text()
    assert "1.4 GB" in panel.memory.text()
    panel.queries.setValue(10)
    assert "10.4 GB" in panel.memory.text()
    panel.residues.setValue(5.5)
    assert panel.database.currentText() == OWN
    assert "5.5 MB" in panel.gpu.text()


def test_what_was_measured_here_comes_first(panel, qtbot):
    panel.device.setCurrentIndex(1)
    remember(MEASURED)
    panel.show()
    qtbot.waitUntil(lambda: panel.device.itemText(0) == "This computer: cpu, a CPU")
    assert panel.device.currentData() == TYPICAL[0]  # what was chosen stays
    panel.device.setCurrentIndex(0)
    assert duration(MEASURED.seconds([350], 200_000_000), measured=True) in panel.time.text()
