"""Alignments of a query with subjects whose reading may shift: the best of a strand, then the best of what it leaves.

Long strands are cut into pieces that overlap by what an alignment can span at most, so none is lost at a border; where
the search found out which pieces score, the others are not looked at again. Alignments of a pair share no base of a
strand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.errors import ScoreMismatch
from swgui.core.frameshift import Shifted, rescored
from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.hits.stretches import Subjects
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.database import TranslatedDatabase
from swgui.core.translation.genetic_codes import CODON
from swgui.engines.native.shifting import shift_paths
from swgui.engines.shift_search import cut_strands
from swgui.engines.shifted import CpuShifts, ShiftScheme

ROUNDS: Final = 1_000  # of what alignments leave of one strand
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Place:
    """An alignment of a hit.

    Parameters
    ----------
    path : Shifted
        On the whole protein and the whole strand, or the part of it that is searched with.
    """

    reading: int
    path: Shifted = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Hits, each in a reading in which its alignments are looked for.

    Parameters
    ----------
    hits : ndarray, shape=(n,), dtype=int64
        Which hit each is of.
    db_index, readings : ndarray, shape=(n,), dtype=int64
    """

    hits: _Ints
    db_index: _Ints
    readings: _Ints

    @classmethod
    def of(cls, db_index: _Ints, items: Sequence[tuple[int, int]]) -> _Items:
        """Take hits and readings; `db_index` has the subjects of the hits."""
        hits, readings = (np.array(column, dtype=np.int64) for column in zip(*items, strict=True))
        return cls(hits, db_index[hits], readings)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Stretches of strands that are looked at, each of one hit in one reading.

    Parameters
    ----------
    item : ndarray, shape=(n,), dtype=int64
        Which hit and reading each is of.
    begins, lengths : ndarray, shape=(n,), dtype=int64
        First codon on the strand, and codons.
    """

    item: _Ints
    begins: _Ints
    lengths: _Ints

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int]]) -> _Pieces:
        """Make them of tuples."""
        return cls(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)

    @classmethod
    def cut(cls, rows: Sequence[tuple[int, int, int]], overlap: int) -> _Pieces:
        """Cut stretches, as tuples, into pieces that overlap."""
        cut = cut_strands(np.array([length for *_, length in rows], dtype=np.int64), overlap)
        which = [rows[number] for number in cut[:, 0].tolist()]
        inside = zip(which, cut[:, 1:].tolist(), strict=True)
        return cls.of([(item, first + begin, length) for (item, first, _), (begin, length) in inside])

    def take(self, numbers: _Ints | NDArray[np.bool_]) -> _Pieces:
        """Return some of them."""
        return _Pieces(self.item[numbers], self.begins[numbers], self.lengths[numbers])


class PlaceFinder:
    """Finds the alignments of one query of a search with frameshifts.

    Parameters
    ----------
    queries : mapping of int to EncodedQuery
        What was searched with, by reading.
    windows : mapping of (int, int) to WindowScores
        Where long subjects score, by source index and reading, as far as it is known.
    check : callable
        Called many times a second, by several threads; may raise to give up.
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.
    """

    def __init__(
        self,
        queries: Mapping[int, EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        windows: Mapping[tuple[int, int], WindowScores],
        check: Check = lambda: None,
        threads: int = 0,
    ) -> None:
        assert isinstance(database, TranslatedDatabase)
        how = database.translation
        self._database, self._windows, self._check, self._threads = database, windows, check, threads
        self._dna_query = how.of.translates_query
        self._scheme = ShiftScheme.of(scheme, how.shift, protein_query=not self._dna_query)
        self._ends = CpuShifts(self._scheme, threads if threads >= 0 else 1)
        self._queries = {reading: query.codes for reading, query in queries.items()}

    def places(
        self,
        hits: HitColumns,
        least: _Ints,
        most: int,
        may_reach: Callable[[int], NDArray[np.bool_]] | None = None,
    ) -> list[list[Place]]:
        """Return the alignments of some hits, best first; of equals those of the hit's reading come first.

        Parameters
        ----------
        hits : HitColumns
            k of them, all with a score above 0.
        least : ndarray, shape=(k,), dtype=int64
            The lowest score that is wanted of each, at least 1 and at most its own.
        most : int
            Alignments of a subject.
        may_reach : callable, optional
            Returns which hits may hold such an alignment in a reading, shape (k,); by default each in its own alone.

        Raises
        ------
        ScoreMismatch
            If an alignment does not add up, or the best one not to the score of the search.
        """
        own = hits.strands.astype(np.int64)
        asked = {reading: own == reading if may_reach is None else may_reach(reading) for reading in self._queries}
        of_items = [(at, reading) for at in range(len(hits)) for reading, some in asked.items() if some[at]]
        if not of_items:
            return []
        found: list[list[Place]] = [[] for _ in range(len(hits))]
        for item, path in self._found(_Items.of(hits.db_index, of_items), least):
            found[of_items[item][0]].append(Place(of_items[item][1], path))
        return [self._chosen(hits, row, of_hit, most) for row, of_hit in enumerate(found)]

    def beside(self, db_index: int, reading: int, held: Sequence[tuple[int, int]]) -> Shifted | None:
        """Return the best alignment on what some stretches of bases leave of a strand; None where nothing scores."""
        items = _Items.of(np.array([db_index]), [(0, reading)])
        proteins = self._proteins(items)
        rest = [(0, int(self._codons(items)[0]))]
        for span in held:
            rest = [part for begin, length in rest for part in _left(begin, length, span)]
        pieces = _Pieces.cut([(0, begin, length) for begin, length in rest], self._scheme.span(proteins))
        parts = self._parts(items, pieces)
        ends = self._score(proteins, parts, pieces.item)
        best = np.argsort(-ends[:, 0], kind="stable")[:1]
        if not ends[best, 0].any():
            return None
        (path,) = self._paths(proteins, parts, pieces.item, ends, best)
        return path.moved(int(pieces.begins[best[0]]))

    def _chosen(self, hits: HitColumns, row: int, found: list[Place], most: int) -> list[Place]:
        """Return the alignments of a hit in order."""
        own, score = int(hits.strands[row]), int(hits.scores[row])
        found.sort(key=lambda one: (-one.path.score, one.reading != own, one.path.dna_start))
        best = found[0].path.score if found else 0
        if best != score:
            raise ScoreMismatch(self._database.ids[int(hits.db_index[row])], score, best)
        return found[:most]

    def _proteins(self, items: _Items) -> Subjects:
        """Return the protein of each item."""
        return Subjects.of(self._database, items.db_index, items.readings) if self._dna_query else self._of_query(items)

    def _codons(self, items: _Items) -> _Ints:
        """Return how many codons the strand of each item has, one from each base on."""
        if self._dna_query:
            return self._of_query(items).lengths
        bases = self._database.given.lengths[items.db_index].astype(np.int64)
        return np.asarray(np.maximum(bases - (CODON - 1), 0))

    def _parts(self, items: _Items, pieces: _Pieces) -> Subjects:
        """Return the codons of pieces of strands; of a database only these are translated."""
        if self._dna_query:
            strands = self._of_query(items)
            return Subjects(strands.codes, strands.starts[pieces.item] + pieces.begins, pieces.lengths)
        bases = pieces.begins, pieces.begins + pieces.lengths + (CODON - 1)
        return Subjects.of(self._database, items.db_index[pieces.item], items.readings[pieces.item], bases)

    def _of_query(self, items: _Items) -> Subjects:
        """Return the query of each item, in its reading."""
        number = {reading: at for at, reading in enumerate(self._queries)}
        packed = Subjects.stacked(list(self._queries.values()))
        return packed.take(np.array([number[reading] for reading in items.readings.tolist()], dtype=np.int64))

    def _pieces(self, items: _Items, overlap: int, least: _Ints) -> _Pieces:
        """Return what is looked at first: of strands whose pieces were scored those that reach far enough."""
        whole: list[tuple[int, int, int]] = []
        facts = zip(items.db_index.tolist(), items.readings.tolist(), self._codons(items).tolist(), strict=True)
        for item, (db_index, reading, codons) in enumerate(facts):
            windows = self._windows.get((db_index, reading))
            if windows is None:
                whole.append((item, 0, codons))
                continue
            for chosen in np.flatnonzero(windows.scores >= least[items.hits[item]]).tolist():
                begin = int(windows.starts[chosen])
                whole.append((item, begin, int(windows.stops[chosen]) - begin - CODON + 1))
        return _Pieces.cut(whole, overlap)

    def _found(self, items: _Items, least: _Ints) -> Iterator[tuple[int, Shifted]]:
        """Yield alignments and the items they are of: the best of a strand, and then those of what they leave."""
        proteins = self._proteins(items)
        pieces = self._pieces(items, self._scheme.span(proteins), least)
        needed = least[items.hits]
        taken: dict[int, list[tuple[int, int]]] = {}
        for _ in range(ROUNDS):
            parts = self._parts(items, pieces)
            ends = self._score(proteins, parts, pieces.item)
            kept = np.flatnonzero(ends[:, 0] >= needed[pieces.item])
            kept = kept[np.argsort(-ends[kept, 0], kind="stable")]
            paths = self._paths(proteins, parts, pieces.item, ends, kept)
            rest: list[tuple[int, int, int]] = []
            for at, path in zip(kept.tolist(), paths, strict=True):
                item, begin = int(pieces.item[at]), int(pieces.begins[at])
                whole = path.moved(begin)
                span = whole.dna_start, whole.dna_end
                held = taken.setdefault(item, [])
                clash = next((one for one in held if one[0] < span[1] and span[0] < one[1]), None)
                if clash is None:
                    held.append(span)
                    yield item, whole
                rest += [(item, *part) for part in _left(begin, int(pieces.lengths[at]), clash or span)]
            if not rest:
                return
            pieces = _Pieces.of(rest)

    def _score(self, proteins: Subjects, parts: Subjects, item: _Ints) -> _Ints:
        """Return where the best alignment of each piece ends: score, residues and bases before the end."""
        sides = [_different(proteins.take(item)), _different(parts)]
        pairs = np.stack([number for _, number in sides], axis=1)
        return self._ends.ends(sides[0][0], sides[1][0], pairs, self._check)

    def _paths(self, proteins: Subjects, parts: Subjects, item: _Ints, ends: _Ints, kept: _Ints) -> list[Shifted]:
        """Return the alignments that end there, added up again."""
        made: list[Shifted | None] = [None] * len(kept)
        ours, theirs = proteins.take(item[kept]), parts.take(kept)
        (_, of_protein), (_, of_strand) = _different(ours), _different(theirs)
        by_codons = bool(of_strand.max(initial=0) < of_protein.max(initial=0))
        which, others = (of_strand, ours) if by_codons else (of_protein, theirs)
        how: dict[str, Any] = {"threads": self._threads, "check": self._check}
        for number in range(int(which.max(initial=-1)) + 1):
            own = np.flatnonzero(which == number)
            first = int(own[0])
            query = self._scheme.by_codons(theirs[first]) if by_codons else self._scheme.by_residues(ours[first])
            found = shift_paths(query, others.take(own), ends[kept[own]], **how)
            for at, path in zip(own.tolist(), found, strict=True):
                made[at] = path
        return [self._checked(path, ours[at], theirs[at]) for at, path in enumerate(made)]

    def _checked(self, path: Shifted | None, protein: NDArray[np.uint8], strand: NDArray[np.uint8]) -> Shifted:
        """Return an alignment whose residues add up to its score."""
        self._check()
        assert path is not None  # its score is above 0
        query = self._scheme.by_residues(protein)
        actual = rescored(path, query.profile, strand, *query.costs)
        if actual != path.score:
            raise ScoreMismatch("", path.score, actual)
        return path


def _different(given: Subjects) -> tuple[Subjects, _Ints]:
    """Return each stretch once, and which of these each of those given is."""
    spans = given.starts * (int(given.lengths.max(initial=0)) + 1) + given.lengths
    _, first, number = np.unique(spans, return_index=True, return_inverse=True)
    return given.take(first), number


def _left(begin: int, length: int, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield first codon and codons of what a stretch of bases leaves of a piece."""
    end = begin + length
    for first, last in ((begin, min(end, span[0] - CODON + 1)), (max(begin, span[1]), end)):
        if last > first:
            yield first, last - first
