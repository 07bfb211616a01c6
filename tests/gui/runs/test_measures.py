import json

import pytest
from PySide6.QtWidgets import QLabel

from swgui.gui.live.run_trace import RunTrace
from swgui.gui.runs import measures as run_measures
from swgui.jobs.events import Progress


@pytest.fixture
def searched(make_window, qtbot, database_file, monkeypatch):
    """A window after a search whose trace is worth keeping."""
    monkeypatch.setattr(run_measures, "KEPT_FROM", 0.0)
    window = make_window()
    state_of = window.controller

    def lengthen():
        for second in (1.0, 2.0, 3.0):
            state_of.state.trace.add(Progress(int(second * 1e9), 10**10, second, {"NumPy": 1}, {"NumPy": 0.1}))

    window.search_page.query.set_text(">q\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n")
    window.opening.use_database_file(database_file)
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.controller.begun.connect(lambda _request: lengthen())
    with qtbot.waitSignal(window.controller.result_ready):
        window.run_search()
    qtbot.waitUntil(lambda: window.tasks.idle)
    return window


def test_the_speed_of_a_run_is_kept_with_it_and_shown_when_it_is_opened(searched, qtbot):
    window = searched
    result = window.results_page.result
    kept = window.results_page.layout_facts[run_measures.SPEED]
    trace = RunTrace.from_facts(json.loads(json.dumps(kept)))
    assert trace.wall()[1][:3] == pytest.approx([1.0, 1.0, 1.0])
    loaded = window.history.open(result.run_id)
    assert loaded.layout[run_measures.SPEED]["cells"][:3] == [1e9, 2e9, 3e9]
    window.show_result(loaded.result, loaded.layout)
    assert "Speed of the" in window.run_panel.findChild(QLabel, "runTitle").text()
    assert window.results_page.layout_facts[run_measures.SPEED] == loaded.layout[run_measures.SPEED]
    window.show_result(loaded.result, {"speed": "nonsense"})
    assert run_measures.SPEED not in window.results_page.layout_facts


def test_devices_are_read_while_a_run_goes_on(make_window, qtbot):
    window = make_window()
    watch = window.device_page.watch
    window.controller.phase_changed.emit("running")
    assert run_measures.RUN in watch.wanted
    window.controller.phase_changed.emit("idle")
    assert run_measures.RUN not in watch.wanted


def test_a_run_that_rested_teaches_nothing(searched, qtbot, monkeypatch):
    taught = []
    monkeypatch.setattr(searched.search_page.estimates, "learn", lambda *arguments: taught.append(arguments))
    for rests in (False, True):
        with qtbot.waitSignal(searched.controller.result_ready):
            searched.run_search()
            if rests:
                searched.controller.pause_changed.emit(True)
                searched.controller.pause_changed.emit(False)
        assert len(taught) == 1
    _, lengths, residues, seconds = taught[0]
    assert lengths == [38]
    assert residues > 50
    assert seconds > 0
