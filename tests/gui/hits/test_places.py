"""Rows and the alignments unfolded below them; where alignments lie along the query."""

from dataclasses import replace

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.records import SequenceRecord
from swgui.gui.hits.alignments import Stretch, Stretches
from swgui.gui.hits.places import SUBJECT, Places
from tests.io.sequences.by_hand import make_hit, make_scheme, with_others

ROWS = np.array([4, 2, 7, 0])


def test_without_anything_unfolded_places_are_the_rows():
    places = Places.of(ROWS, {})
    assert places.rows is ROWS
    assert [places.at(place) for place in (-1, 0, 3, 4)] == [(-1, SUBJECT), (4, SUBJECT), (0, SUBJECT), (-1, SUBJECT)]
    assert [places.place_of(row) for row in (0, 1, 2, 7, 8, -1)] == [3, -1, 1, 2, -1, -1]
    assert places.place_of(2, 1) == 1  # folded: the row itself
    assert places.places_of(np.array([0, 1, 4, 99])).tolist() == [3, 0]
    assert places.between(1, 2).tolist() == [2, 7]


def test_alignments_stand_below_their_row():
    places = Places.of(ROWS, {2: 3, 0: 2, 5: 9})
    assert len(places) == 4 + 3 + 2
    assert places.rows.tolist() == [4, 2, 2, 2, 2, 7, 0, 0, 0]
    assert places.parts.tolist() == [-1, -1, 0, 1, 2, -1, -1, 0, 1]
    assert places.subjects is ROWS
    for place in range(len(places)):
        assert places.place_of(*places.at(place)) == place
    assert places.place_of(2, 3) == 1  # it has no fourth one
    assert places.places_of(np.array([0, 2, 3])).tolist() == [6, 1]
    assert places.between(2, 6).tolist() == [2, 7, 0]


def test_a_million_rows_with_some_unfolded():
    rows = np.random.default_rng(1).permutation(1_000_000)
    places = Places.of(rows, {5: 100, 999_999: 7})
    assert len(places) == 1_000_107
    at = places.place_of(5)
    assert places.at(at + 100) == (5, 99)
    assert places.at(at + 101) == (int(rows[np.flatnonzero(rows == 5)[0] + 1]), SUBJECT)


def test_no_rows():
    places = Places.of(np.zeros(0, dtype=np.int64), {3: 2})
    assert len(places) == 0
    assert places.place_of(3) == -1
    assert places.between(0, -1).tolist() == []


@pytest.fixture
def hit():
    scheme = make_scheme(NUCLEOTIDE)
    query, subject = SequenceRecord("q", "", b"AACCGGTTAC"), SequenceRecord("s", "", b"AACCGGTTACTTTGTAACCGG")
    best = make_hit(scheme, query, subject, 0, 1, 0, 0, "10M")
    minus = make_hit(scheme, query, subject, 0, 1, 0, 13, "8M", strand=-1)
    return with_others(best, [minus])


def test_stretches_are_kept_for_subjects_with_several_alignments(hit):
    found = Stretches()
    found.add(7, hit)
    found.add(7, hit)  # once is enough
    found.add(3, replace(hit, hsps=hit.hsps[:1]))
    assert (len(found), found.count(7), found.count(3), found.strands(7), found.strands(3)) == (2, 2, 0, 2, 0)
    assert found.of(7) == [
        Stretch(1, 10, 1, hit.score, hit.bit_score),
        Stretch(3, 10, -1, hit.hsps[1].score, hit.hsps[1].bit_score),
    ]
    assert found.of(3) == []
    assert found.later.tolist() == [False, True]
    for row in range(100, 200):  # more than there was room for at first
        found.add(row, hit)
    assert found.of(199) == found.of(7)
    assert found.rows.tolist() == [7, 7, *np.repeat(np.arange(100, 200), 2)]
