"""The alignment of one pair of sequences, however long: problem, result, and events in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op
from swgui.core.ranges import places_within
from swgui.core.scoring import EncodedQuery, ScoringScheme, require_plain_gaps

Strand = Literal["plus", "minus"]
StrandChoice = Literal["both", "plus", "minus"]
STRANDS: Final[tuple[Strand, ...]] = ("plus", "minus")


class PairMode(StrEnum):
    """Ends of the sequences that an alignment must reach."""

    LOCAL = "local"  # none: the best pair of stretches
    GLOBAL = "global"  # both ends of both; end gaps cost as any other
    SEMIGLOBAL = "semiglobal"  # unaligned ends of either sequence are free, so it may start and end at any border


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSettings:
    """Settings of a pair apart from sequences and scoring; request, result and files are records of it."""

    mode: PairMode = PairMode.LOCAL
    strand: StrandChoice = "plus"  # which strands of the query are aligned; proteins have ``plus`` only
    score_only: bool = False  # find the score and where the alignment ends, not the alignment
    # Alignments at most; more than one in local mode only. They share no aligned pair of residues.
    limit: int = 1
    min_score: int = 1  # further alignments are listed from this score on; at least 1

    @property
    def settings_asked(self) -> dict[str, Any]:
        """The settings by name, for another record of them."""
        return {entry.name: getattr(self, entry.name) for entry in fields(PairSettings)}


@dataclass(frozen=True, slots=True, eq=False)
class PairProblem:
    """One pair on one strand, and the question about it."""

    query: EncodedQuery  # the rows of the score matrix; its ``strand`` is -1 for a reverse complement
    subject: NDArray[np.uint8] = field(repr=False)  # the columns, as codes of the scheme's alphabet, shape (n,)
    scheme: ScoringScheme
    mode: PairMode = PairMode.LOCAL
    score_only: bool = False  # find the score and where the alignment ends, not the alignment
    # No pair of residues that is aligned in one of these may be aligned again (Waterman and Eggert, 1987).
    excluded: tuple[Alignment, ...] = ()
    # A local alignment that scores less is of no use: where the best one does, an engine may as well say 0.
    wanted: int = 0

    def __post_init__(self) -> None:
        require_plain_gaps(self.query, "the alignment of one long pair")

    @classmethod
    def outline(
        cls,
        rows: int,
        columns: int,
        scheme: ScoringScheme,
        mode: PairMode = PairMode.LOCAL,
        *,
        score_only: bool = False,
    ) -> PairProblem:
        """Return a problem of which only the lengths are known, for planning; its codes are zeros and take no memory.

        Parameters
        ----------
        rows, columns : int
            Residues of query and subject.
        """
        none = np.uint8(0)
        query = EncodedQuery("", np.broadcast_to(none, (rows,)))
        return cls(query, np.broadcast_to(none, (columns,)), scheme, mode, score_only)

    @property
    def rows(self) -> int:
        """Residues of the query."""
        return len(self.query)

    @property
    def columns(self) -> int:
        """Residues of the subject."""
        return len(self.subject)

    @property
    def cells(self) -> int:
        """Cells of the score matrix."""
        return self.rows * self.columns

    def excluded_pairs(self) -> NDArray[np.int64]:
        """Return the pairs of positions, from 0, that must not be aligned.

        Returns
        -------
        ndarray, shape=(pairs, 2), dtype=int64
            Positions in query and subject, ordered by both.
        """
        parts = [np.zeros((0, 2), dtype=np.int64)]
        for alignment in self.excluded:
            match = alignment.ops == Op.MATCH
            in_query = np.where(alignment.ops != Op.DELETION, alignment.lengths, 0)
            in_subject = np.where(alignment.ops != Op.INSERTION, alignment.lengths, 0)
            lengths = alignment.lengths[match]
            starts = np.stack(
                [
                    (alignment.query_start + np.cumsum(in_query) - in_query)[match],
                    (alignment.subject_start + np.cumsum(in_subject) - in_subject)[match],
                ],
                axis=1,
            )
            inside = places_within(lengths)
            parts.append(np.repeat(starts, lengths, axis=0) + inside[:, None])
        pairs = np.concatenate(parts)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@dataclass(frozen=True, slots=True)
class PairEnd:
    """The score of the best alignment and the cell it ends in.

    Among several cells the one that ends first in the subject, then first in the query.
    """

    score: int  # may be below 0 unless the mode is local
    # query_end, subject_end: number of residues of either sequence up to and including the last aligned one
    query_end: int
    subject_end: int


@dataclass(frozen=True, slots=True)
class PairPlan:
    """An engine's plan for it, known before it begins."""

    method: str  # name in `swgui.core.methods.pair.PAIR_METHODS`
    devices: tuple[str, ...]
    cells: int  # cells of the score matrix: query length times subject length
    cells_at_most: int  # cells to compute, with those computed again for the alignment; an upper bound
    # Bytes on the device (or of the host, for the CPU) by purpose.
    memory: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)  # every setting of the method with the value in use
    seconds: float | None = None  # estimate; None if nothing is known about this device
    remarks: tuple[str, ...] = ()  # sentences for the user: changed settings and their causes, and limits

    @property
    def memory_bytes(self) -> int:
        """All of the memory."""
        return sum(self.memory.values())


@dataclass(frozen=True, slots=True)
class PairProgress:
    """Event: the work continues."""

    stage: str  # text for the user: ``"Scoring"``, ``"Finding the start"``, ``"Aligning"``
    cells_done: int  # cells computed so far, in all stages; never falls
    cells_total: int  # best knowledge of how many there will be; may be corrected
    pruned: int = 0  # cells that were skipped because they could not beat the best
    best: PairEnd | None = None  # the best so far, of the scoring stage

    @property
    def cells_passed(self) -> int:
        """Cells that need no more work: computed or skipped."""
        return self.cells_done + self.pruned


@dataclass(frozen=True, slots=True, eq=False)
class PairCheckpoint:
    """State from which the same task can continue after a restart."""

    stage: str
    cells_done: int
    # The engine's own data; opaque to all others. Written to disk as they are.
    arrays: Mapping[str, NDArray[np.generic]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class PairScored:
    """The score is final; the alignment is still to come unless only the score was requested."""

    end: PairEnd


@dataclass(frozen=True, slots=True, eq=False)
class PairAligned:
    """The best alignment, rescored to the score."""

    alignment: Alignment  # in positions of the query as it was given to the engine (reverse complement included)
    memory_bytes: int = 0  # the most device memory that was in use


PairStep = PairProgress | PairCheckpoint | PairScored | PairAligned
