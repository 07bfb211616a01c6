"""The hit that the views show, with the facts that they need. Pure, without Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import SHIFTING, query_frame, steps_of


@dataclass(frozen=True, slots=True, eq=False)
class ShownHit:
    """A hit with its alignment, and the result it belongs to."""

    result: SearchResult
    hit: Hit
    alignment: Alignment  # the hit's strand, in positions of the query as searched

    @classmethod
    def of(cls, result: SearchResult, hit: Hit) -> ShownHit:
        """Return a hit to show; `ValueError` if it has no alignment."""
        if hit.alignment is None:
            raise ValueError("This hit has no alignment.")
        return cls(result, hit, hit.alignment)

    @property
    def scheme(self) -> ScoringScheme:
        return self.result.scheme

    @property
    def lengths(self) -> tuple[int, int]:
        return len(self.hit.query), len(self.hit.subject_letters)

    @property
    def query_index(self) -> int:
        record = self.hit.query_record
        return next((index for index, query in enumerate(self.result.queries) if query.query is record), 0)

    def same_matrix(self, other: ShownHit) -> bool:
        """Whether another alignment is one of the same query, on the same strand, and the same subject."""
        one, two = self.hit, other.hit
        same = one.query_record is two.query_record and one.db_index == two.db_index and one.strand == two.strand
        return same and self.result.database is other.result.database

    @property
    def query_axis(self) -> str:
        strand, frame = self.hit.strand, query_frame(self.hit.strand)
        if abs(frame) == SHIFTING:
            return f"Query, bases of the {'plus' if frame > 0 else 'minus'} strand"
        if frame:
            return f"Query, residues of frame {frame:+d}"
        return "Query, reverse complement" if strand < 0 else "Query"

    def query_number(self, residue: int) -> int:
        """Return the number of a residue of the query as searched (both from 1) in the query as the user wrote it."""
        return residue if self.hit.strand > 0 else len(self.hit.query) + 1 - residue

    def describe_residues(self, query: int, subject: int) -> str:
        """Name a query and a subject residue (from 1, as searched) and their matrix value: ``Q 3 W : S 1 W, +11``.

        With two tracks the symbols of the second follow the residues: ``Q 3 W/v : S 1 W/p, +9``.
        """
        alphabet = self.scheme.alphabet
        q = self.hit.query.codes[query - 1 : query]
        s = self.hit.subject_codes(alphabet, subject - 1, subject - 1 + steps_of(self.hit.strand)[1])  # a whole codon
        if not len(q) or not len(s):
            return f"Q {self.query_number(query):,} : S {subject:,}"  # the last bases of a strand
        value = int(self.scheme.matrix.scores[q[0], s[0]])
        one, other = _named(alphabet, q), _named(alphabet, s)
        return f"Q {self.query_number(query):,} {one} : S {subject:,} {other}, {value:+d}"


def _named(alphabet: Alphabet, code: NDArray[np.uint8]) -> str:
    letter = f"/{alphabet.decode_letters(code).decode().lower()}" if isinstance(alphabet, TwoTracks) else ""
    return alphabet.decode(code).decode() + letter
