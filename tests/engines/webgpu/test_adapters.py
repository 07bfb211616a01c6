"""Adapters that there are or are not, and the speeds that are kept for each."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace

import pytest

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.engines import registry
from swgui.engines.facts import WEBGPU
from swgui.engines.webgpu import adapter, adapters, shapes, speeds

LIMITS = dict.fromkeys(adapters.LIMITS, 1 << 31)


def handle(name="Card", kind="DiscreteGPU", backend="Vulkan", device=1, **limits):
    """Return an adapter as the package gives it."""
    about = {"adapter_type": kind, "backend_type": backend, "device": name, "description": "driver 1"}
    about |= {"vendor_id": 7, "device_id": device}
    return SimpleNamespace(info=about, features={"shader-f16", "subgroup"}, limits={**LIMITS, **limits})


@pytest.fixture
def found(monkeypatch):
    """Return a function that sets the adapters of this computer."""

    def these(*handles):
        package = SimpleNamespace(gpu=SimpleNamespace(enumerate_adapters_sync=lambda: list(handles)))
        monkeypatch.setattr(adapters, "installed", lambda: True)
        monkeypatch.setitem(sys.modules, adapters.PACKAGE, package)
        adapters.adapters.cache_clear()

    yield these
    adapters.adapters.cache_clear()


def test_without_the_package_the_reason_and_the_remedy_are_said(monkeypatch):
    monkeypatch.setattr(adapters, "installed", lambda: False)
    status = adapter.status()
    assert (status.available, status.automatic) == (False, False)
    assert status.reason == "The package 'wgpu' is not installed."
    assert "pip install 'swgui-core[webgpu]'" in status.hint
    with pytest.raises(EngineUnavailable):
        adapter.create(EngineOptions())


def test_without_an_adapter_the_reason_is_said(found):
    found()
    assert "No GPU was found" in adapter.status().reason


def test_a_damaged_driver_takes_no_other_engine_along(found, monkeypatch):
    found()
    monkeypatch.setitem(sys.modules, adapters.PACKAGE, SimpleNamespace(gpu=None))
    assert adapter.status().reason.startswith("The adapters could not be listed: 'NoneType' object has no attribute")


def test_cards_come_first_software_last_and_each_card_once(found):
    found(
        handle("software", "CPU", device=3),
        handle("laptop", "IntegratedGPU", device=2),
        handle("big", "DiscreteGPU", "D3D12"),
        handle("big", "DiscreteGPU", "Vulkan"),
        handle("big", "DiscreteGPU", "OpenGL"),
    )
    assert [(one.id, one.name) for one in adapter.status().devices] == [
        ("vulkan:0", "big"),
        ("vulkan:1", "laptop"),
        ("vulkan:2", "software"),
    ]
    with pytest.raises(InvalidParameter, match="There is no adapter 'metal:0'"):
        adapters.choose(["metal:0"])
    assert [one.info.id for one in adapters.choose(["vulkan:1"])] == ["vulkan:1"]
    assert [one.info.id for one in adapters.choose([])] == ["vulkan:0"]


@pytest.mark.parametrize(
    ("kind", "taken"), [("DiscreteGPU", True), ("IntegratedGPU", False), ("CPU", False), ("VirtualGPU", False)]
)
def test_auto_takes_cards_only(found, monkeypatch, kind, taken):
    found(handle(kind=kind))
    monkeypatch.setattr(registry, "probed", {})
    assert adapter.status().available
    assert (WEBGPU.name in registry.resolve(registry.AUTO)) == taken


def test_an_adapter_without_the_limits_is_refused_by_name(found):
    found(handle("old", **{"max-compute-workgroup-storage-size": 4_096}))
    status = adapter.status()
    assert not status.available
    assert status.reason == (
        "The adapter 'old' has a limit of 4,096 for max-compute-workgroup-storage-size; 8,192 are needed."
    )


def test_there_are_no_settings(found):
    found(handle())
    with pytest.raises(InvalidParameter, match="has no setting 'rows'"):
        adapter.create(EngineOptions(settings={"rows": "4"}))


def test_speeds_are_kept_for_an_adapter_and_its_driver(found, monkeypatch, tmp_path):
    monkeypatch.setattr(speeds.paths, "cache_dir", lambda: tmp_path)
    found(handle(device=1), handle(name="Other", device=2))
    first, second = adapters.adapters()
    assert speeds.of(first) is speeds.TYPICAL
    speeds.keep(first, {"i32:8x16": 12.0})
    assert speeds.of(first) == {"i32:8x16": 12.0}
    assert speeds.of(second) is speeds.TYPICAL
    next(tmp_path.rglob("*.json")).write_text("{")
    assert speeds.of(first) is speeds.TYPICAL


def test_the_shape_with_the_least_waste_is_taken():
    def soonest(length, **of):
        return shapes.best(shapes.CHOICES, length, of or speeds.TYPICAL)[0]

    assert soonest(2_005).key == "f16:8x32"
    assert soonest(144).lanes * soonest(144).rows <= 192
    assert soonest(500, **{"i32:1x16": 1e6}).key == "i32:1x16"


@pytest.mark.nightly  # each shape is compiled in software
def test_speeds_are_measured_on_what_there_is(monkeypatch, tmp_path):
    """On software alone it is slow: two shapes and small databases."""
    from contextlib import closing

    from swgui.engines.webgpu.card import Card

    if not adapter.status().available:
        pytest.skip(adapter.status().reason)
    monkeypatch.setattr(speeds.paths, "cache_dir", lambda: tmp_path)
    monkeypatch.setattr(speeds, "RESIDUES", (4_000, 4_000))
    monkeypatch.setattr(shapes, "CHOICES", tuple(one for one in shapes.CHOICES if one.key in ("i32:8x8", "f32:8x8")))
    with closing(Card(adapters.adapters()[0])) as card:
        found = speeds.measure(card, threading.Event())
        assert found.keys() == {"i32:8x8", "f32:8x8"}
        assert min(found.values()) > 0
        assert speeds.measured(card.adapter) == found
        stopped = threading.Event()
        stopped.set()
        assert speeds.measure(card, stopped) == {}
