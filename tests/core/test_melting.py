"""Melting temperatures of primers, next to those of Biopython."""

import numpy as np
import pytest
from Bio.SeqUtils import MeltingTemp

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.melting import MAX_READINGS, melting_range, melting_temperature, melting_text

RANDOM = np.random.default_rng(51)
PRIMERS = ["".join(RANDOM.choice(list("ACGT"), size)) for size in range(10, 36)]


@pytest.mark.parametrize("primer", [*PRIMERS[::5], "AGAGTTTGATCCTGGCTCAG", "GGTTACCTTGTTACGACTT"])
def test_temperatures_are_those_of_another_program(primer):
    table = MeltingTemp.DNA_NN3  # unified parameters of SantaLucia 1998
    expected = MeltingTemp.Tm_NN(primer, nn_table=table, dnac1=250, dnac2=0, Na=50, saltcorr=5, selfcomp=False)
    assert melting_temperature(primer) == pytest.approx(expected, abs=0.05)


def test_ambiguous_primers_have_a_range():
    low, high = melting_range("AGAGTTTGATCMTGGCTCAG", NUCLEOTIDE.expansions)
    both = sorted(melting_temperature(f"AGAGTTTGATC{base}TGGCTCAG") for base in "AC")
    assert [low, high] == both
    assert melting_text("AGAGTTTGATCMTGGCTCAG", NUCLEOTIDE.expansions) == f"Tm {low:.0f} to {high:.0f} °C"


def test_without_a_temperature_there_are_no_words():
    assert melting_text("ACG", NUCLEOTIDE.expansions) == ""  # too short
    assert melting_text("N" * (MAX_READINGS // 4), NUCLEOTIDE.expansions) == ""  # too many readings
    assert melting_text("ACGT*ACGTACGT", NUCLEOTIDE.expansions) == ""
    assert melting_text("acguacguacgu", NUCLEOTIDE.expansions) == melting_text("ACGTACGTACGT", {})
