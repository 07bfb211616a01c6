"""Estimates for the window: calibrations read, made while nothing else runs, and improved by every search."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from swgui.core.engines import EngineOptions, Kind
from swgui.core.errors import SwguiError
from swgui.engines.registry import AUTO, facts, resolve
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task
from swgui.gui.words.engine_choices import EngineChoice
from swgui.jobs.search.calibration import calibrate
from swgui.jobs.search.estimate import Calibration, learn, remember, remembered, settings_of

IDLE_MS = 4_000  # without a start, before an unknown device is measured
log = logging.getLogger(__name__)
Key = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]  # engine, devices, settings


class Estimates(QObject):
    """Estimates the time of searches on the devices of this computer, for each list of settings."""

    changed = Signal()  # a measurement was made or read: sentences with a time have to be written again

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: dict[Key, Calibration | None] = {}
        self._options: dict[Key, EngineOptions] = {}
        self._wanted: Key | None = None
        self._measuring: Key | None = None
        self._tasks = Tasks(self, threads=1)
        self._tasks.failed.connect(lambda key, error: log.warning("Estimates, %s: %s", key, error))
        self._task = Task(self)
        self._task.part.connect(self._event)
        self._task.failed.connect(self._failed)
        self._task.finished.connect(self._finished)
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(IDLE_MS)
        self._idle.timeout.connect(self._measure)
        self.active = False  # measures by itself; the program's start turns it on
        self.busy: Callable[[], bool] = lambda: False  # whether another part of the program uses the devices

    @property
    def measuring(self) -> bool:
        return self._task.busy

    @property
    def pending(self) -> bool:
        """Whether a device will be measured once the computer is idle."""
        return self._idle.isActive()

    @property
    def settled(self) -> bool:
        """Whether no measurement is being read from disk or written to it."""
        return self._tasks.idle

    def want(self, choice: EngineChoice) -> None:
        """Provide times for a choice: read the saved measurements, measure later if there are none."""
        key = _key(choice)
        self._wanted = key
        if _measurable(choice.engine) and not choice.reason and key not in self._known:
            self._known[key] = None
            self._options[key] = choice.options
            self._tasks.submit(f"read {key}", partial(_read, key[0], choice.options), partial(self._was_read, key))

    def seconds(self, choice: EngineChoice, lengths: Sequence[int], residues: int) -> float | None:
        """Return how long a search takes; None if its engine was not measured with its settings."""
        calibration = self._known.get(_key(choice))
        return calibration.seconds(lengths, residues) if calibration is not None else None

    def awaited(self, choice: EngineChoice) -> bool:
        """Whether the time of a choice is not known yet, but will be measured once nothing else happens."""
        key = _key(choice)
        return self.active and _measurable(choice.engine) and self._known.get(key, self) is None

    def learn(self, choice: EngineChoice, lengths: Sequence[int], residues: int, taken: float) -> None:
        """Take in the measured time of a whole search."""
        key = _key(choice)
        calibration = self._known.get(key)
        if calibration is None:
            return
        better = learn(calibration, calibration.seconds(lengths, residues), taken)
        if better is not calibration:
            self._known[key] = better
            self._tasks.submit(f"keep {key}", partial(remember, better), lambda _: self.changed.emit())

    def forget(self) -> None:
        """Read everything again: the devices may have changed."""
        self._known.clear()
        self._options.clear()

    def pause(self) -> None:
        """Stop using the devices, for another user."""
        self._idle.stop()
        self._task.stop()

    def resume(self) -> None:
        """Measure when the computer is idle for a while, if the speed of the chosen device is not known."""
        if self.active:
            self._idle.start()

    def shutdown(self) -> None:
        """Stop permanently."""
        self._idle.stop()
        self._task.shutdown()
        self._tasks.shutdown()

    def _was_read(self, key: Key, calibration: Calibration | None) -> None:
        if key not in self._options:
            return  # cleared while it was read
        self._known[key] = calibration
        if calibration is not None:
            self.changed.emit()
        else:
            self.resume()

    def _measure(self) -> None:
        key = self._wanted
        if key is None or self._task.busy or key not in self._known or self._known[key] is not None:
            return
        if self.busy():
            self._idle.start()
            return
        self._measuring = key
        log.info("Measuring how fast %s is", key[0])
        options = self._options[key]
        self._task.follow(lambda cancel: calibrate(_engine(key[0]), options, cancel))

    def _event(self, event: object) -> None:
        if isinstance(event, Calibration) and self._measuring is not None:
            self._known[self._measuring] = event
            self._tasks.submit("keep", partial(remember, event), lambda _: None)
            self.changed.emit()

    def _failed(self, error: Exception) -> None:
        # A search on this device will show it to the user.
        log.warning("The device could not be measured: %s", error)
        if self._measuring is not None:
            self._known.pop(self._measuring, None)

    def _finished(self, _stopped: bool) -> None:
        self._measuring = None


def _key(choice: EngineChoice) -> Key:
    return choice.engine, choice.options.devices, settings_of(choice.options)


def _engine(name: str) -> str:
    return resolve(name)[0]


def _read(engine: str, options: EngineOptions) -> Calibration | None:
    try:
        return remembered(_engine(engine), options)
    except (SwguiError, IndexError):  # no such engine here: nothing to estimate
        return None


def _measurable(engine: str) -> bool:
    return engine == AUTO or (facts(engine).samples is not None and facts(engine).kind is not Kind.REFERENCE)
