"""A hit with several alignments, one row for each."""

from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from tests.io.sequences.by_hand import make_hit, make_scheme, with_others


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
