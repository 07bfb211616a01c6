"""Where the reading of DNA probably shifts: alignments of a hit in two frames that go on with each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import spell_out
from swgui.core.hits.results import Hit
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import query_frame, subject_frame
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import PROPOSED_SHIFT

APART: Final = 20  # residues of the protein between two alignments at most
SHIFTED: Final = 30  # bases by which the one is shifted against the other at most: introns are longer
STRONG: Final = -1.0  # log10 of E of an alignment by itself at most; that it lies in line with another makes it less

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """The aligned pairs of one alignment: its frame, residues of the protein, their codons, and what each scores.

    Codons are counted by their first bases, from where the strand begins.
    """

    frame: int
    residues: _Ints = field(repr=False)
    bases: _Ints = field(repr=False)
    scores: _Ints = field(repr=False)

    @property
    def ends(self) -> list[int]:
        """How far bases are ahead of residues where the alignment begins and where it ends."""
        return [int(self.bases[at] - CODON * self.residues[at]) for at in (0, -1)]

    def goes_on_with(self, other: _Pairs) -> bool:
        """Say whether both read one strand, in different frames, at about the same place of the protein."""
        ahead = min(abs(one - two) for one in self.ends for two in other.ends)
        apart = max(self.residues[0], other.residues[0]) - min(self.residues[-1], other.residues[-1])
        return self.frame * other.frame > 0 and self.frame != other.frame and ahead <= SHIFTED and apart <= APART


def _pairs(row: Hit, scheme: ScoringScheme, *, of_query: bool) -> _Pairs:
    one = row.alignment
    assert one is not None
    columns = spell_out(one)
    both = (columns.query >= 0) & (columns.subject >= 0)
    query, subject = columns.query[both].astype(np.int64), columns.subject[both].astype(np.int64)
    codes = row.subject_codes(scheme.alphabet, one.subject_start, one.subject_end)
    scores = row.query.scores(scheme)[query, codes[subject - one.subject_start]].astype(np.int64)
    frame = query_frame(row.strand) if of_query else subject_frame(row.strand)
    codons, residues = (query, subject) if of_query else (subject, query)
    return _Pairs(frame, residues, abs(frame) - 1 + CODON * codons, scores)


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


def frameshifts_near(hit: Hit, scheme: ScoringScheme) -> list[int]:
    """Return bases, from 1 on the plus strand, near which frames change along a hit of a search without frameshifts."""
    how = hit.translation
    if how is None or how.shift or how.of.translates_query == how.of.translates_database or len(hit.hsps) < 2:
        return []
    of_query = how.of.translates_query
    length = len((hit.query_record if of_query else hit.subject).residues)
    each = [_pairs(row, scheme, of_query=of_query) for row in hit.rows() if row.log10_evalue <= STRONG]
    near = sorted(
        base + 1 if other.frame > 0 else length - base
        for best, other in combinations(each, 2)
        if best.goes_on_with(other)
        for base in _changes(best, other)
    )
    return [base for before, base in zip([-SHIFTED - 1, *near], near, strict=False) if base - before > SHIFTED]


def probable_shifts(hit: Hit, scheme: ScoringScheme) -> str:
    """Return what to say of them, and what to do: one sentence, empty where there are none."""
    near = frameshifts_near(hit, scheme)
    if not near or hit.translation is None:
        return ""
    listed = " and ".join(filter(None, [", ".join(f"{base:,}" for base in near[:-1]), f"{near[-1]:,}"]))
    whose = "query" if hit.translation.of.translates_query else "subject"
    what = f"a frameshift near base {listed}" if len(near) == 1 else f"frameshifts near bases {listed}"
    return f"Probably {what} of the {whose}: search across frameshifts (--frameshift {PROPOSED_SHIFT})."
