"""A hit's alignment as reports show it: coordinates and residues, in BLAST's orientation.

The engine aligns the query, or for strand -1 its reverse complement, with the subject as it is. BLAST
shows the query as the user gave it and reverse-complements the subject instead: its end comes before its start.
Everything here follows BLAST; coordinates count from 1 and both ends are included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.alignment import Alignment, Op, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, TwoTracks
from swgui.core.circular import folded, location, turns
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.table import Hit, HitTable
from swgui.core.records import letters_beside
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import bases_of, query_frame, query_frames, subject_frames

SKIPPED, AGAIN = "\\", "/"  # as fastx36 writes them: a base that is skipped, one that is read twice
SIGNS: Final = {int(Op.SKIP): SKIPPED, int(Op.AGAIN): AGAIN}
NOT_RESIDUES: Final = f"-{SKIPPED}{AGAIN}"
NO_SIGNS: Final = str.maketrans("", "", NOT_RESIDUES)
T = TypeVar("T")
_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
_COMPLEMENT = bytes.maketrans(
    NUCLEOTIDE.letters.encode(), "".join(NUCLEOTIDE.complements[c] for c in NUCLEOTIDE.letters).encode()
)


class Span(msgspec.Struct, frozen=True):
    """Ends of an alignment, from 1; ``subject_start > subject_end`` on the minus strand.

    Of an alignment across the origin of a circular record the end behind the origin counts from the origin, so that it
    is the other way round.

    Of translated searches these are bases in the direction of reading: the start is above the end in frames of the
    opposite strand, of the query and of the subject alike.
    """

    query_start: int
    query_end: int
    subject_start: int
    subject_end: int


class AlignedRows(msgspec.Struct, frozen=True):
    """The residues of an alignment, one per column; ``-`` in gaps."""

    query: str
    match: str
    subject: str


class SymbolRows(NamedTuple):
    """The symbols of the second track of query and subject, one per column with ``-`` in gaps, and their alphabet."""

    name: str
    rows: tuple[str, str]


def symbol_rows(hit: Hit, scheme: ScoringScheme) -> SymbolRows | None:
    """Return the second track of an alignment; None without one."""
    if not isinstance(scheme.alphabet, TwoTracks) or hit.alignment is None:
        return None
    name, columns = scheme.alphabet.parts[1].name, spell_out(hit.alignment)
    query, subject = (
        np.where(pos >= 0, np.frombuffer(letters_beside(record, name), np.uint8)[pos], ord("-")).astype(np.uint8)
        for record, pos in ((hit.query_record, columns.query), (hit.subject, columns.subject))
    )
    return SymbolRows(name, (query.tobytes().decode("ascii"), subject.tobytes().decode("ascii")))


def span(hit: Hit) -> Span | None:
    """Return the ends of a hit's alignment; None without one."""
    return None if hit.alignment is None else _folded(hit, read_on_span(hit))


def span_of(hit: Hit, alignment: Alignment, strand: int) -> Span:
    """Return the ends of an alignment of a hit, in a strand or reading."""
    lengths = len(hit.query_record.residues), int(hit.table.subjects.lengths[hit.place])
    ends = (alignment.query_start, alignment.query_end), (alignment.subject_start, alignment.subject_end)
    of_query, of_subject = _ends(strand, ends, lengths)
    return _folded(hit, [int(end) for end in (*of_query, *of_subject)])


def _folded(hit: Hit, ends: Sequence[int]) -> Span:
    start, end, *subject = ends
    first, last = folded(subject, hit.table.subjects.lengths[hit.place]).tolist()
    return Span(start, end, first, last)


def read_on_span(hit: Hit) -> list[int]:
    """Return the ends of a hit's alignment as `read_on_spans`, which keeps those of the last table."""
    return [int(ends[hit.line]) for ends in read_on_spans(hit.table)]


def subject_parts(hit: Hit) -> list[tuple[int, int]]:
    """Return first and last position, ascending and from 1, of each part of the subject that an alignment lies on.

    One, or two of an alignment across the origin of a circular record; none without an alignment.
    """
    if hit.alignment is None:
        return []
    low, high = sorted(read_on_span(hit)[2:])
    return [(start + 1, end) for start, end in turns(low - 1, high, int(hit.table.subjects.lengths[hit.place]))]


