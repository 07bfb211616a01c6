"""A pairwise alignment as runs, and the figures computed from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme

OP_LETTERS = "MIDFR"
PLAIN = 1, 1  # steps of an alignment of residues with residues
_TAKEN = np.array([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]])  # residues of query and subject in a column
_MOVED = np.array([0, 0, 0, 1, -1])  # bases of the side that is read in codons


class Op(IntEnum):
    """One kind of alignment column. Values and letters follow SAM's M, I and D, and F and R of GFF3's Gap."""

    MATCH = 0  # query residue against subject residue, equal or not
    INSERTION = 1  # query residue against a gap in the subject
    DELETION = 2  # gap in the query against a subject residue
    SKIP = 3  # a base that the reading of DNA skips; such runs count bases
    AGAIN = 4  # a base that it reads twice


_, _INSERTION, _DELETION, _SKIP, _ = map(int, Op)  # a member of an enumeration takes a microsecond to read
STATES = Op.MATCH, Op.INSERTION, Op.DELETION  # of a cell without frameshifts: the last step of its best path


class Alignment(msgspec.Struct, frozen=True, eq=False):
    """An alignment of a stretch of the query with a stretch of the subject."""

    # query_start, query_end: half-open range of query positions, from 0
    query_start: int
    query_end: int
    # subject_start, subject_end: half-open range of subject positions, from 0
    subject_start: int
    subject_end: int
    # Kind of each run (`Op`); neighbours differ, but for frameshifts, shape (r,).
    ops: NDArray[np.uint8]
    lengths: NDArray[np.int64]  # columns of each run, all above 0, shape (r,)
    score: int  # the aligner's score; `rescore` checks it
    # Positions of query and of subject that a residue takes: 3 on the side whose reading may shift, a strand of DNA
    # with a position for each base.
    steps: tuple[int, int] = PLAIN

    def __post_init__(self) -> None:
        query_span, subject_span = _spans(self.ops, self.lengths, self.steps)
        if query_span != self.query_end - self.query_start or subject_span != self.subject_end - self.subject_start:
            raise ValueError(f"The runs span {query_span} x {subject_span} residues, the ranges do not: {self}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alignment) and self.score == other.score and self.path == other.path

    __hash__ = None  # type: ignore[assignment]

    @property
    def path(self) -> tuple[int, int, str]:
        """Start in query, start in subject and CIGAR: equal in the same alignments only."""
        return self.query_start, self.subject_start, self.cigar

    @property
    def columns(self) -> int:
        """Number of alignment columns, those of frameshifts among them."""
        return int(self.lengths.sum())

    @property
    def cigar(self) -> str:
        """Runs as a CIGAR string of M, I and D, and of F and R for bases that are skipped and read twice."""
        return "".join(f"{n}{OP_LETTERS[op]}" for op, n in zip(self.ops, self.lengths, strict=True))

    def on_region(self) -> Alignment:
        """Return the same with positions in the aligned part of the subject alone."""
        return replace(self, subject_start=0, subject_end=self.subject_end - self.subject_start)

    @classmethod
    def from_runs(cls, query_start: int, subject_start: int, runs: Iterable[tuple[int, int]], score: int) -> Alignment:
        """Make an alignment from (op, length) pairs; equal neighbours are joined, empty runs dropped."""
        joined: list[list[int]] = []
        for op, length in runs:
            if length <= 0:
                continue
            if joined and joined[-1][0] == op:
                joined[-1][1] += length
            else:
                joined.append([op, length])
        ops = np.array([op for op, _ in joined], dtype=np.uint8)
        lengths = np.array([length for _, length in joined], dtype=np.int64)
        return cls(
            query_start=query_start,
            query_end=query_start + int(lengths[ops != _DELETION].sum()),
            subject_start=subject_start,
            subject_end=subject_start + int(lengths[ops != _INSERTION].sum()),
            ops=ops,
            lengths=lengths,
            score=score,
        )

    @classmethod
    def from_cigar(
        cls, query_start: int, subject_start: int, cigar: str, score: int, steps: tuple[int, int] = PLAIN
    ) -> Alignment:
        """Make an alignment from a CIGAR string of M, =, X, I and D; `ValueError` for anything else.

        With `steps` of codons it may have F and R, too.
        """
        letters = {"M": 0, "=": 0, "X": 0, "I": 1, "D": 2, "F": 3, "R": 4}
        allowed = "M=XID" if steps == PLAIN else "M=XIDFR"
        if not re.fullmatch(rf"(\d+[{allowed}])*", cigar):
            raise ValueError(f"'{cigar}' is not a CIGAR string of M, =, X, I and D.")
        runs = [(letters[op], int(n)) for n, op in re.findall(r"(\d+)([A-Z=])", cigar)]
        if steps == PLAIN:
            return cls.from_runs(query_start, subject_start, runs, score)
        ops = np.array([op for op, _ in runs], dtype=np.uint8)
        lengths = np.array([length for _, length in runs], dtype=np.int64)
        query, subject = _spans(ops, lengths, steps)
        ends = query_start, query_start + query, subject_start, subject_start + subject
        return cls(*ends, ops, lengths, score, steps)


class Columns(msgspec.Struct, frozen=True, eq=False):
    """An alignment spelled out, one entry per column."""

    # query, subject: position in the sequence, of a codon that of its first base; -1 in a gap, on both sides in a
    # frameshift, shape (k,)
    query: NDArray[np.int64]
    subject: NDArray[np.int64]


def spell_out(alignment: Alignment) -> Columns:
    """Return the positions of every column."""
    ops = np.repeat(alignment.ops, alignment.lengths)
    if alignment.steps != PLAIN:
        return _spell_codons(alignment, ops)
    in_query, in_subject = ops != _DELETION, ops != _INSERTION
    query = np.where(in_query, alignment.query_start + np.cumsum(in_query) - 1, -1)
    subject = np.where(in_subject, alignment.subject_start + np.cumsum(in_subject) - 1, -1)
    return Columns(query.astype(np.int64), subject.astype(np.int64))


def advances(alignment: Alignment) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the steps of query and subject positions in each column, shape (columns,) each."""
    ops = np.repeat(alignment.ops, alignment.lengths)
    query, subject = (
        step * taken[ops] + (_MOVED[ops] if step > 1 else 0)
        for taken, step in zip(_TAKEN, alignment.steps, strict=True)
    )
    return query, subject


