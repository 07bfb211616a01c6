"""One search with frameshifts: scores, statistics, alignments, and what is left of a strand beside them.

Long strands are cut into pieces that overlap by what an alignment can span at most, so none is lost at a border. Hits
of a protein on a strand share no base: the best comes first, then the best of what it leaves, as long as E allows.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.frameshift import Shifted
from swgui.core.frameshift.codons import codons_of
from swgui.core.frameshift.hits import ShiftHit
from swgui.core.records import SequenceRecord
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.translation.genetic_codes import genetic_code
from swgui.engines.native.shifting import shift_paths
from swgui.engines.native.subjects import Subjects
from swgui.engines.shifted import NUMBERED, CpuShifts, ShiftEngine, ShiftScheme, cut_pieces, make_shift_engine
from swgui.io.statistics import load_statistics
from swgui.jobs.frameshift.request import ShiftedRequest

BATCH: Final = 1 << 25  # letters of a database that are looked at together
FRAMES: Final = 3
ROUNDS: Final = 1_000  # of hits of one protein on one strand


@dataclass(frozen=True, slots=True)
class QueryHits:
    """The hits of one query, best first.

    Parameters
    ----------
    query : SequenceRecord
    number : int
        Of the query, from 1.
    hits : tuple of ShiftHit
    engine : str
        What scored.
    """

    query: SequenceRecord
    number: int
    hits: tuple[ShiftHit, ...]
    engine: str


@dataclass(slots=True, eq=False)
class _Batch:
    """Proteins and pieces of strands that are compared; each piece is a stretch of a whole strand."""

    proteins: Subjects
    codons: NDArray[np.uint8]
    starts: NDArray[np.int64]  # of the strand of each piece in `codons`
    sizes: NDArray[np.int64]  # codons of that strand
    dna: NDArray[np.int64]  # number and strand of the DNA of each piece
    strand: NDArray[np.int64]
    begins: NDArray[np.int64]  # of each piece in its strand
    lengths: NDArray[np.int64]

    @property
    def pieces(self) -> Subjects:
        """The pieces as subjects."""
        return Subjects(self.codons, self.starts + self.begins, self.lengths)

    def add(self, piece: int, begin: int, length: int) -> int:
        """Add a part of a piece as another one; returns its number."""
        for name in ("starts", "sizes", "dna", "strand"):
            values = getattr(self, name)
            setattr(self, name, np.append(values, values[piece]))
        self.begins, self.lengths = np.append(self.begins, begin), np.append(self.lengths, length)
        return len(self.begins) - 1


@dataclass(slots=True)
class _Found:
    """A hit before its statistics: protein and piece of the batch, and its path on the whole strand."""

    protein: int
    piece: int
    path: Shifted = field(repr=False)


def search_shifted(request: ShiftedRequest, cancel: threading.Event) -> Iterator[QueryHits]:
    """Search every query; yields its hits when they are found.

    Raises
    ------
    InvalidParameter
        If no statistics are known for matrix and gap costs.
    EngineUnavailable
        If the engine cannot run here.
    Stopped
        If `cancel` was set.
    """
    statistics = load_statistics(request.scheme)
    if statistics is None:
        raise InvalidParameter(
            "matrix",
            request.scheme.describe(),
            f"For {request.scheme.describe()} no statistics are known, so E cannot be told.",
            hint="Choose a matrix and gap costs of BLAST, for example BLOSUM62 and 11/1.",
        )
    scheme = ShiftScheme.of(request.scheme, request.shift, protein_query=request.protein_query)
    engine = make_shift_engine(request.engine, scheme, request.options)
    search = _Search(request, scheme, statistics, engine, cancel)
    for number, query in enumerate(request.queries, start=1):
        hits = sorted(search.hits_of(query), key=lambda hit: (-hit.alignment.score, hit.subject, hit.bases))
        yield QueryHits(query, number, tuple(hits[: request.top]), engine.name)


class _Search:
    """What is the same for all queries."""

    def __init__(
        self,
        request: ShiftedRequest,
        scheme: ShiftScheme,
        statistics: KarlinAltschul,
        engine: ShiftEngine,
        cancel: threading.Event,
    ) -> None:
        self._request, self._scheme, self._statistics, self._engine = request, scheme, statistics, engine
        self._ends = CpuShifts(scheme, request.options.threads)
        self._cancel = cancel
        lengths = request.database.lengths.astype(np.int64)
        frames = FRAMES * len(request.strands)
        residues = int(lengths.sum()) if not request.protein_query else int((lengths // FRAMES).sum())
        times = frames * genetic_code(request.code).open_share  # as in other translated searches
        self._space = times * residues, times * len(lengths)

    def _check(self) -> None:
        if self._cancel.is_set():
            raise Stopped("The search was stopped.")

    def hits_of(self, query: SequenceRecord) -> Iterator[ShiftHit]:
        """Yield all hits of one query, in no order."""
        for batch, numbers in self._batches(query):
            for found in self._found(batch):
                yield self._hit(query, batch, numbers, found)

    def _batches(self, query: SequenceRecord) -> Iterator[tuple[_Batch, NDArray[np.int64]]]:
        """Yield what is compared together, and which subjects of the database are in it."""
        database, protein_query = self._request.database, self._request.protein_query
        own = (PROTEIN if protein_query else NUCLEOTIDE).encode(query.residues)
        lengths = database.lengths.astype(np.int64)
        at = 0
        while at < len(lengths):
            to = max(at + 1, int(np.searchsorted(np.cumsum(lengths[at:]), BATCH, side="right")) + at)
            numbers = np.arange(at, to)
            subjects = [database.subject(number) for number in numbers.tolist()]
            yield (self._batch([own], subjects) if protein_query else self._batch(subjects, [own])), numbers
            at = to

    def _batch(self, proteins: list[NDArray[np.uint8]], dna: list[NDArray[np.uint8]]) -> _Batch:
        """Lay out proteins and the strands of some DNA, cut into pieces."""
        strands = [(number, way) for number in range(len(dna)) for way in self._request.strands]
        parts = [codons_of(dna[number], way, self._request.code) for number, way in strands]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in proteins])])
        packed = Subjects.packed(np.concatenate([np.zeros(0, np.uint8), *proteins]), offsets)
        pieces = _cut(sizes, self._scheme.span(packed))
        of, which = pieces[:, 0], np.array(strands, dtype=np.int64).reshape(-1, 2)
        return _Batch(
            packed,
            np.concatenate([np.zeros(0, np.uint8), *parts]),
            starts[of],
            sizes[of],
            which[of, 0],
            which[of, 1],
            pieces[:, 1],
            pieces[:, 2],
        )

    def _found(self, batch: _Batch) -> Iterator[_Found]:
        """Yield hits, best of a protein on a strand first, and then those of what they leave."""
        proteins, pieces = np.arange(len(batch.proteins)), np.arange(len(batch.begins))
        pairs = np.stack(np.meshgrid(proteins, pieces, indexing="ij"), axis=-1).reshape(-1, 2)
        taken: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        for turn in range(ROUNDS):
            pairs, ends = self._worth(batch, pairs, self._engine if turn == 0 else self._ends)
            rest: list[tuple[int, int]] = []
            for at in np.argsort(-ends[:, 0], kind="stable").tolist():
                self._check()
                protein, piece = pairs[at].tolist()
                path = self._path(batch, protein, piece, ends[at])
                held = taken.setdefault((protein, int(batch.dna[piece]), int(batch.strand[piece])), [])
                span = path.dna_start, path.dna_end
                clash = next((one for one in held if one[0] < span[1] and span[0] < one[1]), None)
                if clash is None:
                    held.append(span)
                    yield _Found(protein, piece, path)
                rest += [(protein, part) for part in _left(batch, piece, clash or span)]
            if not rest:
                return
            pairs = np.array(rest, dtype=np.int64)

    def _worth(
        self, batch: _Batch, pairs: NDArray[np.int64], engine: ShiftEngine
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs whose E is low enough, and where their alignments end."""
        pieces = batch.pieces
        if isinstance(engine, CpuShifts):
            ends = engine.ends(batch.proteins, pieces, pairs, self._check)
            kept = self._reaches(batch, pairs, ends[:, 0])
            return pairs[kept], ends[kept]
        kept = self._reaches(batch, pairs, engine.scores(batch.proteins, pieces, pairs, self._check))
        return pairs[kept], self._ends.ends(batch.proteins, pieces, pairs[kept], self._check)

    def _reaches(self, batch: _Batch, pairs: NDArray[np.int64], scores: NDArray[np.int64]) -> NDArray[np.int64]:
        found = np.flatnonzero(scores > 0)
        bases = batch.sizes[pairs[found, 1]] + 2
        logs = self._log10_evalues(scores[found], batch.proteins.lengths[pairs[found, 0]], bases)
        return found[logs <= math.log10(self._request.max_evalue)]

    def _log10_evalues(
        self, scores: NDArray[np.int64], residues: NDArray[np.int64], bases: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the logarithm of E: the search space is that of the six frames, or three on one strand."""
        if not len(scores):
            return np.zeros(0)
        frames = bases // FRAMES
        query, subjects = (residues, frames) if self._request.protein_query else (frames, residues)
        return self._statistics.log10_evalues(scores, int(query[0]), subjects, *self._space)

    def _path(self, batch: _Batch, protein: int, piece: int, end: NDArray[np.int64]) -> Shifted:
        """Return the alignment of a pair, in bases of the whole strand."""
        query = self._scheme.by_residues(batch.proteins[protein])
        subjects = batch.pieces.take(np.array([piece]))
        (path,) = shift_paths(query, subjects, end[None], threads=1)
        assert path is not None
        return path.moved(int(batch.begins[piece]))

    def _hit(self, query: SequenceRecord, batch: _Batch, numbers: NDArray[np.int64], found: _Found) -> ShiftHit:
        request, piece, path = self._request, found.piece, found.path
        subject = int(numbers[batch.dna[piece] if request.protein_query else found.protein])
        record = request.database.record(subject)
        residues, bases = int(batch.proteins.lengths[found.protein]), int(batch.sizes[piece]) + 2
        score = np.array([path.score])
        log = self._log10_evalues(score, np.array([residues]), np.array([bases]))
        first = int(batch.starts[piece])
        return ShiftHit(
            query.id,
            record.id,
            record.description,
            request.protein_query,
            int(batch.strand[piece]),
            path,
            residues,
            bases,
            10.0 ** float(log[0]),
            float(self._statistics.bit_scores(score)[0]),
            batch.proteins[found.protein],
            batch.codons[first : first + int(batch.sizes[piece])],
            self._scheme.table,
        )


def _cut(sizes: NDArray[np.int64], overlap: int) -> NDArray[np.int64]:
    """Return strand, first codon and codons of pieces that overlap; whole strands for an overlap below 0."""
    if overlap < 0:
        return np.stack([np.arange(len(sizes)), np.zeros_like(sizes), sizes], axis=1)
    return cut_pieces(sizes.tolist(), overlap, max(NUMBERED, 2 * overlap))


def _left(batch: _Batch, piece: int, span: tuple[int, int]) -> Iterator[int]:
    """Yield what a stretch of bases leaves of a piece, as pieces of their own."""
    begin, end = int(batch.begins[piece]), int(batch.begins[piece] + batch.lengths[piece])
    for first, last in ((begin, min(end, span[0] - 2)), (max(begin, span[1]), end)):
        if last > first:
            yield batch.add(piece, first, last - first)
