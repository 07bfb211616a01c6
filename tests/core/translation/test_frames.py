"""Genetic codes, the six frames and their coordinates, compared with Biopython."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from Bio.Data import CodonTable
from Bio.Seq import Seq

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.packing import ChunkPlan
from swgui.core.records import SequenceRecord
from swgui.core.translation import frames as six
from swgui.core.translation.frames import FRAMES, translate
from swgui.core.translation.genetic_codes import CODON, GENETIC_CODES, codon_table, genetic_code
from swgui.core.translation.parts import codon_parts, parts_of, translated_parts
from swgui.core.translation.programs import PROGRAMS, Translation, choose_program
from swgui.core.translation.stretches import masked, translate_open
from swgui.engines.windows import cut
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

DNA = "ACGTTGCATGACCCNNTAGRTAAATGYTGGUATTTCATAGCAT"


def test_codes_are_those_of_biopython():
    tables = CodonTable.unambiguous_dna_by_id
    assert list(GENETIC_CODES) == sorted(tables)
    for number, table in tables.items():
        code = GENETIC_CODES[number]
        for codon in map("".join, product("ACGT", repeat=3)):
            assert code.residue(codon) == table.forward_table.get(codon, "*")
            at = 16 * "TCAG".index(codon[0]) + 4 * "TCAG".index(codon[1]) + "TCAG".index(codon[2])
            assert (code.starts[at] == "M") == (codon in table.start_codons)


@pytest.mark.parametrize(
    ("codon", "residue"),
    [("CTN", "L"), ("TAR", "*"), ("TRA", "*"), ("MGR", "R"), ("AAN", "X"), ("NNN", "X"), ("RAY", "X"), ("AUU", "I")],
)
def test_ambiguous_codons_are_what_all_their_meanings_are(codon, residue):
    assert genetic_code(1).residue(codon) == residue
    a, b, c = NUCLEOTIDE.encode(codon.encode()).astype(int)
    assert PROTEIN.letters[codon_table(1)[256 * a + 16 * b + c]] == residue


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 6, 7, len(DNA)])
@pytest.mark.parametrize("frame", six.FRAMES)
def test_a_frame_is_what_biopython_translates(frame, length):
    text = DNA[:length]
    strand = Seq(text) if frame > 0 else Seq(text).reverse_complement()
    part = str(strand)[abs(frame) - 1 :].replace("U", "T")
    expected = "".join(genetic_code(11).residue(part[at : at + 3]) for at in range(0, len(part) - 2, 3))
    codes = NUCLEOTIDE.encode(text.encode())
    found = PROTEIN.decode(six.translate(codes, frame, 11)).decode()
    assert found == expected
    assert six.frame_lengths(np.array([length]), frame).tolist() == [len(expected)]
    middle = PROTEIN.decode(six.translate(codes, frame, 11, 2, 7)).decode()
    assert middle == expected[2:7]


def test_bases_of_a_stretch_spell_its_codons():
    for frame in six.FRAMES:
        protein = six.translate(NUCLEOTIDE.encode(DNA.encode()), frame)
        first, last = (int(one) for one in six.bases_of(frame, 3, 6, len(DNA)))
        assert (first < last) == (frame > 0)
        low, high = sorted((first, last))
        part = NUCLEOTIDE.encode(DNA[low - 1 : high].encode())
        assert six.translate(part, 1 if frame > 0 else -1).tolist() == protein[3:6].tolist()
    assert [int(one) for one in six.bases_of(0, 3, 6, 40)] == [4, 6]


def test_readings_are_numbers_of_their_own_that_say_both_frames():
    every = [(query, subject) for query in range(-3, 4) for subject in range(-3, 4)]
    numbers = [six.reading(*one) for one in every]
    assert len(set(numbers)) == len(every)
    assert min(numbers) > 1
    assert max(numbers) <= np.iinfo(np.int8).max
    assert list(zip(six.query_frames(numbers).tolist(), six.subject_frames(numbers).tolist(), strict=True)) == every
    assert six.query_frames([1, -1]).tolist() == six.subject_frames([1, -1]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "frames"), [("all", six.FRAMES), ("", six.FRAMES), ("minus", (-1, -2, -3)), ("-1, 2 1", (1, 2, -1))]
)
def test_frames_are_read_and_written(text, frames):
    assert six.read_frames(text) == frames
    assert six.read_frames(six.write_frames(frames)) == frames


@pytest.mark.parametrize("text", ["7", "0", "1,1", "1,x", "forward", ","])
def test_frames_that_do_not_exist_are_refused(text):
    with pytest.raises(InvalidParameter, match="frames of DNA"):
        six.read_frames(text)


def test_programs_follow_from_the_kinds_of_sequence():
    kinds = {"blastp": "pp", "blastn": "nn", "blastx": "np", "tblastn": "pn"}
    of = {"p": PROTEIN, "n": NUCLEOTIDE}
    for name, (query, database) in kinds.items():
        found = choose_program("auto", of[query], of[database])
        assert found is PROGRAMS[name]
    assert choose_program("tblastx", NUCLEOTIDE, NUCLEOTIDE) is PROGRAMS["tblastx"]
    with pytest.raises(InvalidParameter, match="blastx compares translated DNA against protein, but the query is prot"):
        choose_program("blastx", PROTEIN, PROTEIN)
    with pytest.raises(InvalidParameter, match="no program 'psi'"):
        choose_program("psi", PROTEIN, PROTEIN)


def test_a_translation_names_its_readings_and_refuses_what_does_not_exist():
    assert [six.subject_frame(one) for one in Translation("tblastn").readings] == list(six.FRAMES)
    assert [six.query_frame(one) for one in Translation("blastx", frames=(1, -1)).readings] == [1, -1]
    assert len(set(Translation("tblastx").readings)) == 36
    with pytest.raises(InvalidParameter, match="genetic code 99"):
        Translation("blastx", query_code=99)
    with pytest.raises(InvalidParameter):
        Translation("blastx", frames=(7,))


# Open stretches: short ones are masked, whatever part of a frame is requested.


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
        how = Translation(program, min_orf=least)
        asked = search_request(
            queries=(query,), database=database, scheme=BLOSUM62, max_evalue=1e-8, engine=engine, translation=how
        )
        result = answer(asked)
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


# Parts of frames: translated first, and as codons that what scores them reads itself.


@pytest.fixture
def dna(rng):
    texts = [bytes(rng.choice(list(b"ACGT"), n).astype(np.uint8)) for n in (90, 31, 47, 5, 0)]
    return encode_database([SequenceRecord(f"s{n}", "", text) for n, text in enumerate(texts)], NUCLEOTIDE, "dna")


@pytest.mark.parametrize("code", [1, 4])
def test_codons_of_both_strands_are_those_of_the_translation(dna, code):
    how = Translation("tblastn", subject_code=code)
    parts = parts_of(dna, ChunkPlan(0, len(dna), dna.residues), FRAMES, 60, lambda length: cut(length, 8, 12))
    proteins, codons = translated_parts(dna, how, parts), codon_parts(dna, how, parts)
    assert len(proteins) > len(FRAMES) * 4
    for number in range(len(proteins)):
        first, count = int(codons.codons.firsts[number]), int(np.diff(codons.offsets)[number])
        lowest, step, table = (first, CODON, 0) if first >= 0 else (~first, -CODON, 1)
        starts = lowest + step * np.arange(count)
        a, b, c = (codons.codons.bases[starts + place].astype(np.int64) for place in range(CODON))
        assert codons.codons.tables[table][(a * 16 + b) * 16 + c].tolist() == proteins.subject(number).tolist()
