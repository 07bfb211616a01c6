import os
from types import SimpleNamespace

import pytest

from swgui.engines.base import DeviceInfo
from swgui.engines.monitor import HostMonitor, Monitor

GPU = DeviceInfo("0", "NVIDIA H200", facts={"UUID": "GPU-b", "PCI address": "0000:02:00.0"})
OTHER = DeviceInfo("1", "NVIDIA T4", facts={"PCI address": "0000:01:00.0"})


class NvmlError(Exception):
    def __init__(self, value):
        super().__init__(f"error {value}")
        self.value = value


class FakeNvml:
    """Two GPUs, in another order than CUDA's; `fail` names functions that raise."""

    NVML_CLOCK_SM, NVML_TEMPERATURE_GPU = 1, 0
    NVML_ERROR_LIBRARY_NOT_FOUND, NVML_ERROR_DRIVER_NOT_LOADED, NVML_ERROR_LIB_RM_VERSION_MISMATCH = 12, 9, 18
    nvmlClocksThrottleReasonSwPowerCap, nvmlClocksThrottleReasonSwThermalSlowdown = 4, 32  # noqa: N815

    CARDS = ("GPU-a", "GPU-b")

    def __init__(self, fail=(), start=None):
        self.fail, self.start = fail, start
        self.inits = self.shutdowns = 0

    def nvmlInit(self):
        if self.start is not None:
            raise NvmlError(self.start)
        self.inits += 1

    def nvmlShutdown(self):
        self.shutdowns += 1

    def __getattribute__(self, name):
        if name.startswith("nvml") and name in object.__getattribute__(self, "fail"):

            def refuse(*_):
                raise NvmlError(3)

            return refuse
        return object.__getattribute__(self, name)

    def nvmlSystemGetDriverVersion(self):
        return b"580.82.07"

    def nvmlDeviceGetHandleByUUID(self, uuid):
        if isinstance(uuid, str):
            raise TypeError("bytes wanted")
        return self.CARDS.index(uuid.decode())

    def nvmlDeviceGetHandleByPciBusId(self, address):
        return {"0000:01:00.0": 0, "0000:02:00.0": 1}[address]

    def nvmlDeviceGetUUID(self, handle):
        return self.CARDS[handle]

    def nvmlDeviceGetMaxClockInfo(self, handle, kind):
        return 1980

    def nvmlDeviceGetEnforcedPowerLimit(self, handle):
        return 700_000

    def nvmlDeviceGetDisplayActive(self, handle):
        return handle == 0

    def nvmlDeviceGetUtilizationRates(self, handle):
        return SimpleNamespace(gpu=97)

    def nvmlDeviceGetMemoryInfo(self, handle):
        return SimpleNamespace(used=3 << 30, total=140 << 30)

    def nvmlDeviceGetPowerUsage(self, handle):
        return 345_600

    def nvmlDeviceGetTotalEnergyConsumption(self, handle):
        return 7_500

    def nvmlDeviceGetClockInfo(self, handle, kind):
        return 1755 if handle else 1500

    def nvmlDeviceGetTemperature(self, handle, kind):
        return 64

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle):
        return 36

    def nvmlDeviceGetComputeRunningProcesses(self, handle):
        return [SimpleNamespace(pid=os.getpid(), usedGpuMemory=1 << 30), SimpleNamespace(pid=7, usedGpuMemory=None)]

    def nvmlDeviceGetGraphicsRunningProcesses(self, handle):
        return [SimpleNamespace(pid=8, usedGpuMemory=5)]

    def nvmlSystemGetProcessName(self, pid):
        return {7: b"/usr/bin/python3", 8: "C:\\Games\\chess.exe"}.get(pid, "swgui")


@pytest.fixture
def watch():
    monitors = []

    def make(nvml, devices=(GPU, OTHER)):
        monitor = Monitor(lambda: nvml)
        monitors.append(monitor)
        return monitor, monitor.open(devices)

    yield make
    for monitor in monitors:
        monitor.close()


def test_gpus_are_found_by_what_cuda_knows_of_them(watch):
    monitor, status = watch(FakeNvml())
    assert status.available
    assert status.driver == "580.82.07"
    assert monitor.devices == ("0", "1")
    assert monitor.read("0").clock == 1755
    assert monitor.read("1").clock == 1500
    assert monitor.clock_and_temperature("1") == (1500, 64)
    assert monitor.facts("1").display
    assert not monitor.facts("0").display