def join_of(hit: Hit) -> str:
    """Return where an alignment lies that crosses the origin, as GenBank writes it; else empty."""
    if hit.alignment is None:
        return ""
    low, high = sorted(read_on_span(hit)[2:])
    return location(low - 1, high, int(hit.table.subjects.lengths[hit.place]))


def spans_of(hit: Hit) -> list[Span]:
    """Return the ends of all alignments of a hit, best first; none without one."""
    return [ends for row in hit.rows() if (ends := span(row)) is not None]


def _ends(strands: ArrayLike, ends: Sequence[Sequence[ArrayLike]], lengths: Sequence[ArrayLike]) -> list[list[_Ints]]:
    """Return first and last position, from 1, on the query and on the subject, of alignments.

    Parameters
    ----------
    strands : array_like of int, shape=(n,)
    ends : ((array_like, array_like), (array_like, array_like)), shape=(n,) each
        Start and end of each, from 0, on query and subject as they were aligned.
    lengths : (array_like, array_like)
        Letters of query and subject as they were given.
    """
    minus = np.asarray(strands) == -1
    (start, end), (first, last) = ends
    turned = np.asarray(lengths[0]) - np.asarray(end), np.asarray(lengths[0]) - np.asarray(start)
    query = np.where(minus, turned[0], start), np.where(minus, turned[1], end)
    on_query = bases_of(query_frames(strands), *query, lengths[0])
    on_subject = bases_of(subject_frames(strands), first, last, lengths[1])
    return [[*on_query], [np.where(minus, on_subject[1 - side], on_subject[side]) for side in (0, 1)]]


# Of all lines of a table, which must have been aligned.


def _of_last_table(read: Callable[[HitTable], T]) -> Callable[[HitTable], T]:
    """Return a function that repeats its last result for the same table: several columns read the same."""
    known: WeakKeyDictionary[HitTable, T] = WeakKeyDictionary()

    @wraps(read)
    def kept(table: HitTable) -> T:
        if (value := known.get(table)) is None:
            value = read(table)
            known.clear()
            known[table] = value
        return value

    return kept


def spans(table: HitTable) -> tuple[_Ints, _Ints, _Ints, _Ints]:
    """Return the ends of the alignment of each line, in the order and as of `Span`, shape (n,)."""
    start, end, first, last = read_on_spans(table)
    length = table.subjects.lengths[table.hit]
    return start, end, folded(first, length), folded(last, length)


def joins(table: HitTable) -> list[str]:
    """Return where the alignment of each line lies that crosses the origin, as GenBank writes it; else empty."""
    *_, first, last = read_on_spans(table)
    lines = np.stack([np.minimum(first, last) - 1, np.maximum(first, last), table.subjects.lengths[table.hit]], axis=1)
    return [location(*line) for line in lines.tolist()]


@_of_last_table
def read_on_spans(table: HitTable) -> tuple[_Ints, _Ints, _Ints, _Ints]:
    """Return the ends of the alignment of each line, shape (n,); behind an origin they count on from the start."""
    aligned, lengths = _aligned(table), (table.query_lengths, table.subjects.lengths[table.hit])
    ends = [[aligned.number(f"{side}_{end}") for end in ("start", "end")] for side in ("query", "subject")]
    (start, end), (first, last) = _ends(table.strands, ends, lengths)
    return start, end, first, last


@_of_last_table
def covered_of(table: HitTable) -> tuple[_Floats, _Floats]:
    """Return how much of query and subject lies inside any of the alignments of each hit, in percent, shape (k,).

    What several alignments reach over counts once, as in BLAST's ``qcovs``.
    """
    query_start, query_end, *subject = read_on_spans(table)
    query, hits = (query_start, query_end), len(table)
    of_query = _union_lengths(table.hit, np.minimum(*query), np.maximum(*query), hits)
    of_subject = _union_lengths(*_on_circles(table, np.minimum(*subject), np.maximum(*subject)), hits)
    whole = table.query_lengths[table.first].clip(1), table.subjects.lengths.clip(1)
    return 100.0 * of_query / whole[0], 100.0 * of_subject / whole[1]


