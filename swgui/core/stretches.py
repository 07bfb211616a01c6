"""Many subjects in one array, and many queries as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.database import EncodedDatabase, Parts
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme


class Subjects(msgspec.Struct, frozen=True, eq=False):
    """Stretches of one array of codes, anywhere and in any order; they may overlap."""

    # Codes below the number of columns of the profiles they are scored with; may be memory-mapped. Alphabets
    # with more than 256 symbols have dtype uint16.
    codes: NDArray[np.uint8]
    # starts, lengths: where each subject begins in `codes`, and its residues; none may be needed, shape (k,)
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __post_init__(self) -> None:
        ends = self.starts + self.lengths
        if len(ends) and (self.starts.min() < 0 or self.lengths.min() < 0 or ends.max() > len(self.codes)):
            raise ValueError(f"A subject is outside the {len(self.codes)} codes.")

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> NDArray[np.uint8]:
        """Return the codes of one subject, a view."""
        return self.codes[self.starts[number] : self.starts[number] + self.lengths[number]]

    @classmethod
    def packed(cls, codes: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Subjects:
        """Take subjects that are consecutive.

        Parameters
        ----------
        offsets : ndarray, shape=(k + 1,)
            Where each begins in `codes`; the last is where the last one ends.
        """
        offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        return cls(np.ascontiguousarray(codes), offsets[:-1].copy(), np.diff(offsets))

    @classmethod
    def stacked(cls, codes: Sequence[NDArray[np.uint8]]) -> Subjects:
        """Concatenate separate sequences."""
        return cls.packed(np.concatenate([np.zeros(0, np.uint8), *codes]), np.cumsum([0, *map(len, codes)]))

    @classmethod
    def of(
        cls,
        database: EncodedDatabase,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> Subjects:
        """Take some subjects of a database, by source index, or parts of them; nothing is copied but translations.

        Parameters
        ----------
        strands, parts : optional
            As of `EncodedDatabase.placed`.
        """
        codes, starts, lengths = database.placed(db_index, strands, parts)
        return cls(np.ascontiguousarray(codes), starts, lengths)

    @classmethod
    def join(cls, parts: Sequence[Subjects]) -> Subjects:
        """Return the subjects of one or more, concatenated; codes are copied where they are not the same."""
        arrays = {id(part.codes): part.codes for part in parts}
        sizes = [len(codes) for codes in arrays.values()]
        before = dict(zip(arrays, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
        codes = parts[0].codes if len(arrays) == 1 else np.concatenate(list(arrays.values()))
        starts = np.concatenate([part.starts + before[id(part.codes)] for part in parts])
        return cls(codes, starts, np.concatenate([part.lengths for part in parts]))

    def tracks(self, alphabet: TwoTracks) -> tuple[Subjects, Subjects]:
        """Return the residues and the letters of subjects in two tracks."""
        residues, letters = alphabet.split(self.codes)
        return Subjects(residues, self.starts, self.lengths), Subjects(letters, self.starts, self.lengths)

    def take(self, numbers: NDArray[np.int64] | slice) -> Subjects:
        """Return some of the subjects."""
        return Subjects(
            self.codes, np.ascontiguousarray(self.starts[numbers]), np.ascontiguousarray(self.lengths[numbers])
        )


class ScoredPairs(msgspec.Struct, frozen=True, eq=False):
    """Pairs of some queries and subjects whose scores are known."""

    queries: Sequence[EncodedQuery]
    of: NDArray[np.int64]  # the query of each pair, shape (k,)
    subjects: Subjects  # k of them
    scheme: ScoringScheme
    scores: NDArray[np.integer]  # shape (k,)

    def __len__(self) -> int:
        return len(self.of)

    def take(self, rows: NDArray[np.int64]) -> ScoredPairs:
        """Return some of them, by number."""
        return ScoredPairs(self.queries, self.of[rows], self.subjects.take(rows), self.scheme, self.scores[rows])


class Stack(msgspec.Struct, frozen=True, eq=False):
    """Concatenated queries as one, for functions that know the rows of each."""

    query: EncodedQuery
    begins: NDArray[np.int64]  # where each of k queries begins, and the last one ends, shape (k + 1,)

    def spans(self, of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first row of some of the queries, and their rows, shape (n, 2)."""
        return np.stack([self.begins[:-1], np.diff(self.begins)], axis=1)[of]


def stack(queries: Sequence[EncodedQuery], scheme: ScoringScheme) -> Stack:
    """Return one or more queries as one.

    Where any has a profile, or gap costs by position, all have.
    """
    begins = np.cumsum([0, *[query.codes.size for query in queries]], dtype=np.int64)
    if len(queries) == 1:
        return Stack(queries[0], begins)
    codes, profile, gaps = np.concatenate([query.codes for query in queries]), None, None
    if any(query.profile is not None for query in queries):
        profile = np.concatenate([query.scores(scheme) for query in queries])
    if any(query.gaps is not None for query in queries):
        costs = scheme.gap_first, scheme.gap_extend
        gaps = PositionGaps.joined([query.gaps or PositionGaps.constant(len(query), *costs) for query in queries])
    return Stack(EncodedQuery(queries[0].id, codes, profile, gaps=gaps), begins)
