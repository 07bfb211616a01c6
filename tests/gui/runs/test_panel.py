import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.gui.live.run_state import RunState
from swgui.gui.live.run_trace import RunTrace
from swgui.gui.runs.panel import RunPanel, begun, differs, smoothed
from swgui.jobs.events import PAUSED, Progress, Stage
from swgui.jobs.search.events import PartialHits, Started
from tests.asking import BLOSUM62, search_request
from tests.gui.named import named

QUERIES = (SequenceRecord("q1", "", b"MKV"), SequenceRecord("q2", "", b"MKVLW"))
SUBJECTS = [SequenceRecord("s1", "first", b"MKVLW"), SequenceRecord("s2", "second", b"GGG")]


@pytest.fixture
def panel(qtbot, theme):
    panel = RunPanel()
    qtbot.addWidget(panel)
    panel.resize(1100, 320)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


@pytest.fixture
def request_():
    database = encode_database(SUBJECTS, PROTEIN, "small")
    return search_request(queries=QUERIES, database=database, scheme=BLOSUM62)


def text(panel, name):
    return panel.findChild(QLabel, name).text()


def running(points=12):
    state = RunState()
    state.feed(Stage("Preparing the engine"))
    state.feed(Started(2, 2, 8, 12 * 10**9, "cpu", ("CPU",)))
    for step in range(1, points + 1):
        done = step * 10**9
        state.feed(Progress(done, 12 * 10**9, step * 0.5, {"CPU": done}, {"CPU": step * 0.4}))
    return state


def test_progress_stages_and_time_left_are_in_words(panel, request_):
    panel.begin(request_)
    assert text(panel, "runTitle") == "2 queries against small"
    panel.show_state(running(points=6))
    assert text(panel, "runProgressText") == "50 %   6.00 G of 12.0 G cells"
    assert text(panel, "runTimeLeft") == "3.0 s left"
    assert text(panel, "runStages") == "✓ Preparing the engine     ● Scoring     ○ Ranking"
    assert panel.bar.value() == 500


def test_a_stage_of_unknown_length_shows_that_something_goes_on(panel, request_):
    panel.begin(request_)
    state = RunState()
    state.feed(Stage("Reading x.fasta"))
    panel.show_state(state)
    assert (panel.bar.minimum(), panel.bar.maximum()) == (0, 0)
    state.feed(Stage("Reading x.fasta", 30, 120))
    panel.show_state(state)
    assert panel.bar.value() == 250
    assert text(panel, "runProgressText") == "25 %"


def test_best_scores_are_named_and_the_query_can_be_chosen(panel, request_):
    panel.begin(request_)
    state = running()
    state.feed(PartialHits(0, np.array([1, 0]), np.array([9, 5], dtype=np.int32)))
    state.feed(PartialHits(1, np.array([0]), np.array([31], dtype=np.int32)))
    panel.show_state(state)
    model = panel.best
    assert [model.index(0, column).data() for column in range(4)] == ["1", "s1", "first", "31"]
    box = panel.findChild(QComboBox, "runQuery")
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert [model.index(row, 1).data() for row in range(2)] == ["s2", "s1"]
    panel.show_state(state)
    assert box.currentIndex() == 0  # the user's choice stays


def test_the_speed_of_the_moment_is_said_only_while_there_is_one(panel, request_):
    panel.begin(request_)
    panel.show_state(running())
    assert "overall <b>2.0</b>" in named(panel.speed, "speedLegend").text()
    panel.end("Failed", "danger")
    assert "overall <b>" not in named(panel.speed, "speedLegend").text()
    panel.begin(request_)
    panel.show_state(running())
    assert "overall <b>2.0</b>" in named(panel.speed, "speedLegend").text()


def test_best_targets_are_named_as_on_the_results_page(panel):
    header = "sp|P69905|HBA_HUMAN", "Hemoglobin subunit alpha OS=Homo sapiens OX=9606 GN=HBA1"
    database = encode_database([SequenceRecord(*header, b"MKV")], PROTEIN, "small")
    panel.best.show_hits(database, PartialHits(0, np.array([0]), np.array([9], dtype=np.int32)))
    cells = [panel.best.index(0, column) for column in (1, 2)]
    assert [cell.data() for cell in cells] == ["HBA_HUMAN", "Hemoglobin subunit alpha"]
    assert [cell.data(Qt.ItemDataRole.ToolTipRole) for cell in cells] == list(header)


def test_stop_is_heard_and_the_end_is_said(panel, request_, qtbot):
    panel.begin(request_)
    panel.show_state(running())
    button = panel.findChild(QPushButton, "runStop")
    with qtbot.waitSignal(panel.stop_wanted):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    panel.stopping()
    assert not button.isEnabled()
    assert text(panel, "runTimeLeft") == "Stopping…"
    panel.end("Partial: 62 % scored, kept", "warning")
    assert panel.findChild(QLabel, "runTimeLeft").property("tone") == "warning"
    panel.begin(request_)
    assert button.isEnabled()
    assert panel.findChild(QLabel, "runTimeLeft").property("tone") == ""


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_live_line_is_where_its_values_are(panel, request_, theme, qtbot, mode):
    theme.use(mode)
    panel.begin(request_)
    state = RunState()
    for step in range(1, 41):  # 2 GCUPS by the clock, without a line of a device
        state.feed(Progress(step * 10**9, 10**12, step * 0.5, {}, {}))
    panel.show_state(state)
    qtbot.wait(60)
    plot = panel.speed.plot
    image = plot.grab().toImage()
    ratio = image.devicePixelRatio()
    wanted = QColor(theme.colours.series[0])
    for seconds in (2.0, 10.0, 18.0):
        at = plot.mapFromScene(plot.getPlotItem().vb.mapViewToScene(QPointF(seconds, 2.0)))
        column = [image.pixelColor(round(at.x() * ratio), y) for y in range(image.height())]
        rows = [y for y, colour in enumerate(column) if _close(colour, wanted)]
        assert rows, f"no line at {seconds} s"
        assert abs(np.mean(rows) - at.y() * ratio) <= 2 * ratio


