"""Tabs that other rooms bring to the Device page, and the one of occupancy."""

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QSpinBox

from swgui.gui.device import tabs
from swgui.gui.device.page import DevicePage
from swgui.papers.occupancy.panel import OccupancyPanel
from swgui.settings import Settings
from tests.gui.device.test_settings import STATUSES, USE


@pytest.fixture
def occupancy(qtbot, theme):
    made = OccupancyPanel()
    qtbot.addWidget(made)
    made.show()
    return made


def value(panel, name):
    return panel.findChild(QLabel, f"occupancy-value-{name}").text()


def test_the_kernel_in_use_is_drawn_and_compared_with_the_driver(occupancy):
    occupancy.show_engines(STATUSES)
    occupancy.show_use((USE,))
    assert occupancy.occupancy.blocks == 6
    assert value(occupancy, "exact") == "6 blocks, 75 %"
    assert value(occupancy, "driver") == "6 blocks, 75 %"
    assert value(occupancy, "registers") == "80 %"
    assert "132 × 128 cores" in value(occupancy, "tmin")
    assert value(occupancy, "pair").startswith("from N = 11,948 residues")
    assert value(occupancy, "tiles").startswith("11,948 to ")
    assert value(occupancy, "card") == "Rg 65,536 · Tg 2,048 · Sg 228 KiB · Wg 64 · G 16,896"
    assert value(occupancy, "kernel").endswith("Wa 8 · Ba 8")
    assert "100 GiB" in value(occupancy, "tmax")
    assert "registers" in occupancy.findChild(QLabel, "occupancySentence").text()
    assert occupancy.view.accessibleDescription() == occupancy.findChild(QLabel, "occupancySentence").text()


def test_other_numbers_can_be_tried_without_a_gpu(occupancy):
    assert value(occupancy, "driver") == "known for kernels in use only"
    box = occupancy.findChild(QSpinBox, "occupancy-shared")
    box.setValue(120_000)
    assert occupancy.occupancy.limiting == ("shared memory",)
    box.setValue(0)
    assert value(occupancy, "shared") == "no limit"
    occupancy.show_use((USE,))
    assert occupancy.occupancy.needs.registers == 40
    occupancy.findChild(QSpinBox, "occupancy-registers").setValue(255)
    assert occupancy.findChild(QComboBox, "occupancyKernel").currentText() == "other numbers"
    assert occupancy.occupancy.needs.threads == 256


@pytest.mark.parametrize("modules", [tabs.MODULES, ()])
def test_the_page_has_the_tabs_of_the_table(qtbot, theme, monkeypatch, modules):
    monkeypatch.setattr(tabs, "MODULES", modules)
    page = DevicePage(Settings(), use=lambda *_: (USE,))
    qtbot.addWidget(page)
    page.show_engines(STATUSES)
    titles = [page.tabs.tabText(index) for index in range(page.tabs.count())]
    assert titles == ["Devices", "Settings", "Speed", *(["Occupancy"] if modules else [])]
    for tab in page.brought:
        qtbot.waitUntil(lambda tab=tab: value(tab, "driver") == "6 blocks, 75 %")
    page.shutdown()
