"""Places that were found, checked again in other ways than they were found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check, run_interruptible
from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault
from swgui.core.plain import replace
from swgui.core.rules.matching import match_table
from swgui.core.rules.places import Places
from swgui.core.rules.reference import Fit, aligned_columns, edit_fits
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words
from swgui.jobs.rules.circles import circles_of, residues_of
from swgui.jobs.rules.frames import translated

SAMPLE: Final = 1000  # places of a rule with gaps
STEPS: Final = 400_000  # of plain definitions: half a second
CELLS: Final = 20_000_000  # of alignments: as long
_TOGETHER: Final = 1 << 22  # residues compared at a time
WRITTEN: Final = 30_000  # cells of alignments that are written down: a tenth of a second
Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Checks:
    """How many places were checked again, each of which was as it was found."""

    places: int = 0  # all that were found
    recounted: int = 0  # places whose differences were counted again, residue by residue
    fitted: int = 0  # places that were fitted again by the plain definition of the rule
    aligned: int = 0  # places whose identity, by Biopython's aligner, no alignment exceeds


def check_places(request: RuleRequest, database: EncodedDatabase, places: Places, check: Check) -> Checks:
    """Check places again: all of rules without gaps, a sample of others.

    Raises
    ------
    EngineFault
        If one is not as it was found.
    """
    if isinstance(request.rule, Mismatches | Primers):
        parts = _by_piece(database, places, check)
        return Checks(len(places), recounted=sum(_checker(request, *part, check).recount() for part in parts))
    checker, counts = _checker(request, database, places.take(_sample(len(places))), check), dict[str, int]()
    match request.rule:
        case Words():
            counts["recounted"] = checker.words()
        case Edits() | Guides():
            counts["fitted"] = checker.fits()
        case Identity() | Window():
            counts["aligned"], counts["recounted"] = checker.identities()
    return Checks(len(places), **counts)


def _by_piece(database: EncodedDatabase, places: Places, check: Check) -> Iterator[tuple[EncodedDatabase, Places]]:
    """Yield the pieces of a database that have places, in memory one after the other, with the places in each."""
    pieces = database.pieces
    of = np.searchsorted([piece.first for piece in pieces], places.subject, side="right") - 1
    order = np.argsort(of, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(of[order])) + 1):
        if len(rows):
            piece, some = pieces[int(of[rows[0]])], places.take(rows)
            yield run_interruptible(piece.open, check), replace(some, subject=some.subject - piece.first)


def _sample(count: int) -> NDArray[np.int64]:
    """Return rows of some places, by chance but always the same."""
    return np.sort(np.random.default_rng(count).permutation(count)[:SAMPLE])


def _checker(request: RuleRequest, database: EncodedDatabase, places: Places, check: Check) -> _Checker:
    """Return what checks places; of the frames of a database those of proteins."""
    if request.frames:
        request, database, places = translated(request, database, places, circles_of(request, database))
    return _Checker(request, database, places, check)


class _Checker:
    def __init__(self, request: RuleRequest, database: EncodedDatabase, places: Places, check: Check) -> None:
        self.request, self.database, self.places, self.check = request, database, places, check
        self.codes = [request.alphabet.encode(record.residues) for record in request.queries]
        self.table = match_table(request.alphabet, request.ambiguity, pattern=isinstance(request.rule, Primers))
        self.circles = circles_of(request, database)

    def confirm(self, good: NDArray[np.bool_] | bool, rows: NDArray[Any] | int) -> None:
        """Raise `EngineFault` for the first place that is not as it was found."""
        wrong = np.atleast_1d(np.asarray(rows))[~np.atleast_1d(np.asarray(good))]
        if len(wrong):
            row, places = int(wrong[0]), self.places
            raise EngineFault(
                f"Query {self.request.names[int(places.query[row])]} was found in "
                f"{self.database.ids[int(places.subject[row])]} at {int(places.start[row]) + 1:,}, "
                "but that place is not as it was found.",
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

    def recount(self) -> int:
        """Count the differences of all places."""
        return self.mismatches() if isinstance(self.request.rule, Mismatches) else self.primers()

    def mismatches(self) -> int:
        places = self.places
        assert isinstance(self.request.rule, Mismatches)
        for number, strand, rows in self.groups():
            query = self.query(number, strand)
            counted = self.wrong(query, places.start[rows], rows).sum(axis=1)
            good = (counted == places.mismatches[rows]) & (counted <= self.request.rule.mismatches)
            self.confirm(good & (places.end[rows] - places.start[rows] == len(query)), rows)
        return len(places)

    def primers(self) -> int:
        places, rule = self.places, self.request.rule
        assert isinstance(rule, Primers)
        for number, strand, rows in self.groups():
            left, right = self.codes[2 * number], self.codes[2 * number + 1]
            left, right = (left, right) if strand > 0 else (right, left)
            right = self.request.alphabet.reverse_complement(right)
            before = self.wrong(left, places.start[rows], rows)
            behind = self.wrong(right, places.end[rows] - len(right), rows)
            good = before.sum(axis=1) + behind.sum(axis=1) == places.mismatches[rows]
            good &= np.maximum(before.sum(axis=1), behind.sum(axis=1)) <= rule.mismatches
            good &= ~before[:, len(left) - rule.exact_end :].any(axis=1) & ~behind[:, : rule.exact_end].any(axis=1)
            product = places.end[rows] - places.start[rows]
            shortest = max(rule.shortest, len(left), len(right))
            self.confirm(good & (product >= shortest) & (product <= rule.longest), rows)
        return len(places)

    def words(self) -> int:
        """Check runs: they match, and do not go on at either end."""
        assert isinstance(self.request.rule, Words)
        for row in range(len(self.places)):
            query, begin, end = self.aligned_query(row)
            start, stop = int(self.places.start[row]), int(self.places.end[row])
            good = stop - start == end - begin >= self.request.rule.length
            good = good and bool(self.table[query[begin:end], self.part(row, start, stop)].all())
            before, behind = self.part(row, start - 1, start), self.part(row, stop, stop + 1)
            longer = begin > 0 and len(before) > 0 and self.table[query[begin - 1], before[0]]
            longer |= end < len(query) and len(behind) > 0 and self.table[query[end], behind[0]]
            self.confirm(good and not longer, row)
        return len(self.places)

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
        places = self.places
        return int(places.mismatches[row]), int(places.insertions[row]), int(places.deletions[row])

    def fits(self) -> int:
        """Fit queries again where they were found."""
        rule, left, done = self.request.rule, STEPS, 0
        assert isinstance(rule, Edits | Guides)
        most, insertions = rule.limits.differences, rule.limits.insertions
        for row in range(len(self.places)):
            query, _, _ = self.aligned_query(row)
            left -= len(query) * (len(query) + insertions) * comb(most + 3, 3)
            if left < 0 < done:
                break
            reach = len(query) + insertions
            start, end = int(self.places.start[row]), int(self.places.end[row])
            behind = isinstance(rule, Edits) or (rule.side == "3") == (self.places.strand[row] > 0)
            part = self.part(row, end - reach, end) if behind else self.part(row, start, start + reach)[::-1]
            way = query if behind else query[::-1]
            ends = isinstance(rule, Edits) and rule.matching_ends
            fits = edit_fits(way, part, self.table, rule.limits, matching_ends=ends)
            wanted = Fit(len(part) - (end - start), len(part), *self.found(row))
            self.confirm(wanted in list(fits), row)
            if isinstance(rule, Guides):
                self.confirm(self.has_pam(rule, row, end if behind else start - len(rule.pam)), row)
            done += 1
        return done

    def has_pam(self, rule: Guides, row: int, start: int) -> bool:
        alphabet = self.request.alphabet
        pam = alphabet.encode(rule.pam.upper().encode())
        pam = pam if self.places.strand[row] > 0 else alphabet.reverse_complement(pam)
        residues = self.part(row, start, start + len(pam))
        table = match_table(alphabet, self.request.ambiguity, pattern=True)
        return len(residues) == len(pam) and bool(table[pam, residues].all())

    def identities(self) -> tuple[int, int]:
        """Align queries again: by weights with which the identity that was found scores 0, any larger one is above 0.

        A query shorter than its window has no such weights while its columns are fewer; there no alignment may have
        more matches.
        """
        rule, left, written, aligned, recounted = self.request.rule, CELLS, WRITTEN, 0, 0
        assert isinstance(rule, Identity | Window)
        least = rule.length if isinstance(rule, Window) else 0
        for row in range(len(self.places)):
            self.check()
            whole, begin, end = self.aligned_query(row)
            query, subject = whole[begin:end], self.subject(row)
            wrong, insertions, deletions = self.found(row)
            matches, columns = len(query) - wrong - deletions, len(query) + insertions
            self.confirm(self.keeps_limit(matches, columns, len(query)), row)
            left -= len(query) * len(subject)
            if left < 0 < aligned:
                break
            over_query = isinstance(rule, Identity) and rule.over == "query"
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

    def keeps_limit(self, matches: int, columns: int, length: int) -> bool:
        rule = self.request.rule
        if isinstance(rule, Window):
            return Fraction(matches, max(columns, rule.length)) > rule.identity
        assert isinstance(rule, Identity)
        return Fraction(matches, length if rule.over == "query" else columns) >= rule.identity

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
