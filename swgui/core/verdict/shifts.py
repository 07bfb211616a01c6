"""Places between two alignments of a hit where the reading of its DNA may shift."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import spell_out
from swgui.core.hits.scores import distinct
from swgui.core.hits.table import Hit, HitTable
from swgui.core.ranges import concatenated_ranges
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import query_frame, query_frames, subject_frame, subject_frames
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import PROPOSED_SHIFT

APART: Final = 20  # residues of the protein between two alignments at most
SHIFTED: Final = 30  # bases by which the one is shifted against the other at most: introns are longer
PAIRS_AT_A_TIME: Final = 1 << 20  # of alignments that are compared
STRONG: Final = -1.0  # largest log10 of E of an alignment by itself; its position in line with another reduces it
_Ints = NDArray[np.int64]


class _Pairs(msgspec.Struct, frozen=True, eq=False):
    """The aligned pairs of one alignment: residues of the protein, their codons, and the score of each.

    Codons are counted by their first bases, from where the strand begins.
    """

    residues: _Ints
    bases: _Ints
    scores: _Ints


def _pairs(row: Hit, scheme: ScoringScheme, *, of_query: bool) -> _Pairs:
    alignment = row.alignment
    assert alignment is not None
    columns = spell_out(alignment)
    aligned = (columns.query >= 0) & (columns.subject >= 0)
    query, subject = columns.query[aligned].astype(np.int64), columns.subject[aligned].astype(np.int64)
    codes = row.subject_codes(scheme.alphabet, alignment.subject_start, alignment.subject_end)
    scores = row.query.scores(scheme)[query, codes[subject - alignment.subject_start]].astype(np.int64)
    frame = query_frame(row.strand) if of_query else subject_frame(row.strand)
    codons, residues = (query, subject) if of_query else (subject, query)
    return _Pairs(residues, abs(frame) - 1 + CODON * codons, scores)


def _changes(best: _Pairs, other: _Pairs) -> list[int]:
    """Return the bases at which the other alignment takes over, and at which it hands back."""
    size = int(max(best.residues[-1], other.residues[-1])) + 1
    gain = np.zeros(size, dtype=np.int64)
    gain[other.residues] += other.scores
    gain[best.residues] -= best.scores
    total = np.concatenate([[0], np.cumsum(gain)])
    end = int(np.argmax(total - np.minimum.accumulate(total)))  # of the stretch that gains most
    start = end - int(np.argmin(total[end::-1]))
    within = other.bases[(other.residues >= start) & (other.residues < end)]
    if not len(within):
        return []
    places = [(int(within[0]), best.residues[0] < start), (int(within[-1]) + CODON, best.residues[-1] >= end)]
    changes = [base for base, goes_on in places if goes_on]
    return changes if total[end] - total[start] > PROPOSED_SHIFT * len(changes) else []


def _in_line(table: HitTable, looked_at: NDArray[np.bool_]) -> _Ints:
    """Return pairs of lines of one hit, shape (k, 2), that read one strand in different frames at about one place.

    Parameters
    ----------
    looked_at : ndarray, shape=(hits,), dtype=bool
        Mask of the hits of the table to examine.
    """
    how, aligned, none = table.translation, table.aligned, np.zeros((0, 2), dtype=np.int64)
    if how is None or how.shift or how.of.translates_query == how.of.translates_database or aligned is None:
        return none
    if table.lines == len(table):  # each hit has one alignment
        return none
    lines = np.flatnonzero(table.there & looked_at[table.hit] & (table.log10_evalues <= STRONG))
    lines = lines[table.sizes[table.hit[lines]] > 1]
    if len(lines) < 2:
        return none
    frames = (query_frames if how.of.translates_query else subject_frames)(table.strands[lines])
    sides = ("query", "subject") if how.of.translates_query else ("subject", "query")
    (start, end), (first, last) = [[aligned.number(f"{of}_{edge}")[lines] for edge in ("start", "end")] for of in sides]
    bases = np.abs(frames) - 1 + CODON * np.stack([start, end - 1])
    ahead = bases - CODON * np.stack([first, last - 1])  # bases ahead of residues at both ends
    hit = table.hit[lines]
    behind = np.searchsorted(hit, hit, side="right") - np.arange(len(hit)) - 1  # lines of the same hit behind each
    pairs, portion = list[_Ints](), np.cumsum(behind) // PAIRS_AT_A_TIME
    for some in np.split(np.arange(len(hit)), np.flatnonzero(np.diff(portion)) + 1):
        line = np.repeat(some, behind[some])
        other = concatenated_ranges(some + 1, behind[some])
        may = (frames[line] * frames[other] > 0) & (frames[line] != frames[other])
        may &= np.maximum(first[line], first[other]) - (np.minimum(last[line], last[other]) - 1) <= APART
        line, other = line[may], other[may]
        near = [np.abs(ahead[mine][line] - ahead[its][other]) <= SHIFTED for mine in (0, 1) for its in (0, 1)]
        near_by = np.any(near, axis=0)
        pairs.append(np.stack([line[near_by], other[near_by]], axis=1))
    return np.asarray(lines[np.concatenate(pairs)])


def may_shift(table: HitTable, hits: int) -> list[int]:
    """Return the places of the first hits of each query between whose alignments the reading may shift.

    Parameters
    ----------
    table : HitTable
        Of one or more queries.
    """
    places: list[int] = distinct(table.hit[_in_line(table, table.numbers < hits)[:, 0]]).tolist()
    return places


def frameshifts_near(hit: Hit, scheme: ScoringScheme) -> list[int]:
    """Return bases, from 1 on the plus strand, near which frames change along a hit of a search without frameshifts."""
    if (how := hit.translation) is None:
        return []
    table = hit.alone
    in_line = _in_line(table, np.ones(len(table), dtype=np.bool_))
    if not len(in_line):
        return []
    of_query = how.of.translates_query
    length = len(hit.query_record.residues) if of_query else int(table.subjects.lengths[0])
    pairs = {line: _pairs(Hit(table, 0, line), scheme, of_query=of_query) for line in set(in_line.ravel().tolist())}
    frame_of = query_frame if of_query else subject_frame
    near = sorted(
        base + 1 if frame_of(int(table.strands[other])) > 0 else length - base
        for best, other in in_line.tolist()
        for base in _changes(pairs[best], pairs[other])
    )
    return [base for before, base in zip([-SHIFTED - 1, *near], near, strict=False) if base - before > SHIFTED]


def probable_shifts(hit: Hit, scheme: ScoringScheme) -> str:
    """Return a sentence on them and the next step; empty if there are none."""
    near = frameshifts_near(hit, scheme)
    if not near or hit.translation is None:
        return ""
    listed = " and ".join(filter(None, [", ".join(f"{base:,}" for base in near[:-1]), f"{near[-1]:,}"]))
    whose = "query" if hit.translation.of.translates_query else "subject"
    shifts = f"a frameshift near base {listed}" if len(near) == 1 else f"frameshifts near bases {listed}"
    return f"Probably {shifts} of the {whose}: search across frameshifts (cost {PROPOSED_SHIFT})."
