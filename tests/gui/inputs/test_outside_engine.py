"""An engine of another package is offered by the window as soon as it is installed."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox

from swgui.core.devices import DeviceChoice
from swgui.engines import registry
from swgui.gui.device.page import DeviceList
from swgui.gui.inputs.device_options import choice_of, with_device
from swgui.gui.inputs.engine import EngineBox
from swgui.settings import Settings
from tests.outside_engine import install


@pytest.fixture
def statuses(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(install(tmp_path)))
    monkeypatch.setattr(registry, "probed", {})
    registry.installed.cache_clear()
    yield registry.probe_engines()
    registry.installed.cache_clear()
    sys.modules.pop("mine", None)


def test_it_stands_in_the_list_run_on(qtbot, statuses):
    settings = Settings()
    box = EngineBox(settings, None)
    qtbot.addWidget(box)
    box.show_engines(statuses)
    shown = box.findChild(QComboBox, "engine")
    row = shown.findText("Mine My CPU")
    assert row > 0
    shown.setCurrentIndex(row)
    shown.activated.emit(row)
    assert settings.search.run_on == DeviceChoice("mine")
    assert box.choice.where == "with the mine engine"
    assert box.choice.engine == "mine"


def test_it_has_a_place_on_the_device_page(qtbot, statuses):
    settings = Settings()
    devices = DeviceList(settings)
    qtbot.addWidget(devices)
    devices.show_engines(statuses)
    tick = devices.findChild(QCheckBox, "use-mine-cpu")
    with qtbot.waitSignal(devices.choice_wanted) as wanted:
        tick.click()
    assert wanted.args == [DeviceChoice("mine")]


def test_an_engine_that_is_gone_gives_way_to_the_fastest_device(qtbot):
    settings = Settings()
    settings.search.engine, settings.search.device = "cuda+cpu", "0,cpu"  # of an older version
    box = EngineBox(settings, None)
    qtbot.addWidget(box)
    box.show_engines(registry.probe_engines())
    assert box.choice.run_on == DeviceChoice()


def test_it_works_alone():
    assert with_device({("cuda", "0"), ("cpu", "cpu")}, ("mine", "cpu"), True) == {("mine", "cpu")}
    assert choice_of(set()) == DeviceChoice()
