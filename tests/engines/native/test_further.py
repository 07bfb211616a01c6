"""Further alignments of many subjects at a time, against those of one pair after the other."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native
from swgui.engines.native import further
from swgui.engines.native.grid import rest_scores
from swgui.engines.traceback.every import all_local, has_second
from swgui.engines.traceback.many import align_each, align_many, stack
from tests.engines.conftest import query_of, random_codes, random_gaps, random_matrix, relative

MOST = 5


def related(rng, count, letters):
    """Return a query with repeats, and subjects with some of them."""
    unit = random_codes(rng, 25, letters)
    codes = np.concatenate([random_codes(rng, 40, letters), unit, random_codes(rng, 20, letters), unit])
    subjects = []
    for _ in range(count):
        parts = [random_codes(rng, int(rng.integers(1, 60)), letters)]
        parts += [relative(rng, unit, letters) for _ in range(int(rng.integers(0, 4)))]
        subjects.append(np.concatenate(parts).astype(np.uint8))
    return codes, subjects


def packed(subjects):
    return native.Subjects.packed(np.concatenate(subjects), np.cumsum([0, *map(len, subjects)]))


# Small scores fit lanes of bytes, some do not, and large ones only the grid.
@pytest.mark.parametrize(
    ("lowest", "highest", "first", "extend"), [(-6, 7, 9, 1), (-6, 40, 11, 2), (-999, 999, 900, 70)]
)
@pytest.mark.parametrize("count", [3, 70])
@pytest.mark.sampled
def test_all_alignments_of_many_are_those_of_each(rng, way, count, lowest, highest, first, extend):
    if way == "plain":
        pytest.skip("one after the other is all there is")
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, lowest, highest), first, extend)
    codes, subjects = related(rng, count, 20)
    query, together, least = query_of(codes), packed(subjects), 3 * highest
    one_by_one = [list(islice(all_local(query, subject, scheme, least), MOST)) for subject in subjects]
    spans = np.tile([0, len(query)], (count, 1))
    given = query.scores(scheme), spans, together, np.full(count, least), MOST, first, extend
    of, paths = further.find_all(*given, threads=1)
    assert of.tolist() == [at for at, found in enumerate(one_by_one) for _ in found]
    assert [paths.alignment(at) for at in range(len(paths))] == [one for found in one_by_one for one in found]

    some = np.flatnonzero([bool(found) for found in one_by_one])
    best = native.Paths.of([one_by_one[at][0] for at in some.tolist()])
    given = query.scores(scheme), spans[some], together.take(some), best
    rest = rest_scores(*given, first, extend).astype(np.int64)
    assert rest.any()
    for above in (0, 1):
        every, wanted = np.arange(len(some)), np.maximum(rest + above, 1)
        asked = has_second([query], np.zeros_like(some), together.take(some), scheme, best, wanted, every)
        assert asked.tolist() == ((above == 0) & (rest > 0)).tolist()


def test_gap_costs_by_position_of_several_queries(rng):
    scheme = ScoringScheme(random_matrix(rng, NUCLEOTIDE, -6, 7), 5, 2)
    queries, pairs = [], []
    for number in range(3):
        codes, subjects = related(rng, 8, 4)
        gaps = random_gaps(rng, len(codes), 9)
        extend = np.maximum(gaps.deletion_extend, 0)  # nothing pays back
        gaps = replace(gaps, deletion_first=np.maximum(gaps.deletion_first, extend), deletion_extend=extend)
        queries.append(EncodedQuery(str(number), codes, scheme.matrix.scores[codes], gaps=gaps if number else None))
        pairs += [(number, subject) for subject in subjects]
    pairs = [pairs[at] for at in rng.permutation(len(pairs)).tolist()]
    of, together = np.array([at for at, _ in pairs]), packed([one for _, one in pairs])
    least = rng.integers(20, 150, len(pairs))
    alike = [(queries[at], subject, scheme, low) for (at, subject), low in zip(pairs, least.tolist(), strict=True)]
    stacked = stack(queries, scheme)
    given = stacked.query.scores(scheme), stacked.spans(of), together, least, MOST, 5, 2
    _, paths = further.find_all(*given, gaps=stacked.query.gaps)
    expected = [one for pair in alike for one in islice(all_local(*pair), MOST)]
    assert [paths.alignment(at) for at in range(len(paths))] == expected
    best, every = align_each(queries, of, together, scheme), np.arange(len(pairs))
    alone = [align_many(queries[at], packed([subject]), scheme).alignment(0) for at, subject in pairs]
    assert [best.alignment(at) for at in every.tolist()] == alone
    second = has_second(queries, of, together, scheme, best.paths, least, every)
    assert second.tolist() == [len(list(islice(all_local(*pair), 2))) == 2 for pair in alike]
    assert 0 < second.sum() < len(pairs)


def test_it_can_be_given_up(rng, protein_scheme):
    codes, subjects = related(rng, 8, 20)

    def stop():
        raise InterruptedError

    profile = query_of(codes).scores(protein_scheme)
    with pytest.raises(InterruptedError):
        further.find_all(
            profile, np.tile([0, len(codes)], (8, 1)), packed(subjects), np.full(8, 20), MOST, 12, 1, check=stop
        )


# Small scores fit lanes of bytes, some words, large ones stripes alone.
@pytest.mark.parametrize(
    ("lowest", "highest", "first", "extend"), [(-6, 7, 9, 1), (-30, 60, 70, 7), (-999, 999, 900, 70)]
)
@pytest.mark.parametrize("count", [3, 70])
@pytest.mark.sampled
def test_alignments_end_and_begin_in_what_is_reached(rng, way, count, lowest, highest, first, extend):
    if way == "plain":
        pytest.skip("compiled code")
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, lowest, highest), first, extend)
    codes, subjects = related(rng, count, 20)
    query, together, least = query_of(codes), packed(subjects), 4 * highest
    given = query.scores(scheme), together, np.full(count, least), first, extend
    (begin, end), (back, behind) = (
        further.reached_columns(*given, backwards=side, threads=1) for side in (False, True)
    )
    seen = 0
    for k, subject in enumerate(subjects):
        every = list(all_local(query, subject, scheme, least))
        assert bool(every) == bool(end[k] > begin[k]) == bool(behind[k] > back[k])
        for one in every:
            assert begin[k] < one.subject_end <= end[k]
            assert back[k] <= len(subject) - 1 - one.subject_start < behind[k]
            seen += 1
    assert seen


def test_reached_columns_can_be_given_up(rng, protein_scheme):
    codes, subjects = related(rng, 8, 20)

    def stop():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        further.reached_columns(
            query_of(codes).scores(protein_scheme), packed(subjects), np.full(8, 20), 12, 1, check=stop
        )
