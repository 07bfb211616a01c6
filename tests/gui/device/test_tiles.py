import threading

import pytest
from PySide6.QtCore import Qt

from swgui.core.plain import replace
from swgui.engines.base import NOT_USED, TILES
from swgui.engines.cuda.streaming.tables import tables_for
from swgui.gui.device.sweep.tiles import TilesRow
from swgui.gui.kit.tasks.pool import Tasks
from tests.gui.named import named
from tests.tuning_engine import GPU, few_tiles, found_by_the_registry


@pytest.fixture
def row(qtbot, theme, monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_DATA_DIR", str(tmp_path))
    fake = found_by_the_registry(monkeypatch)
    few_tiles(monkeypatch, (8, 16, 24, 48))
    files = Tasks(None, threads=1)
    made = TilesRow(files, residues=4_000)
    made.fake, made.files = fake, files
    qtbot.addWidget(made)
    made.show()
    yield made
    made.shutdown()
    files.shutdown()


def with_facts(**facts):
    return replace(GPU, facts={**GPU.facts, **facts})


def press(row, qtbot, name):
    qtbot.mouseClick(named(row, name), Qt.MouseButton.LeftButton)


def test_tiles_are_measured_and_forgotten(row, qtbot):
    row.show_device("cuda", with_facts(**{TILES: "those of an H200"}))
    assert "H200" in named(row, "tilesNow").text()
    assert not named(row, "forgetTiles").isVisible()
    with qtbot.waitSignal(row.measured):
        press(row, qtbot, "measureTiles")
    assert "% faster" in named(row, "tilesVerdict").text()
    found = tables_for(GPU)[1]
    assert found.found is not None
    row.show_device("cuda", with_facts(**{TILES: found.said}))
    with qtbot.waitSignal(row.measured):
        press(row, qtbot, "forgetTiles")
    assert tables_for(GPU)[1].found is None


def test_a_measurement_is_stopped_or_refused_and_keeps_nothing(row, qtbot):
    row.show_device("cuda", with_facts(**{TILES: "those of an H200", NOT_USED: "The file is damaged."}))
    assert "damaged" in named(row, "tilesNow").text()
    assert named(row, "forgetTiles").isVisible()
    row.allow(False, "Wait until the search has ended.")
    assert not named(row, "measureTiles").isEnabled()
    row.allow(True)
    under_way, resumed = threading.Event(), threading.Event()
    row.fake.on_time = lambda number: (under_way.set(), resumed.wait(20))
    press(row, qtbot, "measureTiles")
    qtbot.waitUntil(under_way.is_set)
    with qtbot.waitSignal(row.control.stopped):
        press(row, qtbot, "tilesStop")
        resumed.set()
    assert tables_for(GPU)[1].found is None
    row.show_device("cpu", with_facts())
    assert not row.isVisible()
