import csv
import threading
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.methods.base import AUTO
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.sweep.data import synthetic_query
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.gui.device.sweep import panel as sweep_panel
from swgui.gui.device.sweep.drawings import short
from swgui.gui.device.sweep.form import Context
from swgui.gui.device.sweep.panel import SweepPanel, SweepState
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.runs.queue import RunQueue, SearchController
from swgui.io.matrices import load_matrix
from swgui.io.tuning import load_in_use
from swgui.jobs.events import Stage
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.sweep import run as sweeping
from swgui.jobs.sweep.request import SweepRequest
from swgui.runs import Runs
from tests.asking import BLOSUM62
from tests.described import numbers_in
from tests.gui.named import named
from tests.gui.runs.test_kinds_in_queue import HeldRun
from tests.tuning_engine import FACTS, GPU, found_by_the_registry

CPU = EngineStatus("cpu", True, (DeviceInfo("cpu", "Test CPU", facts={"cores": "2"}),))
NO_GPU = EngineStatus("cuda", False, reason="No CUDA GPU was found.", hint="Install a driver.")
WITH_GPU = (EngineStatus("cuda", True, (GPU,)), CPU)


@pytest.fixture
def fake(monkeypatch):
    return found_by_the_registry(monkeypatch)


@pytest.fixture
def make_panel(qtbot, theme, fake, monkeypatch):
    monkeypatch.setattr(sweep_panel, "SweepRequest", partial(SweepRequest, least_seconds=0.0))  # the speed is made up
    made = []

    def make(statuses=WITH_GPU):
        panel = SweepPanel(Runs(), residues=lambda engine, cores: 3_000)
        made.append(panel)
        qtbot.addWidget(panel)
        panel.show()
        panel.show_engines(statuses)
        return panel

    yield make
    for panel in made:
        panel.shutdown()


def set_axes(panel, *axes, method="simt"):
    box = panel.findChild(QComboBox, "sweepMethod")
    box.setCurrentIndex(box.findData(method))
    box.activated.emit(box.currentIndex())
    for (field, values), (name, text) in zip(panel.form.axis_fields, axes, strict=True):
        field.setCurrentIndex(field.findData(name))
        values.setText(text)
    named(panel, "sweepQuery").setCurrentIndex(named(panel, "sweepQuery").findData("64"))


def run(panel, qtbot, button="runSweep"):
    qtbot.mouseClick(panel.findChild(QPushButton, button), Qt.MouseButton.LeftButton)
    assert panel.running
    qtbot.waitUntil(lambda: not panel.running and panel.settled)


def verdict(panel):
    return panel.findChild(QLabel, "sweepVerdict").text()


AXES = (("threads", "64, 128, 256, 1024"), ("blocks", "1, 2"))


def press(panel, qtbot, name: str) -> None:
    """Press a button once it can be pressed and has its place."""
    button = panel.findChild(QPushButton, name)
    qtbot.waitUntil(lambda: button.isEnabled() and button.isVisible() and not button.visibleRegion().isEmpty())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_sweep_is_run_shown_kept_and_used(make_panel, qtbot, tmp_path):
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    assert panel.result.best.place == ("256", "2")
    assert "100 % faster than automatic" in verdict(panel)
    assert panel.card.map.cell.place == ("256", "2")
    assert "right scores" in verdict(panel)
    assert "64 registers per thread" in panel.findChild(QLabel, "sweepCell").text()
    with qtbot.waitSignal(panel.in_use_changed) as told:
        press(panel, qtbot, "useSettings")
    (in_use,) = told.args[0]
    assert in_use.settings == {"method": "simt", "threads": "256", "blocks": "2"}
    assert in_use.key.query_class == "64-95"
    assert in_use.key.device == "GPU-1"
    assert in_use.key.driver == "580.1"
    assert load_in_use()[0].settings == in_use.settings
    with qtbot.waitSignal(panel.in_use_changed) as told:
        press(panel, qtbot, "useAutomatic")
    assert told.args[0] == ()


