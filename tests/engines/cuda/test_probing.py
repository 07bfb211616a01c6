"""Finding CUDA devices without a GPU: present and missing parts, and the messages about them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter
from swgui.engines.base import TILES, DeviceInfo
from swgui.engines.cuda import device, engine
from swgui.engines.cuda.gpu import explain
from swgui.engines.cuda.streaming.tables import DEFAULTS


class FakeRuntime:
    """Enough of CuPy for the probe."""

    def __init__(self, status=0, driver=13000, capability=(9, 0)):
        self.status = status
        self.driver = driver
        self.capability = capability
        self.cuda = SimpleNamespace(runtime=self, nvrtc=SimpleNamespace(getVersion=lambda: (13, 0)), Device=self)

    def __call__(self, index):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def getDeviceCount(self):
        if self.status:
            error = RuntimeError("cudaErrorOfSomeKind")
            error.status = self.status
            raise error
        return 2

    def getDeviceProperties(self, index):
        return {"name": b"Some GPU", "major": self.capability[0], "minor": self.capability[1], "multiProcessorCount": 8}

    def memGetInfo(self):
        return 3 << 30, 4 << 30

    def driverGetVersion(self):
        return self.driver

    def runtimeGetVersion(self):
        return 13000


@pytest.mark.parametrize(
    ("fake", "words"),
    [
        (FakeRuntime(status=35, driver=0), "no NVIDIA driver"),
        (FakeRuntime(status=35, driver=12020), "supports CUDA 12.2, but CUDA 13.0 is needed"),
        (FakeRuntime(status=100), "finds no GPU"),
        (FakeRuntime(status=999), "cannot be started"),
        (FakeRuntime(capability=(7, 0)), "new enough"),
    ],
)
def test_why_there_is_no_device(monkeypatch, fake, words):
    monkeypatch.setattr(device.host, "has_nvidia_gpu", lambda: None)
    monkeypatch.setattr(device, "import_cupy", lambda: fake)
    status = device.probe()
    assert not status.available
    assert words in status.reason
    assert status.hint


def no_cupy():
    raise ImportError("No module named 'cupy'")


def no_compiler():
    runtime = FakeRuntime()
    runtime.cuda.nvrtc = SimpleNamespace(getVersion=no_cupy)
    return runtime


@pytest.mark.parametrize(("found", "words"), [(no_cupy, "CuPy"), (no_compiler, "NVRTC")])
def test_a_missing_package_is_named(monkeypatch, found, words):
    monkeypatch.setattr(device, "import_cupy", found)
    monkeypatch.setattr(device.ctypes, "CDLL", lambda name: name)
    status = device.probe()
    assert words in status.reason
    assert "pip install" in status.hint


@pytest.mark.parametrize("found", [no_cupy, no_compiler])
def test_nobody_is_sent_for_packages_who_has_no_driver(monkeypatch, found):
    def missing(name):
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(device, "import_cupy", found)
    monkeypatch.setattr(device.ctypes, "CDLL", missing)
    monkeypatch.setattr(device.host, "has_nvidia_gpu", lambda: True)
    status = device.probe()
    assert "no NVIDIA driver" in status.reason
    assert "pip install" not in status.hint


@pytest.mark.parametrize(
    ("vendors", "known", "advice"),
    [
        (["0x8086", "0x10de"], True, "Install the NVIDIA driver"),
        (["0x8086", "0x1002"], False, ""),
        ([], None, "Install the NVIDIA driver"),
    ],
)
def test_nobody_is_sent_for_a_driver_who_has_no_gpu_of_nvidia(monkeypatch, tmp_path, vendors, known, advice):
    for number, vendor in enumerate(vendors):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "vendor").write_text(f"{vendor}\n")
    monkeypatch.setattr(device.host, "PCI_DEVICES", tmp_path)
    monkeypatch.setattr(device.host.sys, "platform", "linux")
    assert device.host.has_nvidia_gpu() is known
    status = device.without_driver()
    assert not status.available
    assert status.hint.startswith(advice)
    assert ("driver" in status.reason + status.hint) == bool(advice)


def test_devices_are_described(monkeypatch):
    monkeypatch.setattr(device, "import_cupy", FakeRuntime)
    status = device.probe()
    assert [one.id for one in status.devices] == ["0", "1"]
    assert status.devices[0].free_memory == 3 << 30
    assert status.devices[0].facts["compute capability"] == "9.0"
    assert status.devices[0].facts[TILES] == DEFAULTS


def test_choosing_devices():
    found = tuple(DeviceInfo(str(i), f"GPU {i}") for i in range(3))
    assert device.choose(found, ()) == found[:1]
    assert device.choose(found, ("2", "0")) == (found[2], found[0])
    assert device.choose(found, ("all",)) == found
    for wrong in (("3",), ("1", "1")):
        with pytest.raises(InvalidParameter):
            device.choose(found, wrong)


@pytest.mark.parametrize(
    ("name", "value"),
    [("speed", "high"), ("dpx", "perhaps"), ("memory_mib", "0"), ("memory_mib", "much"), ("twin_queries", "both")],
)
def test_settings_that_do_not_exist_are_refused(monkeypatch, name, value):
    monkeypatch.setattr(device, "import_cupy", FakeRuntime)
    with pytest.raises(InvalidParameter) as caught:
        engine.create(EngineOptions(settings={name: value}))
    assert caught.value.name == name


def test_a_setting_is_also_known_by_its_former_name(monkeypatch):
    monkeypatch.setattr(device, "import_cupy", FakeRuntime)
    monkeypatch.setattr(engine, "CudaEngine", lambda cupy, devices, settings, *others, **more: settings)
    made = engine.create(EngineOptions(settings={"pair_queries": "off"}))
    assert made == {"dpx": "auto", "pinned": "on", "twin_queries": "off"}


def test_a_cache_that_cannot_be_written_is_no_error(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(blocked))
    for variable in ("CUPY_CACHE_DIR", "CUPY_CACHE_IN_MEMORY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(device.importlib, "import_module", lambda name: name)
    assert device.import_cupy() == "cupy"
    assert device.os.environ["CUPY_CACHE_IN_MEMORY"] == "1"
    monkeypatch.delenv("CUPY_CACHE_IN_MEMORY")


@pytest.mark.parametrize("status", [46, 101, 700, 719, None])
def test_lost_devices_are_explained(status):
    error = RuntimeError("cudaErrorLaunchFailure")
    error.status = status
    fault = explain("Some GPU #1", error)
    assert isinstance(fault, EngineFault)
    assert fault.message.startswith("Some GPU #1")
    assert fault.hint
