"""Tools that check places again: windows compared, queries fitted and aligned by other code than found them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault
from swgui.core.rules.base import Limits
from swgui.core.rules.places import Places
from swgui.core.rules.reference import Fit, aligned_columns, edit_fits
from swgui.core.rules.request import RuleRequest
from swgui.jobs.rules.circles import circles_of, residues_of

STEPS: Final = 400_000  # of plain definitions: half a second
CELLS: Final = 20_000_000  # of alignments: as long
WRITTEN: Final = 30_000  # cells of alignments that are written down: a tenth of a second
_TOGETHER: Final = 1 << 22  # residues compared at a time
Codes = NDArray[np.uint8]


class Checker:
    """The needs of every rule to check its places again; the first wrong place of each method ends the run."""

    def __init__(self, request: RuleRequest, database: EncodedDatabase, places: Places, check: Check) -> None:
        self.request, self.database, self.places, self.check = request, database, places, check
        self.codes = [request.alphabet.encode(record.residues) for record in request.queries]
        self.table = request.match_table()
        self.circles = circles_of(request, database)

    def confirm(self, good: NDArray[np.bool_] | bool, rows: NDArray[Any] | int) -> None:
        """Raise `EngineFault` for the first place that is not as it was found."""
        wrong = np.atleast_1d(np.asarray(rows))[~np.atleast_1d(np.asarray(good))]
        if len(wrong):
            row, places = int(wrong[0]), self.places
            raise EngineFault(
                f"Query {self.request.names[int(places.query[row])]} was found in "
                f"{self.database.ids[int(places.subject[row])]} at {int(places.start[row]) + 1:,}, "
                "but the sequence there is another.",
                hint="Do not use these places; please report this with the queries and the database.",
            )

    def query(self, number: int, strand: int) -> Codes:
        """Return the codes of a query as they stand on the plus strand."""
        codes = self.codes[number]
        return codes if strand > 0 else self.request.alphabet.reverse_complement(codes)

    def groups(self) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
        """Yield number and strand of each query that was found, and its rows, some at a time."""
        keys = self.places.query.astype(np.int64) * 2 + (self.places.strand < 0)
        order = np.argsort(keys, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
            if len(rows):
                key = int(keys[rows[0]])
                step = max(1, _TOGETHER // max(len(self.codes[min(key // 2, len(self.codes) - 1)]), 1))
                for first in range(0, len(rows), step):
                    self.check()
                    yield key // 2, 1 - 2 * (key % 2), rows[first : first + step]

    def wrong(self, query: Codes, starts: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which residues differ, shape (rows, residues), of windows that lie in their subjects."""
        codes, begins, sizes = self.database.placed(self.places.subject[rows])
        circular = self.circles.among(self.places.subject[rows])
        self.confirm((starts >= 0) & (circular | (starts + len(query) <= sizes)), rows)
        at = starts[:, None] + np.arange(len(query))
        at = np.where(circular[:, None], at % np.maximum(sizes, 1)[:, None], at) if circular.any() else at
        residues = codes[begins[:, None] + at]
        wrong: NDArray[np.bool_] = ~self.table[query[None, :], residues]
        return wrong

    def part(self, row: int, start: int, stop: int) -> Codes:
        """Return residues of a subject, as far as it has them; of a circular one, across its origin."""
        self.check()
        if self.circles.among(self.places.subject[row : row + 1])[0]:
            return residues_of(self.database, int(self.places.subject[row]), start, stop)
        subject = self.database.reading(int(self.places.subject[row]))
        return subject[max(start, 0) : max(min(stop, len(subject)), start, 0)]

    def subject(self, row: int) -> Codes:
        """Return the residues of a subject; of a circular one, as far behind its end as it is read."""
        number = int(self.places.subject[row])
        codes = self.database.subject(number)
        if self.circles.among(self.places.subject[row : row + 1])[0]:
            return residues_of(self.database, number, 0, len(codes) + self.circles.behind)
        return codes

    def aligned_query(self, row: int) -> tuple[Codes, int, int]:
        """Return a query as it stands on the plus strand, and which part of that is aligned."""
        strand, number = int(self.places.strand[row]), int(self.places.query[row])
        begin, end = int(self.places.query_start[row]), int(self.places.query_end[row])
        size = len(self.codes[number])
        return self.query(number, strand), *((begin, end) if strand > 0 else (size - end, size - begin))

    def found(self, row: int) -> tuple[int, int, int]:
        """Return mismatches, insertions and deletions of a place."""
        places = self.places
        return int(places.mismatches[row]), int(places.insertions[row]), int(places.deletions[row])

    def fits(
        self,
        limits: Limits,
        *,
        behind: Callable[[int], bool] = lambda row: True,
        matching_ends: bool = False,
        confirm: Callable[[int, bool], None] = lambda row, behind: None,
    ) -> int:
        """Fit queries again where they were found.

        Parameters
        ----------
        behind : callable
            Takes a row and returns whether the place is known by its end, and not by its start.
        confirm : callable
            Takes a row, and what `behind` returned; raises `EngineFault` for any other difference.
        """
        left, done, insertions = STEPS, 0, limits.insertions
        for row in range(len(self.places)):
            query, _, _ = self.aligned_query(row)
            left -= len(query) * (len(query) + insertions) * comb(limits.differences + 3, 3)
            if left < 0 < done:
                break
            reach, by_end = len(query) + insertions, behind(row)
            start, end = int(self.places.start[row]), int(self.places.end[row])
            part = self.part(row, end - reach, end) if by_end else self.part(row, start, start + reach)[::-1]
            way = query if by_end else query[::-1]
            fits = edit_fits(way, part, self.table, limits, matching_ends=matching_ends)
            wanted = Fit(len(part) - (end - start), len(part), *self.found(row))
            self.confirm(wanted in list(fits), row)
            confirm(row, by_end)
            done += 1
        return done

    def identities(
        self, keeps: Callable[[int, int, int], bool], least: int = 0, *, over_query: bool = False
    ) -> tuple[int, int]:
        """Align queries again: by weights with which the identity that was found scores 0, any larger one is above 0.

        A query shorter than its window has no such weights while its columns are fewer; there no alignment may have
        more matches.

        Parameters
        ----------
        keeps : callable
            Takes matches, columns and the residues of the query; returns whether the rule lists such an alignment.
        least : int
            Columns that identities are counted over at least.
        over_query : bool
            Whether identities are counted over the query.
        """
        left, written, aligned, recounted = CELLS, WRITTEN, 0, 0
        for row in range(len(self.places)):
            self.check()
            whole, begin, end = self.aligned_query(row)
            query, subject = whole[begin:end], self.subject(row)
            wrong, insertions, deletions = self.found(row)
            matches, columns = len(query) - wrong - deletions, len(query) + insertions
            self.confirm(keeps(matches, columns, len(query)), row)
            left -= len(query) * len(subject)
            if left < 0 < aligned:
                break
            short = len(query) < least
            few = over_query or (short and columns <= least)
            up, down = (1, 0) if few else (columns - matches, max(matches, 1))
            best, score = self.best_score(query, subject, up, down), matches * up - (columns - matches) * down
            self.confirm(best >= score if short else best == score, row)
            aligned += best == score
            part = subject[int(self.places.start[row]) : int(self.places.end[row])]
            if over_query:  # which may have too many gap positions for what follows
                sized = len(part) == len(query) + insertions - deletions
                self.confirm(sized and self.best_score(query, part, up, down) == matches, row)
            written -= len(query) * (insertions + 1) * (deletions + 1)
            if written >= 0:
                fit = Fit(0, len(part), wrong, insertions, deletions)
                self.confirm(self.makes(query, part, fit, matches), row)
                recounted += 1
        return aligned, recounted

    def makes(self, query: Codes, part: Codes, fit: Fit, matches: int) -> bool:
        """Whether there is an alignment of these residues with so many matches and gap positions."""
        if len(part) != len(query) + fit.insertions - fit.deletions:
            return False
        return aligned_columns(query, part, self.table, fit).count("=") == matches

    def best_score(self, query: Codes, subject: Codes, up: int, down: int) -> int:
        """Return the best score of a whole query by Biopython, ends of the subject free."""
        from Bio.Align import PairwiseAligner, substitution_matrices

        letters = self.request.alphabet.letters
        values = np.where(self.table, float(up), float(-down))
        aligner = PairwiseAligner(mode="global")
        aligner.substitution_matrix = substitution_matrices.Array(alphabet=letters, dims=2, data=values)
        aligner.gap_score = -down
        free = "end_deletion_score" if hasattr(aligner, "end_deletion_score") else "query_end_gap_score"
        setattr(aligner, free, 0)
        texts = (self.request.alphabet.decode(codes).decode() for codes in (subject, query))
        return round(float(aligner.score(*texts)))
