"""PSSMs of psiblast: the table, and the value in ASN.1."""

import shutil
import subprocess

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import ProfileError
from swgui.io.matrices import load_matrix
from swgui.io.profiles.asn_pssm import member, parse
from swgui.io.profiles.formats import read_start
from swgui.paths import resources_dir

AMINO = "ARNDCQEGHILKMFPSTWYV"
STANDARD = "-ABCDEFGHIKLMNPQRSTVWXYZU*OJ"
PROTEINS = resources_dir() / "examples" / "sample_proteins.fasta"
TABLE = """
Last position-specific scoring matrix computed, weighted observed percentages rounded down
            A   R   N   D   C   Q   E   G   H   I   L   K   M   F   P   S   T   W   Y   V
    1 M    -1  -2  -3  -4  -2  -1  -2  -3  -2   1   2  -2   7   0  -3  -2  -1  -2  -1   1    0   0  0.52 0.04
    2 W    -3  -3  -4  -5  -3  -2  -3  -3  -3  -3  -2  -3  -2   1  -4  -3  -3  12   2  -3    0   0  0.52 0.04

                      K         Lambda
Standard Ungapped    0.1302     0.3190
PSI Ungapped         0.1366     0.3466
"""


def asn_text(scaling=1, changes=()):
    """Write a PSSM of two positions, M and W, whose scores are those of BLOSUM62."""
    matrix = load_matrix("BLOSUM62", PROTEIN)
    missing = set("-UOJ")
    rows = [
        -32768 if letter in missing else scaling * matrix.score(residue, letter)
        for residue in "MW"
        for letter in STANDARD
    ]
    scores = ",\n".join(map(str, rows))
    text = f"""PssmWithParameters ::= {{
  pssm {{
    isProtein TRUE, numRows 28, numColumns 2, byRow FALSE,
    query seq {{
      id {{ local str "Query_1" }},
      descr {{ title "mine of a
 test" }},
      inst {{ repr raw, mol aa, length 2, seq-data ncbistdaa '0C14'H }}
    }},
    finalData {{ scores {{ {scores} }}, lambda {{ 267, 10, -3 }}, lambdaUngapped {{ 3176, 10, -4 }},
      scalingFactor {scaling} }}
  }},
  params {{ pseudocount 0, rpsdbparams {{ matrixName "BLOSUM62", gapOpen 10, gapExtend 2 }} }}
}}
"""
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


def test_a_table_has_the_scores_of_its_lines_and_the_gap_costs_of_the_search(read):
    start = read(TABLE)
    (record,) = start.records
    assert (record.id, record.residues) == ("made", b"MW")
    assert record.profile.scores[1, PROTEIN.code("W")] == 12
    assert record.profile.scores[:, PROTEIN.code("U")].tolist() == record.profile.scores[:, PROTEIN.code("C")].tolist()
    assert record.profile.scores[0, PROTEIN.code("B")] == -4  # of N and D, rounded down
    assert record.profile.units_per_bit == pytest.approx(2, abs=0.001)
    assert [costs.tolist() for costs in record.profile.gaps.columns[:2]] == [[11, 11], [1, 1]]  # in units of this table
    assert len(start.remarks) == 1
    assert "no gap costs" in start.remarks[0]


def test_a_value_has_its_scores_its_gap_costs_and_its_query(read):
    start = read(asn_text())
    (record,) = start.records
    matrix = load_matrix("BLOSUM62", PROTEIN)
    assert (record.id, record.description, record.residues) == ("mine", "of a test", b"MW")
    assert np.array_equal(record.profile.scores, matrix.scores[PROTEIN.encode(b"MW")])
    assert [costs.tolist() for costs in record.profile.gaps.columns] == [[12, 12], [2, 2], [12, 12], [2, 2]]
    assert start.remarks == ()


def test_finer_scores_are_rounded_to_quarters_of_those_of_a_matrix(read):
    whole, fine = (read(asn_text(scaling)).records[0].profile for scaling in (1, 100))
    assert np.array_equal(fine.scores[:, :20], 4 * whole.scores[:, :20])
    assert fine.gaps.insertion_first.tolist() == [48, 48]
    assert fine.units_per_bit == pytest.approx(4 * whole.units_per_bit)


def test_text_of_asn1_is_read_with_its_quotes_and_digits():
    name, value = parse("""T ::= { a { { 1, 10, -2 }, 5 }, b str "x ""y"" z", c 'A0F'H, d TRUE }""")
    assert name == "T"
    assert member(value, "a") == [["1", "10", "-2"], "5"]
    assert member(value, "b", "str") == 'x "y" z'
    assert member(value, "c") == b"\xa0\xf0"
    assert member(value, "d") == "TRUE"
    assert member(value, "e", "f") is None


WRONG = {
    "no positions": (TABLE[: TABLE.index("    1 M")], "has no positions"),
    "no header": ("Last position-specific scoring matrix computed\n 1 2 3\n", "line 2: the 20 amino acids"),
    "no scores": (TABLE.replace("12   2  -3", "12   x  -3"), "line 4: 20 scores"),
    "a gap in the numbers": (TABLE.replace("    2 W", "    3 W"), "line 4: position 2 and its residue"),
    "cut off": (asn_text()[:-60], "no complete ASN.1 value"),
    "of nucleotides": (asn_text(changes=[("isProtein TRUE", "isProtein FALSE")]), "is of nucleotides"),
    "no final data": (asn_text(changes=[("finalData", "otherData")]), "the PSSM has no scores"),
    "other length": (asn_text(changes=[("numColumns 2", "numColumns 3")]), "56 scores for 3 positions"),
    "other query": (asn_text(changes=[("length 2", "length 1")]), "query of the PSSM has 1 residues"),
    "no numbers": (asn_text(changes=[("numRows 28", "numRows x")]), "not laid out as psiblast writes it"),
    "other value": ("PssmWithParameters ::= { params { pseudocount 0 } }", "no PSSM in it"),
    "something else": ("once upon a time", "in no format of alignments or profiles"),
    "nothing": ("\n", "is empty"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(read, name):
    text, said = WRONG[name]
    with pytest.raises(ProfileError, match=said):
        read(text)


@pytest.mark.skipif(not shutil.which("psiblast"), reason="psiblast is not installed")
def test_both_forms_of_what_psiblast_writes_are_one_profile(tmp_path, scheme):
    query = tmp_path / "query.fasta"
    query.write_text(PROTEINS.read_text().split("\n>")[0] + "\n")
    table, value = tmp_path / "q.pssm", tmp_path / "q.asn"
    command = ["psiblast", "-query", query, "-subject", PROTEINS, "-out", tmp_path / "out", "-out_ascii_pssm", table]
    subprocess.run([*command, "-out_pssm", value, "-num_iterations", "2", "-save_pssm_after_last_round"], check=True)
    (one,), (other,) = (read_start(path, scheme).records for path in (table, value))
    assert one.residues == other.residues
    assert len(one.residues) == 142
    assert np.array_equal(one.profile.scores[:, :20], other.profile.scores[:, :20])
    assert other.id.startswith("sp|P69905")
    own = load_matrix("BLOSUM62", PROTEIN).scores[PROTEIN.encode(one.residues), :20]
    assert not np.array_equal(one.profile.scores[:, :20], own)  # the second round made it
