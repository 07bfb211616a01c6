"""PSSMs of psiblast: the table, and the value in ASN.1."""

import shutil
import subprocess

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import ProfileError
from swgui.core.profiles.implied import implied_frequencies, implied_model
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.matrices import load_matrix
from swgui.io.profiles.alignments import read_fasta, write_stockholm
from swgui.io.profiles.ascii_pssm import write_ascii_pssm
from swgui.io.profiles.asn_pssm import member, parse
from swgui.io.profiles.base import ProfileText
from swgui.io.profiles.formats import FORMATS, read_start
from swgui.io.profiles.hmmer import write_hmm
from swgui.paths import resources_dir
from tests.io.profiles.test_alignments import family

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
    "no scores": (TABLE.replace("12   2  -3", "12   x  -3"), "line 5: 20 scores"),
    "a gap in the numbers": (TABLE.replace("    2 W", "    3 W"), "line 5: position 2 and its residue"),
    "cut off": (asn_text()[:-60], "no complete ASN.1 value"),
    "of nucleotides": (asn_text(changes=[("isProtein TRUE", "isProtein FALSE")]), "is of nucleotides"),
    "no final data": (asn_text(changes=[("finalData", "otherData")]), "the PSSM has no scores"),
    "other length": (asn_text(changes=[("numColumns 2", "numColumns 3")]), "56 scores for 3 positions"),
    "other query": (asn_text(changes=[("length 2", "length 1")]), "query of the PSSM has 1 residue for"),
    "no numbers": (asn_text(changes=[("numRows 28", "numRows x")]), "is not that of psiblast"),
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


# Profiles as files of other programs: read back here, and taken by those programs.


@pytest.fixture(scope="module")
def globins(scheme):
    """Return a query with the profile of some haemoglobins, which align without gaps."""
    records = PROTEINS.read_text().split(">")[1:6]
    text = "".join(f">{record}" for record in records)
    alignment = read_fasta(ProfileText(text, "globins", scheme))
    built = ProfileMaker(scheme.matrix, Recipe()).build(alignment, "globins")
    residues = PROTEIN.decode(alignment.query.codes)
    return SequenceRecord(alignment.query.id, alignment.query.description, residues, profile=built.profile)


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", [one for one in FORMATS if one.write], ids=lambda one: one.name)
def test_what_is_written_is_read_back(tmp_path, scheme, globins, kind):
    path = tmp_path / "made"
    path.write_text(kind.write(globins))
    start = read_start(path, scheme)
    (record,) = start.records
    assert start.format is kind
    assert record.residues == globins.residues
    before, after = (implied_frequencies(one.profile) for one in (globins, record))
    assert np.abs(np.log2(after / before)).max() < 0.5  # half bits are rounded; models have another background
    if kind.name != "ASCII PSSM":
        assert (record.id, record.description) == (globins.id, globins.description)


def test_a_model_opens_gaps_where_the_profile_does(scheme):
    built = ProfileMaker(scheme.matrix, Recipe()).build(family())
    model = np.exp(implied_model(built.profile).transitions)
    assert np.allclose(model[:, :3].sum(axis=1), 1)
    assert np.allclose(model[:, 3:5].sum(axis=1), 1)
    assert np.allclose(model[:, 5:].sum(axis=1), 1)
    assert model[41, 1] > 3 * np.median(model[:, 1])  # rows have insertions behind the 41st column
    assert model[20:25, 2].max() > 3 * np.median(model[:, 2])


@pytest.mark.skipif(not shutil.which("hmmsearch"), reason="hmmsearch is not installed")
def test_hmmsearch_reads_a_model_and_finds_the_family(tmp_path, globins):
    path, table = tmp_path / "g.hmm", tmp_path / "table"
    path.write_text(write_hmm(globins))
    made = run("hmmsearch", "--tblout", table, path, PROTEINS)
    assert made.returncode == 0, made.stderr
    rows = [row.split() for row in table.read_text().splitlines() if not row.startswith("#")]
    evalues = {row[0]: float(row[4]) for row in rows}
    assert {"sp|P69905|HBA_HUMAN", "sp|P68871|HBB_HUMAN", "sp|P02144|MYG_HUMAN"} <= {
        n for n, e in evalues.items() if e < 1e-9
    }


@pytest.mark.skipif(not shutil.which("hmmbuild"), reason="hmmbuild is not installed")
def test_models_are_calibrated_as_hmmbuild_does(tmp_path, scheme):
    """The same model, calibrated by hmmbuild and here after it was read and written."""
    alignment, theirs, ours = (tmp_path / name for name in ("f.sto", "theirs.hmm", "ours.hmm"))
    alignment.write_text(write_stockholm(family()))
    assert run("hmmbuild", "--amino", "--hand", theirs, alignment).returncode == 0
    (record,) = read_start(theirs, scheme).records
    ours.write_text(write_hmm(record))
    places = [
        [[float(word) for word in row.split()[3:]] for row in path.read_text().splitlines() if row.startswith("STATS")]
        for path in (theirs, ours)
    ]
    assert np.array(places).shape == (2, 3, 2)
    assert np.abs(np.array(places[0]) - np.array(places[1])).max() < 1.0  # bits; it depends on random sequences
    assert places[0][0][1] == pytest.approx(places[1][0][1], abs=0.01)


def test_a_table_has_frequencies_and_information(globins):
    rows = [row.split() for row in write_ascii_pssm(globins).splitlines() if row[:5].strip().isdecimal()]
    assert len(rows) == 142
    assert all(80 <= sum(map(int, row[22:42])) <= 100 for row in rows)  # rounded down
    assert all(float(row[42]) > 0 for row in rows)
