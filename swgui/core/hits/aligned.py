"""Alignments of many hits as columns; objects are made on access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import OP_LETTERS, PLAIN, Alignment, AlignmentCounts
from swgui.core.limits import Minimums
from swgui.core.plain import replace
from swgui.core.ranges import concatenated_ranges, range_offsets

_Ints = NDArray[np.int64]
_PLACES: Final = ("score", "query_start", "query_end", "subject_start", "subject_end")
_COUNTS: Final = tuple(AlignmentCounts.__struct_fields__)
_OF_ALIGNMENTS: Final = (*_PLACES, *_COUNTS)  # fields of `Alignment` and `AlignmentCounts`
_OF_LINES: Final = ("hit", "strand")
NUMBERS: Final = (*_OF_ALIGNMENTS, *_OF_LINES)


class AlignedColumns(msgspec.Struct, frozen=True, eq=False):
    """Alignments with their sums, n lines; a line without columns means no alignment.

    The lines of a hit stand together, best first; a hit without alignments has one line.
    """

    # A row for each of `NUMBERS`, shape (16, n); `hit` is the place of the hit of each line, ascending.
    numbers: _Ints
    ops: NDArray[np.uint8]  # kind of each run (`Op`), alignment after alignment, shape (r,)
    lengths: _Ints  # columns of each run, shape (r,)
    offsets: _Ints  # where the runs of each alignment begin, shape (n + 1,)
    # Bits and log10 of E of each alone, NaN where they are not known, shape (2, n).
    significance: NDArray[np.float64]
    steps: tuple[int, int] = PLAIN  # of all of them, as in `Alignment`

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, pairs: Iterable[tuple[Alignment, AlignmentCounts] | None]) -> AlignedColumns:
        """Take alignments that were made one by one; None where there is none."""
        lines, runs, steps = [], [(np.zeros(0, np.uint8), np.zeros(0, np.int64))], PLAIN
        for pair in pairs:
            if pair is None:
                lines.append([0] * (len(_OF_ALIGNMENTS) + 1))
                continue
            places, counts = (
                [getattr(part, name) for name in of] for part, of in zip(pair, (_PLACES, _COUNTS), strict=True)
            )
            lines.append([len(pair[0].ops), *places, *counts])
            runs.append((pair[0].ops, pair[0].lengths))
            steps = pair[0].steps
        sizes, *numbers = np.array(lines, dtype=np.int64).reshape(-1, len(_OF_ALIGNMENTS) + 1).T
        ops, lengths = map(np.concatenate, zip(*runs, strict=True))
        return cls.counted(dict(zip(_OF_ALIGNMENTS, numbers, strict=True)), ops, lengths, range_offsets(sizes), steps)

    @classmethod
    def counted(
        cls,
        numbers: Mapping[str, _Ints],
        ops: NDArray[np.uint8],
        lengths: _Ints,
        offsets: _Ints,
        steps: tuple[int, int] = PLAIN,
    ) -> AlignedColumns:
        """Take alignments that belong to no hit yet; members of `NUMBERS` that are not given are 0."""
        rows = np.zeros((len(NUMBERS), len(offsets) - 1), dtype=np.int64)
        for row, name in enumerate(NUMBERS):
            if name in numbers:
                rows[row] = numbers[name]
        return cls(rows, ops, lengths, offsets, np.full((2, len(offsets) - 1), np.nan), steps)

    def reaching(self, minimums: Minimums, query_lengths: int | _Ints) -> NDArray[np.bool_]:
        """Return True for each alignment that reaches all lower limits of hits, shape (n,).

        Parameters
        ----------
        query_lengths : int, or ndarray, shape=(n,), dtype=int64
            Residues of the whole query, or of that of each.
        """
        identity = 100.0 * self.number("nident") / np.maximum(self.number("length"), 1)
        covered = 100.0 * self.number("query_span") / np.maximum(query_lengths, 1)
        enough = self.number("score") >= minimums.score
        return enough & (identity >= minimums.identity) & (covered >= minimums.coverage)

    def of_hits(
        self, hit: _Ints, strands: _Ints, bit_scores: NDArray[np.float64], log10_evalues: NDArray[np.float64]
    ) -> AlignedColumns:
        """Return the same as lines of hits, shape (n,) each."""
        numbers = np.concatenate([self.numbers[: -len(_OF_LINES)], [hit, strands]])
        return replace(self, numbers=numbers, significance=np.stack([bit_scores, log10_evalues]))

    @classmethod
    def join(cls, parts: Sequence[AlignedColumns]) -> AlignedColumns:
        """Return the alignments of one or more, concatenated."""
        return cls(
            np.concatenate([part.numbers for part in parts], axis=1),
            np.concatenate([part.ops for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            range_offsets(np.concatenate([np.diff(part.offsets) for part in parts])),
            np.concatenate([part.significance for part in parts], axis=1),
            max(part.steps for part in parts),  # those without alignments have plain ones
        )

    def take(self, lines: _Ints) -> AlignedColumns:
        """Return some of the alignments, in the order given."""
        sizes = np.diff(self.offsets)[lines]
        runs = concatenated_ranges(self.offsets[lines], sizes)
        numbers, significance = self.numbers[:, lines], self.significance[:, lines]
        return AlignedColumns(
            numbers, self.ops[runs], self.lengths[runs], range_offsets(sizes), significance, self.steps
        )

    def part(self, start: int, stop: int) -> AlignedColumns:
        """Return the alignments `start` to ``stop - 1``."""
        runs = slice(int(self.offsets[start]), int(self.offsets[stop]))
        offsets = self.offsets[start : stop + 1] - runs.start
        numbers, significance = self.numbers[:, start:stop], self.significance[:, start:stop]
        return AlignedColumns(numbers, self.ops[runs], self.lengths[runs], offsets, significance, self.steps)

    @property
    def hsp(self) -> _Ints:
        """Number of each line within its hit, shape (n,)."""
        hit = self.number("hit")
        return np.arange(len(hit)) - np.searchsorted(hit, hit)

    @property
    def there(self) -> NDArray[np.bool_]:
        """Mask of the alignments that exist, shape (n,)."""
        return self.number("length") > 0

    def number(self, name: str) -> _Ints:
        """Return one of `NUMBERS` of all, shape (n,)."""
        return np.asarray(self.numbers[NUMBERS.index(name)])

    def pair(self, line: int) -> tuple[Alignment, AlignmentCounts] | None:
        """Return one alignment and its counts as objects; None where the line has no alignment."""
        numbers = dict(zip(_OF_ALIGNMENTS, self.numbers[:, line].tolist(), strict=False))
        if not numbers["length"]:
            return None
        runs = slice(self.offsets[line], self.offsets[line + 1])
        places = {name: numbers[name] for name in _PLACES}
        alignment = Alignment(ops=self.ops[runs], lengths=self.lengths[runs], **places, steps=self.steps)
        return alignment, AlignmentCounts(**{name: numbers[name] for name in _COUNTS})

    def cigars(self, backwards: NDArray[np.bool_] | None = None) -> Cigars:
        """Return the CIGAR strings; empty where there is no alignment.

        Parameters
        ----------
        backwards : ndarray, shape=(n,), dtype=bool, optional
            Which to write from the last run to the first.
        """
        return Cigars(self.ops, self.lengths, self.offsets, backwards)


class Cigars(Sequence[str]):
    """CIGAR strings of alignments, spelled on access; attributes are those of `AlignedColumns`."""

    def __init__(
        self, ops: NDArray[np.uint8], lengths: _Ints, offsets: _Ints, backwards: NDArray[np.bool_] | None
    ) -> None:
        self.ops, self.lengths, self.offsets, self.backwards = ops, lengths, offsets, backwards

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        return self._spelled[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spelled)

    @cached_property
    def _spelled(self) -> list[str]:
        kinds = (self.lengths * len(OP_LETTERS) + self.ops).tolist()
        texts = {kind: f"{kind // len(OP_LETTERS)}{OP_LETTERS[kind % len(OP_LETTERS)]}" for kind in set(kinds)}
        runs = list(map(texts.__getitem__, kinds))
        edges = self.offsets.tolist()
        cigars = ["".join(runs[start:end]) for start, end in pairwise(edges)]
        for line in np.flatnonzero(self.backwards).tolist() if self.backwards is not None else ():
            cigars[line] = "".join(runs[edges[line] : edges[line + 1]][::-1])
        return cigars
