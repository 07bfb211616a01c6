import threading

import pytest

from swgui.core.devices import DeviceChoice
from swgui.core.engines import EngineOptions
from swgui.core.plain import replace
from swgui.gui.live import estimate as device_estimate
from swgui.gui.live.estimate import Estimates
from swgui.gui.words.engine_choices import EngineChoice
from swgui.jobs.events import Stage
from swgui.jobs.search.estimate import Calibration
from swgui.settings import speed_key
from tests.gui.named import named

CPU = EngineChoice(DeviceChoice("cpu"), "CPU", "on the CPU", ("cpu", ("CPU",)))
KNOWN = Calibration("cpu", ("CPU",), "x", 0.0, 0.0, 0.0, ((100, 1e-9),))


@pytest.fixture
def kept(monkeypatch):
    """Stand for what is remembered on disk, and for measuring."""
    store = {"known": None, "calibrations": 0, "going": threading.Event()}

    def calibrate(engine, options, cancel):
        store["calibrations"] += 1
        store["options"] = options
        yield Stage("Measuring")
        store["going"].set()
        if store.get("wait"):
            cancel.wait(60)
        if not cancel.is_set():
            yield KNOWN

    monkeypatch.setattr(device_estimate, "remembered", lambda engine, options: store["known"])
    monkeypatch.setattr(device_estimate, "remember", lambda found: store.update(known=found))
    monkeypatch.setattr(device_estimate, "calibrate", calibrate)
    monkeypatch.setattr(device_estimate, "IDLE_MS", 20)
    return store


@pytest.fixture
def estimates(qtbot, kept, monkeypatch):
    monkeypatch.setattr(device_estimate, "IDLE_MS", 20)
    made = Estimates()
    yield made
    made.shutdown()


def test_what_is_remembered_is_used(estimates, kept, qtbot):
    kept["known"] = KNOWN
    assert estimates.seconds(CPU, [100], 10**9) is None
    with qtbot.waitSignal(estimates.changed):
        estimates.want(CPU)
    assert estimates.seconds(CPU, [100, 100], 10**9) == pytest.approx(2.0)
    assert kept["calibrations"] == 0


def test_what_is_forgotten_while_it_is_read_stays_forgotten(estimates, kept, qtbot):
    estimates.active = True
    estimates.want(CPU)
    estimates.forget()
    qtbot.waitUntil(lambda: estimates.settled)
    qtbot.wait(60)
    assert kept["calibrations"] == 0
    estimates.want(CPU)
    qtbot.waitUntil(lambda: kept["known"] is KNOWN)


def test_a_device_that_is_not_known_is_measured_when_nothing_happens(estimates, kept, qtbot):
    estimates.active = True
    with qtbot.waitSignal(estimates.changed):
        estimates.want(CPU)
    assert estimates.seconds(CPU, [100], 10**9) == pytest.approx(1.0)
    qtbot.waitUntil(lambda: kept["known"] is KNOWN)
    estimates.want(CPU)
    qtbot.wait(60)
    assert kept["calibrations"] == 1


def test_it_waits_for_others_and_gives_way_to_a_search(estimates, kept, qtbot):
    busy = [True]
    estimates.busy = lambda: busy[0]
    kept["wait"] = True
    estimates.active = True
    estimates.want(CPU)
    qtbot.wait(80)
    assert kept["calibrations"] == 0
    busy[0] = False
    qtbot.waitUntil(kept["going"].is_set)
    estimates.pause()
    qtbot.waitUntil(lambda: not estimates.measuring)
    assert estimates.seconds(CPU, [100], 10**9) is None
    kept["wait"] = False
    with qtbot.waitSignal(estimates.changed):
        estimates.resume()


def test_nothing_is_measured_unasked(estimates, kept, qtbot):
    estimates.want(CPU)
    qtbot.wait(80)
    assert kept["calibrations"] == 0
    cluster = EngineChoice(DeviceChoice("cluster"), "Cluster", "", ("cluster", ()))
    estimates.active = True
    estimates.want(cluster)
    qtbot.wait(80)
    assert kept["calibrations"] == 0


def test_searches_make_it_better(estimates, kept, qtbot):
    kept["known"] = KNOWN
    with qtbot.waitSignal(estimates.changed):
        estimates.want(CPU)
    with qtbot.waitSignal(estimates.changed):
        estimates.learn(CPU, [100], 10**9, 2.25)
    assert estimates.seconds(CPU, [100], 10**9) == pytest.approx(1.5)
    assert kept["known"].factor == pytest.approx(1.5)
    estimates.learn(CPU, [100], 10**9, 900.0)  # something was in the way
    assert estimates.seconds(CPU, [100], 10**9) == pytest.approx(1.5)


def test_every_list_of_settings_has_a_time_of_its_own(estimates, kept, qtbot):
    kept["known"] = KNOWN
    with qtbot.waitSignal(estimates.changed):
        estimates.want(CPU)
    simt = replace(CPU, options=EngineOptions(settings={"method": "simt"}))
    assert estimates.seconds(simt, [100], 10**9) is None
    assert not estimates.awaited(simt)
    estimates.learn(simt, [100], 10**9, 2.0)
    assert estimates.seconds(CPU, [100], 10**9) == pytest.approx(1.0)
    assert estimates.seconds(
        replace(CPU, options=EngineOptions(settings={"method": "streaming"})), [100], 10**9
    ) == pytest.approx(1.0)
    kept["known"] = None
    estimates.active = True
    estimates.want(simt)
    assert estimates.awaited(simt)
    qtbot.waitUntil(lambda: estimates.seconds(simt, [100], 10**9) is not None)
    assert kept["options"].settings == {"method": "simt"}
    assert not estimates.awaited(simt)
    estimates.forget()
    assert estimates.seconds(CPU, [100], 10**9) is None


def test_the_sentence_of_the_search_page_gives_the_time(make_window, qtbot, kept):
    kept["known"] = Calibration("reference", ("NumPy",), "x", 7.0, 0.0, 0.0, ((100, 1e-15),))
    window = make_window()
    window.search_page.engine.probe()
    window.search_page.load_sample_query()
    window.search_page.load_sample_database()
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.search_page.engine.choose(DeviceChoice("cpu"))
    qtbot.waitUntil(lambda: "about 7.0\N{NO-BREAK SPACE}s." in named(window.search_page, "plan").text())


def test_without_a_time_for_the_settings_the_sentence_says_so(make_window, qtbot, kept):
    window = make_window()
    page = window.search_page
    page.engine.probe()
    page.load_sample_query()
    page.load_sample_database()
    qtbot.waitUntil(lambda: page.ready)
    page.engine.choose(DeviceChoice("cpu"))
    window.settings.speeds[speed_key(*page.engine.choice.runs_on)] = 1e-6
    page.refresh()
    assert "about" in named(page, "plan").text()
    window.settings.devices.threads = 1
    page.refresh()
    assert named(page, "plan").text().endswith("own settings. No estimate is known for these settings.")
    page.estimates.active = True
    page.refresh()
    assert "they are measured when nothing else runs" in named(page, "plan").text()
