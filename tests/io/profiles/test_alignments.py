"""Alignments as files: what is read, what is written, and what other programs make of it."""

import shutil
import subprocess

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import AlphabetMismatch, ProfileError
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment
from swgui.io.profiles.alignments import write_a3m, write_fasta, write_stockholm
from swgui.io.profiles.formats import FORMATS, read_start

# One alignment, written by hand in every format. Its rows, in the columns of the query MKVLAWY:
#   one    MKVLAWY   two  -RV-ppAW-  three  M.VLkAWY: K deleted, k inserted behind L
A3M = ">q the query\nMKVLAWY\n>two/5-10 of it\n-RV-ppAW-\n>three\nM-VLkAWY\n"
FASTA = ">q the query\nMKVL--AWY\n>two/5-10 of it\n-RV-PPAW-\n>three\nM-VLK-A\nWY\n"
STOCKHOLM = """# STOCKHOLM 1.0
#=GF ID family
#=GS q DE the query
#=GS two/5-10 DE of it
q         MKVL..
two/5-10  -RV-pp
three     M-VLk.
#=GC RF   xxxx..

q         AWY
two/5-10  AW-
three     AWY
#=GC RF   xxx
//
"""
CLUSTAL = """CLUSTAL O(1.2.4) multiple sequence alignment

q              MKVL--AW	6
two/5-10       -RV-PPAW	10
three          M-VLK-AW
                 *   **

q              Y
two/5-10       -
three          Y
"""
TEXTS = {"A3M": A3M, "aligned FASTA": FASTA, "Stockholm": STOCKHOLM, "Clustal": CLUSTAL}


def shown(row):
    signs = {DELETION: "-", OUTSIDE: "."}
    return "".join(signs.get(code) or PROTEIN.letters[code] for code in row.codes.tolist())


BLOCKS = {
    "of our server": f"{A3M}\0",
    "of two chains": f"{A3M}\0>102\nMKV\n>x\nM-V\n\0",
    "without a line end": f"{A3M.rstrip()}\0\n",
    "of ColabFold": f"#7\t1\n{A3M}\0",
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_the_zero_byte_behind_an_alignment_of_a_server_is_no_residue(read, kind):
    start = read(BLOCKS[kind])
    assert start.format.name == "A3M"
    assert [shown(row) for row in start.alignment.rows] == ["MKVLAWY", ".RV-AW.", "M-VLAWY"]
    said = ["'made' holds several alignments; the first one is read."] if kind == "of two chains" else []
    assert list(start.remarks) == said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"\n \n{A3M}".replace("M-VLkAWY", "M-VL1AWY"), 8),
        (FASTA.replace("\nWY", "\nW("), 7),
        (STOCKHOLM.replace("two/5-10  AW-", "two/5-10  A(-"), 11),
        (CLUSTAL.replace("Y\ntwo/5-10       -", "Y\ntwo/5-10       ("), 9),
        (f"\ufeff\r\n\r\n{A3M}".replace("\n-RV-ppAW-", "\n-RV-pp/W-"), 6),
    ],
)
def test_the_line_of_a_wrong_sign_is_named(read, text, line):
    with pytest.raises(ProfileError, match=f"'made', line {line}: .* is neither a residue nor a gap sign"):
        read(text)


@pytest.mark.parametrize("name", TEXTS)
def test_every_format_gives_the_same_rows(read, name):
    start = read(TEXTS[name])
    assert start.format.name == name
    rows = start.alignment.rows
    assert [row.id for row in rows] == ["q", "two", "three"]
    assert [shown(row) for row in rows] == ["MKVLAWY", ".RV-AW.", "M-VLAWY"]
    assert [dict(row.insertions) for row in rows] == [{}, {3: b"PP"}, {3: b"K"}]
    assert [(row.start, row.end) for row in rows] == [(0, 7), (4, 10), (0, 7)]
    if name != "Clustal":
        assert [row.description for row in rows] == ["the query", "of it", ""]
    assert start.records[0].residues == b"MKVLAWY"
    assert start.records[0].profile is None


@pytest.mark.parametrize("write", [write_a3m, write_fasta, write_stockholm])
def test_what_is_written_is_read_back(read, write):
    before = read(A3M).alignment
    after = read(write(before)).alignment
    assert [(row.id, row.description, row.start, shown(row), dict(row.insertions)) for row in after.rows] == [
        (row.id, row.description, row.start, shown(row), dict(row.insertions)) for row in before.rows
    ]


def test_a_row_found_twice_keeps_both_lines(read):
    row = AlignedRow("s", "", PROTEIN.encode(b"MKVL"))
    alignment = MasterAlignment(PROTEIN, (row, row, row))
    for write in (write_a3m, write_fasta, write_stockholm):
        assert len(read(write(alignment)).alignment) == 3


def test_columns_in_which_the_first_row_has_a_gap_become_insertions(read):
    rows = read(">q\nMK-L\n>s\nMKVL\n>t\nM--L\n").alignment.rows
    assert [shown(row) for row in rows] == ["MKL", "MKL", "M-L"]
    assert dict(rows[1].insertions) == {1: b"V"}


