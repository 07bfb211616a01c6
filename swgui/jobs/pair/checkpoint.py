"""What identifies unfinished work on a pair, where its state is kept unasked, and when that is thrown away."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from swgui import paths
from swgui.core.pair.problem import PairPlan
from swgui.core.pair.result import StrandChoice
from swgui.io.saved.pair_checkpoint import CheckpointError, settle
from swgui.io.whole_file import check_place
from swgui.jobs.pair.events import PairEvent
from swgui.jobs.pair.request import PairRequest

LONG_SECONDS: Final = 30.0  # work that is expected to take longer keeps checkpoints
KEPT_DAYS: Final = 30  # checkpoints that nobody came back to
PASSING: Final = ("threads",)  # settings that change nothing of what is kept
AlignPair = Callable[[PairRequest, threading.Event, PairPlan | None], Iterator[PairEvent]]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CheckpointIdentity:
    """What a kept state must agree in for the work to go on from it; devices and threads are not part of it.

    Parameters
    ----------
    query, subject, matrix : str
        SHA-256 of residues and scores, in hexadecimal.
    gap_costs : tuple of int
        Of the first residue of a gap and of each further one.
    mode, strand, score_only, limit, min_score
        As asked for.
    method : str
    settings : Mapping[str, str]
        Of the method, as planned.
    """

    query: str
    subject: str
    matrix: str
    gap_costs: tuple[int, int]
    mode: str
    strand: StrandChoice
    score_only: bool
    limit: int
    min_score: int
    method: str
    settings: Mapping[str, str]

    @classmethod
    def of(cls, request: PairRequest, plan: PairPlan) -> CheckpointIdentity:
        """Return the identity of a piece of work."""
        scheme = request.scheme
        return cls(
            query=_checksum(request.query.residues),
            subject=_checksum(request.subject.residues),
            matrix=_checksum(scheme.matrix.scores.tobytes()),
            gap_costs=(scheme.gap_first, scheme.gap_extend),
            mode=str(request.mode),
            strand=request.strand,
            score_only=request.score_only,
            limit=request.limit,
            min_score=request.min_score,
            method=plan.method,
            settings={name: value for name, value in plan.settings.items() if name not in PASSING},
        )

    def facts(self) -> dict[str, object]:
        """Return it as the checkpoint file has it; plain JSON values."""
        return {
            "query": self.query,
            "subject": self.subject,
            "matrix": self.matrix,
            "gap costs": list(self.gap_costs),
            "mode": self.mode,
            "strand": self.strand,
            "score only": self.score_only,
            "limit": self.limit,
            "least score": self.min_score,
            "method": self.method,
            "settings": dict(self.settings),
        }

    @property
    def asked(self) -> str:
        """A digest of what decides the outcome, whatever the method."""
        asked = (*self.gap_costs, self.mode, self.strand, self.score_only, self.limit, self.min_score)
        return _digest(self.query, self.subject, self.matrix, _checksum(repr(asked).encode()))

    @property
    def path(self) -> Path:
        """Where the state is kept unasked; the name tells all of the identity."""
        settings = _digest(_checksum(repr(sorted(self.settings.items())).encode()))
        return kept_folder() / f"{self.asked}.{self.method}.{settings[:8]}.pair"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What is kept of earlier runs of the same work that did not come to their end.

    Parameters
    ----------
    usable : bool
        Whether the work goes on from it.
    methods : frozenset of str
        The methods of all that is kept.
    """

    usable: bool
    methods: frozenset[str]


def unfinished(request: PairRequest, plan: PairPlan) -> Unfinished:
    """Look for the kept state of earlier runs; waits for one that is just being written."""
    identity = CheckpointIdentity.of(request, plan)
    usable = _is_kept(identity.path)
    kept = kept_folder().glob(f"{identity.asked}.*.pair")
    return Unfinished(usable, frozenset(path.stem.split(".")[1] for path in kept))


def with_checkpoint(request: PairRequest, plan: PairPlan) -> PairRequest:
    """Give long work, and work that was begun before, a file that keeps its state, the same one for the same work.

    Where no file can be written the work is done without one.
    """
    path = CheckpointIdentity.of(request, plan).path
    if (plan.seconds or 0.0) * len(request.strands) < LONG_SECONDS and not _is_kept(path):
        return request
    try:
        paths.make_folder(path.parent)
        check_place(path)
    except OSError as error:
        log.warning("The state of this work will not be kept: %s", error)
        return request
    return replace(request, checkpoint=path)


def align_with_checkpoint(
    align: AlignPair, request: PairRequest, plan: PairPlan, cancel: threading.Event
) -> Iterator[PairEvent]:
    """Align a pair with its state kept unasked if that is worth it.

    A kept state that does not fit any more, after an update for example, is thrown away.
    """
    kept = with_checkpoint(request, plan)
    try:
        yield from align(kept, cancel, plan)
    except CheckpointError as error:
        if kept.checkpoint is None or not kept.checkpoint.exists():
            raise
        log.warning("The state of an earlier run was not used: %s", error)
        kept.checkpoint.unlink()
        yield from align(kept, cancel, plan)


def forget_old_checkpoints() -> None:
    """Delete files of work that nobody came back to."""
    oldest = time.time() - KEPT_DAYS * 86_400
    for path in kept_folder().glob("*.pair"):
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            log.warning("The checkpoint %s could not be deleted", path)


def kept_folder() -> Path:
    """Return the folder of states that are kept unasked."""
    return paths.data_dir() / "pairs"


def _is_kept(path: Path) -> bool:
    settle(path)  # a run that was stopped a moment ago may still write it
    return path.exists()


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest(*checksums: str) -> str:
    return hashlib.sha256(b"".join(map(bytes.fromhex, checksums))).hexdigest()[:32]
