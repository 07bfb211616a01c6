import json
import threading

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.monitor import GpuFacts, Monitor, MonitorStatus, SensorReading
from swgui.gui.kit.motion import REPAINT_MS
from swgui.gui.live.run_state import POINTS as RING
from swgui.gui.live.run_state import RunState
from swgui.gui.live.run_trace import POINTS, RunTrace
from swgui.gui.live.watch import INTERVAL_MS, DeviceWatch, Look
from swgui.gui.runs.panel import RunPanel, SpeedPlot
from swgui.jobs.events import Progress
from swgui.jobs.search.events import Started
from tests.gui.named import named

HOURS = 10
STEP = 0.1


def progress(seconds, speed=1e12, devices=("GPU",), total=10**18):
    cells = int(seconds * speed)
    share = cells // len(devices)
    return Progress(cells, total, seconds, dict.fromkeys(devices, share), dict.fromkeys(devices, seconds / 2))


@pytest.fixture(scope="module")
def long_run():
    """Ten hours of events, ten a second; the speed doubles after five."""
    state = RunState()
    state.feed(Started(1, 1, 1, 10**18, "cuda", ("GPU",)))
    half = HOURS * 3600 / 2
    for number in range(1, round(HOURS * 3600 / STEP) + 1):
        seconds = number * STEP
        cells = int(1e12 * (seconds + max(0.0, seconds - half)))
        state.feed(Progress(cells, 10**18, seconds, {"GPU": cells}, {"GPU": seconds}))
        if number % 50 == 0:
            state.trace.add_readings(
                {"0": SensorReading(busy=0.9, memory_used=1 << 30, clock=1900.0, temperature=60.0)}
            )
    return state


def test_hours_fit_little_memory_and_stay_right(long_run):
    trace = long_run.trace
    assert len(trace) <= POINTS + 1
    x, y = trace.wall()
    assert x[-1] == pytest.approx(HOURS * 3600)
    assert np.all(np.diff(x) > 0)
    assert y[x < HOURS * 1800 - 100] == pytest.approx(1000, rel=1e-3)
    assert y[x > HOURS * 1800 + 100] == pytest.approx(2000, rel=1e-3)
    # No cell is lost: speeds times times add up to all of them.
    assert np.sum(y * np.diff(x, prepend=0)) * 1e9 == pytest.approx(1e12 * HOURS * 3600 * 1.5, rel=1e-6)
    _, device = trace.device("GPU")
    assert device[-1] == pytest.approx(2000, rel=1e-3)
    at, clocks = trace.reading("0", "clock")
    assert 0 < len(at) <= POINTS + 1
    assert set(clocks) == {1900.0}
    assert len(long_run.wall) == RING
    assert long_run.gcups == pytest.approx(2000, rel=1e-6)
    assert long_run.seconds_left == pytest.approx((10**18 - 1e12 * HOURS * 3600 * 1.5) / 2e12, rel=1e-6)


def test_the_plot_shows_the_newest_part_of_a_long_run_or_all_of_it(long_run, qtbot, theme):
    plot = SpeedPlot()
    qtbot.addWidget(plot)
    plot.show()
    plot.show_state(long_run)
    axis = plot.plot.getPlotItem().getAxis("bottom")
    (left, right), (_, top) = plot.plot.getPlotItem().vb.viewRange()
    assert axis.labelText == "hours"
    assert right == pytest.approx(HOURS, abs=1e-3)
    assert right - left == pytest.approx(RING * STEP / 3600, rel=0.02)  # the newest minutes fill the plot
    assert top >= 2000
    button = plot.findChild(QPushButton, "speedWhole")
    assert not button.isHidden()
    button.click()
    (left, right), _ = plot.plot.getPlotItem().vb.viewRange()
    assert left == 0
    assert right >= HOURS
    assert "<b>2,000" in named(plot, "speedLegend").text()


def test_at_most_ten_repaints_and_two_readings_a_second():
    assert REPAINT_MS >= 100
    assert INTERVAL_MS >= 500


def test_a_trace_survives_being_kept(long_run):
    stored = json.loads(json.dumps(long_run.trace.facts()))
    again = RunTrace.from_facts(stored)
    for one, other in zip(again.wall(), long_run.trace.wall(), strict=True):
        assert one == pytest.approx(other, rel=1e-4)
    assert again.devices == ("GPU",)
    assert again.reading("0", "temperature")[1][0] == 60
    assert len(json.dumps(stored)) < 300_000


