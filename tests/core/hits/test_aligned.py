"""Alignments in columns, as lines of hits."""

import numpy as np

from swgui.core.alignment import count_columns
from swgui.core.alphabet import PROTEIN
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.records import SequenceRecord
from tests.io.sequences.by_hand import make_hit, make_scheme, with_others


def columns():
    """Four lines of three hits, of which the second has no alignment."""
    scheme, query = make_scheme(PROTEIN), SequenceRecord("q", "", b"MKTAYIAKQR")
    subject = SequenceRecord("s", "", b"MKTAYIAKQRMKTAYI")
    made = [make_hit(scheme, query, subject, 0, 1, 0, at, cigar) for at, cigar in ((0, "10M"), (10, "6M"))]
    codes = scheme.alphabet.encode(subject.residues)
    pairs = [(hit.alignment, count_columns(hit.alignment, hit.query, codes, scheme)) for hit in made]
    aligned = AlignedColumns.of([*pairs, None, pairs[1]])
    hit, strands = np.array([0, 0, 1, 2]), np.array([1, -1, 1, 1])
    return aligned.of_hits(hit, strands, np.array([9.0, 5.0, np.nan, 5.0]), np.array([-9.0, -2.0, np.nan, -2.0]))


def test_lines_of_hits_are_counted():
    aligned = columns()
    assert aligned.hsp.tolist() == [0, 1, 0, 0]
    assert aligned.there.tolist() == [True, True, False, True]
    some = aligned.part(1, 3)
    assert some.number("hit").tolist() == [0, 1]
    assert list(some.cigars()) == ["6M", ""]


def test_taken_lines_keep_strand_and_significance():
    aligned = columns()
    some = AlignedColumns.join([aligned.take(np.array([3, 1])), AlignedColumns.of([None])])
    assert some.number("strand").tolist() == [1, -1, 0]
    assert some.significance[0, :2].tolist() == [5.0, 5.0]
    assert np.isnan(some.significance[:, 2]).all()
    assert list(some.cigars()) == ["6M", "6M", ""]


def test_a_hit_has_one_row_for_each_alignment_with_its_numbers():
    scheme, query = make_scheme(PROTEIN), SequenceRecord("q", "", b"MKTAYIAKQR")
    subject = SequenceRecord("s", "", b"MKTAYIAKQRMKTAYI")
    best = make_hit(scheme, query, subject, 0, 1, 0, 0, "10M", log10_evalue=-9.0)
    other = make_hit(scheme, query, subject, 0, 1, 0, 10, "6M", log10_evalue=-2.0)
    rows = list(with_others(best, [other]).rows())
    assert [row.hsp for row in rows] == [0, 1]
    assert [row.alignment.cigar for row in rows] == [best.alignment.cigar, other.alignment.cigar]
    assert [row.score for row in rows] == [best.score, other.score]
    assert [row.log10_evalue for row in rows] == [-9.0, -2.0]
    assert [row.counts.length for row in rows] == [10, 6]
    assert {row.rank for row in rows} == {1}


def test_a_hit_without_alignments_is_its_own_row():
    scheme, query = make_scheme(PROTEIN), SequenceRecord("q", "", b"MKTAYIAKQR")
    hit = make_hit(scheme, query, query, 0, 1, 0, 0, "")
    assert list(hit.rows()) == [hit]