def _on_circles(table: HitTable, starts: _Ints, ends: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    """Return hit, start and end of each line; one that crosses the origin as two, before and behind it."""
    length = table.subjects.lengths[table.hit]
    across = np.flatnonzero(ends > length)
    behind = np.minimum(ends - length, length)[across]
    firsts, lasts = np.append(starts, np.ones_like(behind)), np.append(np.minimum(ends, length), behind)
    return np.append(table.hit, table.hit[across]), firsts, lasts


def _union_lengths(hit: _Ints, starts: _Ints, ends: _Ints, hits: int) -> _Ints:
    """Return how many positions lie inside any of the lines of each hit (first and last, both included), shape (k,)."""
    order = np.lexsort((starts, hit))
    room = int(ends.max(initial=0)) + 1  # so that no hit reaches into the next one
    begins = (starts - 1 + hit * room)[order]
    stops = (ends + hit * room)[order]
    reached = np.maximum.accumulate(stops)
    reached = np.concatenate([[0], reached[:-1]])
    new = np.maximum(stops - np.maximum(begins, reached), 0)
    return np.bincount(hit[order], new, minlength=hits).astype(np.int64)


def aligned_texts(table: HitTable, *, of_query: bool) -> Sequence[str]:
    """Return the residues of the query, or of the subject, in each alignment as `aligned_residues` does of one."""
    return table.by_part(lambda part: _aligned_texts(part, of_query=of_query))


def _aligned_texts(table: HitTable, *, of_query: bool) -> list[str]:
    """Do so for hits of one query."""
    aligned = _aligned(table)
    side, gap = ("query", Op.DELETION) if of_query else ("subject", Op.INSERTION)
    step = aligned.steps[0 if of_query else 1]
    texts, edges = [], pairwise(aligned.offsets.tolist())
    runs = list(zip(aligned.ops.tolist(), aligned.lengths.tolist(), strict=True))
    starts, ends = aligned.number(f"{side}_start"), aligned.number(f"{side}_end")
    parts = (
        _query_stretches(table, starts, ends)
        if of_query
        else table.subjects.stretches(table.hit, table.strands, starts, ends, table.translation)
    )
    for (first, last), residues, strand in zip(edges, parts, table.strands.tolist(), strict=True):
        text = _with_gaps(residues, runs[first:last], gap, step)
        texts.append(_in_direction(text, strand, of_query=of_query))
    return texts


def _in_direction(text: bytes, strand: int, *, of_query: bool) -> str:
    """Return a row of an alignment in the direction of the query as it was given."""
    if strand < 0:  # the query as it was given: to complement a U twice makes a T of it
        text = text[::-1] if of_query else _reverse_complement(text)
    return text.decode("ascii")


def _query_stretches(table: HitTable, starts: _Ints, ends: _Ints) -> Iterator[bytes]:
    """Yield the residues of the query inside some alignments, as it was aligned, but not complemented."""
    letters: dict[int, bytes] = {}
    for strand, start, end in zip(table.strands.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if strand not in letters:
            given = table.record.residues
            translated = bool(query_frame(strand))
            letters[strand] = (
                PROTEIN.decode(table.query(strand).codes) if translated else given[:: 1 if strand > 0 else -1]
            )
        yield letters[strand][start:end]


def _with_gaps(residues: bytes, runs: Iterable[tuple[int, int]], gap: Op, step: int) -> bytes:
    """Return residues, of which every `step`-th is read, with the signs of gaps and shifts between them."""
    parts, start = [], 0
    for op, length in runs:
        if op == gap or (op in SIGNS and step == 1):
            parts.append(b"-" * length)
        elif op in SIGNS:
            parts.append(SIGNS[op].encode() * length)
            start += length if op == Op.SKIP else -length
        else:
            parts.append(residues[start : start + step * length : step])
            start += step * length
    return b"".join(parts)


def _aligned(table: HitTable) -> AlignedColumns:
    if table.aligned is None:
        raise ValueError("These hits have not been aligned.")
    return table.aligned


def aligned_part(hit: Hit) -> bytes:
    """Return the subject's residues inside the alignment, without gaps, in the direction of the query."""
    if hit.alignment is None:
        return b""
    if hit.alignment.steps[1] > 1:  # codons in the order in which they are read
        return aligned_residues(hit)[1].translate(NO_SIGNS).encode("ascii")
    part = hit.subject_stretch(hit.alignment.subject_start, hit.alignment.subject_end)
    return part if hit.strand > 0 else _reverse_complement(part)


def subject_part(hit: Hit, flank: int, *, gaps: bool) -> tuple[int, int, bytes]:
    """Return start, end and residues of a subject's aligned part with its flanks, in the direction of the query.

    Coordinates count from 1; on the minus strand the start is above the end. Flanks end at the ends of the subject, and
    at the origin of a circular record. Only flanks of an alignment that crosses the origin wrap around, and end where
    they meet.
    """
    alignment = hit.alignment
    if alignment is None:
        raise ValueError(f"Hit {hit.rank} has no alignment.")
    step = alignment.steps[1]
    first = alignment.subject_start - step * min(flank, alignment.subject_start // step)
    length = int(hit.table.subjects.lengths[hit.place])
    if alignment.subject_end > length and step == 1:
        first, before, behind = _flanks_around(hit.subject.residues, alignment, flank)
    else:
        stop = min(alignment.subject_end + step * flank, max(length, alignment.subject_end))
        before, behind = (
            hit.subject_stretch(first, alignment.subject_start)[::step],
            hit.subject_stretch(alignment.subject_end, stop)[::step],
        )
    inside = aligned_residues(hit)[1].encode("ascii") if gaps else aligned_part(hit)
    lengths = len(hit.query_record.residues), len(hit.subject.residues)
    ends = (0, 0), (first, alignment.subject_end + step * len(behind))
    start, end = folded(_ends(hit.strand, ends, lengths)[1], lengths[1]).tolist()
    if hit.strand > 0:
        return start, end, before + inside + behind
    return start, end, _reverse_complement(behind) + inside + _reverse_complement(before)


def _flanks_around(residues: bytes, alignment: Alignment, flank: int) -> tuple[int, bytes, bytes]:
    """Return where an alignment across the origin begins with its flanks, from 0, and these."""
    start, end, length = alignment.subject_start, alignment.subject_end, len(residues)
    room = max(length - (end - start), 0)
    before = min(flank, room)
    twice = residues + residues
    behind = twice[end % length : end % length + min(flank, room - before)]
    return (
        start - before,
        residues[start - before : start] if start >= before else twice[start - before + length : start + length],
        behind,
    )


def aligned_residues(hit: Hit) -> tuple[str, str]:
    """Return query and subject with gap signs, in the direction of the query; empty without an alignment.

    On the side whose reading shifts a backslash is a base that is skipped, a slash one that is read twice.
    """
    if hit.alignment is None:
        return "", ""
    alignment, strand = hit.alignment, hit.strand
    runs = list(zip(alignment.ops.tolist(), alignment.lengths.tolist(), strict=True))
    letters = hit.query_letters if strand > 0 or query_frame(strand) else hit.query_record.residues[::-1]
    of_query = _with_gaps(letters[alignment.query_start : alignment.query_end], runs, Op.DELETION, alignment.steps[0])
    inside = hit.subject_stretch(alignment.subject_start, alignment.subject_end)
    of_subject = _with_gaps(inside, runs, Op.INSERTION, alignment.steps[1])
    return _in_direction(of_query, strand, of_query=True), _in_direction(of_subject, strand, of_query=False)


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
    start = hit.alignment.subject_start
    subject_codes = hit.subject_codes(scheme.alphabet, start, hit.alignment.subject_end)[at_subject - start]
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


def _reverse_complement(residues: bytes) -> bytes:
    return residues.translate(_COMPLEMENT)[::-1]
