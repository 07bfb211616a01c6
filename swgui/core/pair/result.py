"""Facts about one long pair during and after its alignment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.pair.problem import PairEnd, PairSettings, Strand
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme

PairState = Literal["finished", "stopped", "failed"]


@dataclass(frozen=True, slots=True, eq=False)
class PairAlignment:
    """One alignment of the pair, rescored."""

    index: int  # from 1, best first
    strand: Strand  # ``minus`` if the query's reverse complement is aligned
    alignment: Alignment  # in positions of that strand of the query, from 0
    counts: AlignmentCounts
    # bit_score, log10_evalue: NaN where no statistics are published for the scheme, or the mode is not local
    bit_score: float = math.nan
    log10_evalue: float = math.nan

    @property
    def score(self) -> int:
        """Score of the alignment."""
        return self.alignment.score

    def query_range(self, query_length: int) -> tuple[int, int]:
        """Return the half-open range on the query as it was given, from 0."""
        alignment = self.alignment
        if self.strand == "plus":
            return alignment.query_start, alignment.query_end
        return query_length - alignment.query_end, query_length - alignment.query_start


@dataclass(frozen=True, eq=False)
class PairResult(PairSettings):
    """All facts about a pair: the request, the computation and the result."""

    # query, subject: without residues in a score that was opened from a file, which does not hold them
    query: SequenceRecord = field(repr=False)
    subject: SequenceRecord = field(repr=False)
    scheme: ScoringScheme
    state: PairState
    reason: str  # why it is not finished, as a sentence; empty if it is
    # The best score so far and where it ends, on strand `best_strand`; None if nothing is known yet.
    best: PairEnd | None
    best_strand: Strand
    # Best first. Empty if only the score was requested, or if a local alignment scores 0.
    alignments: tuple[PairAlignment, ...]
    # cells, pruned: cells computed, those computed again included, and cells that could be skipped
    cells: int
    pruned: int
    seconds: Mapping[str, float]  # wall time by stage
    method: str  # name in `swgui.core.methods.pair.PAIR_METHODS`
    devices: tuple[str, ...]
    settings: Mapping[str, str]  # every setting of the method with the value that was used
    memory_bytes: int  # the most memory of the device, or of the host for the CPU, that was in use
    statistics: str  # where bit scores and E-values come from; empty if there are none
    remarks: tuple[str, ...]  # sentences for the user
    # version, finished_at: of the program; date and time
    version: str
    finished_at: str
    # query_checksum, subject_checksum: SHA-256 of the residues, in hexadecimal
    query_checksum: str
    subject_checksum: str
    # query_length, subject_length: number of residues, also where these are not known
    query_length: int
    subject_length: int
    run_id: str = ""  # of the run of the history that it is; empty if it is none

    @property
    def score(self) -> int | None:
        """The best score so far; None if nothing is known yet."""
        return self.best.score if self.best is not None else None

    @property
    def has_residues(self) -> bool:
        """Whether the residues of both sequences are known."""
        return bool(self.query.residues and self.subject.residues)

    @property
    def total_seconds(self) -> float:
        """Wall time of all stages."""
        return sum(self.seconds.values())

    def encode(self) -> PairResult:
        """Encode both sequences now, in the caller's thread, and return the result: later it takes no time."""
        for alignment in self.alignments:
            self.encoded_query(alignment.strand)
        self.encoded_query("plus")
        _ = self.subject_codes
        return self

    def encoded_query(self, strand: Strand) -> EncodedQuery:
        """Return the query's codes on a strand; encoded once."""
        return self._plus if strand == "plus" else self._minus

    @cached_property
    def subject_codes(self) -> NDArray[np.uint8]:
        """Codes of the subject, shape (n,)."""
        return self.scheme.alphabet.encode(self.subject.residues)

    @cached_property
    def _plus(self) -> EncodedQuery:
        return EncodedQuery(self.query.id, self.scheme.alphabet.encode(self.query.residues))

    @cached_property
    def _minus(self) -> EncodedQuery:
        codes = self.scheme.alphabet.reverse_complement(self._plus.codes)
        return EncodedQuery(self.query.id, codes, strand=-1)
