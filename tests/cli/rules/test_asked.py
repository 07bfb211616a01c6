"""Questions that cannot be met: repaired or refused, and never a None, in a terminal, a library and a certificate."""

import json

import pytest

import swgui
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.jobs.rules.verify import NO_CONTROL
from tests.cli.test_rule import fasta, rule, texts_of, verify

pytestmark = pytest.mark.usefixtures("user_folders")

GUIDE = "TAGCGAGAACAGAGAAATAG"
BASES = {"k": f"TTTACGT{GUIDE}CGGTTAC"}
CALMODULIN = "MADQLTEEQIAEFKEAFSLFDKDGD"


@pytest.fixture
def outputs(tmp_path):
    files = {"table": tmp_path / "T.tsv", "json": tmp_path / "C.json", "page": tmp_path / "C.html"}
    words = "-o", files["table"], "--certificate", files["json"], "--certificate-page", files["page"]
    return files, words


def test_a_guide_with_its_pam_is_found(tmp_path, outputs, capsys):
    files, words = outputs
    query, database = fasta(tmp_path / "q.fa", [f"{GUIDE}CGG", "TGACGATTCAGCCATTAGCA"], "g"), tmp_path / "d.fa"
    database.write_text(f">k\n{BASES['k']}\n")
    assert rule("guides", "-q", query, "-d", database, *words) == 0
    said = capsys.readouterr().err
    note = "Query g1 ended with CGG, which fits the PAM NGG: it was left off."
    assert note in said
    assert "1 of 2 queries has no place: g2." in said
    facts = json.loads(files["json"].read_text())
    assert facts["queries"]["repairs"] == [note]
    assert facts["queries"]["as_given"][0] == ["g1", f"{GUIDE}CGG"]
    assert facts["found_by_query"] == [
        {"query": "g1", "places": 1, "by_differences": {"0": 1}},
        {"query": "g2", "places": 0, "by_differences": {}},
    ]
    page = texts_of(files["page"].read_text("utf-8"))
    assert note in page
    assert "g1 unique" in page
    assert "g2 no perfect site (is this the right strain?)" in page
    assert verify(files["json"], "--full") == 0
    capsys.readouterr()
    assert rule("guides", "-q", query, "-d", database, "-o", files["table"], "--with-pam", "no") == 0
    assert "None. No place" in capsys.readouterr().err


def test_a_guide_with_its_pam_is_found_by_the_library():
    with pytest.warns(swgui.SwguiWarning, match="fits the PAM NGG: it was left off"):
        found = swgui.rule("guides", f"{GUIDE}CGG", BASES, type="nucleotide", engine="cpu")
    assert len(found) == 1
    with pytest.raises(InvalidParameter, match="which fits the PAM: it has 21 bases") as asked:
        swgui.rule("guides", f"{GUIDE[:18]}CGG", BASES, type="nucleotide", engine="cpu")
    assert "with_pam yes or with_pam no" in asked.value.hint


def test_an_allergen_check_of_a_short_peptide_is_refused(tmp_path, outputs):
    files, words = outputs
    query, database = fasta(tmp_path / "q.fa", [CALMODULIN], "p"), fasta(tmp_path / "d.fa", [CALMODULIN * 2], "s")
    with pytest.raises(SwguiError, match="at most 25 of 80 residues") as refused:
        rule("window", "-q", query, "-d", database, *words)
    assert "contiguous matches" in refused.value.hint
    assert not files["json"].exists()


