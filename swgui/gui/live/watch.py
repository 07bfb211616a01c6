"""Reads the state of devices, off the window's thread, twice a second at most, and only while a view shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from swgui.core.devices import CPU
from swgui.core.engines import Kind
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.monitor import GpuFacts, HostMonitor, Monitor, MonitorStatus, SensorReading
from swgui.engines.registry import devices_of_kind
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.words import wording

INTERVAL_MS = 500
FACTS_EVERY = 4  # readings between two reads of slow values: other programs, the display


@dataclass(frozen=True, slots=True)
class Look:
    """One reading of the devices."""

    # By id of the device; ``cpu`` is the CPU, with this program's share of it
    readings: dict[str, SensorReading] = field(default_factory=dict)
    # Programs on the GPUs; empty if they were not read this time
    facts: dict[str, GpuFacts] = field(default_factory=dict)


class DeviceWatch(QObject):
    """Watches the devices of the engines."""

    opened = Signal(object)  # a `MonitorStatus`: whether GPUs can be watched, and why not
    looked = Signal(object)  # a `Look`

    def __init__(self, parent: QObject | None = None, *, monitor: Monitor | None = None) -> None:
        super().__init__(parent)
        self.monitor = monitor or Monitor()
        self.status: MonitorStatus | None = None
        self._host: HostMonitor | None = None
        self._tasks = Tasks(self, threads=1)
        self._tasks.failed.connect(lambda _key, _error: None)  # a failed reading counts as a missing one
        self.wanted: set[str] = set()
        self._count = 0
        self.busy = False  # a reading is under way
        self._clock = QTimer(self)
        self._clock.setInterval(INTERVAL_MS)
        self._clock.timeout.connect(self.look)

    @property
    def looking(self) -> bool:
        """Whether devices are read again and again."""
        return self._clock.isActive()

    def open(self, statuses: Sequence[EngineStatus]) -> None:
        """Watch the devices of these engines from now on."""
        gpus = devices_of_kind(statuses, Kind.GPU)
        cpu = next(iter(devices_of_kind(statuses, Kind.CPU)), None)
        self._host = _host_monitor(cpu)
        self._tasks.submit("open", partial(self.monitor.open, gpus), self._was_opened)

    def want(self, who: str, on: bool) -> None:
        """Read while at least one view (the page, a run) needs it."""
        before = bool(self.wanted)
        self.wanted = self.wanted | {who} if on else self.wanted - {who}
        if self.wanted and not before:
            self._count = 0
            self._clock.start()
            self.look()
        elif not self.wanted:
            self._clock.stop()

    def shutdown(self) -> None:
        """Stop reading; no signal comes afterwards."""
        self._clock.stop()
        self._tasks.shutdown(last=self.monitor.close)

    def _was_opened(self, status: MonitorStatus) -> None:
        self.status = status
        self._count = 0
        self.opened.emit(status)

    def look(self) -> None:
        if self.busy:  # a GPU that answers slowly is read less often
            return
        self.busy = True
        with_facts = self._count % FACTS_EVERY == 0
        self._count += 1
        self._tasks.submit("look", partial(_read, self.monitor, self._host, with_facts), self._read, self._not_read)

    def _read(self, look: Look) -> None:
        self.busy = False
        self.looked.emit(look)

    def _not_read(self, _error: Exception) -> None:
        self.busy = False


def _host_monitor(cpu: DeviceInfo | None) -> HostMonitor | None:
    if cpu is None:
        return None
    cores = cpu.facts.get("cores", "1")
    return HostMonitor(int(cores) if cores.isdecimal() else 1, cpu.memory)


def _read(monitor: Monitor, host: HostMonitor | None, with_facts: bool) -> Look:
    look = Look()
    for device in monitor.devices:
        if (reading := monitor.read(device)) is not None:
            look.readings[device] = reading
        if with_facts and (facts := monitor.facts(device)) is not None:
            look.facts[device] = facts
    if host is not None:
        look.readings[CPU] = host.read()
    return look


def describe(reading: SensorReading) -> str:
    """Return a reading in one line, without unknown figures."""
    gib = 2**30
    parts = []
    if reading.busy >= 0:
        own = f" (this program {wording.percent(reading.own)})" if reading.own >= 0 else ""
        parts.append(f"{wording.percent(reading.busy)} busy{own}")
    if reading.memory_used >= 0:
        of = f" of {reading.memory / gib:.0f}" if reading.memory > 0 else ""
        parts.append(f"{reading.memory_used / gib:.1f}{of} GiB")
    if reading.clock > 0:
        parts.append(f"{reading.clock:,.0f} MHz")
    if reading.temperature >= 0:
        parts.append(f"{reading.temperature:.0f} °C")
    if reading.power >= 0:
        parts.append(f"{reading.power:.0f} W")
    if reading.slowed:
        parts.append(f"slowed: {', '.join(reading.slowed)}")
    return "   ".join(parts)