def test_readings(watch):
    monitor, _ = watch(FakeNvml())
    reading = monitor.read("0")
    assert (reading.busy, reading.memory_used, reading.memory) == (0.97, 3 << 30, 140 << 30)
    assert (reading.temperature, reading.power) == (64, 345.6)
    assert (monitor.energy("0"), monitor.power("0")) == (7.5, 345.6)
    assert (monitor.energy("7"), monitor.power("7")) == (None, None)
    assert reading.slowed == ("power limit", "too warm")
    facts = monitor.facts("0")
    assert facts.uuid == "GPU-b"
    assert [(p.name, p.own) for p in facts.processes] == [("swgui", True), ("python3", False), ("chess.exe", False)]


def test_what_a_gpu_does_not_tell_is_left_open(watch):
    functions = [name for name in dir(FakeNvml) if name.startswith("nvmlDeviceGet") and "Handle" not in name]
    monitor, status = watch(FakeNvml(fail=functions))
    assert status.available
    reading = monitor.read("0")
    assert (reading.busy, reading.memory, reading.clock, reading.temperature, reading.power) == (-1, -1, -1, -1, -1)
    assert monitor.clock_and_temperature("0") is None
    assert (monitor.energy("0"), monitor.power("0")) == (None, None)
    assert monitor.facts("0").display is None
    assert monitor.facts("0").processes == ()


def test_a_gpu_that_nvml_does_not_know_is_not_watched(watch):
    monitor, _ = watch(FakeNvml(), (DeviceInfo("0", "GPU"), DeviceInfo("1", "GPU", facts={"UUID": "GPU-z"})))
    assert monitor.devices == ()
    assert monitor.read("0") is None
    assert monitor.facts("1") is None


@pytest.mark.parametrize(
    ("code", "reason", "hint"),
    [
        (12, "there is no driver", "Install the NVIDIA driver"),
        (9, "there is no driver", "Install the NVIDIA driver"),
        (18, "different versions", "Restart the computer"),
        (999, "cannot be started (error 999)", "nvidia-smi"),
    ],
)
def test_why_nothing_can_be_watched(watch, code, reason, hint):
    monitor, status = watch(FakeNvml(start=code))
    assert not status.available
    assert reason in status.reason
    assert hint in status.hint
    assert monitor.read("0") is None


def test_a_missing_package_is_explained():
    def load():
        raise ImportError("No module named 'pynvml'")

    status = Monitor(load).open((GPU,))
    assert "nvidia-ml-py is not installed" in status.reason
    assert "pip install nvidia-ml-py" in status.hint


def test_the_library_is_left_as_often_as_it_is_entered():
    nvml = FakeNvml()
    monitor = Monitor(lambda: nvml)
    monitor.open((GPU,))
    monitor.open((GPU,))
    monitor.close()
    monitor.close()
    assert nvml.inits == nvml.shutdowns == 2
    assert monitor.devices == ()


def test_the_host_is_watched():
    monitor = HostMonitor(cores=2, memory=8 << 30)
    sum(range(200_000))
    reading = monitor.read()
    assert 0 <= reading.busy <= 1
    assert reading.memory == 8 << 30
    assert reading.memory_used > 1 << 20
    assert HostMonitor(0, 0).read().memory > 1 << 26


def test_the_cpu_is_as_busy_as_all_programs_make_it(monkeypatch):
    ticks = iter([(900, 1000), (910, 1100), (1010, 1200)])
    monkeypatch.setattr("swgui.engines.monitor.ticks", lambda: next(ticks))
    monkeypatch.setattr(HostMonitor, "cpu_seconds", lambda monitor: 1.0)
    monitor = HostMonitor(cores=2, memory=0)
    reading = monitor.read()
    assert (reading.busy, reading.own) == (pytest.approx(0.9), 0.0)
    assert reading.slowed == ("other programs keep the CPU busy",)
    idle = monitor.read()
    assert (idle.busy, idle.slowed) == (0.0, ())


def test_without_the_figures_of_the_system_only_this_program_counts(monkeypatch):
    monkeypatch.setattr("swgui.engines.monitor.ticks", lambda: (0.0, 0.0))
    reading = HostMonitor(1, 0).read()
    assert reading.busy == reading.own >= 0
