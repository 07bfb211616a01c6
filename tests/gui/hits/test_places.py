"""Rows and the alignments unfolded below them; where alignments lie along the query."""

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.results import CompositionColumns, HitList
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.gui.hits.aligned import AlignedHits
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.hits.places import SUBJECT, Places
from swgui.io.export.columns import HIT_COLUMNS
from tests.given_hits import changed, line_of
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


def test_hits_are_kept_with_all_their_alignments_as_they_come(hit):
    known, ranks = AlignedHits(300), [8, *range(101, 201)]
    for rank in (*ranks, 8):  # once is enough
        known.add(changed(hit, rank=rank).table)
    known.add(changed(hit, rank=4, lines=[line_of(hit)]).table)
    assert np.flatnonzero(known.aligned).tolist() == sorted([3, *(rank - 1 for rank in ranks)])
    assert known.hit(4) is None
    assert [row.score for row in known.hit(7).rows()] == [row.score for row in hit.rows()]
    assert known.hit(150).rank == 151
    rows, starts, ends = known.spans()
    assert rows.tolist() == [*np.repeat(np.array(ranks) - 1, 2).tolist(), 3]
    assert list(zip(starts[:2].tolist(), ends[:2].tolist(), strict=True)) == [(1, 10), (3, 10)]
    scores = known.numbers(HIT_COLUMNS["total_score"])
    assert scores[[7, 150]].tolist() == [sum(row.score for row in hit.rows())] * 2
    known.add(changed(hit, rank=300).table)
    assert known.numbers(HIT_COLUMNS["total_score"])[299] == scores[7]
    assert np.isnan(scores[0])


# Verdicts on the hits of one query as columns


def corrected(result):
    """Return the first query's hits with E-values as a correction for composition gives them."""
    hits = result.queries[0].hits
    evalues = np.array([-17.9, 2.1, -1.6, -0.8, 0.4])
    before = np.array([-21.9706, -4.0787, -2.6023, -8.6454, 0.0715])
    composition = CompositionColumns(
        before, np.array([0.98, 0.514, 0.923, 0.598, 0.943]), np.array([46, 7, 15, 9, 7.0])
    )
    return HitList(result, 0, replace(hits, log10_evalues=evalues, composition=composition))


def test_the_column_and_the_sentence_come_from_e_and_composition(made):
    data = HitData(corrected(made.result))
    words = [data.text(row, BY_KEY["verdict"]) for row in range(len(data))]
    assert words == ["significant", "bias", "borderline", "bias", "chance"]
    assert data.text_ranks("verdict").argsort(kind="stable").tolist() == [0, 2, 1, 3, 4]  # not by the alphabet
    said = "Probably a bias of composition: shuffled copies come within 8 standard deviations (Z of shuffles = 7)"
    assert data.verdict(1).startswith(said)
    assert "covers" not in data.verdict(0)  # not aligned yet
    data.add(made.describe(corrected(made.result), [0]))
    assert "covers 100 % of both" in data.verdict(0) or "the same sequence" in data.verdict(0)
    assert data.has_significant
    assert not HitData(HitList(made.result, 0, data.hits.take(slice(1, None)))).has_significant
