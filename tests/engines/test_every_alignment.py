"""All local alignments of a pair, against a plain Waterman-Eggert, on every instruction set."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from swgui.core.alignment import Alignment, Op, rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import ScoreMismatch
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.engines import native
from swgui.engines.native import library
from swgui.engines.native.grid import TILES, Grid, tile_of
from swgui.engines.traceback import every
from swgui.engines.traceback.best import align_local
from swgui.engines.traceback.every import all_local
from swgui.io.matrices import load_matrix
from tests.engines.conftest import query_of, random_codes, random_gaps, random_matrix, relative
from tests.reference import remembered

EDGE = 64  # rows and columns of the smallest tile
SMALL = EDGE, EDGE


@remembered
def plain_alignments(query, subject, scheme, most, least=1):
    """List alignments by filling three matrices anew for each, with where the best way to every cell begins."""
    used, found = set(), []
    while len(found) < most:
        one = plain_best(query.scores(scheme), subject, scheme.gap_first, scheme.gap_extend, used)
        if one is None or one.score < least:
            break
        found.append(one)
        columns = spell_out(one)
        used |= {(i, j) for i, j in zip(columns.query.tolist(), columns.subject.tolist(), strict=True) if i >= 0 <= j}
    return found


def plain_best(profile, subject, first, extend, used):
    rows, columns = len(profile), len(subject)
    worst = (-(10**9), -1, -1)
    # (score, where it begins in the subject, in the query): of equals the later beginning wins.
    cells = [[[worst] * 3 for _ in range(columns + 1)] for _ in range(rows + 1)]
    costs = {  # to state: (rows and columns back, cost from each state)
        Op.INSERTION: ((1, 0), (first, extend, first)),
        Op.DELETION: ((0, 1), (first, first, extend)),
    }
    best = (0, -1, -1)
    end = 0, 0
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            here = cells[i][j]
            if (i - 1, j - 1) not in used:
                gain = int(profile[i - 1, subject[j - 1]])
                before = max(*cells[i - 1][j - 1], (0, j - 1, i - 1))
                here[Op.MATCH] = (before[0] + gain, *before[1:])
            for state, ((up, back), cost) in costs.items():
                before = cells[i - up][j - back]
                here[state] = max((before[k][0] - cost[k], *before[k][1:]) for k in range(3))
            score = here[Op.MATCH][0]
            if score > best[0] or (score == best[0] > 0 and j < end[1]):
                best, end = here[Op.MATCH], (i, j)
    if not best[0]:
        return None
    return Alignment.from_runs(best[2], best[1], plain_runs(cells, profile, subject, costs, best, end), best[0])


def plain_runs(cells, profile, subject, costs, best, end):
    (i, j), state, runs = end, Op.MATCH, []
    while True:
        runs.append((int(state), 1))
        value = cells[i][j][state]
        if state == Op.MATCH:
            gain = int(profile[i - 1, subject[j - 1]])
            i, j = i - 1, j - 1
            if (i, j) == (best[2], best[1]):
                return runs[::-1]
            cost = (-gain,) * 3
        else:
            (up, back), cost = costs[state]
            i, j = i - up, j - back
        state = next(op for op in Op if (cells[i][j][op][0] - cost[op], *cells[i][j][op][1:]) == value)


@remembered
def one_by_one(query, subject, scheme, most):
    return list(islice(every.one_by_one(query, subject, scheme, 1, lambda: None), most))


def by_tiles(query, subject, scheme, most, *, tile=None, level=""):
    found, costs = [], (scheme.gap_first, scheme.gap_extend)
    with Grid(query.scores(scheme), subject, *costs, gaps=query.gaps, tile=tile, level=level) as grid:
        while len(found) < most and (one := grid.next()) is not None:
            score, row, column, runs = one
            found.append(Alignment.from_runs(row, column, runs, score))
    return found


def with_repeats(rng, length, letters, unit):
    """Return a random sequence with some changed copies of a unit."""
    codes = random_codes(rng, length, letters)
    for _ in range(int(rng.integers(0, 5))):
        copy = relative(rng, unit, letters) if rng.random() < 0.7 else unit
        at = int(rng.integers(0, length))
        end = min(length, at + len(copy))
        codes[at:end] = copy[: end - at]
    return codes


def schemes(rng):
    """Yield a name, scheme and number of letters for every kind of gap cost and alphabet."""
    for alphabet, letters in ((PROTEIN, 20), (NUCLEOTIDE, 4), (NUCLEOTIDE, 2)):
        for first, extend in ((12, 1), (3, 3), (5, 2), (2, 0), (0, 0)):
            yield ScoringScheme(random_matrix(rng, alphabet, -6, 7), first, extend), letters
    # Beyond 16 bits, and gaps that cost more than any alignment is worth.
    yield ScoringScheme(random_matrix(rng, NUCLEOTIDE, -16_000, 16_000), 9_000, 700), 4
    yield ScoringScheme(random_matrix(rng, NUCLEOTIDE, -6, 7), 1_000_000, 1_000_000), 4


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
def test_as_the_plain_definition(rng, level):
    if level not in native.levels():
        pytest.skip(f"this CPU has no {level}")
    several = 0
    for scheme, letters in schemes(rng):
        unit = random_codes(rng, int(rng.integers(4, 30)), letters)
        rows, columns = (int(rng.integers(1, 100)) for _ in range(2))
        query = query_of(with_repeats(rng, rows, letters, unit))
        subject = with_repeats(rng, columns, letters, unit)
        want = plain_alignments(query, subject, scheme, 4)
        assert by_tiles(query, subject, scheme, 4, tile=SMALL, level=level) == want, scheme.describe()
        several += len(want) > 1
    assert several > 10


@pytest.mark.parametrize(("rows", "columns"), [(EDGE - 1, EDGE), (EDGE, EDGE + 1), (EDGE + 1, EDGE - 1), (1, EDGE + 1)])
def test_beside_the_edges_of_tiles(rng, rows, columns, dna_scheme):
    unit = random_codes(rng, 25, 4)
    query, subject = query_of(with_repeats(rng, rows, 4, unit)), with_repeats(rng, columns, 4, unit)
    assert by_tiles(query, subject, dna_scheme, 5, tile=SMALL) == plain_alignments(query, subject, dna_scheme, 5)


def test_an_alignment_across_the_corner_of_four_tiles(dna_scheme):
    letters = np.arange(2 * EDGE) * 7 % 11 % 4
    query, subject = query_of(letters.astype(np.uint8)), np.concatenate([letters[: EDGE + 3], letters[EDGE:]])
    found = by_tiles(query, subject.astype(np.uint8), dna_scheme, 3, tile=SMALL)
    assert found == plain_alignments(query, subject.astype(np.uint8), dna_scheme, 3)
    assert found[0].query_end - found[0].query_start == 2 * EDGE


def test_ties_in_sequences_of_one_letter(dna_scheme):
    ones = np.zeros(EDGE + 9, dtype=np.uint8)
    for scheme in (dna_scheme, ScoringScheme(dna_scheme.matrix, 0, 0), ScoringScheme(dna_scheme.matrix, 2, 2)):
        query = query_of(ones[: EDGE + 2])
        want = plain_alignments(query, ones, scheme, 4)
        assert by_tiles(query, ones, scheme, 4, tile=SMALL) == want
        assert len({one.score for one in plain_alignments(query_of(ones[:1]), ones[:3], scheme, 3)}) == 1


def test_with_a_profile(rng, protein_scheme):
    codes, subject = random_codes(rng, 150, 20), random_codes(rng, 200, 20)
    subject[20:60], subject[90:130] = codes[:40], codes[10:50]
    profile = protein_scheme.matrix.scores[codes] + rng.integers(-1, 2, (150, len(PROTEIN)))
    query = EncodedQuery("profile", codes, profile.astype(np.int16))
    want = plain_alignments(query, subject, protein_scheme, 3)
    assert (
        by_tiles(query, subject, protein_scheme, 3)
        == want
        == list(islice(all_local(query, subject, protein_scheme), 3))
    )


def test_ends_of_a_profile_that_score_nothing_cost_nothing(rng, protein_scheme, monkeypatch):
    codes, subject = random_codes(rng, 150, 20), random_codes(rng, 200, 20)
    subject[20:60], subject[90:130] = codes[50:90], codes[60:100]
    profile = np.full((150, len(PROTEIN)), -4, dtype=np.int16)
    profile[50:100] = protein_scheme.matrix.scores[codes[50:100]]
    profile[70] = 0
    query = EncodedQuery("part", codes, profile)
    want = plain_alignments(query, subject, protein_scheme, 3)
    sizes = []
    opened = Grid.__init__

    def spy(self, profile, *given, **named):
        sizes.append(len(profile))
        opened(self, profile, *given, **named)

    monkeypatch.setattr(Grid, "__init__", spy)
    assert list(islice(all_local(query, subject, protein_scheme), 3)) == want
    assert sizes == [50]
    nothing = EncodedQuery("nothing", codes, np.full_like(profile, -1))
    assert list(all_local(nothing, subject, protein_scheme)) == []


def test_what_does_not_fit_tiles_is_found_one_by_one(rng, protein_scheme, monkeypatch):
    unit = random_codes(rng, 40, 20)
    query, subject = query_of(with_repeats(rng, 300, 20, unit)), with_repeats(rng, 280, 20, unit)
    subject[100:140] = query.codes[50:90]
    expected = list(all_local(query, subject, protein_scheme, 25))
    monkeypatch.setattr(every, "TOTAL_BOUND", 0)
    monkeypatch.setattr(every, "Grid", None)
    assert list(all_local(query, subject, protein_scheme, 25)) == expected
    assert expected
    assert expected[0] == align_local(query, subject, protein_scheme)


def test_nothing_below_the_lowest_score_wanted(rng, protein_scheme):
    query, subject = query_of(random_codes(rng, 200, 20)), random_codes(rng, 200, 20)
    scores = [one.score for one in islice(all_local(query, subject, protein_scheme), 12)]
    assert scores == sorted(scores, reverse=True)
    for least in (scores[0] + 1, scores[0], scores[5]):
        found = [one.score for one in all_local(query, subject, protein_scheme, least)]
        assert found[:12] == [score for score in scores if score >= least]


def test_nothing_where_nothing_can_score(protein_scheme):
    nothing = np.zeros(0, dtype=np.uint8)
    assert list(all_local(query_of([1, 2, 3]), nothing, protein_scheme)) == []
    assert list(all_local(query_of([0]), np.array([0], dtype=np.uint8), protein_scheme, 10**6)) == []
    negative = SubstitutionMatrix("negative", PROTEIN, np.full((len(PROTEIN),) * 2, -1, dtype=np.int16))
    assert list(all_local(query_of([0, 1]), np.array([0, 1], dtype=np.uint8), ScoringScheme(negative, 1, 1))) == []


def has_second(query, packed, scheme, best, least):
    given, all_of = (packed, scheme, native.Paths.of(best), np.array(least)), np.arange(len(best))
    return every.has_second([query], np.zeros_like(all_of), *given, all_of).tolist()


def test_the_score_of_the_second_without_finding_it(rng):
    for scheme, letters in schemes(rng):
        unit = random_codes(rng, 30, letters)
        query = query_of(with_repeats(rng, 300, letters, unit))
        subjects = [with_repeats(rng, int(rng.integers(1, 200)), letters, unit) for _ in range(12)]
        subjects.append(np.tile(query.codes, 2))  # beyond 16 bits with large values, others are not
        found = [list(islice(all_local(query, subject, scheme), 2)) for subject in subjects]
        some = [at for at, both in enumerate(found) if both]
        lengths = np.cumsum([0, *(len(subjects[at]) for at in some)])
        packed = native.Subjects.packed(np.concatenate([subjects[at] for at in some]), lengths)
        best = [found[at][0] for at in some]
        second = [found[at][1].score if len(found[at]) > 1 else 0 for at in some]
        assert has_second(query, packed, scheme, best, np.maximum(second, 1)) == [score > 0 for score in second]
        assert not any(has_second(query, packed, scheme, best, [score + 1 for score in second]))


def with_gaps(rng, codes, scheme, most, scale=1):
    """Return a query whose gaps cost something else at every position, and none less than nothing."""
    gaps = random_gaps(rng, len(codes), most, scale)
    extend = np.maximum(gaps.deletion_extend, 0)
    costs = replace(gaps, deletion_first=np.maximum(gaps.deletion_first, extend), deletion_extend=extend)
    return EncodedQuery("q", codes, scheme.matrix.scores[codes], gaps=costs)


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
def test_gap_costs_by_position_are_as_one_by_one(rng, level):
    if level not in native.levels():
        pytest.skip(f"this CPU has no {level}")
    several = 0
    for number in range(40):
        scale = 700 if number % 8 == 7 else 1  # beyond 16 bits
        scheme = ScoringScheme(random_matrix(rng, NUCLEOTIDE, -6 * scale, 7 * scale), 5, 2)
        unit = random_codes(rng, int(rng.integers(4, 60)), 4)
        rows, columns = (int(rng.integers(1, 2 * EDGE + 9)) for _ in range(2))
        query = with_gaps(rng, with_repeats(rng, rows, 4, unit), scheme, number % 14, min(scale, 300))
        subject = with_repeats(rng, columns, 4, unit)
        want = one_by_one(query, subject, scheme, 4)
        assert by_tiles(query, subject, scheme, 4, tile=SMALL, level=level) == want
        several += len(want) > 1
    assert several > 10


def test_the_same_costs_at_every_position_are_those_of_the_scheme(rng, protein_scheme):
    unit = random_codes(rng, 60, 20)
    codes, subject = (with_repeats(rng, 600, 20, unit) for _ in range(2))
    plain = query_of(codes)
    by_position = EncodedQuery("q", codes, plain.scores(protein_scheme), gaps=plain.gap_costs(protein_scheme))
    assert list(islice(all_local(by_position, subject, protein_scheme), 9)) == list(
        islice(all_local(plain, subject, protein_scheme), 9)
    )


def test_the_score_of_the_second_with_gap_costs_by_position(rng):
    scheme = ScoringScheme(random_matrix(rng, NUCLEOTIDE, -6, 7), 5, 2)
    unit = random_codes(rng, 30, 4)
    query = with_gaps(rng, with_repeats(rng, 300, 4, unit), scheme, 9)
    subjects = [with_repeats(rng, int(rng.integers(30, 200)), 4, unit) for _ in range(12)]
    found = [list(islice(all_local(query, subject, scheme), 2)) for subject in subjects]
    packed = native.Subjects.packed(np.concatenate(subjects), np.cumsum([0, *map(len, subjects)]))
    best, second = [both[0] for both in found], [both[1].score if len(both) > 1 else 0 for both in found]
    assert has_second(query, packed, scheme, best, np.maximum(second, 1)) == [score > 0 for score in second]
    assert not any(has_second(query, packed, scheme, best, [score + 1 for score in second]))


def test_the_score_of_the_second_of_a_part(rng, protein_scheme):
    codes, subject = random_codes(rng, 150, 20), random_codes(rng, 200, 20)
    profile = np.full((150, len(PROTEIN)), -4, dtype=np.int16)
    profile[50:100] = protein_scheme.matrix.scores[codes[50:100]]
    query = EncodedQuery("part", codes, profile)
    first, second = islice(all_local(query, subject, protein_scheme), 2)
    packed = native.Subjects.packed(subject, np.array([0, 200]))
    assert has_second(query, packed, protein_scheme, [first], [second.score]) == [True]
    assert has_second(query, packed, protein_scheme, [first], [second.score + 1]) == [False]


def test_it_can_be_given_up_at_the_start_and_between_two(rng, protein_scheme):
    class GivenUp(Exception):
        pass

    allowed = 0

    def check():
        nonlocal allowed
        allowed -= 1
        if allowed < 0:
            raise GivenUp

    query, subject = query_of(random_codes(rng, 2 * TILES[0][1], 20)), random_codes(rng, 300, 20)
    with pytest.raises(GivenUp):
        next(all_local(query, subject, protein_scheme, check=check))
    allowed = 10
    found = all_local(query, subject, protein_scheme, check=check)
    assert next(found).score > 0
    allowed = 0
    with pytest.raises(GivenUp):
        next(found)


def test_an_alignment_that_does_not_add_up_is_an_error(rng, protein_scheme, monkeypatch):
    query, subject = query_of(random_codes(rng, 100, 20)), random_codes(rng, 100, 20)
    taken = Grid.next

    def wrong(self, least=1):
        score, row, column, runs = taken(self, least)
        return score + 1, row, column, runs

    monkeypatch.setattr(Grid, "next", wrong)
    with pytest.raises(ScoreMismatch, match="a subject"):
        next(all_local(query, subject, protein_scheme, subject_id="a subject"))


def test_tiles_fit_the_pair():
    for rows in (1, 63, 64, 65, 512, 513, 5_000, 200_000):
        for columns in (1, 1_000, 200_000):
            tall, wide = tile_of(rows, columns)
            assert tall % 64 == wide % 32 == 0
            assert (tall <= 512 and wide <= 256) or rows * columns > 4e9
            assert 8 * rows * columns / min(tall, wide) < 1e9  # bytes of borders, one way


def test_the_largest_tiles(rng, dna_scheme):
    unit = random_codes(rng, 90, 4)
    query, subject = query_of(with_repeats(rng, 700, 4, unit)), with_repeats(rng, 650, 4, unit)
    assert by_tiles(query, subject, dna_scheme, 6, tile=(512, 512)) == by_tiles(
        query, subject, dna_scheme, 6, tile=SMALL
    )


@pytest.mark.parametrize("kind", ["protein", "nucleotide"])
def test_as_lalign36(repository, kind):
    # Among alignments with one score it may choose another; the rest has the same scores.
    folder = repository / "tests" / "data" / "lalign36"
    alphabet = {"protein": PROTEIN, "nucleotide": NUCLEOTIDE}[kind]
    codes = [
        alphabet.encode((folder / f"{kind}_{number}.fasta").read_bytes().split(b"\n", 1)[1].replace(b"\n", b""))
        for number in (1, 2)
    ]
    matrix = load_matrix("BLASTP", PROTEIN) if kind == "protein" else match_mismatch(NUCLEOTIDE, 2, -3)
    scheme = ScoringScheme.from_blast(matrix, *{"protein": (11, 1), "nucleotide": (5, 2)}[kind])
    query, subject = query_of(codes[0]), codes[1]
    theirs = []
    for line in (folder / f"{kind}.txt").read_text().splitlines():
        if not line.startswith("#"):
            fields = line.split("\t")
            swapped = fields[-1].translate(str.maketrans("ID", "DI"))
            one = Alignment.from_cigar(int(fields[6]) - 1, int(fields[8]) - 1, swapped, 0)
            theirs.append(replace(one, score=rescore(one, query, subject, scheme)))
    ours = list(islice(all_local(query, subject, scheme), len(theirs)))
    assert len(theirs) == 20
    assert [one.score for one in ours] == [one.score for one in theirs]
    assert sum(one in theirs for one in ours) >= 10


def test_a_tile_that_changes_in_its_corner_alone_changes_the_one_across_it():
    """Gaps cost more than the alignment scores, so that none of it is next to or below the corner."""
    query, subject = (np.full(2 * EDGE, NUCLEOTIDE.code(letter), dtype=np.uint8) for letter in "AC")
    for codes in (query, subject):
        codes[EDGE - 3 : EDGE] = NUCLEOTIDE.encode(b"GTG")
        codes[EDGE + 1] = NUCLEOTIDE.code(
            "T"
        )  # behind a mismatch: 6 - 3 + 2 beyond the corner, until the 6 are used up
    profile = match_mismatch(NUCLEOTIDE, 2, -3).scores[query]
    for level in library.levels():
        with Grid(profile, subject, 7, 2, tile=SMALL, level=level) as grid:
            assert grid.next(3) == (6, EDGE - 3, EDGE - 3, [(Op.MATCH, 3)])
            assert grid.next(3) is None