def _spell_codons(alignment: Alignment, ops: NDArray[np.uint8]) -> Columns:
    starts = alignment.query_start, alignment.subject_start
    query, subject = (
        np.where(taken[ops] > 0, start + np.cumsum(moves) - moves, -1)
        for taken, moves, start in zip(_TAKEN, advances(alignment), starts, strict=True)
    )
    return Columns(query, subject)


def _spans(ops: NDArray[np.uint8], lengths: NDArray[np.int64], steps: tuple[int, int]) -> tuple[int, int]:
    """Return the positions of query and subject that runs span."""
    if steps == PLAIN:
        return int(lengths[ops != _DELETION].sum()), int(lengths[ops != _INSERTION].sum())
    moved = int((_MOVED[ops] * lengths).sum())
    query, subject = (
        step * int((taken[ops] * lengths).sum()) + (moved if step > 1 else 0)
        for taken, step in zip(_TAKEN, steps, strict=True)
    )
    return query, subject


def frameshifts(ops: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mask of the runs that are frameshifts; `ops` of shape (r,), kinds of runs (`Op`)."""
    return ops >= _SKIP


def rescore(
    alignment: Alignment, query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme, shift: int = 0
) -> int:
    """Add up an alignment's score from the residues, the profile and the costs of gaps and frameshifts.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    shift : int
        Cost of a frameshift.
    """
    columns = spell_out(alignment)
    aligned = (columns.query >= 0) & (columns.subject >= 0)
    profile = query.scores(scheme)
    pairs = int(profile[columns.query[aligned], subject[columns.subject[aligned]]].sum(dtype=np.int64))
    return pairs - sum(gap_costs(alignment, query, scheme)) - shift * int(frameshifts(alignment.ops).sum())


def gap_costs(alignment: Alignment, query: EncodedQuery, scheme: ScoringScheme) -> list[int]:
    """Return the cost of each gap of an alignment, from its start to its end."""
    runs = zip(alignment.ops.tolist(), alignment.lengths.tolist(), strict=True)
    if query.gaps is None:
        return [scheme.gap_cost(length) for op, length in runs if op in (_INSERTION, _DELETION)]
    costs, position = [], alignment.query_start
    for op, length in runs:
        if op == Op.DELETION:
            costs.append(query.gaps.insertion(position - 1, length))
            continue
        if op == Op.INSERTION:
            costs.append(query.gaps.deletion(position, length))
        position += length
    return costs


class AlignmentCounts(msgspec.Struct, frozen=True):
    """Counts of one alignment, named as in BLAST's tables."""

    length: int  # columns, gaps included, those of frameshifts not (BLAST ``length``)
    nident: int  # columns with the same letter on both sides; T and U are the same nucleotide
    positive: int  # columns with a score above 0 (identities with such a score included)
    mismatch: int  # aligned columns with different letters
    gaps: int  # residues against a gap, both sides
    gapopen: int
    # query_span, subject_span: positions of either sequence inside the alignment: residues, or bases of a strand
    # whose reading may shift
    query_span: int
    subject_span: int
    frameshifts: int = 0  # how often the reading shifts

    @property
    def pident(self) -> float:
        """Identities in percent of the columns (BLAST ``pident``)."""
        return 100.0 * self.nident / self.length if self.length else 0.0

    @property
    def ppos(self) -> float:
        """Positive columns in percent of the columns (BLAST ``ppos``)."""
        return 100.0 * self.positive / self.length if self.length else 0.0


def count_columns(
    alignment: Alignment, query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme
) -> AlignmentCounts:
    """Count identities, positives and gaps of an alignment.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
        Codes of the whole subject, on the strand that is aligned.
    """
    columns = spell_out(alignment)
    aligned = (columns.query >= 0) & (columns.subject >= 0)
    q, s = columns.query[aligned], columns.subject[aligned]
    nident = int(scheme.alphabet.same(query.codes[q], subject[s]).sum())
    shifts = frameshifts(alignment.ops)
    gap_runs = (alignment.ops != Op.MATCH) & ~shifts
    return AlignmentCounts(
        length=int(alignment.lengths[~shifts].sum()),
        nident=nident,
        positive=int((query.scores(scheme)[q, subject[s]] > 0).sum()),
        mismatch=len(q) - nident,
        gaps=int(alignment.lengths[gap_runs].sum()),
        gapopen=int(gap_runs.sum()),
        query_span=alignment.query_end - alignment.query_start,
        subject_span=alignment.subject_end - alignment.subject_start,
        frameshifts=int(shifts.sum()),
    )
