import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QSpinBox

from swgui.core.alphabet import PROTEIN
from swgui.core.devices import DeviceChoice, device_ids
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.core.scoring import ScoringScheme
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.core.sweep.grid import SweepKey
from swgui.engines.base import DeviceInfo, EngineStatus, KernelUse
from swgui.gui.device.page import DevicePage
from swgui.gui.device.settings import DeviceSettingsPanel
from swgui.gui.device.sweep.form import Context
from swgui.gui.inputs.device_options import by_hand, choice_of, chosen_devices, engine_options, set_value, with_device
from swgui.gui.words.engine_choices import engine_choices, several_devices
from swgui.io.matrices import load_matrix
from swgui.io.tuning import InUse
from swgui.settings import DeviceSettings, Settings
from tests.gui.named import named

AUTOMATIC = DeviceChoice()
FACTS = {"compute capability": "9.0", "multiprocessors": "132", "UUID": "GPU-1"}
GPUS = tuple(DeviceInfo(str(i), "NVIDIA H200", 100 << 30, facts={**FACTS, "UUID": f"GPU-{i}"}) for i in range(2))
CPU = DeviceInfo("cpu", "EPYC", facts={"cores": "8"})
STATUSES = (
    EngineStatus("cuda", True, GPUS),
    EngineStatus("cpu", True, (CPU,)),
    EngineStatus("reference", True, (DeviceInfo("cpu", "NumPy"),)),
)
USE = KernelUse("0", "simt", "simt", 256, 1056, 40, 24_576, 0, {"threads": "256", "rows": "8"}, ("Fewer fit.",), 6)


# What settings do to a search


def test_memory_and_threads_reach_the_engine():
    settings = DeviceSettings(memory_percent=50, threads=3)
    assert engine_options(settings, STATUSES, DeviceChoice()).settings == {"memory_mib": str(50 * 1024)}
    assert engine_options(settings, STATUSES, DeviceChoice()).threads == 0
    assert engine_options(settings, STATUSES, DeviceChoice("cpu")).threads == 3
    assert engine_options(settings, STATUSES, DeviceChoice("cpu")).settings == {}
    assert engine_options(settings, STATUSES, DeviceChoice("reference")).settings == {}


def test_only_what_the_method_has_reaches_the_engine():
    settings = DeviceSettings(method="shared")
    for group, name, value in (
        ("shared", "threads", "64"),
        ("shared", "k", "8"),
        ("shared", "p", "banana"),  # edited by hand in the file
        ("simt", "threads", "512"),
        ("cpu", "chunk_residues", "5000"),
    ):
        set_value(settings, group, name, value)
    assert by_hand(settings, "cuda") == {"method": "shared", "threads": "64", "k": "8"}
    assert by_hand(settings, "cpu") == {"chunk_residues": "5000"}
    settings.method = "gone"
    assert by_hand(settings, "cuda") == {}
    set_value(settings, "shared", "k", AUTO)
    assert "shared.k" not in settings.values


def tuned(device="GPU-0", query_class="256-383", engine="cuda"):
    return InUse(SweepKey(engine, device, "580", "abc", 27, query_class), {"rows": "22", "lanes": "16"})


def test_what_a_sweep_found_is_used_for_the_queries_it_was_found_for():
    settings = DeviceSettings()

    def chosen(lengths=(300, 350), symbols=27, run_on=AUTOMATIC, in_use=None):
        return engine_options(
            settings, STATUSES, run_on, lengths=lengths, symbols=symbols, in_use=in_use or (tuned(),)
        ).settings

    assert chosen() == {"rows": "22", "lanes": "16"}
    assert chosen(lengths=(300, 400)) == {}
    assert chosen(symbols=4) == {}
    assert chosen(run_on=DeviceChoice("cuda", ("0", "1"))) == {}  # found on one of them only
    assert chosen(run_on=DeviceChoice("cuda", ("1",))) == {}
    assert chosen(run_on=DeviceChoice("cpu")) == {}
    assert chosen(in_use=(tuned("GPU-9"),)) == {}
    set_value(settings, DEFAULT_METHOD, "rows", "8")
    assert chosen() == {"rows": "8"}  # by hand comes first
    set_value(settings, DEFAULT_METHOD, "rows", AUTO)
    settings.tuned = False
    assert chosen() == {}


def test_threads_that_a_sweep_found_on_the_cpu_are_threads():
    found = InUse(SweepKey("cpu", "EPYC", "", "1", 27, "256-383"), {"threads": "4", "chunk_residues": "20000"})
    options = engine_options(
        DeviceSettings(), STATUSES, DeviceChoice("cpu"), lengths=(300,), symbols=27, in_use=(found,)
    )
    assert (options.threads, options.settings) == (4, {"chunk_residues": "20000"})


def test_ticks_and_choices_say_the_same():
    for engine, ids in (("cuda", "0"), ("cuda", "0,1"), ("cpu", ""), ("reference", "")):
        choice = DeviceChoice(engine, device_ids(ids))
        assert choice_of(chosen_devices(choice, STATUSES)) == choice
    assert chosen_devices(DeviceChoice(), STATUSES) == {("cuda", "0")}
    assert chosen_devices(DeviceChoice("cuda+cpu", ("0", "cpu")), STATUSES) == set()  # of older settings
    assert chosen_devices(DeviceChoice("cluster"), STATUSES) == set()
    assert with_device({("cuda", "0")}, ("reference", "cpu"), True) == {("reference", "cpu")}
    assert with_device({("reference", "cpu")}, ("cpu", "cpu"), True) == {("cpu", "cpu")}


