"""Rows of alignments and profiles in compiled code: those of NumPy, by every instruction set."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.profiles.alignment import DELETION, OUTSIDE, MasterAlignment, RowTable, row_of
from swgui.core.profiles.log_odds import conditional_frequencies
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS, Recipe
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.engines.native import library, profiles, scores
from swgui.engines.native import rows as native
from swgui.engines.native.profiles import ProfileMaker
from swgui.engines.native.scoring import checked, pointer, pointers
from swgui.engines.traceback.many import align_many
from swgui.io.matrices import load_matrix
from tests.core.profiles import reference
from tests.core.profiles.reference import build_profile
from tests.engines.conftest import query_of, random_codes
from tests.engines.native.test_tracing import gapped, packed

ZIPPER = PROTEIN.encode(b"RMKQLEDKVEELLSKNYHLENEVARLKKLVGER")  # GCN4, a coiled coil
LETTERS = 20
P, L = ctypes.c_void_p, ctypes.c_int64


def family(rng, rows, columns):
    """Rows with gaps, ends of all lengths, copies, odd letters, low complexity and coiled coils; and insertions."""
    ancestor = random_codes(rng, columns, LETTERS)
    low = int(rng.integers(0, columns))
    ancestor[low : low + 40] = rng.choice([5, 5, 5, 6], len(ancestor[low : low + 40]))
    coil = int(rng.integers(0, columns))
    ancestor[coil : coil + len(ZIPPER)] = ZIPPER[: columns - coil]
    codes = np.tile(ancestor, (rows, 1))
    for row in range(1, rows):
        if rng.random() < 0.2:
            codes[row] = codes[row - 1]
            continue
        changed = rng.random(columns) < rng.choice([0.0, 0.02, 0.3, 0.8])
        codes[row, changed] = random_codes(rng, int(changed.sum()), len(PROTEIN))
        gap = int(rng.integers(0, columns))
        codes[row, gap : gap + int(rng.integers(0, 5))] = DELETION
        few = rng.random() < 0.9  # others reach further
        first, last = (int(rng.integers(0, columns // 3 + 1)), columns - 1 - int(rng.integers(0, columns // 3 + 1)))
        first, last = (min(first, last), max(first, last)) if few else (0, columns - 1)
        codes[row, :first] = codes[row, last + 1 :] = OUTSIDE
        codes[row, [first, last]] = 3
    places = [(row, column, 2) for row in range(1, rows) for column in rng.integers(0, columns, 2).tolist()]
    kept = sorted({(row, column): size for row, column, size in places if codes[row, column] < DELETION}.items())
    places = np.array([(row, column, size) for (row, column), size in kept], dtype=np.int64).reshape(-1, 3)
    names = [f"row{number}" for number in range(rows)]
    inserted = random_codes(rng, int(places[:, 2].sum()), LETTERS)
    return MasterAlignment(
        PROTEIN, RowTable(PROTEIN, names, names, codes, np.zeros(rows, int), np.zeros(rows), places, inserted)
    )


def select_rows(codes, letters, recipe):
    """The rows that count, compiled."""
    cut, kept, total = codes.copy(), np.empty(len(codes), dtype=np.int64), np.zeros(1, dtype=np.int64)
    kinds = P, L, L, L, ctypes.c_float, L, ctypes.c_double, P, P
    limits = recipe.end_support, recipe.residues_needed(codes.shape[1]), recipe.max_identity
    call = library.function("select_rows", *kinds)
    checked(call(pointer(cut), *cut.shape, letters, *limits, *pointers(kept, total)))
    return kept[: total[0]], cut[: total[0]]


def masked_rows(codes, low, coils):
    """Rows of proteins with what says little masked, compiled."""
    masked = codes.copy()
    kinds = P, L, L, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(native.MaskSettings)
    settings = native.mask_settings(codes.shape[1])
    checked(library.function("mask_rows", *kinds)(pointer(masked), *masked.shape, low, coils, settings))
    return masked


def count_rows(codes, insertions, letters):
    """Figures of columns from their rows, compiled."""
    (rows, columns), insertions = codes.shape, np.ascontiguousarray(insertions)
    weights, effective, sums = np.empty(rows), np.empty(columns), np.empty((columns, letters))
    of_columns, given = np.empty((4, columns)), np.ascontiguousarray(codes)
    call = library.function("count_rows", P, L, L, L, P, L, *[P] * 4)
    sizes = rows, columns, letters, pointer(insertions), len(insertions)
    checked(call(pointer(given), *sizes, *pointers(weights, effective, sums, of_columns)))
    return reference.RowCounts(weights, effective, sums, *of_columns)


SIZES = ((1, 1), (1, 60), (2, 5), (15, 30), (40, 300), (90, 70))


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(end_support=0.3),
        Recipe(end_support=0.0, min_residues=1),
        Recipe(end_support=0.5, min_coverage=0.5, max_identity=0.6),
    ],
)
def test_the_same_rows_count_and_the_same_residues_are_masked(way, rng, recipe):
    if way == "plain":
        pytest.skip("what is compared with")
    masked = cut = 0
    for size in SIZES:
        codes = family(rng, *size).codes
        kept, chosen = select_rows(codes, LETTERS, recipe)
        expected = reference.select_rows(codes, LETTERS, recipe)
        assert kept.tolist() == expected[0].tolist()
        assert np.array_equal(chosen, expected[1])
        assert native.purge(codes, LETTERS, 0.8).tolist() == reference.purge(codes, LETTERS, 0.8).tolist()
        cut += int((chosen != codes[kept]).sum())
        for low, coils in ((True, True), (True, False), (False, True)):
            hidden = masked_rows(chosen, low, coils)
            assert np.array_equal(hidden, reference.masked_rows(chosen, PROTEIN, low=low, coils=coils))
            masked += int((hidden != chosen).sum())
    assert masked
    assert bool(cut) == (recipe.end_support > 0)


def test_rows_are_counted_as_in_numpy(way, rng):
    if way == "plain":
        pytest.skip("what is compared with")
    for size in SIZES:
        alignment = family(rng, *size)
        counts = count_rows(alignment.codes, alignment.insertions[:, :2], LETTERS)
        expected = reference.count_rows(alignment.codes, alignment.insertions[:, :2], LETTERS)
        assert counts.effective.tolist() == expected.effective.tolist()
        for name in ("weights", "sums", "reached", "both", "insertion", "deletion"):
            assert getattr(counts, name) == pytest.approx(getattr(expected, name), rel=1e-12, abs=1e-14), name


@pytest.mark.parametrize("support", [0.1, 0.6])
def test_ends_are_cut_off_rows_with_holes_and_without_residues(way, rng, support):
    recipe, cut = Recipe(end_support=support, min_residues=1, max_identity=1.01), 0
    for rows, columns in ((20, 40), (40, 90)):
        codes = family(rng, rows, columns).codes.copy()
        codes[4] = OUTSIDE
        codes[5:, 20:24] = OUTSIDE
        codes[9, 1:30] = OUTSIDE
        kept, chosen = select_rows(codes, LETTERS, recipe)
        expected = reference.select_rows(codes, LETTERS, recipe)
        assert kept.tolist() == expected[0].tolist()
        assert np.array_equal(chosen, expected[1])
        cut += int((chosen != codes[kept]).sum())
    assert cut


RECIPES = (Recipe(), Recipe(mask=False, mask_coils=False, gap_prior=10.0, beta=3.0), Recipe(position_gaps=False))


@pytest.mark.parametrize("recipe", RECIPES)
def test_profiles_are_those_of_numpy(way, rng, recipe):
    if way == "plain" and recipe != RECIPES[0]:
        pytest.skip("what is compared with")
    matrix = load_matrix("BLOSUM62", PROTEIN)
    maker, conditional = ProfileMaker(matrix, recipe), conditional_frequencies(matrix)
    for size in SIZES:
        alignment = family(rng, *size)
        made, expected = maker.build(alignment, "p"), build_profile(alignment, conditional, recipe, "p")
        assert np.array_equal(made.profile.scores, expected.profile.scores)
        for own, other in zip(made.profile.gaps.columns, expected.profile.gaps.columns, strict=True):
            assert np.array_equal(own, other)
        assert made.frequencies == pytest.approx(expected.frequencies, rel=1e-10)
        assert made.effective_sequences == expected.effective_sequences
        assert made.information == pytest.approx(expected.information, rel=1e-10)
        assert (made.profile.name, made.profile.units_per_bit) == ("p", 8)


@pytest.mark.parametrize("recipe", [*RECIPES, NUCLEOTIDE_PRESETS["standard"].recipe])
def test_profiles_of_nucleotides_are_those_of_numpy(way, rng, recipe):
    matrix = match_mismatch(NUCLEOTIDE, 2, -3)
    maker, conditional = ProfileMaker(matrix, recipe), conditional_frequencies(matrix)
    rows = family(rng, 12, 80)
    codes = np.where(rows.codes < DELETION, rows.codes % len(NUCLEOTIDE), rows.codes)
    codes[3, 10:40] = 0  # one base alone: no sequence of proteins, so nothing is masked
    table = rows.rows
    alignment = MasterAlignment(
        NUCLEOTIDE,
        RowTable(
            NUCLEOTIDE, table.ids, table.ids, codes, table.starts, table.log10_evalues, table.places, table.inserted % 4
        ),
    )
    made, expected = maker.build(alignment, "p"), build_profile(alignment, conditional, recipe, "p")
    assert np.array_equal(made.profile.scores, expected.profile.scores)
    assert np.array_equal(made.profile.gaps.columns, expected.profile.gaps.columns)
    assert made.frequencies == pytest.approx(expected.frequencies, rel=1e-10)
    assert made.frequencies.shape == (80, 4)


def test_ends_of_rows_are_cut_as_in_numpy(way, rng):
    cut = 0
    for size in SIZES:
        alignment = family(rng, *size)
        scores, columns = rng.integers(-6, 9, (size[1], len(PROTEIN))).astype(np.int16), size[1]
        extend = rng.integers(0, 3, (2, columns))
        first = extend + rng.integers(0, 9, (2, columns))
        costs = [array.astype(np.int16) for array in (first[0], extend[0], first[1], extend[1])]
        gaps = PositionGaps(*costs)
        table = alignment.rows
        given = native.Rows(table.codes, table.places, table.inserted)
        kept, (before, behind) = native.cut_ends(given, scores, gaps, 1.5)
        expected = reference.cut_ends(table.codes, table.places, table.inserted, scores, gaps, 1.5)
        assert np.array_equal(kept.codes, expected.codes)
        assert np.array_equal(kept.places, expected.places)
        assert np.array_equal(kept.inserted, expected.inserted)
        assert (before.tolist(), behind.tolist()) == (expected.before.tolist(), expected.behind.tolist())
        cut += int(before.sum() + behind.sum())
    assert cut


@pytest.mark.parametrize("searched", [None, slice(20, 71)])
def test_subjects_are_scored_with_profiles_of_other_rows(way, rng, searched, monkeypatch):
    matrix = load_matrix("BLOSUM62", PROTEIN)
    maker, conditional, alignment = ProfileMaker(matrix, Recipe()), conditional_frequencies(matrix), family(rng, 30, 90)
    left_out = np.zeros((3, 30), dtype=bool)
    left_out[0, 1:9] = left_out[1, 20:] = True
    subjects = packed([random_codes(rng, n, LETTERS) for n in (70, 0, 200, 31, 1, 90)] + [alignment.codes[0]])
    part_of = np.array([2, 0, 1, 1, 0, 0, 1])
    twice, both = packed([subjects[number] for number in range(len(subjects))] * 2), part_of[::-1]
    given = [alignment] * 2, [left_out] * 2, twice, [part_of, both], searched
    found, other = maker.scores_without(*given).reshape(2, -1)
    monkeypatch.setattr(profiles, "CELLS_OF_ROW", 10**6)  # then each part is a piece, on other threads
    assert np.array_equal(maker.scores_without(*given, threads=2).reshape(2, -1), [found, other])
    assert np.array_equal(other[part_of == both], found[part_of == both])
    for number, part in enumerate(part_of.tolist()):
        profile = build_profile(alignment.take(np.flatnonzero(~left_out[part])), conditional, Recipe()).profile
        part = searched or slice(None)
        gaps = profile.gaps.take(part)
        score = scores(np.ascontiguousarray(profile.scores[part]), subjects.take(np.array([number])), 40, 3, gaps=gaps)
        assert found[number] == score[0]


def test_threads_that_ask_for_settings_at_once_have_the_same(monkeypatch):
    """They are read by address, so that others must not take their place."""
    maker, both, made = ProfileMaker(load_matrix("BLOSUM62", PROTEIN), Recipe()), threading.Barrier(2), []

    def slow(columns):
        both.wait(10)
        return native.mask_settings(columns)

    monkeypatch.setattr(profiles, "mask_settings", slow)
    several = [threading.Thread(target=lambda: made.append(maker.settings(70))) for _ in range(2)]
    for one in several:
        one.start()
    for one in several:
        one.join()
    assert made[0] is made[1] is maker.settings(70)


def test_a_residue_outside_the_alphabet_is_an_error(rng):
    maker = ProfileMaker(load_matrix("BLOSUM62", PROTEIN), Recipe())
    damaged = packed([np.array([3, 99, 3], dtype=np.uint8)])
    with pytest.raises(ValueError, match="not in the alphabet"):
        maker.scores_without(
            [family(rng, 5, 40)], [np.zeros((1, 5), dtype=bool)], damaged, [np.zeros(1, dtype=np.int64)]
        )


def parts_of(codes, member, members, most):
    """Members in parts, one by one: rows that are alike, one to the next, and small groups put together."""
    groups = {}
    for own in range(members):
        if not (member == own).any():
            continue
        near = [own]
        for last, group in list(groups.items()):
            pairs = [(codes[a], codes[b]) for a in np.flatnonzero(member == own) for other in group
                     for b in np.flatnonzero(member == other)]  # fmt: skip
            for a, b in pairs:
                both = (a < DELETION) & (b < DELETION)
                if both.sum() >= 20 and (both & (a == b)).sum() >= 0.4 * both.sum():
                    near += groups.pop(last)
                    break
        groups[own] = near
    parts = [[] for _ in range(min(most, len(groups)))]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(parts, key=len).extend(group)
    return parts


def test_members_are_put_in_parts_as_one_by_one(way, rng):
    alignments = [family(rng, *size).codes for size in ((40, 60), (60, 25), (30, 90))]
    members = [13, 22, 9]
    member = [
        np.append(-1, rng.integers(-1, count - 1, len(codes) - 1))
        for codes, count in zip(alignments, members, strict=True)
    ]
    part_of, left_out = native.part_members(alignments, member, members, 20, 0.4, 4)
    several = 0
    for codes, own, count, part, rows in zip(alignments, member, members, part_of, left_out, strict=True):
        expected = parts_of(codes, own, count, 4)
        assert [sorted(np.flatnonzero(part == number).tolist()) for number in range(len(rows))] == [
            sorted(one) for one in expected
        ]
        assert (part == -1).sum() == count - len({one for one in own.tolist() if one >= 0})
        assert [set(np.flatnonzero(one).tolist()) for one in rows] == [
            set(np.flatnonzero(np.isin(own, one)).tolist()) for one in expected
        ]
        several += len(rows) > 1
    assert several


def test_rows_are_put_in_order_with_their_insertions(way, rng):
    alignments = [family(rng, *size).rows for size in ((7, 30), (1, 12), (20, 50))]
    given = [native.Rows(table.codes, table.places, table.inserted) for table in alignments]
    orders = [rng.permutation(7)[:4], np.zeros(0, dtype=np.int64), rng.permutation(20)]
    sources = np.array([rows.source for rows in given], dtype=native.SOURCES)
    queries = [random_codes(rng, table.codes.shape[1], LETTERS) for table in alignments]
    made = native.order_rows(sources, queries, np.concatenate(orders), [4, 0, 20])
    for rows, table, query, order in zip(made, alignments, queries, orders, strict=True):
        assert np.array_equal(rows.codes, np.concatenate([query[np.newaxis], table.codes[order]]))
        names = [""] * len(rows.codes)
        own = RowTable(
            PROTEIN, names, names, rows.codes, np.append(0, order), np.append(0.0, order), rows.places, rows.inserted
        )
        assert [row.insertions for row in own[1:]] == [table[row].insertions for row in order.tolist()]


def test_alignments_become_rows_with_their_insertions(way, rng):
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 6, 1)
    codes = random_codes(rng, 120, LETTERS)
    subjects = packed([gapped(rng, codes, LETTERS) for _ in range(12)] + [codes[:0], codes])
    found = align_many(query_of(codes), subjects, scheme, threads=1)
    made = native.rows_of(found.paths, subjects, len(codes))
    ends = np.cumsum(made.places[:, 2])
    with_insertions = 0
    for number in range(len(subjects)):
        row = row_of(found.alignment(number), len(codes), subjects[number], PROTEIN, id="s")
        own = np.flatnonzero(made.places[:, 0] == number)
        insertions = {
            int(made.places[at, 1]): PROTEIN.decode(made.inserted[ends[at] - made.places[at, 2] : ends[at]])
            for at in own
        }
        assert np.array_equal(made.codes[number], row.codes)
        assert insertions == dict(row.insertions)
        with_insertions += bool(insertions)
    assert with_insertions
