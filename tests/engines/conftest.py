"""Every engine that can run here, and the schemes and sequences they are compared on."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.records import Letters, SequenceRecord
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines.base import Engine
from swgui.engines.facts import CLUSTER
from swgui.engines.facts import ENGINES as ENGINE_FACTS
from swgui.engines.native import library
from swgui.engines.registry import facts
from tests.asking import BLOSUM62, DNA_SCHEME
from tests.reference import gotoh_by_position, reference_scores

# Name of the test parameter: engine and settings. A cluster has tests of its own.
ENGINES = {
    **{engine.name: (engine.name, {}) for engine in ENGINE_FACTS if engine is not CLUSTER},
}


def make(name: str, threads: int = 2) -> Engine:
    """Make an engine of the table, or skip with its reason."""
    engine, settings = ENGINES[name]
    adapter = importlib.import_module(facts(engine).module)
    status = adapter.status()
    if not status.available:
        pytest.skip(f"{status.reason} {status.hint}")
    return adapter.create(EngineOptions(threads=threads, settings=settings))


@pytest.fixture
def wide(monkeypatch):
    """Take every score for one that could leave 32 bits: what is computed in 64 then is the plain form of all."""
    monkeypatch.setattr(library, "SCORE_BOUND", 0)


PARAMETERS = [pytest.param(name, marks=[pytest.mark.gpu] if name.startswith("cuda") else []) for name in ENGINES]


@pytest.fixture(scope="session", params=PARAMETERS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    made = make(request.param)
    yield made
    made.close()


@pytest.fixture(scope="session")
def protein_scheme() -> ScoringScheme:
    return BLOSUM62


@pytest.fixture(scope="session")
def dna_scheme() -> ScoringScheme:
    return DNA_SCHEME


def database_of(subjects: Sequence[np.ndarray], alphabet: Alphabet) -> EncodedDatabase:
    return encode_database([record_of(f"s{i}", codes, alphabet) for i, codes in enumerate(subjects)], alphabet, "test")


def record_of(identifier: str, codes: np.ndarray, alphabet: Alphabet) -> SequenceRecord:
    """Return codes as a record, with letters if the alphabet has two tracks."""
    letters = None
    if isinstance(alphabet, TwoTracks):
        letters = Letters(alphabet.parts[1].name, alphabet.decode_letters(codes))
    return SequenceRecord(identifier, "", alphabet.decode(codes), letters=letters)


def all_scores(
    engine: Engine,
    queries: Sequence[EncodedQuery],
    database: EncodedDatabase,
    scheme: ScoringScheme,
    limits: ChunkLimits | None = None,
) -> np.ndarray:
    """Run a search and return the scores, shape (queries, subjects), having checked what came."""
    plans = plan_chunks(database.offsets, limits or engine.chunk_limits(queries, database))
    scores = np.full((len(queries), len(database)), -1, dtype=np.int64)
    seen = np.zeros_like(scores)
    cells = 0
    for part in engine.score(queries, database, plans, scheme, threading.Event()):
        assert part.scores.dtype == np.int32
        assert part.db_index.dtype == np.int64
        assert part.seconds >= 0
        scores[part.query_index, part.db_index] = part.scores
        seen[part.query_index, part.db_index] += 1
        cells += part.cells
    assert (seen == 1).all(), "every subject of every query exactly once"
    assert cells == sum(len(query) for query in queries) * database.residues
    return scores


_judged: dict[tuple[bytes, ...], list[int]] = {}


def judge(profile: np.ndarray, subjects: Sequence[np.ndarray], gap_first: int, gap_extend: int) -> list[int]:
    """Return the textbook's scores; engines share them, for the tests give all engines the same pairs."""
    lengths = np.array([gap_first, gap_extend, *map(len, subjects)]).tobytes()
    key = (profile.tobytes(), b"".join(codes.tobytes() for codes in subjects), lengths)
    if key not in _judged:
        _judged[key] = reference_scores(profile, subjects, gap_first, gap_extend)
    return _judged[key]


def judge_by_position(query: EncodedQuery, scheme: ScoringScheme, subjects: Sequence[np.ndarray]) -> list[int]:
    """Return the same with the query's own gap costs."""
    profile, gaps = query.scores(scheme).tolist(), np.stack(query.gap_costs(scheme).columns, axis=1)
    key = (np.array(profile).tobytes(), gaps.tobytes(), *(codes.tobytes() for codes in subjects))
    if key not in _judged:
        _judged[key] = [gotoh_by_position(profile, codes.tolist(), gaps.tolist()) for codes in subjects]
    return _judged[key]


