"""What identifies unfinished work on a pair, and the folder where earlier versions kept its state unasked."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui import paths
from swgui.core.pair.problem import PairPlan
from swgui.core.pair.result import StrandChoice
from swgui.jobs.pair.events import PairEvent
from swgui.jobs.pair.request import PairRequest

KEPT_DAYS: Final = 30  # checkpoints of earlier versions that nobody came back to
PASSING: Final = ("threads",)  # settings that change nothing of what is kept
KEPT_AS: Final = {"compiled": "numpy"}  # values that keep the same, by the older one
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
            settings=deciding(plan),
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
        """Where versions before 0.2 kept the state unasked; the name tells all of the identity."""
        settings = _digest(_checksum(repr(sorted(self.settings.items())).encode()))
        return kept_folder() / f"{self.asked}.{self.method}.{settings[:8]}.pair"


def deciding(plan: PairPlan) -> dict[str, str]:
    """Return those settings of a plan that its kept state depends on."""
    return {name: KEPT_AS.get(value, value) for name, value in plan.settings.items() if name not in PASSING}


def forget_old_checkpoints() -> None:
    """Delete states that an earlier version kept of work that nobody came back to."""
    oldest = time.time() - KEPT_DAYS * 86_400
    for path in kept_folder().glob("*.pair"):
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            log.warning("The checkpoint %s could not be deleted", path)


def kept_folder() -> Path:
    """Return the folder of states that earlier versions kept unasked."""
    return paths.data_dir() / "pairs"


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest(*checksums: str) -> str:
    return hashlib.sha256(b"".join(map(bytes.fromhex, checksums))).hexdigest()[:32]
