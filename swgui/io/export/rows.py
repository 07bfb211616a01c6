"""What a hit's alignment looks like on paper: coordinates and residues, the right way round as in BLAST.

The engine aligns the query, or for strand -1 its reverse complement, with the subject as it is. BLAST
shows the query as the user gave it and reverse-complements the subject instead: its end comes before its start.
Everything here follows BLAST; coordinates count from 1 and both ends are included.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import OP_LETTERS, Alignment, Op, spell_out
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import Hit, Hsp
from swgui.core.hits.table import HitTable
from swgui.core.scoring import ScoringScheme

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Span:
    """Ends of an alignment, from 1; ``subject_start > subject_end`` on the minus strand."""

    query_start: int
    query_end: int
    subject_start: int
    subject_end: int


@dataclass(frozen=True, slots=True)
class AlignedRows:
    """The residues of an alignment, one per column; ``-`` in gaps."""

    query: str
    match: str
    subject: str


def span(hit: Hit) -> Span | None:
    """Return the ends of a hit's alignment; None without one."""
    return None if hit.alignment is None else span_of(hit, hit.alignment)


def span_of(hit: Hit | Hsp, found: Alignment) -> Span:
    """Return the ends of an alignment of a hit."""
    if hit.strand > 0:
        return Span(found.query_start + 1, found.query_end, found.subject_start + 1, found.subject_end)
    length = len(hit.query)
    return Span(length - found.query_end + 1, length - found.query_start, found.subject_end, found.subject_start + 1)


def cigar(hit: Hit) -> str:
    """Return the CIGAR string in the direction of the query as given; empty without an alignment."""
    if hit.alignment is None:
        return ""
    runs = [f"{length}{OP_LETTERS[op]}" for op, length in zip(hit.alignment.ops, hit.alignment.lengths, strict=True)]
    return "".join(runs if hit.strand > 0 else reversed(runs))


def covered(hit: Hit) -> tuple[float, float]:
    """Return how much of query and subject lies inside any of the alignments, in percent; NaN without one.

    What several alignments reach over counts once, as in BLAST's ``qcovs``.
    """
    if hit.alignment is None:
        return math.nan, math.nan
    spans = [span_of(hsp, hsp.alignment) for hsp in hit.hsps] or [span_of(hit, hit.alignment)]
    query = union_length((one.query_start, one.query_end) for one in spans)
    subject = union_length(sorted((one.subject_start, one.subject_end)) for one in spans)
    return 100.0 * query / len(hit.query), 100.0 * subject / len(hit.subject.residues)


def union_length(spans: Iterable[Sequence[int]]) -> int:
    """Return how many positions lie inside any of some spans (first and last position, both included)."""
    total, reached = 0, 0
    for start, end in sorted(map(tuple, spans)):
        total += max(0, end - max(start - 1, reached))
        reached = max(reached, end)
    return total


# The same for all lines of a table; they must have been aligned.


def spans(table: HitTable) -> tuple[_Ints, _Ints, _Ints, _Ints]:
    """Return the ends of the alignment of each line, in the order of `Span`, shape (n,)."""
    aligned, plus, length = _aligned(table), table.strands > 0, len(table.record.residues)
    start, end = aligned.number("query_start"), aligned.number("query_end")
    first, last = aligned.number("subject_start") + 1, aligned.number("subject_end")
    return (
        np.where(plus, start, length - end) + 1,
        np.where(plus, end, length - start),
        np.where(plus, first, last),
        np.where(plus, last, first),
    )


def covered_of(table: HitTable) -> tuple[_Floats, _Floats]:
    """Return `covered` of each hit, shape (k,)."""
    query_start, query_end, *subject = spans(table)
    of_query = _union_lengths(table, query_start, query_end)
    of_subject = _union_lengths(table, np.minimum(*subject), np.maximum(*subject))
    return 100.0 * of_query / max(len(table.record.residues), 1), 100.0 * of_subject / table.subjects.lengths.clip(1)


def _union_lengths(table: HitTable, starts: _Ints, ends: _Ints) -> _Ints:
    """Return `union_length` of the lines of each hit, shape (k,)."""
    order = np.lexsort((starts, table.hit))
    room = int(ends.max(initial=0)) + 1  # so that no hit reaches into the next one
    begins = (starts - 1 + table.hit * room)[order]
    stops = (ends + table.hit * room)[order]
    reached = np.maximum.accumulate(stops)
    reached = np.concatenate([[0], reached[:-1]])
    return np.add.reduceat(np.maximum(stops - np.maximum(begins, reached), 0), table.first)


