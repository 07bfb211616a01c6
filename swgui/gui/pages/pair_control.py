"""Runs pairs for the Pair page: one at a time, in the background, after a search that uses the same GPU."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from swgui import paths
from swgui.core.pair_result import PairEvent
from swgui.gui.job_control import JobController
from swgui.gui.models.pair_run import PairRunState
from swgui.io.pair_checkpoint import CheckpointError
from swgui.pairwise import PairRequest, align_pair

LONG_SECONDS = 30.0  # work that is expected to take longer keeps checkpoints
KEPT_DAYS = 30  # checkpoints that nobody came back to
AlignPair = Callable[[PairRequest, threading.Event], Iterator[PairEvent]]
log = logging.getLogger(__name__)


class PairController(JobController):
    """Starts a pair, gathers its events and hands over its result; it may be ``waiting`` for a search to end.

    Parameters
    ----------
    align : Callable[[PairRequest, threading.Event], Iterator[PairEvent]]
        What a job runs, `swgui.pairwise.align_pair`.

    Signals
    -------
    result_ready(object)
        The `PairResult`, whole or partial.
    """

    result_ready = Signal(object)

    def __init__(self, parent: QObject | None = None, *, align: AlignPair = align_pair) -> None:
        super().__init__(PairRunState(), parent)
        self._align = align
        self._waiting: tuple[PairRequest, float | None] | None = None
        self._blocked = False

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
        else:
            super().stop()

    def set_blocked(self, blocked: bool) -> None:
        """Note whether a search uses the GPU."""
        self._blocked = blocked
        if not blocked and self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._begin(*waiting)

    def shutdown(self) -> None:
        """Stop whatever runs and join the thread."""
        self._waiting = None
        super().shutdown()

    def _begin(self, request: PairRequest, seconds: float | None) -> None:
        align = self._align
        self._launch(lambda cancel: _work(align, with_checkpoint(request, seconds), cancel), PairRunState())
        log.info("Pair %s x %s started, %s", request.query.id, request.subject.id, request.scheme.describe())
        self._under_way()
        self._changed = True
        self._tell()

    def _ended(self) -> None:
        if self.state.result is not None:
            self.result_ready.emit(self.state.result)


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
