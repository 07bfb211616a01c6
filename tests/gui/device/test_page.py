import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QLabel, QPushButton

from swgui.core.devices import DeviceChoice
from swgui.core.plain import replace
from swgui.engines import registry
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.monitor import GpuFacts, Monitor, MonitorStatus, Process, SensorReading
from swgui.gui.device.page import DevicePage, self_checks
from swgui.gui.live.watch import DeviceWatch, Look
from swgui.jobs.check.device import check_engine, last_check, remember
from swgui.jobs.doctor import Finding
from swgui.settings import Settings

GPU = DeviceInfo("0", "NVIDIA H200", 150 << 30, 140 << 30, {"compute capability": "9.0", "driver": "580.1"})
CPU = EngineStatus("cpu", True, (DeviceInfo("cpu", "AMD EPYC", 24 << 30, 0, {"compiled code": "AVX2"}),))
NO_GPU = EngineStatus("cuda", False, reason="The driver is too old.", hint="Install driver 525 or newer.")


@pytest.fixture
def make_page(shown, theme):
    def no_binding():
        raise ImportError("No module named 'pynvml'")

    def make(settings=None, **options):
        watch = DeviceWatch(monitor=Monitor(no_binding))
        return shown(DevicePage(settings or Settings(), **{"watch": watch, "use": lambda *_: ()} | options))

    return make


def texts(page, name):
    card = page.findChild(QFrame, name)
    return [label.text() for label in card.findChildren(QLabel)]


def test_facts_of_every_device_are_shown(make_page):
    settings = Settings(speeds={"cuda | NVIDIA H200": 5123.4})
    page = make_page(settings)
    page.show_engines((EngineStatus("cuda", True, (GPU,)), CPU))
    gpu = texts(page, "device-cuda-0")
    assert "GPU: NVIDIA H200" in gpu
    for fact in ("150.0\xa0GiB", "140.0\xa0GiB", "Compute capability", "9.0", "580.1", "about 5,123 GCUPS"):
        assert fact in gpu
    assert "not measured yet" in texts(page, "device-cpu-cpu")
    assert "AVX2" in texts(page, "device-cpu-cpu")


