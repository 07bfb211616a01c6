"""Features carried over to columns and to the query."""

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.entries.projection import along_query, carry
from swgui.core.features import Feature
from swgui.core.records import SequenceRecord
from tests.io.sequences.by_hand import make_hit, make_scheme

DOMAIN = Feature("DOMAIN", ((2, 6),), "D")


def spans(carried):
    return {one.feature.name: one.drawn.spans for one in carried}


def test_features_lie_in_the_columns_of_their_residues():
    numbers = np.array([0, 3, 4, 0, 0, 5, 8, 9])  # gaps, and residues that are not there
    features = [
        DOMAIN, Feature("REGION", ((4, 8),), "half"), Feature("REGION", ((5, 7),), "nowhere"),
        Feature("CDS", ((2, 3), (8, 20)), "parts", -1), Feature("REGION", ((0, 2),), "before"),
        Feature("SITE", ((9, 10),), "behind"),
    ]  # fmt: skip
    assert spans(carry(features, numbers)) == {"D": ((1, 6),), "half": ((5, 7),), "parts": ((1, 2), (7, 8))}
    assert spans(carry(features, numbers[::-1])) == {"D": ((2, 7),), "half": ((1, 3),), "parts": ((0, 1), (6, 7))}
    assert carry(features, np.zeros(4, dtype=np.int64)) == []
    assert spans(carry([DOMAIN], np.array([4]))) == {"D": ((0, 1),)}


def test_a_subjects_features_lie_on_the_query_as_aligned():
    query, residues = SequenceRecord("q", "", b"MKVLAWMKVLAWMKVLAW"), b"WWMKVLAWVLAWMKCC"
    subject = SequenceRecord(
        "s", "", residues, (DOMAIN, Feature("SITE", ((9, 10),), "S"), Feature("SITE", ((15, 16),)))
    )
    hit = make_hit(make_scheme(PROTEIN), query, subject, 0, 1, 0, 2, "6M2I6M")
    assert spans(along_query(hit)) == {"D": ((0, 4),), "S": ((9, 10),)}
    bare = make_hit(make_scheme(PROTEIN), query, SequenceRecord("s", "", residues), 0, 1, 0, 2, "6M")
    assert along_query(bare) == []


def test_on_the_minus_strand_positions_are_those_of_the_query_as_written():
    query = SequenceRecord("q", "", b"TTTTACGTACCA")
    back = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(b"ACGTACCA")))
    subject = SequenceRecord("s", "", b"GG" + back, (Feature("gene", ((2, 5),), "g"),))
    hit = make_hit(make_scheme(NUCLEOTIDE), query, subject, 0, 1, 0, 2, "8M", strand=-1)
    assert spans(along_query(hit)) == {"g": ((9, 12),)}  # the first residues of the subject pair with its last
