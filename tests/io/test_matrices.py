"""Matrices by name and from files; broken files are refused with line and column."""

import re
import shutil
import subprocess
from math import log

import numpy as np
import pytest
from Bio.Align import substitution_matrices
from hypothesis import given
from hypothesis import strategies as st
from scoring_matrices import ScoringMatrix

from swgui.cli import build_parser
from swgui.commands.scoring import choose_scheme
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter, MatrixError
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.io.matrices import FRACTIONAL, factor_of, load_matrix, matrix_names
from swgui.io.matrix_files import parse_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.io.statistics import load_statistics
from swgui.paths import resources_dir
from tests.reference import reference_scores

IN_BIOPYTHON = set(substitution_matrices.load())
PLAIN = "ARNDCQEGHILKMFPSTWYV"
OWN = {  # bits of a unit, and some scores as their papers have them
    "VTML200": (1 / 3, {"AA": 4, "WW": 15, "CC": 12, "IV": 4, "DK": 0, "YF": 5}),
    "VTML160": (1 / 3, {"AA": 5, "WW": 16, "CC": 13, "IV": 4, "DK": 0, "YF": 6}),
    "OPTIMA5": (0.2, {"AA": 7, "WW": 22, "CC": 20, "IV": 7, "DK": -1, "YF": 7}),
}


def ncbi_text(letters, scores, comment="# made for a test\n"):
    lines = [comment + "   " + "  ".join(letters)]
    lines += [f"{row} " + " ".join(f"{scores(row, column):>3}" for column in letters) for row in letters]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("alphabet", [PROTEIN, NUCLEOTIDE], ids=lambda alphabet: alphabet.name)
def test_every_name_loads_and_has_the_scores_biopython_ships(alphabet):
    for name in matrix_names(alphabet):
        matrix = load_matrix(name.lower(), alphabet)
        assert matrix.name == name
        if name.startswith("+") or name in OWN or name not in IN_BIOPYTHON:
            continue
        table = substitution_matrices.load(name)
        letters = [letter for letter in table.alphabet if letter in alphabet.letters]
        assert all(matrix.score(a, b) == table[a, b] for a in letters for b in letters)


@pytest.mark.parametrize("name", OWN)
def test_matrices_that_biopython_lacks(name):
    matrix = load_matrix(name, PROTEIN)
    unit, scores = OWN[name]
    assert {pair: matrix.score(*pair) for pair in scores} == scores
    assert np.array_equal(matrix.scores, matrix.scores.T)
    lambda_ = ungapped_lambda(matrix.scores, background(PROTEIN))
    assert lambda_ == pytest.approx(unit * log(2), rel=0.1)
    assert (matrix.scores[:20, :20] >= -10).all()


@pytest.mark.skipif(not shutil.which("ssearch36"), reason="ssearch36 is not installed")
@pytest.mark.parametrize(
    ("name", "theirs", "gaps"),
    [("VTML200", "VT200", (12, 1)), ("OPTIMA5", "OPT5", (20, 2))],  # its VT160 is an older matrix
)
def test_ssearch36_scores_the_same_with_them(tmp_path, name, theirs, gaps):
    proteins = resources_dir() / "examples" / "sample_proteins.fasta"
    records = list(read_sequences(proteins))
    query = tmp_path / "query"
    query.write_text(f">q\n{records[0].residues.decode()}\n")
    costs = ["-f", f"-{gaps[0]}", "-g", f"-{gaps[1]}"]
    words = ["ssearch36", "-q", "-s", theirs, *costs, "-m", "10", "-z", "-1", "-b", "100", "-d", "100"]
    made = subprocess.run([*words, query, proteins], capture_output=True, text=True, check=True)
    said = dict(re.findall(r"^>>(\S+) .*\n(?:;.*\n)*?; sw_score: (\d+)", made.stdout, re.MULTILINE))
    scheme = ScoringScheme.from_blast(load_matrix(name, PROTEIN), *gaps)
    profile = scheme.matrix.scores[PROTEIN.encode(records[0].residues)]
    codes = [PROTEIN.encode(record.residues) for record in records]
    scores = reference_scores(profile, codes, scheme.gap_first, scheme.gap_extend)
    found = {record.id: score for record, score in zip(records, scores, strict=True) if record.id in said}
    assert len(found) >= 20
    assert found == {identifier: int(score) for identifier, score in said.items()}


