"""Genetic codes, the six frames and their coordinates, held against Biopython."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from Bio.Data import CodonTable
from Bio.Seq import Seq

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.translation import frames as six
from swgui.core.translation.genetic_codes import GENETIC_CODES, codon_table, genetic_code
from swgui.core.translation.programs import PROGRAMS, Translation, choose_program

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