def test_what_is_no_trace_is_none(long_run):
    facts = long_run.trace.facts()
    for broken in (None, 3, {}, {"at": []}, facts | {"at": [1, 2]}, facts | {"cells": ["x"] * len(facts["at"])},
                   facts | {"devices": {"GPU": {"cells": [], "seconds": []}}}, facts | {"readings": {"0": {}}},
                   facts | {"at": [float("nan")] * len(facts["at"])}):  # fmt: skip
        assert RunTrace.from_facts(broken) is None
    assert RunTrace().facts() == {}
    short = RunTrace()
    short.add(progress(0.5))
    assert short.facts() == {}


def test_a_device_that_joins_later_has_a_curve():
    trace = RunTrace()
    trace.add(progress(1.0))
    trace.add(progress(2.0, devices=("GPU", "CPU")))
    trace.add(progress(3.0, devices=("GPU", "CPU")))
    assert trace.devices == ("GPU", "CPU")
    assert len(trace.device("CPU")[0]) == 2


def test_readings_are_shown_and_kept_while_a_run_goes_on(qtbot, theme):
    panel = RunPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.allow(True)
    state = RunState()
    state.feed(Started(1, 1, 1, 10**12, "cuda", ("GPU",)))
    state.feed(progress(1.0))
    panel.show_state(state)
    hot = SensorReading(0.97, 3 << 30, 140 << 30, 1200.0, 84.0, 700.0, ("too warm",))
    panel.show_look(Look({"0": hot, "cpu": SensorReading(busy=0.1)}))
    text = panel.findChild(QLabel, "speedDevices").text()
    assert "GPU 0: 97 % busy" in text
    assert "slowed: too warm" in text
    assert "CPU" not in text  # it has no part in this run
    assert panel.findChild(QLabel, "speedDevices").property("tone") == "warning"
    assert state.trace.watched == ("0",)
    panel.end("Done", "success")
    panel.show_look(Look({"0": SensorReading(busy=0.0)}))
    assert "97 %" in panel.findChild(QLabel, "speedDevices").text()


def test_a_trace_of_the_past_is_drawn(long_run, qtbot, theme):
    panel = RunPanel()
    qtbot.addWidget(panel)
    panel.show_kept(RunTrace.from_facts(long_run.trace.facts()), "Speed of the run of yesterday")
    assert panel.findChild(QLabel, "runTitle").text() == "Speed of the run of yesterday"
    x, _ = panel.speed.curves()[""].getData()
    assert len(x) > 400
    assert "overall" in named(panel.speed, "speedLegend").text()


# Reading devices


class FakeMonitor(Monitor):
    def __init__(self):
        super().__init__()
        self.threads, self.facts_read, self.slow = set(), 0, None

    def open(self, devices=()):
        self._handles = {device.id: device for device in devices}
        return MonitorStatus(True)

    def close(self):
        self._handles = {}

    def read(self, device):
        self.threads.add(threading.current_thread())
        if self.slow:
            self.slow.wait(60)
        return SensorReading(busy=0.5)

    def facts(self, device):
        self.facts_read += 1
        return GpuFacts(uuid="GPU-1")


STATUSES = (
    EngineStatus("cuda", True, (DeviceInfo("0", "GPU"),)),
    EngineStatus("cpu", True, (DeviceInfo("cpu", "CPU", 1 << 30, facts={"cores": "2"}),)),
)


@pytest.fixture
def watch(qtbot):
    made = DeviceWatch(monitor=FakeMonitor())
    with qtbot.waitSignal(made.opened):
        made.open(STATUSES)
    yield made
    made.shutdown()


def test_devices_are_read_off_the_window_s_thread_and_only_while_somebody_looks(watch, qtbot):
    looks = []
    watch.looked.connect(looks.append)
    qtbot.wait(50)
    assert not looks
    with qtbot.waitSignal(watch.looked):
        watch.want("page", True)
    assert set(looks[0].readings) == {"0", "cpu"}
    assert looks[0].facts["0"].uuid == "GPU-1"
    assert threading.main_thread() not in watch.monitor.threads
    watch.want("run", True)
    watch.want("page", False)
    assert watch.looking
    watch.want("run", False)
    assert not watch.looking


def test_a_card_that_answers_slowly_is_asked_less_often(watch, qtbot):
    watch.monitor.slow = threading.Event()
    watch.want("page", True)
    for _ in range(5):
        watch.look()
    assert watch.busy
    watch.monitor.slow.set()
    qtbot.waitUntil(lambda: not watch.busy)
    assert watch.monitor.facts_read == 1
