"""Co-optimal alignments counted, and further ones that share no aligned pair."""

from __future__ import annotations

import numpy as np
import pytest

import swgui.engines.traceback.alternatives as module
from swgui.core.alignment import Op, rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.engines.traceback.alternatives import cooptimal_cells, count_cooptimal, next_local
from swgui.engines.traceback.best import align_local
from tests.engines.conftest import query_of, random_codes, random_matrix, relative
from tests.engines.pair.reference import pairs_of


def tiny_scheme(match, mismatch, gap_first, gap_extend):
    scores = np.where(np.eye(len(NUCLEOTIDE), dtype=bool), match, mismatch).astype(np.int16)
    return ScoringScheme(SubstitutionMatrix("tiny", NUCLEOTIDE, scores), gap_first, gap_extend)


def every_alignment(query, subject, scheme):
    """Yield (first pair, columns as text, score, scores before each pair) of all local alignments."""
    profile = query.scores(scheme)

    def extend(i, j, text, score, before):
        # (i, j): residues used; the text ends with a pair.
        yield text, score, before
        for a in range(len(query) - i):
            for b in range(len(subject) - j):
                gain = int(profile[i + a, subject[j + b]])
                for gaps in interleavings(a, b):
                    new = score - cost_of(gaps, scheme) + gain
                    yield from extend(i + a + 1, j + b + 1, text + gaps + "M", new, [*before, score])

    for i in range(len(query)):
        for j in range(len(subject)):
            for text, score, before in extend(i + 1, j + 1, "M", int(profile[i, subject[j]]), []):
                yield (i, j), text, score, before


def interleavings(a, b):
    if not a or not b:
        yield "I" * a + "D" * b
        return
    for rest in interleavings(a - 1, b):
        yield "I" + rest
    for rest in interleavings(a, b - 1):
        yield "D" + rest


def cost_of(order, scheme):
    total, at = 0, 0
    while at < len(order):
        end = at
        while end < len(order) and order[end] == order[at]:
            end += 1
        total += scheme.gap_cost(end - at)
        at = end
    return total


def count_by_listing(query, subject, scheme):
    """Count the alignments with the best score that no shorter one inside them reaches."""
    return len(list_best(query, subject, scheme))


def list_best(query, subject, scheme):
    """Return (first pair, columns as text) of the alignments that are counted."""
    listed = list(every_alignment(query, subject, scheme))
    best = max((score for _, _, score, _ in listed), default=0)
    return [
        (start, text)
        for start, text, score, before in listed
        if score == best > 0
        and all(part < best for part in before)
        and all(value > 0 for value in values_before_pairs(query, subject, scheme, start, text))
    ]


def values_before_pairs(query, subject, scheme, start, text):
    """Return the score of the columns before each pair but the first, gaps just before it included."""
    profile = query.scores(scheme)
    (i, j), score, values, gap = start, 0, [], ""
    for at, letter in enumerate(text):
        if letter == "M":
            score -= cost_of(gap, scheme)
            gap = ""
            if at:
                values.append(score)
            score += int(profile[i, subject[j]])
        else:
            gap += letter
        i, j = i + (letter != "D"), j + (letter != "I")
    return values


@pytest.mark.parametrize(
    ("match", "mismatch", "gap_first", "gap_extend"),
    [(2, -1, 2, 1), (1, -1, 1, 1), (2, -2, 3, 0), (1, 0, 1, 0), (3, -1, 5, 2)],
)
def test_count_is_that_of_listing_all(rng, match, mismatch, gap_first, gap_extend):
    scheme = tiny_scheme(match, mismatch, gap_first, gap_extend)
    for _ in range(12):
        query = query_of(random_codes(rng, int(rng.integers(1, 5)), 2))
        subject = random_codes(rng, int(rng.integers(1, 5)), 2)
        assert count_cooptimal(query, subject, scheme) == count_by_listing(query, subject, scheme)


def test_cells_are_those_of_all_that_are_counted(rng):
    scheme = tiny_scheme(2, -1, 2, 1)
    for _ in range(80):
        query = query_of(random_codes(rng, int(rng.integers(1, 6)), 2))
        subject = random_codes(rng, int(rng.integers(1, 6)), 2)
        expected = set()
        for (i, j), text in list_best(query, subject, scheme):
            for letter in text:
                after = i + (letter != "D"), j + (letter != "I")
                expected.add((i, j, *after))
                i, j = after
        assert [tuple(step) for step in cooptimal_cells(query, subject, scheme).tolist()] == sorted(expected)


def test_cells_of_large_pairs_are_not_looked_for():
    scheme = tiny_scheme(10, -20, 3, 3)
    query, subject = query_of(NUCLEOTIDE.encode(b"ACGTA" * 9)), NUCLEOTIDE.encode(b"AACGTA" * 9)
    assert len(cooptimal_cells(query, subject, scheme)) > 60
    assert cooptimal_cells(query, subject, scheme, most_cells=1000) is None
    assert cooptimal_cells(query, subject, scheme, most_steps=60) is None
    assert cooptimal_cells(query, subject[:0], scheme).shape == (0, 4)