def aligned_texts(table: HitTable, *, of_query: bool) -> list[str]:
    """Return one side of `aligned_residues` of each line."""
    aligned = _aligned(table)
    side, gap = ("query", Op.DELETION) if of_query else ("subject", Op.INSERTION)
    whole = table.record.residues
    texts, edges = [], pairwise(aligned.offsets.tolist())
    runs = list(zip(aligned.ops.tolist(), aligned.lengths.tolist(), strict=True))
    starts, strands, hit = aligned.number(f"{side}_start").tolist(), table.strands.tolist(), table.hit.tolist()
    of, residues = -1, b""
    for (first, last), start, strand, place in zip(edges, starts, strands, hit, strict=True):
        if not of_query and place != of:
            of, residues = place, table.subjects.record(place).residues
        text = _with_gaps(
            (whole if strand > 0 else whole[::-1]) if of_query else residues, start, runs[first:last], gap
        )
        texts.append((text if strand > 0 else text[::-1] if of_query else _reverse_complement(text)).decode("ascii"))
    return texts


def _with_gaps(residues: bytes, start: int, runs: Iterable[tuple[int, int]], gap: Op) -> bytes:
    parts = []
    for op, length in runs:
        if op == gap:
            parts.append(b"-" * length)
        else:
            parts.append(residues[start : start + length])
            start += length
    return b"".join(parts)


def _aligned(table: HitTable) -> AlignedColumns:
    if table.aligned is None:
        raise ValueError("These hits have not been aligned.")
    return table.aligned


def aligned_part(hit: Hit) -> bytes:
    """Return the subject's residues inside the alignment, without gaps, in the direction of the query."""
    if hit.alignment is None:
        return b""
    part = hit.subject.residues[hit.alignment.subject_start : hit.alignment.subject_end]
    return part if hit.strand > 0 else _reverse_complement(part)


def subject_part(hit: Hit, flank: int, *, gaps: bool) -> tuple[int, int, bytes]:
    """Return start, end and residues of a subject's aligned part with its flanks, in the direction of the query.

    Coordinates count from 1; on the minus strand the start is above the end. Flanks end where the
    subject ends.
    """
    found = hit.alignment
    if found is None:
        raise ValueError(f"Hit {hit.rank} has no alignment.")
    residues = hit.subject.residues
    first, last = max(0, found.subject_start - flank), min(len(residues), found.subject_end + flank)
    inside = aligned_residues(hit)[1].encode("ascii") if gaps else aligned_part(hit)
    before, behind = residues[first : found.subject_start], residues[found.subject_end : last]
    if hit.strand > 0:
        return first + 1, last, before + inside + behind
    return last, first + 1, _reverse_complement(behind) + inside + _reverse_complement(before)


def aligned_residues(hit: Hit) -> tuple[str, str]:
    """Return query and subject with gap signs, in the direction of the query; empty without an alignment."""
    if hit.alignment is None:
        return "", ""
    columns = spell_out(hit.alignment)
    plus = hit.strand > 0
    subject = _pick(hit.subject.residues, columns.subject)
    if plus:
        query = _pick(hit.query_record.residues, columns.query)
    else:  # from the query as it was given: to complement a U twice makes a T of it
        query = _pick(hit.query_record.residues[::-1], columns.query)[::-1]
        subject = _reverse_complement(subject)
    return query.decode("ascii"), subject.decode("ascii")


def aligned_rows(hit: Hit, scheme: ScoringScheme) -> AlignedRows:
    """Return the aligned residues with BLAST's match line.

    Proteins show the residue where both agree and ``+`` where the pair scores above 0; nucleotides ``|``
    where both agree.
    """
    query, subject = aligned_residues(hit)
    if hit.alignment is None:
        return AlignedRows("", "", "")
    columns = spell_out(hit.alignment)
    aligned = np.flatnonzero((columns.query >= 0) & (columns.subject >= 0))
    at_query, at_subject = columns.query[aligned], columns.subject[aligned]
    subject_codes = scheme.alphabet.encode(hit.subject.residues)[at_subject]
    same = scheme.alphabet.same(hit.query.codes[at_query], subject_codes)
    match = np.full(len(query), ord(" "), dtype=np.uint8)
    if scheme.alphabet is NUCLEOTIDE:
        match[aligned[same]] = ord("|")
    else:
        positive = hit.query.scores(scheme)[at_query, subject_codes] > 0
        match[aligned[positive]] = ord("+")
        residues = np.frombuffer(query.encode("ascii"), dtype=np.uint8)
        match[aligned[same]] = residues[aligned[same]]
    if hit.strand < 0:
        match = match[::-1]
    return AlignedRows(query, match.tobytes().decode("ascii"), subject)


def _pick(residues: bytes, positions: np.typing.NDArray[np.int64]) -> bytes:
    """Return the residues at positions, ``-`` where the position is -1."""
    array = np.frombuffer(residues + b"-", dtype=np.uint8)
    return array[positions].tobytes()


_COMPLEMENT = bytes.maketrans(
    NUCLEOTIDE.letters.encode(), "".join(NUCLEOTIDE.complements[c] for c in NUCLEOTIDE.letters).encode()
)


def _reverse_complement(residues: bytes) -> bytes:
    return residues.translate(_COMPLEMENT)[::-1]
