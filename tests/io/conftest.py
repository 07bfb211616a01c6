"""A small result made by hand, with alignments whose every number can be checked on paper."""

import math

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.records import SequenceRecord
from tests.io.sequences.by_hand import make_hit, make_result, make_scheme


@pytest.fixture(scope="session")
def proteins():
    """Three queries (the second without hits) against four subjects; result and hits."""
    scheme = make_scheme(PROTEIN)
    queries = [
        SequenceRecord("q1", "first query", b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQTLKV"),
        SequenceRecord("q2", "", b"WWWWW"),
        SequenceRecord("q 3", "with\tcontrols", b"PPGGPP"),
    ]
    subjects = [
        SequenceRecord("s1", "the same", queries[0].residues),
        SequenceRecord("=cmd()", '+formula, "quoted"', b"AAMKVLWALLVTFLAGWW"),
        SequenceRecord("-s3", "\u202eright to left שלום", b"CCPPGGPP"),
        SequenceRecord("@s4", "no alignment", b"C"),
    ]
    result = make_result(scheme, queries, subjects, (3, 0, 1))
    hits = [
        make_hit(scheme, queries[0], subjects[0], 0, 1, 0, 0, "63M", log10_evalue=-1234.5),
        make_hit(scheme, queries[0], subjects[1], 1, 2, 0, 2, "5M1I9M", log10_evalue=-0.42),
        make_hit(scheme, queries[0], subjects[3], 3, 3, 0, 0, "", log10_evalue=math.nan),
        make_hit(scheme, queries[2], subjects[2], 2, 1, 0, 2, "3M3D", log10_evalue=0.9),
    ]
    return result, hits


@pytest.fixture(scope="session")
def nucleotides():
    """One query on both strands of one subject; result and hits."""
    scheme = make_scheme(NUCLEOTIDE)
    query = SequenceRecord("q", "dna", b"AACCGGTTACGTA")
    subjects = [SequenceRecord("s", "both strands", b"TTAACCGTTACG" + b"TACGTACCGGTT")]
    result = make_result(scheme, [query], subjects, (2,))
    hits = [
        make_hit(scheme, query, subjects[0], 0, 1, 0, 2, "4M1I7M", log10_evalue=-5.0),
        make_hit(scheme, query, subjects[0], 0, 2, 0, 12, "5M1I7M", strand=-1, log10_evalue=-4.0),
    ]
    return result, hits
