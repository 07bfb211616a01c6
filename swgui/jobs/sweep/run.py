"""Sweeps through the settings of an engine, as the steps of a run.

Every cell of a sweep gets an engine of its own. It is warmed up, then timed several times; the scores of every
single run are compared with a reference vector that another engine made. Cells come in random order, so that a GPU
that heats up does not look like a trend; the automatic settings are measured first and last; a cell during which
the clock of the GPU was lower than in others is measured again at the end. The log keeps every cell: a sweep that
continues measures those that are left, unless device, driver or kernels are others by then.
"""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np

from swgui.core.control import rest, start_thread
from swgui.core.database import ArrayDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped, SwguiError
from swgui.core.methods.base import AUTO, THREADS
from swgui.core.packing import plan_chunks
from swgui.core.plain import from_plain, plain, replace
from swgui.core.scoring import EncodedQuery
from swgui.core.sweep.grid import CLOCK_FALL, METHOD_AXIS, QUERY_AXIS, Cell, Place, SweepKey, SweepResult, places
from swgui.engines import registry
from swgui.engines.base import DeviceInfo, Engine, KernelUse
from swgui.engines.monitor import Monitor
from swgui.engines.reference_scores import Reference, score_all
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.jobs.events import Stage
from swgui.jobs.forecast import foretelling
from swgui.jobs.sweep.energy import Energy, EnergyMeter, PowerSensors
from swgui.jobs.sweep.events import CellDone, SweepEvent
from swgui.jobs.sweep.forecast import sweep_forecast
from swgui.jobs.sweep.in_use import key_of
from swgui.jobs.sweep.request import SweepRequest

LONGEST_CELL: Final = 50  # timed runs of a cell at most
COMPILERS: Final = 4  # threads that compile ahead


class Sensors(PowerSensors, Protocol):
    """Tells how a device is doing while a cell is measured."""

    def clock_and_temperature(self, device: str) -> tuple[float, float] | None:
        """Return MHz and °C of a device by its id in the engine; None if they are not known."""


class ClockWatch:
    """Reads clock and temperature of a device while a cell runs."""

    INTERVAL: Final = 0.02

    def __init__(self, sensors: Sensors | None, device: str) -> None:
        self._sensors, self._device = sensors, device
        self._readings: list[tuple[float, float]] = []
        self._stop = threading.Event()
        self._reading: Future[None] | None = None

    def __enter__(self) -> ClockWatch:
        if self._sensors is not None:
            self._reading = start_thread(partial(self._read, self._sensors), "swgui-clock", daemon=True)
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        if self._reading is not None:
            wait([self._reading])

    @property
    def clock(self) -> float:
        """Median MHz; 0 if it is not known."""
        return float(np.median([clock for clock, _ in self._readings])) if self._readings else 0.0

    @property
    def temperature(self) -> float:
        """Highest °C; 0 if it is not known."""
        return max((temperature for _, temperature in self._readings), default=0.0)

    def _read(self, sensors: Sensors) -> None:
        while not self._stop.wait(self.INTERVAL):
            reading = sensors.clock_and_temperature(self._device)
            if reading is None:
                return
            self._readings.append(reading)


def sweep_steps(
    request: SweepRequest,
    cancel: threading.Event,
    log: Log | NoLog = NO_LOG,
    *,
    sensors: Sensors | None = None,
) -> Generator[SweepEvent, None, SweepResult]:
    """Measure every cell of a sweep, and return the measurements, also after `cancel`.

    Parameters
    ----------
    log : Log or NoLog
        Keeps every cell, so that a sweep that was stopped continues.
    sensors : Sensors, optional
        Read while a cell runs; by default those of the GPU, where there are any.

    Raises
    ------
    Stopped
        If it was stopped, or its time was over, before anything was measured.
    EngineUnavailable, InvalidParameter
        If the engine or a device cannot be used at all; faults of a single cell are noted in the cell.
    SwguiError
        If the file of the database cannot be read.
    """
    status = registry.probe(request.engine)
    if not status.available:
        raise EngineUnavailable(request.engine, status.reason, hint=status.hint)
    wanted = request.options.devices
    device = next((d for d in status.devices if not wanted or d.id == wanted[0]), None)
    if device is None:
        raise InvalidParameter("device", wanted[0], f"There is no device '{wanted[0]}' for '{request.engine}'.")
    yield from foretelling(sweep_forecast(request))
    yield Stage("Reading the sequences" if request.file else "Making up sequences")
    query, database = request.sequences(cancel)
    with _watched(device, request.engine) if sensors is None else nullcontext(sensors) as watched:
        run = _Sweep(request, query, database, device, watched)
        yield from run.take(log)
        yield from run.prepare(cancel)
        yield from run.measure(cancel, log)
    result = run.result()
    if result.empty:
        raise Stopped
    return result