def test_count_of_repeats_is_known():
    scheme = tiny_scheme(2, -3, 7, 2)
    unit = NUCLEOTIDE.encode(b"ACGTTGCA")
    query, spacer = query_of(unit), NUCLEOTIDE.encode(b"NNNNNNNNN")
    subject = np.concatenate([unit, spacer] * 5)
    assert count_cooptimal(query, subject, scheme) == 5
    assert count_cooptimal(query, spacer[:0], scheme) == 0


def test_count_grows_beyond_64_bits():
    # In every block either of two A may be the one that is skipped.
    scheme = tiny_scheme(10, -20, 3, 3)
    blocks = 70
    query = query_of(NUCLEOTIDE.encode(b"ACGTA" * blocks))
    subject = NUCLEOTIDE.encode(b"AACGTA" * blocks)
    count = count_cooptimal(query, subject, scheme)
    assert count > 2**64
    assert isinstance(count, int)


@pytest.mark.parametrize("limit", ["MAX_STEPS", "MAX_CELLS"])
def test_count_gives_up_in_time(monkeypatch, limit):
    query, subject = query_of(NUCLEOTIDE.encode(b"ACGTA" * 9)), NUCLEOTIDE.encode(b"AACGTA" * 9)
    assert count_cooptimal(query, subject, tiny_scheme(10, -20, 3, 3)) > 1
    monkeypatch.setattr(module, limit, 30)
    assert count_cooptimal(query, subject, tiny_scheme(10, -20, 3, 3)) is None


def test_first_is_the_best_alignment(protein_scheme, rng):
    for _ in range(5):
        query = query_of(random_codes(rng, 60, 20))
        subject = relative(rng, query.codes, 20)
        assert next_local(query, subject, protein_scheme, []) == align_local(query, subject, protein_scheme)


def test_repeats_come_one_after_the_other(protein_scheme, rng):
    unit = random_codes(rng, 40, 20)
    subject = np.concatenate(
        [unit, random_codes(rng, 30, 20), relative(rng, unit, 20), random_codes(rng, 30, 20), unit]
    )
    query = query_of(unit)
    found = []
    for _ in range(3):
        found.append(next_local(query, subject, protein_scheme, found))
    places = sorted(alignment.subject_start for alignment in found)
    assert places[0] < 40 <= places[1] < 120 < places[2]
    assert [alignment.score for alignment in found] == sorted((alignment.score for alignment in found), reverse=True)


def test_further_alignments_share_no_pair_and_fall_in_score(rng):
    for trial in range(6):
        scheme = ScoringScheme(random_matrix(rng, PROTEIN, -4, 5), 6, trial % 3)
        query = query_of(random_codes(rng, 40, 20))
        subject = relative(rng, np.concatenate([query.codes, query.codes]), 20)
        found, taken = [], set()
        for _ in range(6):
            alignment = next_local(query, subject, scheme, found)
            assert rescore(alignment, query, subject, scheme) == alignment.score
            assert not pairs_of(alignment) & taken
            assert not found or alignment.score <= found[-1].score
            assert alignment.ops[0] == alignment.ops[-1] == Op.MATCH
            taken |= pairs_of(alignment)
            found.append(alignment)


def next_score_by_listing(query, subject, scheme, taken):
    profile = query.scores(scheme)
    above, down, best = [0] * (len(subject) + 1), [-(10**9)] * (len(subject) + 1), 0
    for i in range(len(query)):
        row, along = [0], -(10**9)
        for j in range(len(subject)):
            along = max(row[j] - scheme.gap_first, along - scheme.gap_extend)
            down[j + 1] = max(above[j + 1] - scheme.gap_first, down[j + 1] - scheme.gap_extend)
            pair = -(10**9) if (i, j) in taken else above[j] + int(profile[i, subject[j]])
            row.append(max(0, pair, along, down[j + 1]))
        above, best = row, max(best, *row)
    return best


def test_next_score_is_the_textbooks_with_cells_taken_out(rng):
    scheme = tiny_scheme(2, -1, 2, 1)
    for _ in range(10):
        query, subject = query_of(random_codes(rng, 25, 3)), random_codes(rng, 30, 3)
        found, taken = [], set()
        for _ in range(5):
            alignment = next_local(query, subject, scheme, found)
            assert alignment.score == next_score_by_listing(query, subject, scheme, taken)
            taken |= pairs_of(alignment)
            found.append(alignment)


def test_nothing_left_is_an_alignment_without_columns():
    scheme = tiny_scheme(2, -3, 7, 2)
    query, subject = query_of(NUCLEOTIDE.encode(b"A")), NUCLEOTIDE.encode(b"A")
    first = next_local(query, subject, scheme, [])
    assert first.path == (0, 0, "1M")
    assert next_local(query, subject, scheme, [first]).columns == 0
