"""Runs pairs for the Pair page: one at a time, in the background, after a search that uses the same GPU."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from swgui import paths
from swgui.core.pair_result import PairEvent
from swgui.gui import motion
from swgui.gui.jobs import JobRunner
from swgui.gui.models.pair_run import PairRunState
from swgui.io.pair_checkpoint import CheckpointError
from swgui.pairwise import PairRequest, align_pair

LONG_SECONDS = 30.0  # work that is expected to take longer keeps checkpoints
KEPT_DAYS = 30  # checkpoints that nobody came back to
Phase = Literal["idle", "waiting", "running", "stopping"]
AlignPair = Callable[[PairRequest, threading.Event], Iterator[PairEvent]]
log = logging.getLogger(__name__)


class PairController(QObject):
    """Starts a pair, gathers its events and hands over its result.

    Parameters
    ----------
    align : Callable[[PairRequest, threading.Event], Iterator[PairEvent]]
        What a job runs, `swgui.pairwise.align_pair`.

    Signals
    -------
    phase_changed(str)
        ``idle``, ``waiting`` (for a search to end), ``running`` or ``stopping``.
    held(bool)
        The work was paused, or goes on.
    state_changed(object)
        The `PairRunState`, at most ten times a second, and once more at the end.
    result_ready(object)
        The `PairResult`, whole or partial.
    failed(object)
        The exception that ended the work without a result.
    """

    phase_changed = Signal(str)
    held = Signal(bool)
    state_changed = Signal(object)
    result_ready = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None, *, align: AlignPair = align_pair) -> None:
        super().__init__(parent)
        self._align = align
        self._phase: Phase = "idle"
        self._waiting: tuple[PairRequest, float | None] | None = None
        self._blocked = False
        self._paused = False
        self._error: Exception | None = None
        self._changed = False
        self.state = PairRunState()
        self._runner = JobRunner(self)
        self._runner.event.connect(self._on_event)
        self._runner.failed.connect(self._on_failed)
        self._runner.finished.connect(self._on_finished)
        self._pace = QTimer(self)
        self._pace.timeout.connect(self._tell)

    @property
    def phase(self) -> Phase:
        """What goes on."""
        return self._phase

    def start(self, request: PairRequest, *, on_gpu: bool, seconds: float | None) -> None:
        """Align a pair; one that needs the GPU waits for a search that uses it.

        Parameters
        ----------
        seconds : float or None
            How long it is expected to take: long work keeps its state in a file.
        """
        if self._phase != "idle":
            return
        if on_gpu and self._blocked:
            self._waiting = (request, seconds)
            self._enter("waiting")
        else:
            self._begin(request, seconds)

    def stop(self) -> None:
        """End the work soon; what is known by then comes as a partial result."""
        if self._phase == "waiting":
            self._waiting = None
            self._enter("idle")
        elif self._phase == "running":
            self._hold(False)
            self._runner.cancel()
            self._enter("stopping")

    @property
    def paused(self) -> bool:
        """Whether the work rests until it is let go on or stopped."""
        return self._paused

    def pause(self, on: bool) -> None:
        """Let the work rest, or go on."""
        if self._phase == "running" and on != self._paused:
            self._runner.hold(on)
            self._hold(on)

    def _hold(self, on: bool) -> None:
        if on != self._paused:
            self._paused = on
            self.held.emit(on)

    def set_blocked(self, blocked: bool) -> None:
        """Note whether a search uses the GPU."""
        self._blocked = blocked
        if not blocked and self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._begin(*waiting)

    def shutdown(self) -> None:
        """Stop whatever runs and join the thread."""
        self._waiting = None
        self._pace.stop()
        self._runner.shutdown()

    def _begin(self, request: PairRequest, seconds: float | None) -> None:
        self.state = PairRunState()
        self._error, self._changed = None, True
        align = self._align
        self._runner.start(lambda cancel: _work(align, with_checkpoint(request, seconds), cancel))
        log.info("Pair %s x %s started, %s", request.query.id, request.subject.id, request.scheme.describe())
        self._enter("running")
        self._pace.start(motion.repaint_ms())
        self._tell()

    @Slot(int, object)
    def _on_event(self, job_id: int, event: PairEvent) -> None:
        if job_id == self._runner.current:
            self.state.feed(event)
            self._changed = True

    @Slot(int, object)
    def _on_failed(self, job_id: int, error: Exception) -> None:
        if job_id == self._runner.current:
            self._error = error

    @Slot(int, bool)
    def _on_finished(self, job_id: int, _cancelled: bool) -> None:
        if job_id != self._runner.current:
            return
        self._pace.stop()
        self._hold(False)
        self._changed = True
        self._tell()
        self._enter("idle")
        if self._error is not None:
            self.failed.emit(self._error)
        elif self.state.result is not None:
            self.result_ready.emit(self.state.result)

    def _tell(self) -> None:
        if self._changed:
            self._changed = False
            self.state_changed.emit(self.state)

    def _enter(self, phase: Phase) -> None:
        if phase != self._phase:
            self._phase = phase
            self.phase_changed.emit(phase)


def _work(align: AlignPair, request: PairRequest, cancel: threading.Event) -> Iterator[PairEvent]:
    """Align a pair; a kept state that does not fit any more, after an update for example, is thrown away."""
    try:
        yield from align(request, cancel)
    except CheckpointError as error:
        if request.checkpoint is None or not request.checkpoint.exists():
            raise
        log.warning("The state of an earlier run was not used: %s", error)
        request.checkpoint.unlink()
        yield from align(request, cancel)


def with_checkpoint(request: PairRequest, seconds: float | None) -> PairRequest:
    """Give long work, and work that was begun before, a file that keeps its state, the same one for the same work.

    Parameters
    ----------
    seconds : float or None
        How long it is expected to take.
    """
    if (seconds is None or seconds < LONG_SECONDS) and not was_begun(request):
        return request
    _folder().mkdir(parents=True, exist_ok=True)
    return replace(request, checkpoint=checkpoint_path(request))


def was_begun(request: PairRequest) -> bool:
    """Whether the state of this work is kept, because an earlier run did not come to its end."""
    return _folder().is_dir() and checkpoint_path(request).exists()


def checkpoint_path(request: PairRequest) -> Path:
    """Return where the state of a piece of work is kept; another one for all that changes its outcome or its way."""
    scheme = request.scheme
    parts = (
        request.query.residues, request.subject.residues, scheme.matrix.scores.tobytes(),
        repr((scheme.first, scheme.further, request.mode.value, request.strand, request.score_only, request.method,
              request.limit, request.min_score, sorted(request.options.settings.items()),
              request.options.devices)).encode(),
    )  # fmt: skip
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return _folder() / f"{digest.hexdigest()[:32]}.pair"


def forget_old_checkpoints() -> None:
    """Delete files of work that nobody came back to."""
    oldest = time.time() - KEPT_DAYS * 86_400
    for path in _folder().glob("*.pair"):
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            log.warning("The checkpoint %s could not be deleted", path)


def _folder() -> Path:
    return paths.data_dir() / "pairs"