def test_the_fastest_settings_are_offered_only_if_they_are_worth_it(make_panel, qtbot, fake):
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    button = panel.findChild(QPushButton, "useFastest")
    assert not button.isHidden()
    with qtbot.waitSignal(panel.in_use_changed) as told:
        button.click()
    assert told.args[0][0].settings["threads"] == "256"
    qtbot.waitUntil(button.isHidden)  # they are in use now
    set_axes(panel, ("threads", "64, 128"), ("blocks", "1, 2"))
    run(panel, qtbot)
    assert "nothing to gain" in verdict(panel)
    assert button.isHidden()


def test_what_was_measured_is_there_at_the_next_start(make_panel, qtbot):
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    again = make_panel()
    qtbot.waitUntil(lambda: again.result is not None)
    assert again.result.best.place == ("256", "2")
    assert again.findChild(QLabel, "sweepStale").isHidden()
    facts = {**FACTS, "driver": "590.0"}
    other = make_panel((EngineStatus("cuda", True, (DeviceInfo("0", "Test GPU", facts=facts),)), CPU))
    qtbot.waitUntil(lambda: other.result is not None)
    assert "now it is 590.0" in other.findChild(QLabel, "sweepStale").text()
    assert not other.findChild(QPushButton, "useSettings").isEnabled()


def test_a_wrong_cell_can_be_looked_at_but_not_used(make_panel, qtbot, fake):
    fake.wrong = {("256", "2")}
    panel = make_panel()
    told = []
    panel.wrong_found.connect(told.append)
    set_axes(panel, *AXES)
    run(panel, qtbot)
    assert [numbers_in(one) for one in told] == [[64, 256, 2]]
    assert panel.card.map.cell.place == ("256", "1")
    panel.card.map.choose(("256", "2"))
    assert "differ from" in panel.findChild(QLabel, "sweepCell").text()
    assert not panel.findChild(QPushButton, "useSettings").isEnabled()
    panel.card.map.choose(("1024", "1"))
    assert "80,000 registers" in panel.findChild(QLabel, "sweepCell").text()
    assert not panel.findChild(QPushButton, "useSettings").isEnabled()