def test_an_engine_that_cannot_be_used_says_why_and_what_to_do(make_page, qtbot):
    page = make_page()
    page.show_engines((NO_GPU, CPU))
    card = texts(page, "device-cuda-none")
    assert {"not available", "The driver is too old.", "Install driver 525 or newer."} <= set(card)
    qtbot.mouseClick(page.findChild(QPushButton, "copyHint-cuda"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Install driver 525 or newer."


def tick(page, name):
    page.findChild(QCheckBox, name).click()


def test_devices_are_ticked_for_searches(make_page, qtbot):
    settings = Settings()
    page = make_page(settings)
    second = DeviceInfo("1", "NVIDIA L4", facts={"compute capability": "8.9"})
    page.show_engines((EngineStatus("cuda", True, (GPU, second)), CPU))
    boxes = {
        name: page.findChild(QCheckBox, name) for name in ("deviceAuto", "use-cuda-0", "use-cuda-1", "use-cpu-cpu")
    }
    assert [box.isChecked() for box in boxes.values()] == [True, True, False, False]
    for name, wanted in (
        ("use-cuda-1", ("cuda", "0,1")),
        ("use-cuda-0", ("cuda", "1")),
        ("use-cpu-cpu", ("cpu", "")),
        ("use-cpu-cpu", ("auto", "")),
    ):
        with qtbot.waitSignal(page.choice_wanted) as chosen:
            tick(page, name)
        assert chosen.args == [settings.search.run_on]
        assert (settings.search.engine, settings.search.device) == wanted
    assert [box.isChecked() for box in boxes.values()] == [True, True, False, False]
    tick(page, "deviceAuto")
    assert settings.search.engine == "cuda"


def test_the_share_of_memory_is_remembered(make_page, qtbot):
    settings = Settings()
    page = make_page(settings)
    page.show_engines((EngineStatus("cuda", True, (GPU,)), CPU))
    box = page.findChild(QComboBox, "memoryShare")
    with qtbot.waitSignal(page.settings_changed):
        box.setCurrentIndex(box.findData(40))
        box.activated.emit(box.currentIndex())
    assert settings.devices.memory_percent == 40


def test_what_a_card_does_is_shown(make_page):
    page = make_page()
    page.show_engines((EngineStatus("cuda", True, (GPU,)), CPU))
    facts = GpuFacts(display=True, processes=(Process(5, "chess", 2 << 30, False), Process(6, "swgui", 0, True)))
    reading = SensorReading(0.97, 3 << 30, 140 << 30, 1980.0, 64.0, 345.6, ("power limit",))
    page.list.show_look(Look({"0": reading, "cpu": SensorReading(busy=0.5)}, {"0": facts}))
    live = page.findChild(QLabel, "live-cuda-0").text()
    for part in ("97 % busy", "3.0 of 140 GiB", "1,980 MHz", "64 °C", "346 W", "slowed: power limit"):
        assert part in live
    assert page.findChild(QLabel, "live-cpu-cpu").text() == "50 % busy"
    note = page.findChild(QLabel, "note-cuda-0").text()
    assert "draws the display" in note
    assert "chess (2.0 GiB)" in note
    assert "swgui" not in note


def test_why_nothing_can_be_read_is_told_where_there_is_a_gpu(make_page):
    page = make_page()
    status = MonitorStatus(False, "The package nvidia-ml-py is not installed.", "Install it with: pip install x")
    page.show_engines((NO_GPU, CPU))
    page.list.show_monitor(status)
    assert page.findChild(QLabel, "noMonitor").isHidden()
    page.show_engines((EngineStatus("cuda", True, (GPU,)), CPU))
    page.list.show_monitor(status)
    assert "pip install x" in page.findChild(QLabel, "noMonitor").text()


def test_looking_again_replaces_the_cards(make_page, qtbot):
    page = make_page()
    page.show_engines((NO_GPU, CPU))
    with qtbot.waitSignal(page.probe_wanted):
        qtbot.mouseClick(page.findChild(QPushButton, "deviceAgain"), Qt.MouseButton.LeftButton)
    page.show_engines((EngineStatus("cuda", True, (GPU,)),))
    qtbot.waitUntil(lambda: page.findChild(QFrame, "device-cuda-none") is None)
    assert page.findChild(QFrame, "device-cuda-0") is not None


def test_the_self_check_lists_its_findings(make_page, qtbot):
    found = [
        Finding("packages", "fine", "All there."),
        Finding("scores cuda", "problem", "3 scores differ.", "Report."),
    ]
    page = make_page(check=lambda cancel: iter(found))
    with qtbot.waitSignal(page.checked) as checked:
        qtbot.mouseClick(page.findChild(QPushButton, "runSelfCheck"), Qt.MouseButton.LeftButton)
    assert checked.args[0] == found
    model = page.findings
    assert model.index(1, 2).data() == "3 scores differ. Report."
    assert model.index(1, 1).data() == "✗ problem"
    assert page.findChild(QLabel, "selfCheckVerdict").text() == "1 of 2 findings is a problem."


def test_the_self_check_can_be_stopped_and_waits_for_searches(make_page, qtbot):
    going = threading.Event()

    def check(cancel):
        yield Finding("a", "fine", "b")
        going.set()
        cancel.wait(60)

    page = make_page(check=check)
    button = page.findChild(QPushButton, "runSelfCheck")
    page.refuse("Wait until the network has ended.")
    assert not button.isEnabled()
    page.run_check()
    assert not page.checking
    page.refuse("")
    page.run_check()
    qtbot.waitUntil(going.is_set)
    assert not button.isEnabled()
    with qtbot.waitSignal(page.checked):
        qtbot.mouseClick(page.findChild(QPushButton, "stopSelfCheck"), Qt.MouseButton.LeftButton)
    assert page.findChild(QLabel, "selfCheckVerdict").text() == "The self-check was stopped."
    assert button.isEnabled()


def test_a_self_check_that_breaks_says_so(make_page, qtbot):
    def check(cancel):
        raise OSError("no such library")

    page = make_page(check=check)
    with qtbot.waitSignal(page.checked):
        page.run_check()
    assert "no such library" in page.findChild(QLabel, "selfCheckVerdict").text()


def test_a_wrong_score_becomes_a_message_of_the_window(make_window, qtbot):
    window = make_window()
    window.device_page.check.check = lambda cancel: iter([Finding("scores cuda", "problem", "3 differ.", "Report.")])
    with qtbot.waitSignal(window.device_page.checked):
        window.actions_table["self-check"].trigger()
    assert window.page == "device"
    (message,) = window.notifications.messages
    assert (message.level, message.title, message.text) == ("danger", "Self-check, scores cuda", "3 differ.")


def test_the_device_chosen_here_is_that_of_the_search_page(make_window, qtbot):
    window = make_window()
    window.search_page.engine.probe()
    page = window.device_page
    qtbot.waitUntil(lambda: page.findChild(QCheckBox, "use-reference-cpu") is not None)
    window.show_page("device")
    tick(page, "use-cpu-cpu")
    assert window.search_page.engine.choice.engine == "cpu"
    window.search_page.engine.choose(DeviceChoice("reference"))
    assert page.findChild(QCheckBox, "use-reference-cpu").isChecked()
    assert not page.findChild(QCheckBox, "use-cpu-cpu").isChecked()


def test_the_welcome_goes_for_good(make_window, qtbot):
    window = make_window()
    welcome = window.search_page.welcome
    assert welcome.isVisible()
    window.search_page.database.refresh_known()
    qtbot.waitUntil(window.findChild(QPushButton, "welcomeStructures").isVisible)
    window.findChild(QPushButton, "welcomeStructures").click()
    download = window.pages["databases"].download
    assert (window.page, download.chosen.key, download.organism.isVisible()) == ("databases", "structures", True)
    download.close()
    window.search_page.end_welcome()  # as the first search does
    assert welcome.isHidden()
    settings = window.settings
    assert make_window(settings).search_page.welcome.isHidden()


def test_the_page_tells_what_the_self_checks_found():
    statuses = (registry.probe("cpu"), registry.probe("reference"))
    assert self_checks(statuses)[1] == ""
    list(check_engine("cpu", threading.Event()))
    text, tone = self_checks(statuses)
    assert tone == "success"
    assert "equalled the stored exact ones" in text
    assert "not checked yet" in text


def test_a_device_with_wrong_scores_is_named():
    (device,) = registry.probe("cpu").devices
    list(check_engine("cpu", threading.Event()))
    remember(replace(last_check("cpu", device), differing=3, differences=("gave 1 instead of 2.",)))
    text, tone = self_checks((registry.probe("cpu"),))
    assert tone == "danger"
    assert "gave 1 instead of 2." in text
