"""Queries, schemes and subjects that each family of tiles is measured with: made up, the same on every computer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.database import ArrayDatabase, LetterTrack, TextColumn, tracks_of
from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, two_track_matrix
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.core.sweep.tile_rates import Family
from swgui.io.matrices import load_matrix

LONGEST: Final = 1_000  # residues of a subject: a group of threads must not wait for one of them
BASE: Final = 400_000  # residues that are all different; all others repeat them
LARGE: Final = 6  # factor of scores that bytes do not hold
HUGE: Final = 1_400  # factor of scores that 16 bits do not hold
LETTERS: Final = ALPHABETS["3Di"]


@lru_cache(maxsize=8)
def scheme_of(family: Family) -> ScoringScheme:
    """Return the scoring scheme whose arithmetic is that of a family."""
    plain = load_matrix("BLOSUM62", PROTEIN)
    if family == "beside":
        return ScoringScheme(two_track_matrix(plain, load_matrix("3Di", LETTERS), (1, 1)), 12, 1)
    factor = {"words": LARGE, "single": HUGE}.get(family, 1)
    if factor == 1:
        return ScoringScheme(plain, 12, 1)
    matrix = SubstitutionMatrix(f"{factor}x{plain.name}", PROTEIN, (factor * plain.scores).astype(np.int16))
    return ScoringScheme(matrix, 12 * factor, factor)


def queries_of(family: Family, length: int) -> tuple[EncodedQuery, ...]:
    """Return one query of a length, or two of it that are scored at once."""
    query = synthetic_query(length)
    if family == "queries":
        return query, EncodedQuery(f"{query.id}, backwards", query.codes[::-1].copy())
    if family == "beside":
        alphabet = scheme_of(family).alphabet
        letters = (query.codes * 7 + np.arange(length)) % len(LETTERS)
        return (EncodedQuery(query.id, alphabet.join(query.codes, letters.astype(np.uint8))),)  # type: ignore[attr-defined]
    if family in ("positions", "openings"):
        return (_as_profile(query, all_costs=family == "positions"),)
    return (query,)


def _as_profile(query: EncodedQuery, *, all_costs: bool) -> EncodedQuery:
    """Return a query as a profile whose gap costs differ by position: in their first residues, or in all."""
    position = np.arange(len(query), dtype=np.int16)
    first, extend = 20 + position % 45, np.full(len(query), 3, dtype=np.int16)
    further = np.where(position % 10 == 9, 2, extend).astype(np.int16) if all_costs else extend
    gaps = PositionGaps(first, extend, first[::-1].copy(), further)
    profile = (4 * query.scores(scheme_of("packed"))).astype(np.int16)
    return EncodedQuery(query.id, query.codes, profile, gaps=gaps)


@dataclass(frozen=True, eq=False)
class Subjects:
    """Subjects that are scored: those of `base`, in twos, each two of them `times` over."""

    base: ArrayDatabase
    repeated: ArrayDatabase = field(repr=False)
    times: int

    @classmethod
    def make(cls, residues: int, *, tracks: bool = False, longest: int = LONGEST, base: int = BASE) -> Subjects:
        """Return subjects of about so many residues; of two tracks if that is wanted."""
        once = _cut(synthetic_database(min(base, residues)), longest)
        if tracks:
            alphabet = scheme_of("beside").alphabet
            letters = (once.codes.astype(np.int64) * 5 + np.arange(len(once.codes)) // 3) % len(LETTERS)
            _, track = tracks_of(alphabet, alphabet.join(once.codes, letters.astype(np.uint8)))  # type: ignore[attr-defined]
            once = replace(once, alphabet=alphabet, track=track, checksum=f"{once.checksum}, two tracks")
        times = max(1, round(residues / once.residues))
        return cls(once, _repeated(once, times), times)

    def expected(self, scores: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the scores of all subjects, shape (queries, n), from those of the base, in the order of storage."""
        return np.repeat(scores.reshape(len(scores), -1, 2), self.times, axis=1).reshape(len(scores), -1)


def _cut(database: ArrayDatabase, longest: int) -> ArrayDatabase:
    """Return an even number of subjects, none longer than wanted, in the order of storage."""
    lengths = np.minimum(np.diff(database.offsets), longest)
    lengths = lengths[: len(lengths) // 2 * 2]
    rows = [
        database.codes[start : start + length]
        for start, length in zip(database.offsets.tolist(), lengths.tolist(), strict=False)
    ]
    return _database(rows, database.checksum, f"{len(rows):,} of at most {longest:,}", database)


def _repeated(once: ArrayDatabase, times: int) -> ArrayDatabase:
    places = zip(once.offsets[:-1:2].tolist(), once.offsets[2::2].tolist(), strict=True)
    edges = list(places)
    offsets = np.zeros(times * len(once) + 1, dtype=np.int64)
    lengths = np.repeat(np.diff(once.offsets).reshape(-1, 2), times, axis=0).reshape(-1)
    np.cumsum(lengths, out=offsets[1:])
    track = once.track
    if track is not None:
        repeated = np.concatenate([np.tile(track.codes[first:last], times) for first, last in edges])
        track = LetterTrack(track.alphabet, repeated, f"{track.checksum} x {times}")
    return replace(
        once,
        codes=np.concatenate([np.tile(once.codes[first:last], times) for first, last in edges]),
        offsets=offsets,
        order=np.arange(len(lengths), dtype=np.int64),
        track=track,
        checksum=f"{once.checksum} x {times}",
    )


def _database(rows: list[NDArray[np.uint8]], checksum: str, name: str, like: ArrayDatabase) -> ArrayDatabase:
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    none = TextColumn.from_texts(())
    return replace(
        like,
        name=name,
        codes=np.concatenate(rows),
        offsets=offsets,
        order=np.arange(len(rows), dtype=np.int64),
        ids=none,
        descriptions=none,
        checksum=hashlib.blake2b(f"{checksum} {name}".encode(), digest_size=16).hexdigest(),
    )


def one_twin(residues: int) -> ArrayDatabase:
    """Return two subjects with this number of residues each, which one group of threads has to score alone."""
    codes = np.resize(synthetic_query(8_192).codes, 2 * residues)
    like = synthetic_database(2_000)
    return _database([codes[:residues], codes[residues:]], like.checksum, f"two subjects of {residues:,}", like)