def test_stop_keeps_what_is_done(make_panel, qtbot, fake):
    stopped = threading.Event()
    panel = make_panel()

    def on_score():
        if len({tuple(made.settings.items()) for made in fake.made}) > 4:  # of nine: this one lasts until Stop
            stopped.wait(10)

    fake.on_score = on_score
    set_axes(panel, *AXES)
    qtbot.mouseClick(panel.findChild(QPushButton, "runSweep"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.result is not None and not panel.result.empty)
    qtbot.mouseClick(panel.findChild(QPushButton, "sweepStop"), Qt.MouseButton.LeftButton)
    stopped.set()
    qtbot.waitUntil(lambda: not panel.running and panel.settled)
    assert not panel.result.complete
    assert any(cell.state == "waiting" for cell in panel.result.cells.values())
    assert panel.result.default.usable


def test_the_command_names_what_it_runs_with(make_panel, qtbot):
    panel = make_panel()
    set_axes(panel, *AXES)
    text, first = panel.command()
    assert "--matrix BLOSUM62 --gap-open 11 --gap-extend 1" in text
    assert first == ""
    query, scheme = synthetic_query(30), ScoringScheme.from_blast(load_matrix("BLOSUM80", PROTEIN), 10, 1)
    panel.use_context(lambda: Context(query, None, scheme, 1))
    named(panel, "sweepQuery").setCurrentIndex(named(panel, "sweepQuery").findData("mine"))
    text, first = panel.command()
    assert "--matrix BLOSUM80 --gap-open 10 --gap-extend 1" in text
    assert "-q query.fasta" in text
    assert first == "Save the sequences as query.fasta first."


def test_a_search_stops_a_sweep_and_keeps_new_ones_out(make_panel, qtbot, fake):
    going = threading.Event()
    fake.on_score = going.set
    panel = make_panel()
    set_axes(panel, *AXES)
    qtbot.mouseClick(panel.findChild(QPushButton, "runSweep"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(going.is_set)
    panel.block("Wait until the search has ended.")
    qtbot.waitUntil(lambda: not panel.running)
    assert not panel.findChild(QPushButton, "findFastest").isEnabled()
    assert panel.findChild(QPushButton, "findFastest").toolTip().endswith("search has ended.")
    panel.run()
    assert not panel.running


def test_a_sweep_waits_in_the_queue_for_runs_of_the_user(make_panel, qtbot, fake):
    panel = make_panel()
    set_axes(panel, *AXES)
    queue, pair = RunQueue(SearchController(), panel.runs), HeldRun()
    queue.register(panel.control)
    queue.register(JobController("pair", pair, queue))
    panel.queue_wanted.connect(lambda asked: [queue.add(one, "sweep") for one in asked])
    asked = PairRequest(SequenceRecord("one", "", b"MKVLW"), SequenceRecord("two", "", b"MKVLY"), BLOSUM62)
    queue.add(asked, "pair")
    qtbot.waitUntil(lambda: len(pair.ran) == 1)
    panel.queue()
    queue.add(asked, "pair")
    assert (queue.waiting, panel.running) == (2, False)
    pair.go.set()
    qtbot.waitUntil(lambda: queue.runs == () and panel.settled)
    assert len(pair.ran) == 2
    assert panel.result.complete
    (record,) = panel.runs.list()
    assert (record.kind, record.state) == ("sweep", "done")
    panel.card.show_run(None)
    panel.take(panel.runs.open(record.id))
    assert panel.result.best.place == ("256", "2")


def test_wrong_values_are_explained(make_panel, qtbot):
    panel = make_panel()
    set_axes(panel, ("threads", "33"), ("blocks", "1"))
    panel.run()
    assert not panel.running
    assert "cannot be '33'" in verdict(panel)
    named(panel, "sweepQuery").setCurrentIndex(named(panel, "sweepQuery").findData("mine"))
    set_axes(panel, *AXES)
    named(panel, "sweepQuery").setCurrentIndex(named(panel, "sweepQuery").findData("mine"))
    panel.run()
    assert "no query on the Search page" in verdict(panel)
    named(panel, "sweepQuery").setCurrentIndex(0)
    named(panel, "sweepDatabase").setCurrentIndex(named(panel, "sweepDatabase").findData("current"))
    panel.run()
    assert "no database on the Search page" in verdict(panel)


def test_query_and_database_of_the_search_page(make_panel, qtbot):
    panel = make_panel()
    database = encode_database([SequenceRecord(f"p{row}", "", b"MKVLAAGICWW" * row) for row in range(1, 9)], PROTEIN)
    scheme = ScoringScheme(load_matrix("BLOSUM45", database.alphabet), 15, 2)
    panel.use_context(lambda: Context(synthetic_query(40), database, scheme))
    set_axes(panel, ("threads", "64, auto"), ("", ""))
    named(panel, "sweepQuery").setCurrentIndex(named(panel, "sweepQuery").findData("mine"))
    named(panel, "sweepDatabase").setCurrentIndex(named(panel, "sweepDatabase").findData("current"))
    run(panel, qtbot)
    request = panel.control.request
    assert (len(request.query), request.database, request.scheme) == (40, database, scheme)
    assert request.axes[0].values == ("64", AUTO)
    assert panel.findChild(QPushButton, "sweepAsLines").isChecked()  # one axis: lines


def test_without_a_gpu_it_is_explained_and_the_cpu_is_swept(make_panel, qtbot):
    panel = make_panel((NO_GPU, CPU))
    text = panel.findChild(QLabel, "sweepNoGpu").text()
    assert "No CUDA GPU" in text
    assert "threads and chunk size of the CPU" in text
    assert "Install a driver." in text
    assert panel.findChild(QComboBox, "sweepMethod").isHidden()
    run(panel, qtbot, "findFastest")
    assert {axis.name for axis in panel.result.axes} == {"threads", "chunk_residues"}
    assert panel.result.best is not None


def test_export(make_panel, qtbot, tmp_path):
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    table, picture, lines = tmp_path / "a.csv", tmp_path / "b.png", tmp_path / "c.png"
    panel.export(table)
    panel.export(picture)
    named(panel, "sweepAsLines").click()
    panel.export(lines)
    qtbot.waitUntil(lambda: panel.settled)
    assert len(list(csv.DictReader(table.read_text().splitlines()))) == 8 + 3
    for path in (picture, lines):
        image = QImage(str(path))
        assert image.width() > 600
        colours = {image.pixel(x, y) for x in range(0, image.width(), 9) for y in range(0, image.height(), 9)}
        assert len(colours) > 5
    panel.export(tmp_path / "a.xlsx")
    panel.export(tmp_path / "no" / "a.csv")
    qtbot.waitUntil(lambda: panel.settled)
    assert (tmp_path / "a.xlsx").read_bytes()[:2] == b"PK"
    assert "does not exist" in verdict(panel)


def test_a_sweep_that_breaks_says_so(make_panel, qtbot, monkeypatch):
    def broken(request, cancel, log):
        yield from ()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(sweeping, "sweep_steps", broken)
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    assert "Input/output error" in verdict(panel)


def test_the_map_is_walked_through_by_keys(make_panel, qtbot):
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    seen = []
    panel.card.map.chosen.connect(lambda cell: seen.append(cell.place))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up):
        qtbot.keyClick(panel.card.map, key)
    assert seen == [("128", "2"), ("128", "1"), ("128", "1"), ("256", "1"), ("256", "2")]
    assert "256 threads per block" in panel.card.map.accessibleDescription()
    centre = panel.card.map.cell_rect(("64", "2")).center().toPoint()
    qtbot.mouseClick(panel.card.map.plot.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert seen[-1] == ("64", "2")


def test_cells_have_the_colour_of_their_speed(make_panel, qtbot):
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    image = panel.card.map.plot.grab().toImage()
    ratio = image.devicePixelRatio()

    def colour(threads, rows):
        rect = panel.card.map.cell_rect((threads, rows))
        return image.pixelColor(int((rect.left() + 5) * ratio), int((rect.bottom() - 5) * ratio))

    low, high = colour("64", "1"), colour("256", "2")
    assert low.blue() > low.green()  # dark violet
    assert high.green() > 200  # yellow
    assert high.blue() < 100


@pytest.mark.parametrize(
    ("speed", "text"),
    [(0.0123, "0.0123"), (5.594, "5.59"), (9.996, "10.0"), (11.0, "11.0"), (99.96, "100"), (1412.4, "1,412")],
)
def test_speeds_in_cells_have_the_same_digits(speed, text):
    assert short(speed) == text


@pytest.mark.parametrize("suffix", ["csv", "png"])
def test_a_sweep_is_not_saved_over_an_opened_file(make_panel, qtbot, opened, suffix):
    panel = make_panel()
    set_axes(panel, *AXES)
    run(panel, qtbot)
    said, sentence = [], opened(f"query.{suffix}")
    panel.card.message.connect(said.append)
    {"csv": named(panel, "exportSweepTable"), "png": named(panel, "exportSweepPng")}[suffix].click()
    qtbot.waitUntil(lambda: panel.settled)
    assert said == [sentence]


def test_a_sweep_that_measured_nothing_leaves_the_one_before_it(make_panel, qtbot, fake):
    panel = make_panel()
    set_axes(panel, *AXES)
    panel.run()
    qtbot.waitUntil(lambda: not panel.running and panel.settled)
    before = panel.result
    fake.on_score = panel.control.task.stop  # before the first cell
    panel.run()
    qtbot.waitUntil(lambda: not panel.running and panel.settled)
    assert panel.result.made == before.made
    assert panel.findChild(QLabel, "sweepVerdict").text().startswith(("Nothing was measured", "The sweep was stopped"))


def test_a_sweep_says_how_much_is_left_of_its_stage(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("swgui.gui.device.sweep.panel.time.monotonic", lambda: now[0])
    state = SweepState()
    state.feed(Stage("Compiling"))
    assert state.left == ""
    for seconds, done in ((0, 2), (60, 8)):  # the first two cells were measured before it was stopped
        now[0] = 100.0 + seconds
        state.feed(Stage("Measuring", done, 20))
    assert state.left == "33 %, about 2 min left"
