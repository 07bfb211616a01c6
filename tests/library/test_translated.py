"""Translated searches from Python."""

from __future__ import annotations

import pytest

import swgui

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")
PROTEIN = "MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRW"
CODONS = {
    "M": "ATG", "K": "AAA", "V": "GTT", "L": "CTG", "W": "TGG", "A": "GCT", "T": "ACC", "F": "TTC", "G": "GGT",
    "C": "TGC", "Q": "CAG", "E": "GAA", "P": "CCG", "R": "CGT", "S": "TCT", "D": "GAT", "Y": "TAC",
}  # fmt: skip
GENE = "".join(CODONS[residue] for residue in PROTEIN)
BACK = GENE.translate(str.maketrans("ACGT", "TGCA"))[::-1]


def test_a_gene_on_the_other_strand_is_found_in_bases():
    hits = swgui.search(PROTEIN, [f"CCTTC{BACK}ATTAGG"], engine="cpu", composition="none")
    (alignment,) = hits[0].alignments[:1]
    assert (alignment.subject_start, alignment.subject_end) == (5, 5 + len(GENE))
    assert (alignment.strand, alignment.query_frame, alignment.subject_frame) == (-1, 0, -1)


def test_parameters_say_how_it_is_translated():
    hits = swgui.search(f"CC{BACK}", [PROTEIN], engine="cpu", composition="none", frames="minus", query_code=11)
    alignment = hits[0].alignments[0]
    assert (alignment.query_start, alignment.query_end, alignment.query_frame) == (2, 2 + len(GENE), -1)
    with pytest.raises(swgui.SwguiError, match="no genetic code 99"):
        swgui.search(GENE, [PROTEIN], engine="cpu", query_code=99)
