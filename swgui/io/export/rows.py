"""What a hit's alignment looks like on paper: coordinates and residues, the right way round as in BLAST.

The engine aligns the query, or for strand -1 its reverse complement, with the subject as it is. BLAST
shows the query as the user gave it and reverse-complements the subject instead: its end comes before its start.
Everything here follows BLAST; coordinates count from 1 and both ends are included.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from swgui.core.alignment import OP_LETTERS, Alignment, spell_out
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.results import Hit, Hsp
from swgui.core.scoring import ScoringScheme


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
