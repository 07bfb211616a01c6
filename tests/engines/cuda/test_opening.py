"""The driver is started behind the program's own start: with a made-up one."""

from __future__ import annotations

import threading

import pytest

from swgui.cli.waking import wake
from swgui.core.engines import EngineOptions
from swgui.engines import registry
from swgui.engines.cuda import identity, opening


class Driver:
    """Notes its calls."""

    def __init__(self, refuses=""):
        self.refuses = refuses
        self.calls = []

    def _answer(self, name, *values):
        self.calls.append((name, *values))
        return int(name == self.refuses)

    def cuInit(self, flags):
        return self._answer("cuInit", flags)

    def cuDeviceGet(self, handle, number):
        handle._obj.value = 40 + number
        return self._answer("cuDeviceGet", number)

    def cuDevicePrimaryCtxRetain(self, context, handle):
        return self._answer("cuDevicePrimaryCtxRetain", handle.value)


def test_the_context_of_the_device_is_made():
    driver = Driver()
    opening.make_context(3, lambda name: driver)
    assert driver.calls == [("cuInit", 0), ("cuDeviceGet", 3), ("cuDevicePrimaryCtxRetain", 43)]


@pytest.mark.parametrize(("refuses", "asked"), [("cuInit", 1), ("cuDeviceGet", 2)])
def test_what_the_driver_refuses_is_left_to_others(refuses, asked):
    driver = Driver(refuses)
    opening.make_context(0, lambda name: driver)
    assert len(driver.calls) == asked


def test_without_a_driver_nothing_happens():
    def load(name):
        assert name == identity.DRIVER
        raise OSError("no such file")

    opening.make_context(0, load)


def test_both_work_behind_the_caller(monkeypatch):
    go_on, began = threading.Event(), threading.Semaphore(0)

    def make_context(device):
        assert device == 2
        began.release()
        assert go_on.wait(60)

    monkeypatch.setattr(opening, "begun", set())
    monkeypatch.setattr(opening, "make_context", make_context)
    monkeypatch.setattr(opening, "driver_version", lambda: began.release())
    threads = opening.begin(2)
    assert began.acquire(timeout=60)
    assert began.acquire(timeout=60)
    assert threads[0].is_alive()
    go_on.set()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert opening.begin(2) == ()


@pytest.mark.parametrize(
    ("words", "begun"),
    [
        ("search -q a", [0]),
        ("search --engine=auto --device 1,2", [1]),
        ("pair --device=3 --engine cuda", [3]),
        ("search --device", [0]),
        (f"search --device {'9' * 5000}", [0]),
        ("search --engine cpu", []),
        ("search --engine=reference --device 1", []),
        ("search --engine webgpu", []),
        ("search --on elsewhere -q a", []),
        ("leak a b", [0]),
        ("network a.fa -o a.swnet", [0]),
        ("network a.swnet --export a.graphml", []),
        ("makedb a", []),
        ("search --help", []),
    ],
)
def test_a_command_starts_the_gpu_it_is_likely_to_use(monkeypatch, words, begun):
    started = []
    monkeypatch.setattr(opening, "begin", started.append)
    monkeypatch.setattr(opening, "alone", False)
    wake(words.split())
    assert started == begun


@pytest.mark.parametrize(
    ("name", "devices", "begun"),
    [("auto", (), [0]), ("cuda", ("1", "0"), [1]), ("cpu", (), []), ("reference", (), [])],
)
def test_only_the_engine_that_is_asked_for_starts(monkeypatch, name, devices, begun):
    started = []
    monkeypatch.setattr(opening, "begin", started.append)
    registry.begin(name, EngineOptions(devices))
    assert started == begun


def test_an_engine_that_cannot_be_loaded_is_left_to_the_probe(monkeypatch):
    def broken(name):
        raise ImportError("no module")

    monkeypatch.setattr(registry, "adapter_of", broken)
    registry.begin("cuda", EngineOptions())