@contextmanager
def _watched(device: DeviceInfo, engine: str) -> Iterator[Sensors | None]:
    """Return a reader of the clock of a GPU; None if it cannot be read."""
    if not registry.facts(engine).on_gpu:
        yield None
        return
    monitor = Monitor()
    try:
        monitor.open((device,))
        yield monitor if device.id in monitor.devices else None
    finally:
        monitor.close()


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The facts of a cell before it runs."""

    use: KernelUse | None = None
    reason: str = ""


class _Sweep:
    """One sweep under way."""

    def __init__(
        self,
        request: SweepRequest,
        query: EncodedQuery,
        database: ArrayDatabase,
        device: DeviceInfo,
        sensors: Sensors | None,
    ) -> None:
        self.request, self.query, self.database = request, query, database
        self.device = device
        self.sensors = sensors
        self.began = self.began_cells = time.perf_counter()
        self.rested = 0.0  # seconds since then in which it was paused
        self.all = list(places(request.axes))
        self.cells = {place: Cell(place) for place in self.all}
        self.default: Cell | None = None
        self.default_again: Cell | None = None
        self.own: Cell | None = None
        self.kernel_time = False
        self.references: dict[int, Reference] = {}
        self.fastest_clock = 0.0
        self.lengths = sorted({self._length(place) for place in self.all})
        self.middle = self.lengths[len(self.lengths) // 2]
        self.auto = tuple(str(self.middle) if axis.name == QUERY_AXIS else AUTO for axis in request.axes)
        self.finished = False

    @property
    def key(self) -> SweepKey:
        return key_of(self.request.engine, self.device, len(self.request.scheme.alphabet), self.middle)

    def take(self, log: Log | NoLog) -> Iterator[SweepEvent]:
        """Take the cells that an earlier run measured on the same device, with the same driver and kernels."""
        key = plain(self.key)
        for facts, _ in log.entries():
            if facts["key"] == key:
                cell = from_plain(Cell, facts["cell"])
                self.cells[cell.place] = cell
                self.fastest_clock = max(self.fastest_clock, cell.clock)
                self.kernel_time = facts["kernel_time"]
                yield CellDone(cell, sum(cell.state != "waiting" for cell in self.cells.values()), len(self.all))

    def _kept(self, log: Log | NoLog, cell: Cell) -> None:
        self.cells[cell.place] = cell
        if cell.state != "waiting":
            log.add({"key": plain(self.key), "cell": plain(cell), "kernel_time": self.kernel_time})

    def prepare(self, cancel: threading.Event) -> Iterator[SweepEvent]:
        """Make the reference scores of every length of query."""
        for number, length in enumerate(self.lengths):
            yield Stage("Scoring with another engine to compare with", number, len(self.lengths))
            self.references[length] = Reference.make(
                self._query(length), self.database, self.request.scheme, self.request.engine, cancel
            )

    def measure(self, cancel: threading.Event, log: Log | NoLog) -> Iterator[SweepEvent]:
        """Measure the automatic settings, all cells, the slowed ones again, and the automatic settings again."""
        order = list(self.all)
        random.Random(self.request.seed).shuffle(order)
        left = [place for place in order if self.cells[place].state == "waiting"]
        total, before = len(order) + 2, len(order) - len(left)
        workers = max(1, min(COMPILERS, (os.cpu_count() or 1) // 2))
        # Not `Tasks`: a cell is waited for when its turn comes, in an order of its own.
        with ThreadPoolExecutor(workers, thread_name_prefix="swgui-compile") as pool:
            looks = {place: pool.submit(self._look, place) for place in (self.auto, *order)}
            try:
                yield Stage("Measuring the automatic settings", 0, total)
                self.default = self._cell(self.auto, looks[self.auto], cancel)
                if self.request.options.settings.get(METHOD_AXIS, AUTO) != AUTO and not cancel.is_set():
                    yield Stage("Measuring the program's own choice", 0, total)
                    self.own = self._measure_own(cancel)
                self.began_cells = time.perf_counter()  # on a busy computer what comes before takes longer than all
                for number, place in enumerate(left):
                    self._rest(cancel)
                    if cancel.is_set() or (number and self._over(cancel)):
                        return
                    yield Stage("Measuring", before + number + 1, total)
                    self._kept(log, self._cell(place, looks[place], cancel))
                    yield CellDone(self.cells[place], before + number + 1, len(order))
                for place in [place for place in order if self._slow(self.cells[place])]:
                    if self._over(cancel):
                        return
                    yield Stage("Measuring cells again that ran at a lower clock", total - 1, total)
                    again = self._cell(place, looks[place], cancel)
                    if again.usable:
                        self._kept(log, replace(again, slowed=self._slow(again)))
                        yield CellDone(self.cells[place], len(order), len(order))
                if cancel.is_set():
                    return
                yield Stage("Measuring the automatic settings again", total - 1, total)
                self.default_again = self._cell(self.auto, looks[self.auto], cancel)
                self.finished = not cancel.is_set()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def result(self) -> SweepResult:
        """Return all cells that are measured so far; those at a lower clock than others are marked."""
        request = self.request
        for place, cell in self.cells.items():
            if self._slow(cell) and not cell.slowed:
                self.cells[place] = replace(cell, slowed=True)
        return SweepResult(
            axes=request.axes,
            cells=MappingProxyType(dict(self.cells)),
            default=self.default,
            default_again=self.default_again,
            key=self.key,
            device=self.device.name,
            query_length=self.middle,
            residues=self.database.residues,
            subjects=len(self.database),
            database=self.database.name,
            base=dict(request.options.settings),
            kernel_time=self.kernel_time,
            made=datetime.now().astimezone().isoformat(timespec="seconds"),
            complete=self.finished,
            seconds=time.perf_counter() - self.began - self.rested,
            own=self.own,
        )

    def _measure_own(self, cancel: threading.Event) -> Cell:
        """Measure what a search does that nothing is set for."""
        other = replace(self.request, options=EngineOptions((self.device.id,), self.request.options.threads))
        run = _Sweep(other, self.query, self.database, self.device, self.sensors)
        run.references = self.references
        look: Future[_Prepared] = Future()
        look.set_result(run._look(self.auto))
        return run._cell(self.auto, look, cancel)

    def _rest(self, cancel: threading.Event) -> None:
        """Wait while the run is paused; that counts for no limit of time."""
        seconds = rest(cancel)
        self.rested, self.began_cells = self.rested + seconds, self.began_cells + seconds

    def _over(self, cancel: threading.Event) -> bool:
        budget = self.request.budget
        return cancel.is_set() or (budget > 0 and time.perf_counter() - self.began_cells > budget)

    def _slow(self, cell: Cell) -> bool:
        return cell.usable and 0 < cell.clock < (1 - CLOCK_FALL) * self.fastest_clock

    def _length(self, place: Place) -> int:
        for axis, value in zip(self.request.axes, place, strict=True):
            if axis.name == QUERY_AXIS:
                return int(value)
        return len(self.query)

    def _query(self, length: int) -> EncodedQuery:
        query = self.query
        if length == len(query):
            return query
        return EncodedQuery(f"{query.id}, {length} residues", np.resize(query.codes, length))

    def options_of(self, place: Place) -> EngineOptions:
        """Return the engine's options for a cell: its device, what all share, and the values of the axes."""
        options = self.request.options
        own = {
            axis.name: value
            for axis, value in zip(self.request.axes, place, strict=True)
            if axis.name != QUERY_AXIS and value != AUTO
        }
        threads = options.threads
        if not registry.facts(self.request.engine).kernels and THREADS in own:
            threads = _whole(own.pop(THREADS))
        return EngineOptions((self.device.id,), threads, {**options.settings, **own})

    def _look(self, place: Place) -> _Prepared:
        """Ask what the kernel of a cell takes, which compiles it; whatever happens is part of the answer."""
        try:
            if not registry.facts(self.request.engine).kernels:
                return _Prepared()
            options, query = self.options_of(place), self._query(self._length(place))
            request = self.request
            uses = registry.kernel_use(request.engine, options, (query,), request.scheme, self.database)
        except SwguiError as error:
            return _Prepared(reason=str(error))
        except Exception as error:  # a compiler or driver may raise anything; the other cells still run
            return _Prepared(reason=f"{type(error).__name__}: {error}")
        use = uses[0] if uses else None
        if use is not None and (changed := _changed(options.settings, use)):
            fell_back = use.remarks and use.method != options.settings.get("method", use.method)
            return _Prepared(use, " ".join(use.remarks if fell_back else (*use.remarks, changed)))
        return _Prepared(use)

    def _cell(self, place: Place, look: Future[_Prepared], cancel: threading.Event) -> Cell:
        """Measure one cell; whatever goes wrong is written into it."""
        prepared = look.result()
        started = _with_use(Cell(place), prepared.use)
        if prepared.reason:
            return replace(started, state="impossible", reason=prepared.reason)
        try:
            options = self.options_of(place)
            with closing(registry.make_engine(self.request.engine, options)) as engine:
                cell = self._time(started, engine, self.references[self._length(place)], cancel)
        except (EngineFault, InvalidParameter, EngineUnavailable) as error:
            return replace(started, state="impossible", reason=str(error))
        self.fastest_clock = max(self.fastest_clock, cell.clock)
        return cell

    def _time(self, cell: Cell, engine: Engine, reference: Reference, cancel: threading.Event) -> Cell:
        query, database = reference.query, self.database
        plans = plan_chunks(database.offsets, engine.chunk_limits((query,), database))
        cells = len(query) * database.residues
        kernel: list[float] = []
        whole: list[float] = []
        compared, differing, least = 0, 0, max(self.request.least_seconds, self.request.watts)
        meter = EnergyMeter(self.sensors if self.request.watts else None, self.device.id)
        with ClockWatch(self.sensors, self.device.id) as watch:
            began = time.perf_counter()
            for number in itertools.count() if self.request.watts else range(LONGEST_CELL + 1):  # the first warms up
                scored = score_all(engine, query, database, plans, self.request.scheme, cancel)
                if scored is None:
                    break
                last = scored.scores
                if not number or not self.request.watts:  # else the device would wait while scores are compared
                    compared, wrong = reference.compare(last)
                    differing = max(differing, wrong)
                if differing:
                    break
                if number == 0:
                    began = time.perf_counter()
                    meter.begin()
                    continue
                whole.append(cells / scored.seconds / 1e9)
                kernel.append(cells / scored.kernel_seconds / 1e9 if scored.kernel_seconds else 0.0)
                enough = number >= self.request.repeats
                if enough and time.perf_counter() - began >= least:
                    break
        energy = meter.end()
        if self.request.watts and whole:
            differing = max(differing, reference.compare(last)[1])
        cell = replace(cell, compared=compared, differing=differing, clock=watch.clock, temperature=watch.temperature)
        if differing:
            text = f"{differing:,} of {compared:,} scores differ from those of {reference.made_by}."
            return replace(cell, state="wrong", reason=text)
        if not whole:  # cancelled before the first timed run had ended
            return Cell(cell.place)
        self.kernel_time = self.kernel_time or (registry.facts(self.request.engine).kernels and all(kernel))
        gcups = kernel if self.kernel_time and all(kernel) else whole
        cell = _with_energy(cell, energy, len(whole) * cells / 1e9)
        return replace(cell, state="measured", gcups=tuple(gcups), whole=tuple(whole))


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidParameter("threads", text, f"'{text}' is no number of threads.") from None


def _changed(wanted: Mapping[str, str], use: KernelUse) -> str:
    """Return the changes that a method made to settings it could not use; empty if it used them as they are."""
    in_use = {**use.settings, "method": use.method}
    parts = [f"{n} {v} became {in_use[n]}" for n, v in wanted.items() if v != AUTO and in_use.get(n, v) != v]
    return f"It cannot run so here: {', '.join(parts)}." if parts else ""


def _with_energy(cell: Cell, energy: Energy, billions: float) -> Cell:
    """Return a cell with what its device took for so many 10^9 cells."""
    per_watt = billions / energy.joules if energy.joules else 0.0
    return replace(cell, watts=energy.watts, gcups_per_watt=per_watt, energy_source=energy.source)


def _with_use(cell: Cell, use: KernelUse | None) -> Cell:
    if use is None:
        return cell
    names = ("threads", "blocks", "registers", "shared_bytes", "local_bytes", "resident_blocks")
    taken = {name: int(getattr(use, name)) for name in names}
    return replace(cell, use=MappingProxyType(taken), settings={**use.settings, "method": use.method})