def test_blosum80_of_ncbi_is_in_half_bits_and_has_published_statistics():
    half, third = load_matrix("BLOSUM80-NCBI", PROTEIN), load_matrix("BLOSUM80", PROTEIN)
    assert (half.score("A", "A"), half.score("W", "W")) == (5, 11)
    assert (third.score("A", "A"), third.score("W", "W")) == (7, 16)
    assert load_statistics(ScoringScheme.from_blast(half, 10, 1)) is not None
    assert load_statistics(ScoringScheme.from_blast(third, 10, 1)) is None


def test_blosum62_is_the_classic_file_and_blastp_the_newer_one():
    classic, newer = load_matrix("BLOSUM62", PROTEIN), load_matrix("BLASTP", PROTEIN)
    assert (classic.score("X", "A"), classic.score("B", "N"), classic.score("Z", "Q")) == (0, 3, 3)
    assert (newer.score("X", "A"), newer.score("B", "N"), newer.score("Z", "Q")) == (-1, 4, 4)
    assert all(classic.score(a, b) == newer.score(a, b) for a in PLAIN for b in PLAIN)
    assert classic.score("U", "C") == classic.score("C", "C") == 9
    assert np.array_equal(classic.scores, classic.scores.T)


def test_match_and_mismatch_by_name():
    matrix = load_matrix("2/-3", NUCLEOTIDE)
    assert matrix.name == "+2/-3"
    assert (matrix.score("A", "A"), matrix.score("A", "C"), matrix.score("U", "T")) == (2, -3, 2)
    with pytest.raises(MatrixError):
        load_matrix("+2/-3", PROTEIN)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("BLOSUM63", "no matrix and no file called 'BLOSUM63'"),
        ("NUC.4.4", "is for nucleotide sequences"),
        ("", "no matrix"),
        ("SCHNEIDER", "no matrix"),  # scores codons
        ("n" * 5000, "no matrix"),
        ("zero\0byte", "no matrix"),
    ],
)
def test_unknown_names_bring_the_choices(name, part):
    with pytest.raises(MatrixError, match=part) as caught:
        load_matrix(name, PROTEIN)
    assert "BLOSUM62, VTML200" in caught.value.hint


@pytest.mark.parametrize("name", ["BLOSUM30", "BLOSUM100", "PAM10", "PAM120", "PAM500", "VTML40", "GONNET"])
def test_series_are_those_of_scoring_matrices(name):
    matrix, table = load_matrix(name, PROTEIN), ScoringMatrix.from_name(name)
    assert name in matrix_names(PROTEIN)
    assert (matrix.name, factor_of(matrix)) == (name, 1)
    letters = [letter for letter in table.alphabet if letter in PROTEIN.letters]
    at = table.alphabet.index
    assert all(matrix.score(a, b) == table[at(a)][at(b)] for a in letters for b in letters)


@pytest.mark.parametrize("name", FRACTIONAL)
def test_scores_with_fractions_are_multiplied_and_the_name_says_so(name):
    matrix = load_matrix(name.lower(), PROTEIN)
    factor = factor_of(matrix)
    assert matrix.name == f"{name}*{factor}"
    assert factor in (10, 100)
    assert load_matrix(matrix.name, PROTEIN) == matrix  # as saved searches name it
    table = substitution_matrices.load(name) if name in IN_BIOPYTHON else None
    library = ScoringMatrix.from_name(name) if table is None else None

    def published(a, b):
        return table[a, b] if library is None else library[library.alphabet.index(a)][library.alphabet.index(b)]

    within = 0.5 if library else 1e-6  # of the first digit behind the point, where there are more
    assert all(matrix.score(a, b) == pytest.approx(factor * published(a, b), abs=within) for a in PLAIN for b in PLAIN)
    with pytest.raises(MatrixError, match="no matrix"):
        load_matrix(f"{name}*7", PROTEIN)


