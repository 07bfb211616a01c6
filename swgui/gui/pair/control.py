"""Runs pairs for the Pair page: one at a time, in the background, after a search that uses the same GPU."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from swgui import paths
from swgui.core.pair.problem import PairPlan, Strand
from swgui.core.pair.result import PairEvent, PairFinished
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.pair.state import PairRunState
from swgui.gui.pair.wording import method_title
from swgui.io.saved.pair_checkpoint import CheckpointError, settle
from swgui.io.whole_file import check_place
from swgui.jobs.pair.run import PairRequest, align_pair, lasting_settings

LONG_SECONDS = 30.0  # work that is expected to take longer keeps checkpoints
KEPT_DAYS = 30  # checkpoints that nobody came back to
Plans = Mapping[Strand, PairPlan]
AlignPair = Callable[[PairRequest, threading.Event], Iterator[PairEvent]]
log = logging.getLogger(__name__)


class PairController(JobController):
    """Starts a pair, gathers its events and hands over its result; it may be ``waiting`` for a search to end.

    Parameters
    ----------
    align : Callable[[PairRequest, threading.Event], Iterator[PairEvent]]
        What a job runs, `swgui.jobs.pair.run.align_pair`.

    Signals
    -------
    result_ready(object)
        The `PairResult`, whole or partial.
    """

    result_ready = Signal(object)

    def __init__(self, parent: QObject | None = None, *, align: AlignPair = align_pair) -> None:
        super().__init__(PairRunState(), parent)
        self._align = align
        self._waiting: tuple[PairRequest, Plans] | None = None
        self._blocked = False

    def start(self, request: PairRequest, plans: Plans, *, on_gpu: bool) -> None:
        """Align a pair; one that needs the GPU waits for a search that uses it.

        Parameters
        ----------
        plans : Mapping[Strand, PairPlan]
            What it will cost: long work keeps its state in a file.
        """
        if self._phase != "idle":
            return
        if on_gpu and self._blocked:
            self._waiting = (request, plans)
            self._enter("waiting")
        else:
            self._begin(request, plans)

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

    def _begin(self, request: PairRequest, plans: Plans) -> None:
        align = self._align
        self._launch(lambda cancel: _work(align, with_checkpoint(request, plans), cancel), PairRunState())
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
        yield from _encoded(align(request, cancel))
    except CheckpointError as error:
        if request.checkpoint is None or not request.checkpoint.exists():
            raise
        log.warning("The state of an earlier run was not used: %s", error)
        request.checkpoint.unlink()
        yield from _encoded(align(request, cancel))


def _encoded(events: Iterator[PairEvent]) -> Iterator[PairEvent]:
    """Encode the sequences of the result before the window shows them."""
    for event in events:
        if isinstance(event, PairFinished):
            event.result.encode()
        yield event


def with_checkpoint(request: PairRequest, plans: Plans) -> PairRequest:
    """Give long work, and work that was begun before, a file that keeps its state, the same one for the same work.

    Where no file can be written the work is done without one.
    """
    path = checkpoint_path(request, _first(plans))
    seconds = expected_seconds(plans)
    if (seconds is None or seconds < LONG_SECONDS) and not _is_kept(path):
        return request
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_place(path)
    except OSError as error:
        log.warning("The state of this work will not be kept: %s", error)
        return request
    return replace(request, checkpoint=path)


def expected_seconds(plans: Plans) -> float | None:
    """Return how long all strands are expected to take; None if that is not known."""
    seconds = [plan.seconds for plan in plans.values() if plan.seconds is not None]
    return sum(seconds) if len(seconds) == len(plans) else None


def begun_before(request: PairRequest, plans: Plans) -> str:
    """Say what becomes of an earlier run that did not come to its end; empty if there was none."""
    plan = _first(plans)
    path = checkpoint_path(request, plan)
    if _is_kept(path):
        return "An earlier run of this did not come to its end: Align goes on from there."
    others = {kept.stem.split(".")[1] for kept in _folder().glob(f"{_digest(*_asked(request))}.*.pair")}
    if plan.method in others:
        return (
            "An earlier run of this did not come to its end, with other settings of the method: its state is of no "
            "use here, and Align begins anew."
        )
    if others:
        return (
            f"An earlier run of this by the method {' or '.join(map(method_title, sorted(others)))} did not come to "
            "its end. Its state is of no use to another method: Align begins anew."
        )
    return ""


def checkpoint_path(request: PairRequest, plan: PairPlan) -> Path:
    """Return where the state of a piece of work is kept.

    The name has what is asked for, the method, and its settings: all that a kept state must agree in. Devices and
    threads are not in it, because work goes on whichever they are.
    """
    way = _digest(repr(sorted(lasting_settings(plan).items())).encode())
    return _folder() / f"{_digest(*_asked(request))}.{plan.method}.{way[:8]}.pair"


def _asked(request: PairRequest) -> Iterator[bytes]:
    """Yield everything that decides the outcome."""
    scheme = request.scheme
    yield from (request.query.residues, request.subject.residues, scheme.matrix.scores.tobytes())
    yield repr((scheme.gap_first, scheme.gap_extend, request.mode.value, request.strand, request.score_only,
                request.limit, request.min_score)).encode()  # fmt: skip


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:32]


def _is_kept(path: Path) -> bool:
    settle(path)  # a run that was stopped a moment ago may still write it
    return path.exists()


def _first(plans: Plans) -> PairPlan:
    return next(iter(plans.values()))  # strands differ in nothing that matters here


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
