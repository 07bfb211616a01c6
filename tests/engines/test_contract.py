"""The contract of all engines: the textbook's scores, whatever the scheme, the lengths and the chunks."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import AlphabetMismatch
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines.registry import installed
from tests.engines.conftest import all_scores, compare, database_of, query_of, random_codes, random_matrix, relative

# At and next to the widths of vectors, warps, tiles and blocks.
EDGES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513)


def test_related_and_unrelated_proteins(engine, protein_scheme, rng):
    queries = [random_codes(rng, length, 20) for length in (12, 60, 150)]
    subjects = [relative(rng, queries[i % 3], 20) for i in range(30)]
    subjects += [random_codes(rng, int(rng.integers(1, 200)), 20) for _ in range(30)]
    compare(engine, [query_of(codes, f"q{i}") for i, codes in enumerate(queries)], subjects, protein_scheme)


@pytest.mark.parametrize("letter", PROTEIN.letters)
def test_every_protein_letter_scores_by_our_matrix(engine, protein_scheme, letter):
    query = query_of(PROTEIN.encode(letter.encode() * 5 + b"WWWW"))
    subjects = [PROTEIN.encode(other.encode() * 6 + b"WWWW") for other in PROTEIN.letters]
    compare(engine, [query], subjects, protein_scheme)


def test_every_nucleotide_letter_scores_by_our_matrix(engine, dna_scheme, rng):
    query = query_of(NUCLEOTIDE.encode(NUCLEOTIDE.letters.encode() * 2))
    subjects = [random_codes(rng, int(rng.integers(1, 80)), len(NUCLEOTIDE)) for _ in range(20)]
    subjects += [NUCLEOTIDE.encode(letter.encode() * 9) for letter in NUCLEOTIDE.letters]
    compare(engine, [query], subjects, dna_scheme)


def test_all_letters_at_once_with_a_matrix_that_tells_all_apart(engine, rng):
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, -9, 9), 7, 2)
    query = random_codes(rng, 120, 27)
    compare(engine, [query_of(query)], [relative(rng, query, 27) for _ in range(40)], scheme)


def test_unknown_residues_only(engine, protein_scheme):
    unknown = PROTEIN.encode(b"X" * 40)
    scores = compare(engine, [query_of(unknown)], [unknown, unknown[:3], PROTEIN.encode(b"ACDEF")], protein_scheme)
    assert scores.max() == 0


def test_empty_and_single_letter_sequences(engine, protein_scheme):
    w = PROTEIN.encode(b"W")
    empty = w[:0]
    queries = [query_of(w, "one"), query_of(empty, "none"), query_of(PROTEIN.encode(b"AWA"), "three")]
    scores = compare(engine, queries, [empty, w, empty, PROTEIN.encode(b"C"), PROTEIN.encode(b"WW")], protein_scheme)
    assert scores[0].tolist() == [0, 11, 0, 0, 11]
    assert scores[1].tolist() == [0] * 5


def test_database_of_empty_subjects_only(engine, protein_scheme):
    empty = np.zeros(0, dtype=np.uint8)
    compare(engine, [query_of(PROTEIN.encode(b"ACD"))], [empty, empty], protein_scheme)


@pytest.mark.parametrize("length", EDGES)
def test_query_lengths_beside_tile_edges(engine, protein_scheme, rng, length):
    query = random_codes(rng, length, 20)
    subjects = [relative(rng, query, 20) for _ in range(3)] + [random_codes(rng, 70, 20), query]
    compare(engine, [query_of(query)], subjects, protein_scheme)


def test_subject_lengths_beside_tile_edges(engine, protein_scheme, rng):
    query = random_codes(rng, 90, 20)
    subjects = [np.resize(relative(rng, query, 20), length) for length in EDGES]
    compare(engine, [query_of(query)], subjects, protein_scheme)


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 63, 64, 65, 200])
def test_numbers_of_subjects_beside_lane_counts(engine, protein_scheme, rng, count):
    query = random_codes(rng, 24, 20)
    compare(engine, [query_of(query)], [relative(rng, query, 20) for _ in range(count)], protein_scheme)


@pytest.mark.parametrize(
    ("gap_first", "gap_extend"),
    [(0, 0), (1, 0), (1, 1), (2, 1), (5, 5), (11, 11), (12, 0), (12, 1), (12, 12), (1000, 1000), (1000, 1)],
)
def test_gap_costs(engine, protein_scheme, rng, gap_first, gap_extend):
    query = random_codes(rng, 75, 20)
    subjects = [relative(rng, query, 20) for _ in range(25)]
    compare(engine, [query_of(query)], subjects, ScoringScheme(protein_scheme.matrix, gap_first, gap_extend))


@pytest.mark.parametrize(
    ("gap_first", "gap_extend"), [(127, 127), (128, 1), (32_767, 1), (32_768, 32_768), (10**6, 0), (10**6, 10**6)]
)
def test_gap_costs_beyond_small_integers(engine, protein_scheme, rng, gap_first, gap_extend):
    query = random_codes(rng, 75, 20)
    subjects = [relative(rng, query, 20) for _ in range(20)] + [query]
    compare(engine, [query_of(query)], subjects, ScoringScheme(protein_scheme.matrix, gap_first, gap_extend))


@pytest.mark.parametrize(("low", "high"), [(-4, 6), (-127, 127), (-128, 128), (-1000, 900), (-16_000, 16_000)])
@pytest.mark.parametrize(("gap_first", "gap_extend"), [(12, 1), (40, 40), (3000, 200)])
def test_asymmetric_matrices_of_any_size(engine, rng, low, high, gap_first, gap_extend):
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, low, high), gap_first, gap_extend)
    query = random_codes(rng, 66, 27)
    subjects = [relative(rng, query, 27) for _ in range(15)] + [random_codes(rng, 50, 27)]
    compare(engine, [query_of(query)], subjects, scheme)


def test_asymmetry_is_read_the_right_way_round(engine):
    # A query A against a subject C is worth 5, a query C against a subject A nothing.
    scores = np.full((len(PROTEIN), len(PROTEIN)), -4, dtype=np.int16)
    scores[PROTEIN.code("A"), PROTEIN.code("C")] = 5
    scheme = ScoringScheme(SubstitutionMatrix("one way", PROTEIN, scores), 12, 1)
    a, c = PROTEIN.encode(b"AAA"), PROTEIN.encode(b"CCC")
    got = compare(engine, [query_of(a, "a"), query_of(c, "c")], [a, c], scheme)
    assert got.tolist() == [[0, 15], [0, 0]]


@pytest.mark.parametrize("factor", [20, 1000])
def test_scaled_scheme_scales_scores(engine, protein_scheme, rng, factor):
    query = random_codes(rng, 80, 20)
    subjects = [relative(rng, query, 20) for _ in range(15)]
    matrix = protein_scheme.matrix
    scaled = SubstitutionMatrix("scaled", PROTEIN, (matrix.scores * factor).astype(np.int16))
    database = database_of(subjects, PROTEIN)
    plain = all_scores(engine, [query_of(query)], database, protein_scheme)
    large = all_scores(engine, [query_of(query)], database, ScoringScheme(scaled, 12 * factor, factor))
    assert (large == plain * factor).all()


@pytest.mark.parametrize("value", [-16_000, -1, 0, 16_000])
def test_constant_matrices(engine, rng, value):
    scores = np.full((len(PROTEIN), len(PROTEIN)), value, dtype=np.int16)
    scheme = ScoringScheme(SubstitutionMatrix("constant", PROTEIN, scores), 12, 1)
    subjects = [random_codes(rng, length, 27) for length in (1, 30, 65)]
    compare(engine, [query_of(random_codes(rng, 40, 27))], subjects, scheme)


@pytest.mark.parametrize("residues", [20, 100, 2_980, 3_100, 5_950, 5_970])
def test_scores_beyond_8_and_16_bits(engine, protein_scheme, residues):
    # W scores 11 with itself: 220, 1,100, 32,780, 34,100, 65,450 and 65,670.
    w = PROTEIN.encode(b"W" * residues)
    others = [PROTEIN.encode(b"PPPPWWWWPPPP"), w[:7]]
    scores = all_scores(engine, [query_of(w)], database_of([w, *others], PROTEIN), protein_scheme)
    assert scores.tolist() == [[11 * residues, 44, 77]]


def test_scores_around_the_edge_of_16_bits_with_a_gap(engine, protein_scheme):
    w, between = PROTEIN.encode(b"W" * 3_000), PROTEIN.encode(b"P" * 9)
    lengths = (2_975, 2_979, 2_980, 2_981, 2_982, 2_994)
    subjects = [np.concatenate([w[:1_500], between, w[: length - 1_500]]) for length in lengths]
    got = all_scores(engine, [query_of(w)], database_of(subjects, PROTEIN), protein_scheme)
    # P against W is -4; skipping nine P costs 12 + 8.
    assert got[0].tolist() == [11 * length - 20 for length in lengths]
    assert got.min() < 32_767 < got.max()


@pytest.mark.parametrize("residues", [1, 40, 333, 5_000, 10**9])
def test_any_chunking_gives_the_same(engine, protein_scheme, rng, residues):
    queries = [query_of(random_codes(rng, length, 20), f"q{length}") for length in (33, 90)]
    subjects = [relative(rng, queries[i % 2].codes, 20) for i in range(60)] + [np.zeros(0, np.uint8)] * 3
    compare(engine, queries, subjects, protein_scheme, ChunkLimits(residues=residues, sequences=25))


def test_only_the_plans_given_are_scored(engine, protein_scheme, rng):
    subjects = [random_codes(rng, 30, 20) for _ in range(10)]
    database = database_of(subjects, PROTEIN)
    plan = ChunkPlan(4, 6, int(database.offsets[6] - database.offsets[4]))
    parts = list(engine.score([query_of(subjects[0])], database, [plan], protein_scheme, threading.Event()))
    got = np.concatenate([part.db_index for part in parts])
    assert sorted(got.tolist()) == sorted(database.order[4:6].tolist())


def test_position_specific_profiles(engine, protein_scheme, rng):
    codes = random_codes(rng, 70, 20)
    profile = (protein_scheme.matrix.scores[codes] + rng.integers(-3, 4, (70, len(PROTEIN)))).astype(np.int16)
    plain, own = query_of(codes, "plain"), EncodedQuery("own", codes, profile)
    subjects = [relative(rng, codes, 20) for _ in range(30)]
    for gap_first, gap_extend in ((12, 1), (6, 6)):
        compare(engine, [plain, own, plain], subjects, ScoringScheme(protein_scheme.matrix, gap_first, gap_extend))


def test_profile_of_matrix_rows_changes_nothing(engine, protein_scheme, rng):
    codes = random_codes(rng, 100, 27)
    queries = [query_of(codes), EncodedQuery("rows", codes, protein_scheme.matrix.scores[codes])]
    database = database_of([relative(rng, codes, 27) for _ in range(40)], PROTEIN)
    first, second = all_scores(engine, queries, database, protein_scheme)
    assert (first == second).all()


def test_long_subject_among_short_ones(engine, dna_scheme, rng):
    query = random_codes(rng, 50, 4)
    long = random_codes(rng, 30_000, 4)
    long[29_900:29_950] = query  # a hit near the end
    subjects = [long, random_codes(rng, 10, 4), relative(rng, query, 4)]
    got = compare(engine, [query_of(query)], subjects, dna_scheme)
    assert got[0, 0] >= 90


def test_engine_can_be_asked_again(engine, protein_scheme, rng):
    query = query_of(random_codes(rng, 50, 20))
    for _ in range(3):  # another database each time, then the first one again
        subjects = [relative(rng, query.codes, 20) for _ in range(10)]
        compare(engine, [query], subjects, protein_scheme)
        compare(engine, [query], subjects, protein_scheme)


def test_query_letter_that_the_database_lacks(engine, protein_scheme):
    plain = [PROTEIN.encode(b"ACDEFGHIKLMNPQRSTVWY")] * 3
    database = database_of(plain, PROTEIN)
    for query in (b"ACDEF", b"ACXEF", b"ACUEF*"):
        encoded = query_of(PROTEIN.encode(query))
        got = all_scores(engine, [encoded], database, protein_scheme)
        assert got[0, 0] == compare(engine, [encoded], plain, protein_scheme)[0, 0]


def test_cancel_before_the_start(engine, protein_scheme, rng):
    cancel = threading.Event()
    cancel.set()
    database = database_of([random_codes(rng, 50, 20)] * 5, PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=100))
    assert list(engine.score([query_of(random_codes(rng, 50, 20))], database, plans, protein_scheme, cancel)) == []


def test_cancel_in_the_middle_keeps_what_came_and_leaves_the_engine_usable(engine, protein_scheme, rng):
    query = query_of(random_codes(rng, 200, 20))
    subjects = [random_codes(rng, 100, 20) for _ in range(300)]
    database = database_of(subjects, PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=500))
    cancel = threading.Event()
    parts = []
    for part in engine.score([query], database, plans, protein_scheme, cancel):
        parts.append(part)
        if len(parts) == 3:
            cancel.set()
    assert 3 <= len(parts) < len(plans)
    whole = all_scores(engine, [query], database, protein_scheme)
    for part in parts:
        assert (whole[0, part.db_index] == part.scores).all()


def test_abandoned_iterator_leaves_the_engine_usable(engine, protein_scheme, rng):
    query = query_of(random_codes(rng, 100, 20))
    subjects = [random_codes(rng, 60, 20) for _ in range(50)]
    database = database_of(subjects, PROTEIN)
    parts = engine.score(
        [query], database, plan_chunks(database.offsets, ChunkLimits(residues=200)), protein_scheme, threading.Event()
    )
    next(iter(parts))
    parts.close()
    compare(engine, [query], subjects[:10], protein_scheme)


def test_cancel_ends_soon_with_one_very_long_subject(engine, dna_scheme, rng):
    # 5,000 x 2,000,000 cells: longer than anyone would wait, unless Stop reaches into it.
    query = query_of(random_codes(rng, 5_000, 4))
    database = database_of([random_codes(rng, 2_000_000, 4)], NUCLEOTIDE)
    plans = plan_chunks(database.offsets, engine.chunk_limits([query], database))
    cancel, ended = threading.Event(), threading.Event()

    def run():
        for _ in engine.score([query], database, plans, dna_scheme, cancel):
            pass
        ended.set()

    worker = threading.Thread(target=run)
    worker.start()
    time.sleep(0.05)
    cancel.set()
    assert ended.wait(60), "the iterator did not end"
    worker.join()


def test_alphabet_of_the_scheme_must_be_the_databases(engine, dna_scheme):
    database = database_of([PROTEIN.encode(b"ACD")], PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=10))
    with pytest.raises(AlphabetMismatch):
        list(engine.score([query_of(PROTEIN.encode(b"ACD"))], database, plans, dna_scheme, threading.Event()))


def test_chunk_limits_hold_something(engine, rng):
    database = database_of([random_codes(rng, 50, 20)], PROTEIN)
    for length in (0, 1, 40, 40_000):
        limits = engine.chunk_limits([query_of(random_codes(rng, length, 20))], database)
        assert limits.residues >= 1
        assert limits.sequences >= 1


def test_names_itself_and_its_device(engine):
    assert engine.name in installed()
    assert engine.devices
    assert all(device.id and device.name for device in engine.devices)
