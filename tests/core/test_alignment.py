import numpy as np
import pytest

from swgui.core.alignment import Alignment, Op, count_columns, rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.scoring import EncodedQuery
from tests.asking import DNA_SCHEME

QUERY = EncodedQuery("q", NUCLEOTIDE.encode(b"GGACGTACGT"))
SUBJECT = NUCLEOTIDE.encode(b"ACGACGTT")


def _alignment(score=0):
    #  query   2 ACGTACG-T
    #  subject 0 ACG-ACGTT
    return Alignment.from_cigar(2, 0, "3M1I3M1D1M", score)


def test_runs_ranges_and_columns_agree():
    alignment = _alignment()
    assert (alignment.query_end, alignment.subject_end, alignment.columns) == (10, 8, 9)
    assert alignment.cigar == "3M1I3M1D1M"
    columns = spell_out(alignment)
    assert columns.query.tolist() == [2, 3, 4, 5, 6, 7, 8, -1, 9]
    assert columns.subject.tolist() == [0, 1, 2, -1, 3, 4, 5, 6, 7]


def test_rescoring_adds_matches_and_takes_gaps():
    assert rescore(_alignment(), QUERY, SUBJECT, DNA_SCHEME) == 7 * 2 - 7 - 7


def test_counts_follow_blast():
    counts = count_columns(_alignment(), QUERY, SUBJECT, DNA_SCHEME)
    assert (counts.length, counts.nident, counts.mismatch, counts.gaps, counts.gapopen) == (9, 7, 0, 2, 2)
    assert counts.pident == pytest.approx(100 * 7 / 9)
    assert counts.ppos == counts.pident
    assert (counts.query_span, counts.subject_span) == (8, 8)


def test_t_and_u_are_the_same_nucleotide():
    dna, rna = NUCLEOTIDE.encode(b"ACGTTGCA"), NUCLEOTIDE.encode(b"ACGUTGCC")
    counts = count_columns(Alignment.from_cigar(0, 0, "8M", 13), EncodedQuery("q", dna), rna, DNA_SCHEME)
    assert (counts.nident, counts.positive, counts.mismatch) == (7, 7, 1)


def test_equal_neighbours_are_joined_and_empty_runs_dropped():
    joined = Alignment.from_runs(0, 0, [(Op.MATCH, 2), (Op.MATCH, 1), (Op.INSERTION, 0), (Op.DELETION, 2)], 1)
    assert joined.cigar == "3M2D"
    assert joined == Alignment.from_cigar(0, 0, "3=2D", 1)
    assert joined != Alignment.from_cigar(0, 0, "3=2D", 2)


def test_an_empty_alignment_has_no_columns():
    empty = Alignment.from_runs(0, 0, [], 0)
    assert (empty.columns, empty.cigar) == (0, "")
    assert spell_out(empty).query.size == 0
    assert rescore(empty, QUERY, SUBJECT, DNA_SCHEME) == 0
    assert count_columns(empty, QUERY, SUBJECT, DNA_SCHEME).pident == 0.0


def test_contradictions_are_refused():
    with pytest.raises(ValueError, match="span"):
        Alignment(0, 5, 0, 5, np.array([0], np.uint8), np.array([4]), 0)
    with pytest.raises(ValueError, match="not a CIGAR"):
        Alignment.from_cigar(0, 0, "3M2S", 0)


@pytest.mark.parametrize("off", [(-1, 0), (1, 0), (0, -1), (0, 1)])
def test_ranges_that_are_not_those_of_the_runs_are_refused(off):
    sound = _alignment()
    with pytest.raises(ValueError, match="span"):
        Alignment(2, sound.query_end + off[0], 0, sound.subject_end + off[1], sound.ops, sound.lengths, 0)