def test_several_devices_have_a_name():
    both = several_devices(DeviceChoice("cuda", ("0", "1")), STATUSES)
    assert (both.text, both.where) == ("GPU 0 and GPU 1", "on GPU 0 and GPU 1")
    assert both.runs_on[0] == "cuda"
    assert several_devices(DeviceChoice("cuda", ("0", "7")), STATUSES) is None
    assert several_devices(DeviceChoice("cpu"), STATUSES) is None
    assert several_devices(DeviceChoice("cuda+cpu", ("0", "cpu")), STATUSES) is None
    assert engine_choices(STATUSES)[0].engine == "auto"


# The panel


@pytest.fixture
def panel(qtbot, theme):
    settings = Settings()
    made = DeviceSettingsPanel(settings)
    made.all = settings
    qtbot.addWidget(made)
    made.show()
    return made


def choose_method(panel, name):
    box = panel.findChild(QComboBox, "searchMethod")
    box.setCurrentIndex(box.findData(name))
    box.activated.emit(box.currentIndex())


@pytest.mark.parametrize("name", SEARCH_METHODS)
def test_every_setting_of_every_method_has_a_field(panel, name):
    choose_method(panel, name)
    for setting in SEARCH_METHODS[name].settings:
        field = panel.findChild(QComboBox, f"value-{name}-{setting.name}")
        assert field.accessibleName() == setting.title
        assert field.currentText() == "automatic"
        assert field.count() == 1 + (len(setting.names) or len(setting.values))
        assert setting.help in field.toolTip()
    assert panel.all.devices.method == name
    assert SEARCH_METHODS[name].summary in panel.findChild(QLabel, "methodAbout").text()


def test_values_are_set_and_wrong_ones_are_marked(panel, qtbot):
    choose_method(panel, "simt")
    field = panel.findChild(QComboBox, "value-simt-threads")
    with qtbot.waitSignal(panel.changed):
        field.setCurrentIndex(field.findData("256"))
        field.activated.emit(field.currentIndex())
    assert panel.all.devices.values == {"simt.threads": "256"}
    field.setEditText("33")
    field.lineEdit().editingFinished.emit()
    assert field.property("invalid")
    assert panel.all.devices.values == {"simt.threads": "256"}
    field.setEditText("160")
    field.lineEdit().editingFinished.emit()
    assert not field.property("invalid")
    assert panel.all.devices.values == {"simt.threads": "160"}
    panel.findChild(QSpinBox, "cpuThreads").setValue(2)
    assert panel.all.devices.threads == 2
    with qtbot.waitSignal(panel.changed):
        panel.reset()
    assert panel.all.devices == DeviceSettings()
    assert panel.findChild(QSpinBox, "cpuThreads").value() == 0


def test_values_in_use_stand_beside_the_fields(panel):
    choose_method(panel, "simt")
    panel.show_use((USE,))
    assert panel.findChild(QLabel, "inUse-threads").text() == "256"
    assert panel.findChild(QLabel, "settingsRemarks").text() == "Fewer fit."
    assert "One thread per subject" in panel.findChild(QLabel, "kernelInUse").text()
    panel.show_use((), "It cannot be compiled.")
    assert panel.findChild(QLabel, "inUse-threads").text() == ""
    assert panel.findChild(QLabel, "settingsRemarks").text() == "It cannot be compiled."


def test_without_a_gpu_the_panel_says_so(panel):
    panel.show_engines((EngineStatus("cuda", False, reason="None."), STATUSES[1]))
    assert not panel.findChild(QLabel, "settingsNoGpu").isHidden()
    assert panel.findChild(QSpinBox, "cpuThreads").specialValueText() == "automatic: all 8 cores"


def test_the_page_asks_for_what_is_in_use(qtbot, theme):
    asked = []

    def ask(engine, options, queries, scheme):
        asked.append((engine, options))
        return (USE,)

    settings = Settings()
    settings.devices.method = "simt"
    settings.devices.values = {"simt.threads": "256"}
    page = DevicePage(settings, use=ask)
    qtbot.addWidget(page)
    page.show_engines(STATUSES)
    page.refuse("Wait until the network has ended.")
    qtbot.wait(500)
    assert not asked  # compiling waits for the search
    page.refuse("")
    qtbot.waitUntil(lambda: page.findChild(QLabel, "inUse-threads").text() == "256")
    assert asked[0][1].settings == {"method": "simt", "threads": "256"}
    page.shutdown()


def test_what_is_in_use_is_asked_for_what_the_search_page_would_search(qtbot, theme):
    asked = []

    def ask(*given):
        asked.append(given)
        return (USE,)

    query, database, scheme = (
        synthetic_query(90),
        synthetic_database(5_000),
        ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1),
    )
    now = [Context()]
    page = DevicePage(Settings(), use=ask)
    qtbot.addWidget(page)
    page.use_context(lambda: now[0])
    page.show_engines(STATUSES)
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert len(asked[0][2][0]) == 350
    assert len(asked[0]) == 4
    assert "in a large database" in named(page.panel, "settingsFor").text()
    for queries in (1, 7):
        page.hide()
        now[0] = Context(query, database, scheme, queries)
        page.show()
        qtbot.waitUntil(lambda: len(asked) == 1 + min(now[0].queries, 2))
        assert asked[-1][2:] == ((query,) * min(queries, 2), scheme, database)
        assert f"(90 residues) in {database.name}" in named(page.panel, "settingsFor").text()
    page.hide()
    page.show()
    assert not page.finding_use  # nothing is new
    page.shutdown()