def compare(
    engine: Engine,
    queries: Sequence[EncodedQuery],
    subjects: Sequence[np.ndarray],
    scheme: ScoringScheme,
    limits: ChunkLimits | None = None,
) -> np.ndarray:
    """Compare an engine's scores with the textbook's; returns them."""
    database = database_of(subjects, scheme.alphabet)
    got = all_scores(engine, queries, database, scheme, limits)
    for query, row in zip(queries, got, strict=True):
        if query.gaps is None:
            want = judge(query.scores(scheme), subjects, scheme.gap_first, scheme.gap_extend)
        else:
            want = judge_by_position(query, scheme, subjects)
        assert row.tolist() == want, f"query of {len(query)} residues"
    return got


def random_codes(rng: np.random.Generator, length: int, letters: int) -> np.ndarray:
    return rng.integers(0, letters, length).astype(np.uint8)


def relative(rng: np.random.Generator, codes: np.ndarray, letters: int) -> np.ndarray:
    """Return a copy with a few substitutions, deletions and insertions."""
    out = codes.tolist()
    for _ in range(int(rng.integers(1, 7))):
        at, length, kind = int(rng.integers(0, len(out) + 1)), int(rng.integers(1, 8)), rng.random()
        if kind < 0.35:
            del out[at : at + length]
        elif kind < 0.7:
            out[at:at] = rng.integers(0, letters, length).tolist()
        elif out:
            out[at % len(out)] = int(rng.integers(0, letters))
    return np.array(out, dtype=codes.dtype)


def query_of(codes: np.ndarray, name: str = "q") -> EncodedQuery:
    return EncodedQuery(name, np.asarray(codes))


def random_matrix(rng: np.random.Generator, alphabet: Alphabet, low: int, high: int) -> SubstitutionMatrix:
    """Return a matrix that is not symmetric, with a diagonal worth aligning to."""
    scores = rng.integers(low, high + 1, (len(alphabet), len(alphabet)))
    diagonal = np.arange(len(alphabet))
    scores[diagonal, diagonal] = rng.integers(max(1, high // 2), high + 1, len(alphabet))
    return SubstitutionMatrix("random", alphabet, scores.astype(np.int16))


def random_gaps(rng: np.random.Generator, rows: int, most: int = 14, scale: int = 1) -> PositionGaps:
    """Return random gap costs by position; extensions of deletions are negative wherever a deletion can afford it."""
    insertions = np.sort(rng.integers(0, most + 1, (rows, 2)), axis=1)[:, ::-1]
    entering = rng.integers(0, most + 1, rows + 1)  # to begin a deletion and to end one; on the way anything
    leaving = rng.integers(0, most + 1, rows + 1)
    levels = rng.integers(0, most + 1, rows + 1)  # a deletion of a ... b costs the way between two levels
    first = entering[:-1] + leaving[1:] + np.abs(np.diff(levels))
    extend = leaving[1:] - leaving[:-1] + np.minimum(np.diff(levels), 0) + rng.integers(0, 2, rows)
    extend = np.minimum(extend, first)
    return PositionGaps(*(scale * costs for costs in (*insertions.T, *_affordable(first, extend))))


def _affordable(first: np.ndarray, extend: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Raise extensions until no deletion costs less than 0."""
    first, extend = first.copy(), extend.copy()
    cheapest = 1 << 30  # of those that end at the position before
    for i in range(len(first)):
        extend[i] = min(max(extend[i], -cheapest), first[i])
        cheapest = min(first[i], cheapest + extend[i])
    return first, extend


def profile_query(
    rng: np.random.Generator, codes: np.ndarray, matrix: SubstitutionMatrix, gaps: PositionGaps | None, name: str = "p"
) -> EncodedQuery:
    """Return a query whose scores differ from those of the matrix here and there."""
    scores = matrix.scores[codes] + rng.integers(-1, 2, (len(codes), matrix.scores.shape[1]))
    return EncodedQuery(name, np.asarray(codes, dtype=np.uint8), scores.astype(np.int16), gaps=gaps)
