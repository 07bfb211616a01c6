"""Special parts of the cpu engine: a library that may be missing, windows, pieces, and its options."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import take_chunk
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.engines import cpu, native, windows
from swgui.engines.cpu import _Job
from swgui.engines.native import library
from swgui.engines.native.library import VARIABLE
from swgui.engines.windows import cut, longest_span, longest_spans
from tests.engines.conftest import all_scores, compare, database_of, make, query_of, random_codes, relative
from tests.reference import gotoh_score_wide
from tests.robustness.command import environment, sentences, swgui


@pytest.fixture
def cpu_engine():
    made = make("cpu")
    yield made
    made.close()


@pytest.fixture
def numpy_engine(wide):
    made = make("cpu")
    yield made
    made.close()


def test_a_gap_ends_with_its_subject(numpy_engine, dna_scheme, rng):
    query = random_codes(rng, 60, 4)
    nothing, rest = np.full(3, NUCLEOTIDE.code("N"), dtype=np.uint8), query[40:46]
    compare(numpy_engine, [query_of(query)], [query, nothing, query[:40], rest], dna_scheme)


def test_numpy_path_alone_is_exact(numpy_engine, protein_scheme, rng):
    query = random_codes(rng, 60, 27)
    subjects = [relative(rng, query, 27) for _ in range(20)] + [np.zeros(0, np.uint8)]
    compare(numpy_engine, [query_of(query)], subjects, protein_scheme)
    compare(numpy_engine, [query_of(query)], subjects, ScoringScheme(protein_scheme.matrix, 5, 5), ChunkLimits(100))


def test_says_what_to_do_without_its_library(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone.so"))
    library.forget()
    try:
        status = cpu.status()
        assert not status.available
        assert "(gone.so is missing)" in status.reason
        assert "Install the program again" in status.hint
        with pytest.raises(EngineUnavailable, match=r"packaging/native\.py"):
            cpu.create(EngineOptions())
        with pytest.raises(EngineUnavailable, match="has not been built"):
            native.scores(
                np.ones((3, 4), np.int16), native.Subjects.packed(np.zeros(2, np.uint8), np.array([0, 2])), 2, 1
            )
    finally:
        monkeypatch.undo()
        library.forget()


def test_status_names_this_computer():
    status = cpu.status()
    if not status.available:
        pytest.skip(status.reason)
    (device,) = status.devices
    assert device.id == "cpu"
    assert int(device.facts["cores"]) >= 1


@pytest.mark.parametrize("arguments", [("search", "-q", "a.fa", "-d", "a.fa"), ("pair", "a.fa", "a.fa")])
def test_a_program_without_its_library_says_so(tmp_path, arguments):
    (tmp_path / "a.fa").write_text(">a\nMKWVTFISLLWW\n")
    ended = swgui(tmp_path, *arguments, env=environment(tmp_path, **{VARIABLE: str(tmp_path / "gone.so")}))
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert "not been built" in sentences(ended)
    assert "Install the program again" in sentences(ended)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (EngineOptions(settings={"block": "1"}), "block"),
        (EngineOptions(settings={"library": "compiled"}), "library"),
        (EngineOptions(devices=("0",)), "device"),
    ],
)
def test_unknown_options_are_refused(options, name):
    if not cpu.status().available:
        pytest.skip(cpu.status().reason)
    with pytest.raises(InvalidParameter) as caught:
        cpu.create(options)
    assert caught.value.name == name


def small_windows(monkeypatch):
    monkeypatch.setattr(cpu, "LANE_CELLS", 40_000)
    monkeypatch.setattr(cpu, "PIECE_NS", 10_000.0)
    monkeypatch.setattr(windows, "WINDOW", 500)
    monkeypatch.setattr(windows, "SPANS", 2)
    monkeypatch.setattr(windows, "PART", 500)
    monkeypatch.setattr(windows, "PART_SPANS", 2)


def test_subject_in_windows_scores_as_a_whole(monkeypatch, cpu_engine, dna_scheme, rng):
    # Small limits make windows of a subject that would be one piece otherwise.
    small_windows(monkeypatch)
    query = random_codes(rng, 40, 4)
    for place in (0, 700, 2_345, 5_960):
        subject = random_codes(rng, 6_000, 4)
        subject[place : place + 20] = query[:20]
        subject[place + 25 : place + 45] = query[20:][: len(subject[place + 25 : place + 45])]
        database = database_of([subject, query, subject[:3_000]], NUCLEOTIDE)
        got = all_scores(cpu_engine, [query_of(query)], database, dna_scheme)
        profile = dna_scheme.matrix.scores[query]
        want = [gotoh_score_wide(profile, part, 7, 2) for part in (subject, query, subject[:3_000])]
        assert got[0].tolist() == want


def test_windows_are_pieces_of_their_own(monkeypatch, dna_scheme, rng):
    small_windows(monkeypatch)
    given = query_of(random_codes(rng, 40, 4))
    query = cpu.PreparedQuery(given, dna_scheme)
    subjects = [random_codes(rng, length, 4) for length in (6_000, 900, 800, 0, 0)]
    database = database_of(subjects, NUCLEOTIDE)
    chunk = take_chunk(database, ChunkPlan(0, 5, database.residues))
    pieces = cpu.split(query, chunk)
    assert sum(bool(piece.windows) for piece in pieces) > 1
    assert {at for piece in pieces for at in range(piece.start, piece.stop)} == {0, 1, 2}, "empty ones are in none"


def test_the_scores_of_windows_come_along(monkeypatch, dna_scheme, rng):
    small_windows(monkeypatch)
    query = query_of(random_codes(rng, 40, 4))
    subjects = [random_codes(rng, length, 4) for length in (900, 6_000, 7_000)]
    database = database_of(subjects, NUCLEOTIDE)
    engine = make("cpu")
    plans = plan_chunks(database.offsets, ChunkLimits(residues=8_000))
    chunks = list(engine.score([query], database, plans, dna_scheme, threading.Event()))
    engine.close()
    found = {each.db_index: each for chunk in chunks for each in chunk.windows}
    assert set(found) == {1, 2}
    span = longest_span(query, dna_scheme)
    for index, each in found.items():
        assert (each.starts[0], each.stops[-1]) == (0, len(subjects[index]))
        assert (each.stops[:-1] - each.starts[1:] == span).all()
        parts = [subjects[index][a:b] for a, b in zip(each.starts, each.stops, strict=True)]
        assert each.scores.tolist() == [gotoh_score_wide(query.scores(dna_scheme), part, 7, 2) for part in parts]
        assert each.scores[0] < each.scores.max()
        assert {int(s) for chunk in chunks for s in chunk.scores[chunk.db_index == index]} == {int(each.scores.max())}


def test_windows_leave_the_best_of_them(rng):
    database = database_of([random_codes(rng, 30, 4)], NUCLEOTIDE)
    job = _Job(0, take_chunk(database, ChunkPlan(0, 1, 30)), 30, 2, np.zeros(1, dtype=np.int64))
    job.add(cpu.ChunkPart(0, 1, ((0, 12), (8, 20))), np.array([3, 9]), 0.0)
    job.add(cpu.ChunkPart(0, 1, ((16, 30),)), np.array([4]), 0.0)
    assert job.scores.tolist() == [9]


@pytest.mark.parametrize(("gap_first", "gap_extend"), [(12, 1), (5, 2), (3, 3), (100, 1)])
def test_longest_span_is_never_exceeded(protein_scheme, rng, gap_first, gap_extend):
    # Two halves far apart: as far as a gap can pay, and one residue further.
    half = PROTEIN.encode(b"W" * 10)
    query = np.concatenate([half, half])
    profile = protein_scheme.matrix.scores[query]
    scheme = ScoringScheme(protein_scheme.matrix, gap_first, gap_extend)
    span = longest_span(query_of(query), scheme)
    for between in range(0, 140, 7):
        subject = np.concatenate([half, PROTEIN.encode(b"P" * between), half])
        joined = gotoh_score_wide(profile, subject, gap_first, gap_extend)
        if joined > 110:  # more than one half alone: the alignment spans the gap
            assert len(subject) <= span


@pytest.mark.parametrize(("gap_first", "gap_extend"), [(11, 1), (12, 3), (8, 8), (8, 0)])
def test_longest_spans_of_several_queries(protein_scheme, rng, gap_first, gap_extend):
    scheme = ScoringScheme(protein_scheme.matrix, gap_first, gap_extend)
    queries = [query_of(rng.integers(0, 20, size).astype(np.uint8)) for size in (1, 2, 5, 30, 300)]
    alone = [longest_span(query, scheme) for query in queries]
    assert longest_spans(queries, scheme).tolist() == [-1 if span is None else span for span in alone]


def test_longest_span_without_limit(protein_scheme):
    assert longest_span(query_of(PROTEIN.encode(b"WWWW")), ScoringScheme(protein_scheme.matrix, 5, 0)) is None
    assert cut(10**9, None, 1_000) == [(0, 10**9)]


@pytest.mark.parametrize(("length", "span", "step"), [(10, 3, 4), (100, 30, 10), (100, 1, 1), (5, 10, 2), (64, 8, 8)])
def test_every_stretch_lies_in_a_window(length, span, step):
    windows = cut(length, span, step)
    assert windows[0][0] == 0
    assert windows[-1][1] == length
    for start in range(max(1, length - span + 1)):
        end = min(start + span, length)
        assert any(a <= start and end <= b for a, b in windows)


def test_one_plan_for_everything_is_cut_inside(monkeypatch, cpu_engine, protein_scheme, rng):
    monkeypatch.setattr(cpu, "PIECE_NS", 20_000.0)
    query = random_codes(rng, 80, 20)
    subjects = [relative(rng, query, 20) for _ in range(150)] + [np.zeros(0, np.uint8)]
    compare(cpu_engine, [query_of(query)], subjects, protein_scheme, ChunkLimits(residues=10**9))


@pytest.mark.parametrize("length", [10, 1_000, 30_000])
def test_pieces_of_the_numpy_path_are_not_tiny(wide, protein_scheme, rng, length):
    query = cpu.PreparedQuery(query_of(random_codes(rng, length, 20)), protein_scheme)
    assert query.piece_residues >= 4_000


def test_scores_that_could_leave_32_bits_go_to_numpy():
    length = 140_000  # times 16,000 is above 2**31
    scores = np.full((len(NUCLEOTIDE), len(NUCLEOTIDE)), -16_000, dtype=np.int16)
    np.fill_diagonal(scores, 16_000)
    scheme = ScoringScheme(SubstitutionMatrix("large", NUCLEOTIDE, scores), 16_000, 16_000)
    query = query_of(np.zeros(length, dtype=np.uint8))
    assert cpu.PreparedQuery(query, scheme).compiled is None


def test_score_beyond_32_bits_is_refused_not_wrapped(monkeypatch, protein_scheme, rng):
    engine = make("cpu")
    monkeypatch.setattr(cpu, "score_piece", lambda *_: np.array([2**31], dtype=np.int64))
    database = database_of([random_codes(rng, 30, 20)], PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=100))
    with pytest.raises(EngineFault, match="2,147,483,647"):
        list(engine.score([query_of(random_codes(rng, 30, 20))], database, plans, protein_scheme, threading.Event()))
    engine.close()


@pytest.mark.parametrize("place", ["run", "prepare"])
def test_faults_are_explained(monkeypatch, protein_scheme, rng, place):
    engine = make("cpu")

    def fail(*_):
        raise MemoryError

    if place == "run":
        monkeypatch.setattr(cpu, "score_piece", fail)
    else:
        monkeypatch.setattr(cpu, "longest_span", fail)
    database = database_of([random_codes(rng, 30, 20)], PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=100))
    with pytest.raises(EngineFault, match="free memory"):
        list(engine.score([query_of(random_codes(rng, 30, 20))], database, plans, protein_scheme, threading.Event()))
    engine.close()


def test_match_mismatch_long_query_on_all_ways(cpu_engine, rng):
    scheme = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 1, -2), 0, 2)  # linear gap costs
    query = random_codes(rng, 1_500, 4)
    subjects = [relative(rng, query, 4), random_codes(rng, 2_000, 4), query[200:900]]
    compare(cpu_engine, [query_of(query)], subjects, scheme)


def test_threads_below_none_are_refused_whatever_the_engine():
    with pytest.raises(InvalidParameter, match="-1 threads cannot be used"):
        EngineOptions(threads=-1)
