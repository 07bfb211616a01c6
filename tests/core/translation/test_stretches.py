"""Open stretches: short ones are masked, whatever part of a frame is asked for."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import FRAMES, translate
from swgui.core.translation.programs import Translation
from swgui.core.translation.stretches import masked, translate_open
from swgui.io.matrices import load_matrix
from swgui.jobs.search.run import run_search
from tests.asking import search_request
from tests.described import describe_hits


@pytest.mark.parametrize(
    ("given", "least", "expected"),
    [
        (b"MKV*AC*WWWW", 3, b"MKV*XX*WWWW"),
        (b"MKV*AC*WWWW", 4, b"XXX*XX*WWWW"),
        (b"**A*", 1, b"**A*"),
        (b"**A*", 2, b"**X*"),
        (b"AXA", 3, b"AXA"),
        (b"", 5, b""),
    ],
)
def test_stretches_between_stops(given, least, expected):
    assert PROTEIN.decode(masked(PROTEIN.encode(given), least)) == expected


@pytest.mark.parametrize("least", [0, 1, 7, 30])
def test_a_part_is_masked_as_the_whole(rng, least):
    bases = rng.integers(0, 4, 1_000).astype(np.uint8)
    for frame in FRAMES:
        whole = translate_open(bases, frame, 11, least)
        assert len(whole) == len(translate(bases, frame, 11))
        for start, stop in ((0, None), (5, 40), (100, 101), (300, 10_000), (50, 50), (0, 333)):
            assert translate_open(bases, frame, 11, least, start, stop).tolist() == whole[start:stop].tolist()


def test_masking_changes_something(rng):
    bases = rng.integers(0, 4, 3_000).astype(np.uint8)
    plain, open_ones = (translate_open(bases, 1, 1, least) for least in (0, 20))
    assert (plain != open_ones).sum() > 100
    assert (open_ones == plain)[plain == PROTEIN.letters.index("*")].all()


@pytest.mark.usefixtures("user_folders", "trusted_engines")
@pytest.mark.parametrize("engine", ["cpu", "reference"])
@pytest.mark.parametrize("program", ["blastx", "tblastn"])
def test_engines_search_what_is_left(rng, engine, program):
    dna = rng.integers(0, 4, 600).astype(np.uint8)
    dna[210:213] = dna[399:402] = [3, 0, 0]  # TAA, TAA: 62 codons between in frame 1
    for at in range(213, 399, 3):
        if PROTEIN.decode(translate(dna[at : at + 3], 1)) == b"*":
            dna[at] = 1
    protein = SequenceRecord("p", "", PROTEIN.decode(translate(dna[213:399], 1)))
    strand = SequenceRecord("d", "", NUCLEOTIDE.decode(dna))

    def found(least):
        query, subject = (strand, protein) if program == "blastx" else (protein, strand)
        database = encode_database([subject], PROTEIN if program == "blastx" else NUCLEOTIDE, "one")
        scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
        how = Translation(program, min_orf=least)
        asked = search_request(
            queries=(query,), database=database, scheme=scheme, max_evalue=1e-8, engine=engine, translation=how
        )
        result = list(run_search(asked, threading.Event()))[-1].result
        rows = list(range(len(result.queries[0].hits)))
        return [hit.counts.nident for hit in describe_hits(result, 0, rows)]

    assert found(0) == found(62) == [62]
    assert found(63) == []


def test_lengths_that_cannot_be_are_refused():
    with pytest.raises(InvalidParameter, match="cannot have -1 codons"):
        Translation("blastx", min_orf=-1)
    with pytest.raises(InvalidParameter, match="from stretch to stretch"):
        Translation("blastx", shift=15, min_orf=30)
    assert "open reading frames of 30 codons" in Translation("tblastx", min_orf=30).describe()