def test_without_a_query_in_all_columns_the_consensus_is_the_query(read):
    start = read("# STOCKHOLM 1.0\n#=GF ID fam\na M-VL\nb MKVL\nc MKIL\n#=GC RF xxx.\n//\n")
    rows = start.alignment.rows
    assert [row.id for row in rows] == ["fam", "a", "b", "c"]
    assert [shown(row) for row in rows] == ["MKV", "M-V", "MKV", "MKI"]
    assert [dict(row.insertions) for row in rows[1:]] == [{}, {}, {}]  # behind the last column


def test_lower_case_is_no_insertion_where_rows_agree_with_it(read):
    start = read(">q\nMKvl\n>s\nMKVL\n")
    assert start.format.name == "aligned FASTA"
    assert [shown(row) for row in start.alignment.rows] == ["MKVL", "MKVL"]


def test_an_alignment_of_colabfold_may_begin_with_its_lengths(read):
    assert [row.id for row in read("#4\t1\n>101\nMKVL\n>s\nMKaVL\n").alignment.rows] == ["101", "s"]


def test_rows_without_residues_are_left_out_with_a_remark(read):
    start = read(">q\nMKVL\n>empty\n----\n>s\nM-VL\n")
    assert [row.id for row in start.alignment.rows] == ["q", "s"]
    assert "1 row without residues" in start.remarks[0]


WRONG = {
    "ragged": (">q\nMKVL\n>s\nMKV\n", "line 3: 's' has 3 columns, the first row 4"),
    "ragged a3m": (">q\nMKVL\n>s\nMKaV\n>t\nMKVLL\n", "has 5 columns, the first row 4"),
    "sign": (">q\nMKVL\n>s\nMK9L\n", "line 4: '9' in column 3 of 's' is neither a residue nor a gap sign"),
    "sign of another script": (">q\nMKVL\n>s\nMK–L\n", "line 4: '–' in column 3 of 's' is neither"),
    "no rows": ("# STOCKHOLM 1.0\n//\n", "the alignment is empty"),
    "no rows in Clustal": ("CLUSTAL W\n\n", "the alignment is empty"),
    "only gaps": (">q\n----\n>s\nMKVL\n", "'q', the first row, has no residues"),
    "RF": ("# STOCKHOLM 1.0\na MKVL\n#=GC RF xxx\n//\n", "RF has 3 columns for rows of 4"),
    "Stockholm": ("# STOCKHOLM 1.0\na MK VL\n//\n", "line 2: a name and a row"),
    "Clustal": ("CLUSTAL W\n\na MKVL 4 4\n", "line 3: a name and a row"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(read, name):
    text, said = WRONG[name]
    with pytest.raises(ProfileError, match=said):
        read(text)


def test_an_alignment_of_dna_is_refused_for_proteins(read):
    with pytest.raises(AlphabetMismatch, match="The alignment is nucleotide, but protein is needed here"):
        read(">q\nACGTACGT\n>s\nACGTAC-T\n")


def test_no_two_formats_claim_a_text_but_fasta_and_a3m(read):
    for name, text in TEXTS.items():
        claimed = {one.name for one in FORMATS if one.found(text)}
        assert claimed - {"aligned FASTA"} == {name} - {"aligned FASTA"}
        assert name in claimed


def family(rows=30, columns=80):
    """Return an alignment of relatives with gaps of either kind."""
    random = np.random.default_rng(8)
    query = random.integers(0, 20, columns).astype(np.uint8)
    made = [AlignedRow("query", "", query)]
    for number in range(rows):
        codes = np.where(random.random(columns) < 0.4, random.integers(0, 20, columns), query).astype(np.uint8)
        codes[20 + number % 5 : 25] = DELETION
        first = int(random.integers(0, 8))
        codes[:first] = OUTSIDE
        insertions = {40: b"GGS"[: number % 4]} if number % 4 else {}
        made.append(AlignedRow(f"row{number}", "a relative", codes, insertions, first))
    return MasterAlignment(PROTEIN, tuple(made))


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


@pytest.mark.skipif(not shutil.which("hhmake"), reason="hhmake and hhfilter of HH-suite are not installed")
def test_hh_suite_takes_the_a3m(tmp_path):
    path, out = tmp_path / "f.a3m", tmp_path / "f.hhm"
    path.write_text(write_a3m(family()))
    made = run("hhmake", "-i", path, "-o", out, "-M", "a3m", "-id", "100", "-v", "2")
    assert made.returncode == 0, made.stderr
    text = out.read_text()
    assert "LENG  80 match states" in text
    filtered = run("hhfilter", "-i", path, "-o", tmp_path / "less.a3m", "-id", "90", "-cov", "50")
    assert filtered.returncode == 0, filtered.stderr
    assert (tmp_path / "less.a3m").read_text().count(">") > 5


@pytest.mark.skipif(not shutil.which("hmmbuild"), reason="hmmbuild is not installed")
@pytest.mark.parametrize(
    ("write", "options", "positions"),
    # without --hand hmmbuild leaves out columns that have gaps in half of the rows
    [(write_a3m, ("--informat", "a2m"), 75), (write_fasta, (), 75), (write_stockholm, ("--hand",), 80)],
)
def test_hmmbuild_takes_every_alignment(tmp_path, scheme, write, options, positions):
    path, out = tmp_path / "f", tmp_path / "f.hmm"
    path.write_text(write(family()))
    made = run("hmmbuild", "--amino", *options, out, path)
    assert made.returncode == 0, made.stdout + made.stderr
    (record,) = read_start(out, scheme).records
    assert f"{31:>6}" in made.stdout  # sequences
    assert len(record.profile) == positions