def test_a_query_that_cannot_be_met_is_not_counted_in_none(tmp_path, outputs, capsys):
    files, words = outputs
    query = fasta(tmp_path / "q.fa", [CALMODULIN, "W" * 40], "p")
    database = fasta(tmp_path / "d.fa", [CALMODULIN * 2], "s")
    assert rule("window", "-q", query, "-d", database, *words, "--no-background") == 0
    unmet = "1 of 2 queries cannot be met, so the result says nothing about it: p1 (at most 25 of 80 residues"
    none = "None. No place in 1 sequence of d meets the rule for the query that can be met."
    said = capsys.readouterr().err
    assert none in said
    assert unmet in said
    page = texts_of(files["page"].read_text("utf-8"))
    assert none in page
    assert unmet in page
    assert "p1 cannot be" in page
    facts = json.loads(files["json"].read_text())
    assert "at most 25 of 80" in facts["found_by_query"][0]["cannot_be_met"]
    assert facts["controls"]["within"] == 100  # all of p2
    assert verify(files["json"]) == 0
    del facts["found_by_query"][0]["cannot_be_met"]
    facts["certificate_sha256"] = swgui.jobs.certificate.checksum_of(facts)
    files["json"].write_text(json.dumps(facts))
    assert verify(files["json"], "--full") == 1


def test_no_control_is_no_success(tmp_path, outputs, capsys):
    """Primers whose product may be shorter than both together, as controls are planted."""
    files, words = outputs
    query, database = fasta(tmp_path / "q.fa", ["ACGTTGCATTAC", "TTGACCATGGCA"], "p"), tmp_path / "d.fa"
    database.write_text(">s\nGGGACGTTGCATTACGGG\n")
    words = *words, "--shortest", 12, "--longest", 20
    assert rule("primers", "-q", query, "-d", database, *words) == 0
    assert NO_CONTROL in capsys.readouterr().err
    assert NO_CONTROL in texts_of(files["page"].read_text("utf-8"))
    assert verify(files["json"]) == 1
    assert NO_CONTROL in capsys.readouterr().out


def test_u_of_primers_is_read_as_t(tmp_path, outputs, capsys):
    files, words = outputs
    query, database = fasta(tmp_path / "q.fa", ["ACGUUGCA", "UUGACCAU"], "p"), tmp_path / "d.fa"
    database.write_text(f">s\nGG\nACGTTGCA{'G' * 40}ATGGTCAA\n")
    assert rule("primers", "-q", query, "-d", database, *words, "--mismatches", 0) == 0
    said = capsys.readouterr().err
    assert "(p1, p2)" in said
    assert "1 place in 1 sequence" in said
    assert verify(files["json"], "--full") == 0


def test_a_pair_of_primers_that_cannot_be_met_is_refused():
    pair = {"f": "ACGTTGCATTAC", "r": "TTGACCATGGCA"}
    with pytest.raises(SwguiError, match="a primer of 12 bases has no product of at most 11"):
        swgui.rule("primers", pair, BASES, type="nucleotide", shortest=2, longest=11)


def test_a_site_of_a_guide_is_listed_once(tmp_path, outputs):
    """Before NGGG a guide has two PAMs, one base apart: unchanged, and with a bulge."""
    files, words = outputs
    query, database = fasta(tmp_path / "q.fa", [GUIDE], "g"), tmp_path / "d.fa"
    site = f"{GUIDE}AGGGT"
    turned = site.translate(str.maketrans("ACGT", "TGCA"))[::-1]
    database.write_text(f">plus\nTTTACGT{site}TAC\n>minus\nTTTACGT{turned}TAC\n")
    words = *words, "--mismatches", 4, "--dna-bulges", 1
    assert rule("guides", "-q", query, "-d", database, *words) == 0
    lines = [line.split("\t") for line in files["table"].read_text().splitlines()]
    column = lines[0].index("other_readings")
    assert [(line[1], line[5], line[column]) for line in lines[1:]] == [("plus", "0", "1"), ("minus", "0", "1")]
    facts = json.loads(files["json"].read_text())
    assert facts["found"] == 2
    assert facts["rule"]["sentence"].startswith("Every site followed by the PAM NGG, with at most 4 mismatches")
    assert "each site once, as it has the fewest differences" in facts["rule"]["sentence"]
    assert verify(files["json"], "--full") == 0