def test_the_usual_gap_costs_are_not_taken_for_multiplied_scores():
    words = ["search", "-q", "q", "-d", "d", "--matrix", "gonnet1992"]
    with pytest.raises(InvalidParameter, match="multiplied by 10"):
        choose_scheme(build_parser().parse_args(words), PROTEIN)
    scheme = choose_scheme(build_parser().parse_args([*words, "--gap-open", "110", "--gap-extend", "10"]), PROTEIN)
    assert "GONNET1992*10" in scheme.describe()


def test_a_file_in_ncbi_format(tmp_path):
    path = tmp_path / "mine α.mat"
    path.write_text(ncbi_text(PLAIN, lambda a, b: 7 if a == b else (-2 if a < b else -3)), encoding="utf-8")
    matrix = load_matrix(str(path), PROTEIN)
    assert matrix.name == "mine α"
    assert not np.array_equal(matrix.scores, matrix.scores.T)
    assert (matrix.score("A", "R"), matrix.score("R", "A"), matrix.score("W", "W")) == (-2, -3, 7)
    assert matrix.score("*", "A") == -3
    assert matrix.score("U", "C") == 7


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_lower_case_and_byte_order_mark(tmp_path, ends):
    path = tmp_path / "m.txt"
    text = ncbi_text("ACGT", lambda a, b: 1 if a == b else -1).lower().replace("\n", ends)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load_matrix(str(path), NUCLEOTIDE).score("N", "N") == -1  # mean -0.5, rounded down


GOOD = ncbi_text(PLAIN, lambda a, b: 4 if a == b else -1)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is empty"),
        ("# only a comment\n", "is empty"),
        (GOOD.replace("\nA   4", "\nA   x", 1), "line 3, column 5: 'x' is not a number"),
        (GOOD.replace("\nA   4", "\nA 4.5", 1), "line 3, column 3: 4.5 is not a whole number"),
        (GOOD.replace("\nA   4", "\nA 99999", 1), "line 3, column 3: 99999 is beyond"),
        (GOOD.replace("\nA   4", "\nA nan", 1), "line 3, column 3: nan is not a whole number"),
        (GOOD.replace("\nA   4", "\nA inf", 1), "line 3, column 3: inf is beyond"),
        (GOOD.replace("\nA   4", "\nA", 1), "line 3: the row A has 19 scores for 20 letters"),
        (GOOD.replace("\nR", "\nA", 1), "line 4, column 1: the row A was there before, in line 3"),
        (GOOD.replace("   A  R", "   A  A", 1), "line 2: the letter A occurs twice"),
        (GOOD.replace("   A  R", "   A  1", 1), "line 2, column 7: a letter is expected here"),
        (GOOD.replace("   A  R", "   A  Ä", 1), "line 2, column 7: 'Ä' is not a protein letter"),
        (GOOD.replace("   A  R", "   A  AR", 1), "'AR' is not a protein letter"),
        ("\n".join(GOOD.splitlines()[:-1]), "no row for V"),
        (ncbi_text("ACGT", lambda a, b: 1), "no score for"),
        ("A,R\nA,1,2\n", "is not a protein letter"),
    ],
)
def test_broken_files_are_refused_with_line_and_column(text, part):
    with pytest.raises(MatrixError) as caught:
        parse_matrix(text, PROTEIN, "mine")
    assert part in caught.value.message
    assert "'mine'" in caught.value.message


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "huge").write_bytes(b"#" * (2 << 20))
    with pytest.raises(MatrixError, match="not a text file"):
        load_matrix(str(tmp_path / "binary"), PROTEIN)
    with pytest.raises(MatrixError, match="too large"):
        load_matrix(str(tmp_path / "huge"), PROTEIN)
    with pytest.raises(MatrixError, match="is a folder"):
        load_matrix(str(tmp_path), PROTEIN)


@given(st.integers(0, len(GOOD)), st.integers(0, 30), st.text(max_size=10))
def test_any_edit_gives_a_matrix_or_a_matrix_error(start, length, insert):
    try:
        matrix = parse_matrix(GOOD[:start] + insert + GOOD[start + length :], PROTEIN, "mine")
    except MatrixError:
        return
    assert matrix.scores.shape == (27, 27)