def _close(first, second):
    return all(abs(a - b) < 40 for a, b in zip(first.getRgb()[:3], second.getRgb()[:3], strict=True))


def test_axes_grow_in_steps_and_start_anew_with_each_run(panel, request_):
    panel.begin(request_)
    panel.show_state(running())
    (left, right), (bottom, top) = panel.speed.plot.getPlotItem().vb.viewRange()
    assert (left, right, bottom, top) == (0, 6, 0, 3)
    panel.begin(request_)
    assert panel.speed.plot.getPlotItem().vb.viewRange()[0] == [0, 1]


def test_a_run_of_a_moment_has_a_curve_that_fills_the_plot(panel, request_):
    state = RunState()
    state.feed(Started(2, 2, 8, 10**9, "cpu", ("CPU",)))
    state.feed(Progress(10**9, 10**9, 0.1, {"CPU": 10**9}, {"CPU": 0.08}))
    panel.begin(request_)
    panel.show_state(state)
    panel.end("Done", "success")
    x, y = panel.speed.curves()[""].getData()
    assert (x.tolist(), y.tolist()) == ([0.0, 0.1], [10.0, 10.0])
    assert panel.speed.plot.getPlotItem().viewRange()[0] == pytest.approx([0, 0.1])


def test_the_curve_of_a_resumed_run_has_a_gap_where_its_speed_is_not_known(panel, request_):
    state = RunState()
    state.feed(Started(2, 2, 8, 10**12, "cpu", ("CPU",), seconds=20.0))
    for cells, seconds in ((5 * 10**11, 20.0), (6 * 10**11, 30.0), (8 * 10**11, 40.0)):
        state.feed(Progress(cells, 10**12, seconds, {"CPU": cells}, {"CPU": seconds}))
    assert state.gcups == 15.0
    panel.begin(request_)
    panel.show_state(state)
    assert list(panel.speed.curves()) == [""]  # the only device is as fast as the run
    x, y = panel.speed.curves()[""].getData()
    assert (x.tolist(), y.tolist()) == ([20, 30, 40], [10, 10, 20])
    assert panel.speed.plot.getPlotItem().viewRange()[0][0] == 20
    panel.show_kept(RunTrace.from_facts(state.trace.facts()), "Speed")
    assert panel.speed.curves()[""].getData()[0].tolist() == [20, 30, 40]


def test_the_line_is_smooth_in_the_band_of_its_values():
    x = np.arange(200.0)
    (_, mean), least, most = smoothed((x, np.where(x % 2 == 0, 10.0, 20.0)))
    assert np.ptp(mean[20:-20]) < 1
    assert (least[20:-20].max(), most[20:-20].min()) == (10, 20)
    assert smoothed((x[:5], x[:5]))[1].tolist() == x[:5].tolist()  # too few points for a mean


def test_a_device_has_a_line_where_its_speed_is_another_one():
    x = np.arange(1.0, 50.0)
    assert not differs((x, np.full(49, 10.2)), (x, np.full(49, 10.0)))
    assert differs((x, np.full(49, 12.0)), (x, np.full(49, 10.0)))


def test_a_curve_begins_where_its_first_stretch_does():
    moments = np.array([1.0, 2.0, 3.0])
    x, y = begun((moments, moments * 10), moments)
    assert (x.tolist(), y.tolist()) == ([0, 1, 2, 3], [10, 10, 20, 30])
    x, y = begun((moments[2:], moments[2:] * 10), moments)  # a device that came later
    assert (x.tolist(), y.tolist()) == ([2, 3], [30, 30])
    assert not len(begun((moments[:0], moments[:0]), moments)[0])


def test_the_definition_of_gcups_is_printed(panel):
    texts = [label.text() for label in panel.speed.findChildren(QLabel)]
    assert any("query residues × database residues scored ÷ seconds" in words for words in texts)


def test_pause_says_when_the_run_rests(panel, request_, qtbot):
    panel.begin(request_)
    state = running(points=6)
    panel.show_state(state)
    with qtbot.waitSignal(panel.pause_wanted) as wanted:
        panel.pause_button.click()
    assert wanted.args == [True]
    panel.show_paused(True)
    assert panel.pause_button.text() == "Resume"
    assert text(panel, "runTimeLeft") == "Pausing…"
    state.feed(Stage(PAUSED))
    panel.show_state(state)
    assert text(panel, "runTimeLeft") == "Paused"
    assert text(panel, "runStages") == "✓ Preparing the engine     ● Scoring     ○ Ranking"
    assert panel.bar.value() == 500
    assert "memory" in panel.pause_button.toolTip()
    state.feed(Stage("Scoring"))
    panel.show_paused(False)
    assert text(panel, "runTimeLeft") == "3.0 s left"
    panel.end("Done")
    assert not panel.pause_button.isEnabled()


def test_a_low_panel_is_a_strip_with_the_progress(panel, request_):
    panel.begin(request_)
    panel.show_state(running())
    assert panel.speed.isVisible()
    panel.resize(1100, 100)
    assert not panel.speed.isVisible()
    assert panel.bar.isVisible()
    assert panel.findChild(QLabel, "runStages").geometry().bottom() < 100
    panel.resize(1100, 320)
    assert panel.speed.isVisible()
