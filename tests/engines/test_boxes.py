"""Alignments of long subjects, in boxes: the same as in the whole matrix, with and without the scores of windows."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.hits.scores import WindowScores
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.engines.traceback import boxes as module
from swgui.engines.traceback import bulk, every
from swgui.engines.traceback.boxes import Box, boxes, query_boxes
from swgui.engines.traceback.bulk import Items, find_each
from swgui.engines.traceback.every import all_local
from swgui.engines.windows import cut, longest_span
from tests.engines.conftest import query_of, random_codes, relative
from tests.reference import gotoh_score_wide

LEAST = 26


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    for of in (module, bulk):
        monkeypatch.setattr(of, "NARROW", 60)


@pytest.fixture
def pair(rng):
    """A query of 40 residues, and a subject with exact and changed copies, two of them side by side, one at its end."""
    query, subject = random_codes(rng, 40, 4), random_codes(rng, 9_000, 4)
    for place in (0, 1_000, 1_041, 4_000, 7_777, 8_960):
        copy = query if place in (1_000, 4_000) else relative(rng, query, 4)
        subject[place : place + len(copy)] = copy[: len(subject) - place]
    return query_of(query), subject


def scored(query, subject, scheme, step):
    profile, costs = query.scores(scheme), (scheme.gap_first, scheme.gap_extend)
    windows = cut(len(subject), longest_span(query, scheme), step)
    scores = [gotoh_score_wide(profile, subject[a:b], *costs) for a, b in windows]
    starts, stops = np.array(windows).T
    return WindowScores(0, starts, stops, np.array(scores, dtype=np.int32))


def in_bulk(query, subject, scheme, windows, most=100, least=LEAST):
    """Return the result of `find_each`, at positions of the whole subject."""
    database = encode_database([SequenceRecord("s", "", NUCLEOTIDE.decode(subject))], NUCLEOTIDE, "db")
    items = Items(np.zeros(1, np.int64), np.ones(1, np.int64), np.full(1, least), [windows])
    paths, found, _ = find_each([query], np.zeros(1, np.int64), database, scheme, items, most, threads=1)
    paths = replace(paths, regions=paths.regions.moved(0, found.starts))
    return [paths.alignment(at) for at in range(len(paths))]


def test_as_in_the_whole_matrix(pair, dna_scheme):
    query, subject = pair
    found = list(all_local(query, subject, dna_scheme, LEAST))
    whole = list(every.in_box(query, subject, dna_scheme, LEAST, Box(0, len(subject)), lambda: None))
    assert found == whole
    assert len(found) >= 6
    for windows in (None, scored(query, subject, dna_scheme, 900)):
        assert found == in_bulk(query, subject, dna_scheme, windows)
    assert found[:3] == in_bulk(query, subject, dna_scheme, None, most=3)
    assert len(boxes(query, subject, dna_scheme, LEAST)) > 2


def test_parts_of_a_long_query_give_what_the_whole_matrix_gives(pair, dna_scheme):
    subject, codes = pair
    query = query_of(codes)
    found = list(all_local(query, subject.codes, dna_scheme, LEAST))
    whole = list(every.in_box(query, subject.codes, dna_scheme, LEAST, Box(0, 40), lambda: None))
    assert found == whole
    assert len(found) >= 6
    parts = query_boxes(query, subject.codes, dna_scheme, LEAST)
    assert len(parts) > 2
    assert sum(box.stop - box.start for box in parts) < len(codes) / 3


def test_boxes_are_apart_and_hold_what_they_say(pair, dna_scheme):
    query, subject = pair
    found = boxes(query, subject, dna_scheme, LEAST)
    assert all(one.stop <= other.start for one, other in pairwise(found))
    for box in found:
        best = gotoh_score_wide(query.scores(dna_scheme), subject[box.start : box.stop], 7, 2)
        assert box.bound >= LEAST
        assert best == box.bound
    assert sum(box.stop - box.start for box in found) < len(subject) / 3


def test_only_what_the_search_found_is_looked_at(pair, dna_scheme):
    query, subject = pair
    known = scored(query, subject, dna_scheme, 900)
    first = known.starts < 2_000
    part = WindowScores(0, known.starts[first], known.stops[first], known.scores[first])
    found = in_bulk(query, subject, dna_scheme, part)
    assert found
    assert all(one.subject_end < 3_200 for one in found)


@pytest.mark.parametrize(("gap_first", "gap_extend"), [(7, 2), (3, 0), (5, 5)])
@pytest.mark.parametrize("scale", [1, 40, 900])
@pytest.mark.sampled(1)
def test_random_subjects_with_repeats_in_bulk_are_as_in_the_whole_matrix(rng, dna_scheme, gap_first, gap_extend, scale):
    # Small scores fit lanes of bytes, larger ones words, and the largest only 32 bits.
    matrix = replace(dna_scheme.matrix, scores=(dna_scheme.matrix.scores * scale).astype(np.int16))
    scheme = ScoringScheme(matrix, gap_first * scale, gap_extend * scale)
    unit, least = random_codes(rng, 60, 4), LEAST * scale
    for _ in range(3):
        subject = random_codes(rng, 6_000, 4)
        for place in rng.integers(0, 5_900, size=12).tolist():
            copy = relative(rng, unit, 4)
            subject[place : place + len(copy)] = copy[: len(subject) - place]
        whole = list(every.in_box(query_of(unit), subject, scheme, least, Box(0, len(subject)), lambda: None))
        assert in_bulk(query_of(unit), subject, scheme, None, least=least) == whole[:100]
        assert len(whole) > 3


def test_no_box_is_opened_before_its_best_may_come_next(pair, dna_scheme, monkeypatch):
    query, subject = pair
    opened = []
    inside = every.in_box
    monkeypatch.setattr(every, "in_box", lambda *args, **how: opened.append(args[4]) or inside(*args, **how))
    best = next(all_local(query, subject, dna_scheme, LEAST))
    # Two boxes have a copy of the whole query, and of equals the first counts.
    assert best.score == 80
    assert best.subject_start == 1_000
    assert [box.bound for box in opened] == [80, 80]


def test_a_subject_that_cannot_be_cut_is_one_box(pair, dna_scheme):
    query, subject = pair
    free = ScoringScheme(dna_scheme.matrix, 3, 0)
    whole = [Box(0, len(subject))]
    assert boxes(query, subject, free, LEAST) == whole
    assert boxes(query, subject[:500], dna_scheme, LEAST) == [Box(0, 500)]


def test_nothing_above_the_limit_is_no_box(rng, dna_scheme):
    query = query_of(random_codes(rng, 40, 4))
    subject = random_codes(rng, 9_000, 4)
    assert boxes(query, subject, dna_scheme, 75) == []
    assert list(islice(all_local(query, subject, dna_scheme, 75), 1)) == []


def test_looking_for_boxes_can_be_given_up(pair, dna_scheme):
    class GivenUp(Exception):
        pass

    def check():
        raise GivenUp

    query, subject = pair
    with pytest.raises(GivenUp):
        next(all_local(query, subject, dna_scheme, LEAST, check=check))
