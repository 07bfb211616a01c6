"""Activity of GPUs, from NVIDIA's management library (NVML) through its Python binding ``nvidia-ml-py``.

The binding is optional and is loaded on first use; without it, without a driver, or if a GPU does not answer a
question, the module reports the missing part and the rest works. No CUDA context is made here. Calls take from some
microseconds to some milliseconds: not for the window's thread.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from swgui.engines.base import DeviceInfo

INSTALL: Final = "Install it with: pip install nvidia-ml-py"
NO_DRIVER: Final = (
    "The library of the NVIDIA driver (NVML) is not there: there is no driver on this computer.",
    "Install the NVIDIA driver, then press Check again.",
)
MISMATCH: Final = (
    "The loaded NVIDIA driver and its library (NVML) are of different versions.",
    "Restart the computer: the driver was updated while it ran.",
)
T = TypeVar("T")

# Reason why a GPU runs below its highest clock: name of the bit in the binding, and text for the user.
SLOW_REASONS: Final = (
    ("SwPowerCap", "power limit"),
    ("HwSlowdown", "slowed by the hardware"),
    ("SwThermalSlowdown", "too warm"),
    ("HwThermalSlowdown", "much too warm"),
    ("HwPowerBrakeSlowdown", "power supply"),
    ("ApplicationsClocksSetting", "clock set by hand"),
)
_SHARED_FROM: Final = 0.25  # of the CPU; a larger load of other programs slows a search
_OTHERS: Final = "other programs keep the CPU busy"


@dataclass(frozen=True, slots=True)
class MonitorStatus:
    """Whether monitoring of GPUs works here; if not, the reason and the remedy."""

    available: bool
    reason: str = ""
    hint: str = ""
    driver: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """A program that uses a GPU."""

    pid: int
    name: str  # empty if it is not told
    memory: int  # bytes; 0 if not told
    own: bool  # whether it is this program


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """Facts that do not change from one second to the next."""

    uuid: str = ""
    driver: str = ""
    display: bool | None = None  # whether it draws a display; None if not told
    processes: tuple[Process, ...] = ()


@dataclass(frozen=True, slots=True)
class SensorReading:
    """State of a device at one moment; -1 for unknown values."""

    busy: float = -1.0  # share of the time it worked lately, for whatever program, 0 to 1
    # memory_used, memory: bytes
    memory_used: int = -1
    memory: int = -1
    clock: float = -1.0  # MHz
    temperature: float = -1.0  # °C
    power: float = -1.0  # watt
    slowed: tuple[str, ...] = ()  # why it runs below its highest clock, or is shared, in words
    own: float = -1.0  # share of the time it worked for this program


def import_binding() -> Any:
    """Import the binding; `ImportError` if it is not installed."""
    return importlib.import_module("pynvml")


class Monitor:
    """Watches the GPUs an engine can use.

    Parameters
    ----------
    load : callable
        Returns the binding; for tests.
    """

    def __init__(self, load: Callable[[], Any] = import_binding) -> None:
        self._load = load
        self._nvml: Any = None
        self._lock = threading.Lock()
        self._handles: dict[str, Any] = {}

    def open(self, devices: Sequence[DeviceInfo] = ()) -> MonitorStatus:
        """Start watching; devices watched before are dropped.

        Parameters
        ----------
        devices : sequence of DeviceInfo
            As the engine lists them. Their facts ``UUID`` and ``PCI address`` say which GPU of NVML each of them
            is: CUDA may count GPUs in another order than NVML.
        """
        self.close()
        with self._lock:
            try:
                nvml = self._load()
            except ImportError:
                return MonitorStatus(False, "The package nvidia-ml-py is not installed.", INSTALL)
            try:
                nvml.nvmlInit()
            except Exception as error:  # NVMLError, or any error of a damaged library
                return MonitorStatus(False, *_why(nvml, error))
            self._nvml = nvml
            for device in devices:
                handle = self._find(device)
                if handle is not None:
                    self._handles[device.id] = handle
            return MonitorStatus(True, driver=_text(self._ask(nvml.nvmlSystemGetDriverVersion) or ""))

    def close(self) -> None:
        """Stop watching; safe to call twice."""
        with self._lock:
            if self._nvml is not None:
                self._ask(self._nvml.nvmlShutdown)
            self._nvml = None
            self._handles.clear()

    @property
    def devices(self) -> tuple[str, ...]:
        """Ids of the devices that are watched."""
        return tuple(self._handles)

    def facts(self, device: str) -> GpuFacts | None:
        """Return the fixed facts about a device; None if it is not watched."""
        with self._lock:
            handle, nvml = self._handles.get(device), self._nvml
            if handle is None:
                return None
            display = self._ask(nvml.nvmlDeviceGetDisplayActive, handle)
            return GpuFacts(
                uuid=_text(self._ask(nvml.nvmlDeviceGetUUID, handle) or ""),
                driver=_text(self._ask(nvml.nvmlSystemGetDriverVersion) or ""),
                display=None if display is None else bool(display),
                processes=self._processes(handle),
            )

    def read(self, device: str) -> SensorReading | None:
        """Return the present state of a device; None if it is not watched."""
        with self._lock:
            handle, nvml = self._handles.get(device), self._nvml
            if handle is None:
                return None
            busy = self._ask(nvml.nvmlDeviceGetUtilizationRates, handle)
            memory = self._ask(nvml.nvmlDeviceGetMemoryInfo, handle)
            power = self._ask(nvml.nvmlDeviceGetPowerUsage, handle)
            clock = self._ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM)
            warm = self._ask(nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU)
            return SensorReading(
                busy=busy.gpu / 100 if busy is not None else -1.0,
                memory_used=memory.used if memory is not None else -1,
                memory=memory.total if memory is not None else -1,
                clock=-1.0 if clock is None else float(clock),
                temperature=-1.0 if warm is None else float(warm),
                power=-1.0 if power is None else power / 1000,
                slowed=self._slowed(handle),
            )

    def clock_and_temperature(self, device: str) -> tuple[float, float] | None:
        """Return MHz and °C of a device; None if they are not known."""
        with self._lock:
            handle, nvml = self._handles.get(device), self._nvml
            if handle is None:
                return None
            clock = self._ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM)
            warm = self._ask(nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU)
            return None if clock is None else (float(clock), float(warm or 0))

    def energy(self, device: str) -> float | None:
        """Return the joules that a device has taken since its driver was loaded; None if it does not count them."""
        with self._lock:
            handle, nvml = self._handles.get(device), self._nvml
            count = getattr(nvml, "nvmlDeviceGetTotalEnergyConsumption", None)
            taken = None if handle is None or count is None else self._ask(count, handle)
            return None if taken is None else taken / 1000

    def power(self, device: str) -> float | None:
        """Return the watts that a device takes now; None if they are not known."""
        with self._lock:
            handle, nvml = self._handles.get(device), self._nvml
            taken = None if handle is None else self._ask(nvml.nvmlDeviceGetPowerUsage, handle)
            return None if taken is None else taken / 1000

    def _find(self, device: DeviceInfo) -> Any:
        nvml = self._nvml
        for fact, ask in (
            ("UUID", nvml.nvmlDeviceGetHandleByUUID),
            ("PCI address", nvml.nvmlDeviceGetHandleByPciBusId),
        ):
            if fact in device.facts:
                handle = self._ask(ask, device.facts[fact])
                if handle is None:  # older bindings take bytes
                    handle = self._ask(ask, device.facts[fact].encode())
                if handle is not None:
                    return handle
        return None

    def _processes(self, handle: Any) -> tuple[Process, ...]:
        nvml = self._nvml
        processes: dict[int, Process] = {}
        for ask in (nvml.nvmlDeviceGetComputeRunningProcesses, nvml.nvmlDeviceGetGraphicsRunningProcesses):
            for process in self._ask(ask, handle) or ():
                name = _text(self._ask(nvml.nvmlSystemGetProcessName, process.pid) or "")
                memory = process.usedGpuMemory or 0
                own = process.pid == os.getpid()
                processes[process.pid] = Process(process.pid, name.replace("\\", "/").rpartition("/")[2], memory, own)
        return tuple(processes.values())

    def _slowed(self, handle: Any) -> tuple[str, ...]:
        nvml = self._nvml
        bits = self._ask(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle) or 0
        names = [(f"nvmlClocksThrottleReason{name}", text) for name, text in SLOW_REASONS]
        return tuple(text for name, text in names if bits & getattr(nvml, name, 0))

    @staticmethod
    def _ask(function: Callable[..., T], *arguments: Any) -> T | None:
        """Ask a question; None where the GPU, the driver or the binding has no answer."""
        try:
            return function(*arguments)
        except Exception:  # NVMLError of many kinds; TypeError and AttributeError of other versions of the binding
            return None


def _why(nvml: Any, error: Exception) -> tuple[str, str]:
    code = getattr(error, "value", None)
    missing = (
        getattr(nvml, "NVML_ERROR_LIBRARY_NOT_FOUND", object()),
        getattr(nvml, "NVML_ERROR_DRIVER_NOT_LOADED", object()),
    )
    if code in missing:
        return NO_DRIVER
    if code == getattr(nvml, "NVML_ERROR_LIB_RM_VERSION_MISMATCH", object()):
        return MISMATCH
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return f"The NVIDIA management library cannot be started ({text}).", "Look whether nvidia-smi works."


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class HostMonitor:
    """Watches this process.

    Parameters
    ----------
    cores : int
        That it may use.
    memory : int
        Memory of the computer in bytes; 0 if unknown: then the system gives it.
    """

    def __init__(self, cores: int, memory: int) -> None:
        import psutil  # here: the first picture of the window has no use for it

        self._cores = max(1, cores)
        self._memory = memory or psutil.virtual_memory().total
        self._process = psutil.Process()
        self._last = (time.perf_counter(), self.cpu_seconds())
        self.ticks = ticks()

    def read(self) -> SensorReading:
        """Return the load of the cores since the last reading, and the memory of this process."""
        now, spent = time.perf_counter(), self.cpu_seconds()
        before, spent_before = self._last
        self._last = now, spent
        passed = now - before
        own = min(1.0, (spent - spent_before) / (passed * self._cores)) if passed > 0 else -1.0
        busy = self._of_machine()
        return SensorReading(
            busy=max(busy, own) if busy >= 0 else own,
            memory_used=self._process.memory_info().rss,
            memory=self._memory,
            clock=_clock(),
            slowed=(_OTHERS,) if 0 <= own < busy - _SHARED_FROM else (),
            own=own,
        )

    def cpu_seconds(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)

    def _of_machine(self) -> float:
        """Return the load of all cores since the last reading; -1 if that was a moment ago."""
        (idle_before, all_before), (idle, total) = self.ticks, ticks()
        self.ticks = idle, total
        if total <= all_before:
            return -1.0
        return min(1.0, max(0.0, 1 - (idle - idle_before) / (total - all_before)))


def ticks() -> tuple[float, float]:
    """Return for how many seconds all cores were idle since the computer was started, and all seconds."""
    import psutil

    times = psutil.cpu_times()
    counted_twice = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)  # in user and nice, too
    return times.idle + getattr(times, "iowait", 0.0), sum(times) - counted_twice


def _clock() -> float:
    """Return the mean MHz of all cores; -1 where the system does not tell."""
    import psutil

    with suppress(OSError, RuntimeError, NotImplementedError, AttributeError):
        if (clock := psutil.cpu_freq()) is not None:
            return float(clock.current)
    return -1.0
