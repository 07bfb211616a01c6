"""``swgui rule`` and ``swgui verify`` of its certificate."""

import io
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import swgui
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import Stopped, SwguiError
from swgui.io.tables.rules import PLACE_FORMATS
from swgui.jobs.certificate import checksum_of
from swgui.jobs.rules import blocks
from swgui.jobs.rules import run as job
from swgui.jobs.rules.table import places_table
from tests.cli.test_saved import run

pytestmark = pytest.mark.usefixtures("user_folders")


def verify(*words):
    return run("verify", "--engine", "cpu", *words)


def rule(*words):
    return run("rule", *words, "--engine", "cpu")


def fasta(path, sequences, prefix):
    path.write_text("".join(f">{prefix}{number}\n{one}\n" for number, one in enumerate(sequences, start=1)))
    return path


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "SMALLEST", 300)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(5)
    letters = np.array(list(PROTEIN.plain))
    subjects = ["".join(letters[rng.integers(0, 20, size)]) for size in rng.integers(30, 90, 60)]
    queries = [subjects[3][5:14], subjects[40][2:11], subjects[59][-9:], "WWWWWWWWW"]
    return fasta(tmp_path / "q.fasta", queries, "pep"), fasta(tmp_path / "d.fasta", subjects, "s")


@pytest.fixture
def certificate(files, tmp_path):
    query, database = files
    path = tmp_path / "C.json"
    words = "--mismatches", 4, "-o", tmp_path / "T.tsv", "--certificate", path
    assert rule("peptides", "-q", query, "-d", database, *words) == 0
    return path


def test_a_certificate_holds(certificate, tmp_path, capsys):
    facts = json.loads(certificate.read_text())
    assert facts["expected"] == facts["tested"] > 0
    assert facts["found"] >= 3
    assert facts["left_out"] == 0
    assert len(facts["blocks"]) > 4
    table = (tmp_path / "T.tsv").read_text().splitlines()
    assert len(table) == 1 + facts["found"]
    assert table[0].split("\t")[:7] == ["qseqid", "sseqid", "sstart", "send", "sstrand", "differences", "identity"]
    capsys.readouterr()
    assert verify(certificate) == 0
    assert "4 of" in capsys.readouterr().out
    assert verify(certificate, "--full") == 0
    assert f"{len(facts['blocks'])} of {len(facts['blocks'])} blocks" in capsys.readouterr().out


CHANGES = {
    "found": lambda facts: facts.update(found=facts["found"] + 1),
    "expected": lambda facts: facts.update(expected=facts["expected"] + 1, tested=facts["tested"] + 1),
    "digest": lambda facts: facts["blocks"][0].update(digest="0" * 64),
    "rule": lambda facts: facts["rule"]["parameters"].update(mismatches=1),
    "sentence": lambda facts: facts["rule"].update(sentence="Everything."),
    "queries": lambda facts: facts["queries"]["sequences"].pop(),
    "result": lambda facts: facts.update(result_sha256="1" * 64),
    "a block less": lambda facts: facts["blocks"].pop(),
    "a block's count": lambda facts: facts["blocks"][1].update(found=7),
    "longest": lambda facts: facts["database"].update(longest=1),
    "complete": lambda facts: facts.update(complete=False),
}


@pytest.mark.parametrize("renewed", [False, True], ids=["checksum kept", "checksum made again"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.sampled(11)
def test_a_changed_certificate_is_found_out(certificate, change, renewed, capsys):
    facts = json.loads(certificate.read_text())
    CHANGES[change](facts)
    if renewed:
        facts["certificate_sha256"] = checksum_of(facts)
    certificate.write_text(json.dumps(facts))
    assert verify(certificate, "--full") == 1
    out = capsys.readouterr().out
    assert "does not hold" in out
    assert ("another checksum than 'certificate_sha256'" in out) != renewed


def test_another_database_is_refused(certificate, files, tmp_path, capsys):
    other = fasta(tmp_path / "other.fasta", ["MKVLAAGICC" * 4], "t")
    with pytest.raises(SwguiError, match="another checksum"):
        verify(certificate, "-d", other)
    (moved := tmp_path / "moved.fasta").write_bytes(files[1].read_bytes())
    files[1].unlink()
    with pytest.raises(SwguiError, match="Name it with -d"):
        verify(certificate)
    assert verify(certificate, "-d", moved) == 0


def test_what_is_no_certificate_is_refused(tmp_path):
    (tmp_path / "broken.json").write_text('{"format": "swgui rule certificate 1", ')
    with pytest.raises(SwguiError, match="damaged certificate"):
        verify(tmp_path / "broken.json")
    (tmp_path / "newer.json").write_text('{"format": "swgui rule certificate 9"}')
    with pytest.raises(SwguiError, match="another version"):
        verify(tmp_path / "newer.json")
    (tmp_path / "poor.json").write_text('{"format": "swgui rule certificate 1"}')
    with pytest.raises(SwguiError):
        verify(tmp_path / "poor.json")


def test_a_stopped_run_says_so_and_goes_on(files, tmp_path, monkeypatch, capsys):
    query, database = files
    state = tmp_path / "state"

    def peptides(name, *words):
        out, written = tmp_path / f"{name}.tsv", tmp_path / f"{name}.json"
        words = "-q", query, "-d", database, "--mismatches", 4, "-o", out, "--certificate", written, *words
        return rule("peptides", *words), out.read_bytes(), json.loads(written.read_text())

    status, table, whole = peptides("whole")
    assert status == 0
    scan = job.scan_block

    def stopped(scanned, database, block):
        if block.first > 20:
            raise Stopped
        return scan(scanned, database, block)

    monkeypatch.setattr(job, "scan_block", stopped)
    status, part, facts = peptides("part", "--checkpoint", state)
    assert status == 3
    assert table.startswith(b"".join(part.splitlines(keepends=True)[:1]))
    assert not facts["complete"]
    assert facts["left_out"] == len(facts["left_out_sequences"]) > 0
    assert "was stopped" in capsys.readouterr().err
    assert verify(tmp_path / "part.json") == 1
    assert "not complete" in capsys.readouterr().out
    monkeypatch.setattr(job, "scan_block", scan)
    with pytest.raises(SwguiError, match="is of another rule"):
        rule("peptides", "-q", query, "-d", database, "--mismatches", 3, "--checkpoint", state)
    status, resumed, facts = peptides("resumed", "--checkpoint", state)
    assert (status, resumed) == (0, table)
    assert facts["resumed"]
    assert facts["result_sha256"] == whole["result_sha256"]
    assert facts["tested"] == facts["expected"] == whole["tested"]
    assert not state.exists()
    assert verify(tmp_path / "resumed.json", "--full") == 0

    monkeypatch.setattr(job, "scan_block", stopped)
    assert peptides("kept", "--history", "mine")[:2] == (3, part)
    monkeypatch.setattr(job, "scan_block", scan)
    assert peptides("kept", "--history", "mine")[:2] == (0, table)
    assert "is complete" not in capsys.readouterr().err
    monkeypatch.setattr(job, "scan_block", stopped)  # a run that is complete scans nothing
    assert peptides("kept", "--history", "mine")[:2] == (0, table)
    assert "'mine' is complete" in capsys.readouterr().err
    assert verify(tmp_path / "kept.json", "--full") == 0
    assert peptides("kept", "--history", "other")[0] == 3


def texts_of(page):
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta[^>]*>", "", page))
    return " ".join(" ".join(root.itertext()).split())


def test_the_page_says_what_the_certificate_says(files, tmp_path):
    query, database = files
    query.write_text(">a<b>&c\nWWWWWWWWW\n")
    path, written = tmp_path / "C.html", tmp_path / "C.json"
    words = "-q", query, "-d", database, "--certificate-page", path, "--certificate", written
    assert rule("peptides", *words, "-o", tmp_path / "T.tsv") == 0
    page, facts = path.read_text("utf-8"), json.loads(written.read_text())
    text = texts_of(page)
    for said in ("None. No place in 60 sequences", "a<b>&c", f"{facts['expected']:,}", facts["result_sha256"]):
        assert said in text
    for said in (
        facts["rule"]["sentence"],
        facts["database"]["checksum"],
        facts["not_said"],
        facts["checksum_is"],
        "--full",
    ):
        assert said in text
    assert not re.search(r"https?:|<script|<link|@import|url\(", page)
    for word in ("signed", "certified by", "safe"):
        assert word not in page.lower()


def audited(tmp_path, written, table):
    out = tmp_path / "audit.tsv"
    assert run("audit", "--rule", written, "--table", table, "-o", out, "--engine", "cpu") == 0
    lines = [line.split("\t") for line in out.read_text().splitlines()]
    assert lines[0][0] == "found_by"
    return sorted(tuple(line[:4]) for line in lines[1:])


def test_a_list_of_pepmatch_is_compared(tmp_path, capsys):
    query = fasta(tmp_path / "q.fasta", ["SIINFEKL", "WWWWWWWW"], "pep")
    database = fasta(tmp_path / "d.fasta", ["MKSIINFEKLMK", "MKSIINYEKLMK", "GGGGSIINFEKV"], "s")
    table, written = tmp_path / "T.csv", tmp_path / "C.json"
    words = "-q", query, "-d", database, "--mismatches", 1, "--format", "pepmatch", "--certificate", written
    assert rule("peptides", *words, "--type", "protein", "-o", table) == 0
    lines = table.read_text().splitlines()
    assert lines[0].startswith("Query ID,Query Sequence,Matched Sequence,Protein ID,Protein Name,Species,Taxon ID,Gene")
    assert lines[2] == "pep1,SIINFEKL,SIINYEKL,s2,,,,,1,[5],3,10,"
    assert lines[4] == "pep2,WWWWWWWW,,,,,,,,[],,,"
    same = [("both", "pep1", name, start) for name, start in (("s1", "3"), ("s2", "3"), ("s3", "5"))]
    assert audited(tmp_path, written, table) == same
    assert "lists 3 of 3 places" in capsys.readouterr().err
    lines[1] = lines[1].replace(",3,10,", ",4,11,")
    extra = "pep1,SIINFEKL,MKSIINFE,s1,,,,,7,[],1,2,"
    other = "pep1,SIINFEKL,SIINFEKL,t9,,,,,0,[],1,8,"
    table.write_text("\n".join([*lines[:3], *lines[4:], extra, other]) + "\n")
    assert audited(tmp_path, written, table) == [
        ("both", "pep1", "s2", "3"),
        ("differently placed", "pep1", "s1", "3"),
        ("extra", "SIINFEKL", "s1", ""),
        ("missed", "pep1", "s3", "5"),
        ("unknown name", "SIINFEKL", "t9", ""),
    ]
    said = capsys.readouterr().err
    assert "lists 1 of 3 places that meet the rule, 1 more at another position; it misses 1." in said


CRISPRITZ = (
    "#Bulge type\tcrRNA\tDNA\tChromosome\tPosition\tCluster Position\tDirection\tMismatches\tBulge Size\tTotal\n"
)


@pytest.mark.parametrize("program", ["CRISPRitz", "Cas-OFFinder"])
def test_lists_of_sites_are_compared_by_their_pam(tmp_path, program, capsys):
    guide = "ACGTTACCATGCATTCGATC"
    site, turned = f"{guide}AGG", f"CCT{guide.translate(str.maketrans('ACGT', 'TGCA'))[::-1]}"
    database = fasta(tmp_path / "g.fasta", [f"TTTT{site}TTTT", f"TTT{turned}TT", f"TT{site}T"], "c")
    query = fasta(tmp_path / "q.fasta", [guide], "g")
    written, table = tmp_path / "C.json", tmp_path / "T.txt"
    assert rule("guides", "-q", query, "-d", database, "--certificate", written, "-o", tmp_path / "T.tsv") == 0
    pattern = f"{guide}NNN"
    if program == "CRISPRitz":
        rows = [f"X\t{pattern}\t{site}\tc{n}\t{p}\t{p}\t{s}\t0\t0\t0\n" for n, p, s in ((1, 4, "+"), (2, 3, "-"))]
        table.write_text(CRISPRITZ + "".join(rows))
    else:
        rows = [f"{pattern}\tc{n}\t{p}\t{site}\t{s}\t0\n" for n, p, s in ((1, 4, "+"), (2, 3, "-"))]
        table.write_text("".join(rows))
    found = [("both", "g1", "c1", "5"), ("both", "g1", "c2", "26"), ("missed", "g1", "c3", "3")]
    assert audited(tmp_path, written, table) == found
    assert f"{program} lists 2 of 3 places" in capsys.readouterr().err


def test_a_blast_table_is_compared_and_other_files_are_refused(certificate, tmp_path, capsys):
    table = tmp_path / "blast.tsv"
    table.write_text("pep1\ts4\t100.0\t9\t0\t0\t1\t9\t6\t14\t1e-3\t30\npep2\ts41\t100\t5\t0\t0\t1\t5\t3\t7\t1\t9\n")
    found = audited(tmp_path, certificate, table)
    assert ("both", "pep1", "s4", "6") in found
    assert ("both", "pep2", "s41", "3") in found
    assert sum(line[0] == "missed" for line in found) == len(found) - 2 > 0
    table.write_text("Matched Sequence,Query Sequence,Protein ID,Index start,Index end\nA,A,s1,x,y\n")
    with pytest.raises(SwguiError, match="is damaged"):
        audited(tmp_path, certificate, table)
    with pytest.raises(SwguiError, match="no certificate"):
        audited(tmp_path, table, table)
    with pytest.raises(SystemExit):
        run("audit", "--table", table)
    assert "-q/--query" in capsys.readouterr().err


def test_frames_of_a_database_of_dna_are_searched(tmp_path):
    turned = b"ATGGCTTGGAAATGA".translate(bytes.maketrans(b"ACGT", b"TGCA"))[::-1].decode()
    database = fasta(tmp_path / "d.fasta", ["CATGGCTTGGAAATGACC", f"GG{turned}T"], "s")
    query, written, table = fasta(tmp_path / "q.fasta", ["MAWK"], "q"), tmp_path / "C.json", tmp_path / "T.tsv"
    words = "-q", query, "-d", database, "-o", table, "--certificate", written
    with pytest.raises(SwguiError, match="protein is needed"):
        rule("peptides", *words)
    assert rule("peptides", *words, "--frames", "all", "--type", "protein") == 0
    lines = [line.split("\t") for line in table.read_text().splitlines()]
    assert lines[0][-1] == "sframe"
    places = [(*line[1:5], line[-2], line[-1]) for line in lines[1:]]
    assert places == [("s1", "2", "13", "plus", "MAWK", "2"), ("s2", "17", "6", "minus", "MAWK", "-2")]
    assert verify(written, "--full") == 0
    assert rule("words", *words, "--type", "protein", "--frames", "plus", "--length", 3, "--subject-code", 2) == 0
    assert [line.split("\t")[1] for line in table.read_text().splitlines()[1:]] == ["s1"]
    assert verify(written, "--full") == 0


def test_an_allergen_check_says_what_fasta_would_and_what_passes_by_chance(tmp_path, capsys):
    rng = np.random.default_rng(3)
    texts = ["".join(rng.choice(list(PROTEIN.plain), 90)) for _ in range(3)]
    query, database = fasta(tmp_path / "q.fasta", texts[:1], "q"), fasta(tmp_path / "d.fasta", texts, "s")
    table, written = tmp_path / "T.tsv", tmp_path / "C.json"
    words = (
        "-q",
        query,
        "-d",
        database,
        "-o",
        table,
        "--certificate",
        written,
        "--certificate-page",
        tmp_path / "C.html",
    )
    assert rule("window", *words) == 0
    lines = [line.split("\t") for line in table.read_text().splitlines()]
    own = lines[0].index("fasta_identity")
    assert (lines[1][1], lines[1][6], lines[1][own]) == ("s1", "100.00", "100.00")
    facts = json.loads(written.read_text())
    assert len(facts["background"]["subjects_passing"]) == 10
    assert facts["background"]["sentence"] in capsys.readouterr().err
    assert facts["background"]["sentence"] in texts_of((tmp_path / "C.html").read_text("utf-8"))
    assert verify(written) == 0
    capsys.readouterr()
    assert rule("window", *words, "--no-background") == 0
    assert "background" not in json.loads(written.read_text())
    assert "By chance" not in capsys.readouterr().err
    assert [line.split("\t") for line in table.read_text().splitlines()] == lines


def test_records_that_the_reader_drops_are_listed(tmp_path):
    database = tmp_path / "d.fasta"
    database.write_text(">s1\nMKVLAAGICC\n>nothing\n>s2\nMKVLAAGIWC\n")
    query, written, page = fasta(tmp_path / "q.fasta", ["LAAGI"], "q"), tmp_path / "C.json", tmp_path / "C.html"
    words = "-q", query, "-d", database, "-o", tmp_path / "T.tsv", "--certificate", written, "--certificate-page", page
    for _ in range(2):  # the second time from what was converted
        assert rule("peptides", *words) == 0
        facts = json.loads(written.read_text())
        assert (facts["complete"], facts["left_out"], facts["dropped_by_reader"]) == (True, 1, 1)
        assert "nothing" in facts["dropped_by_reader_reasons"][0]
        assert facts["database"]["sequences"] == 2
    assert verify(written, "--full") == 0
    text = texts_of(page.read_text("utf-8"))
    assert "2 places in 2 sequences meet the rule, among 2 sequences of d." in text
    assert facts["dropped_by_reader_reasons"][0] in text
    for name in ("compiled code", "compiled code SHA-256"):
        assert facts["code"][name] in text
    assert re.fullmatch("[0-9a-f]{64}", facts["code"]["compiled code SHA-256"])


def test_a_stopped_list_of_pepmatch_names_no_query_as_without_a_place(tmp_path):
    query, database = fasta(tmp_path / "q.fasta", ["SIINFEKL", "WWWWWWWW"], "pep"), ["MKSIINFEKLMK"]
    made = swgui.rule("peptides", str(query), str(fasta(tmp_path / "d.fasta", database, "s")), mismatches=1)
    for complete in (True, False):
        file, table = io.StringIO(), places_table(made.run.request, made.run.database, made.run.found())
        PLACE_FORMATS["pepmatch"](table, made.run.request, file, lambda complete=complete: complete)
        assert ("WWWWWWWW" in file.getvalue()) is complete


def listed(tmp_path, *words):
    """Return the lines of the table of a rule and its certificate, which holds when all is scanned again."""
    out, path = tmp_path / "places.tsv", tmp_path / "places.json"
    assert rule(*words, "-o", out, "--certificate", path, "--type", "protein") == 0
    assert verify(path, "--full") == 0
    head, *lines = (line.split("\t") for line in out.read_text().splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines], json.loads(path.read_text())


def test_residues_put_in_take_no_identity_over_the_query_away(tmp_path):
    query = fasta(tmp_path / "q.fasta", ["ACDEFGHIKL"], "q")
    database = fasta(tmp_path / "d.fasta", ["MMACDEFWWWWGHIKLMM", "ACDEFGHIK", "MMACDEFGHIKLMM", "ACDEYGHIYL"], "s")
    words = "identity", "-q", query, "-d", database, "--over", "query", "--identity"
    lines, facts = listed(tmp_path, *words, "100%")
    assert [(one["sseqid"], one["identity"], one["insertions"]) for one in lines] == [
        ("s3", "100.00", "0"),
        ("s1", "100.00", "4"),
    ]
    assert (lines[1]["qseq"], lines[1]["sseq"]) == ("ACDEF----GHIKL", "ACDEFWWWWGHIKL")
    assert "100 % of the residues of the query match, however many residues" in facts["rule"]["sentence"]
    lines, _ = listed(tmp_path, *words, "90%")
    assert {one["sseqid"]: one["identity"] for one in lines} == {"s1": "100.00", "s2": "90.00", "s3": "100.00"}
    found = swgui.rule("identity", query, database, over="query", identity="90%", type="protein", engine="cpu")
    assert sorted(found.to_arrays(["identity"])["identity"].tolist()) == [90, 100, 100]


def test_gap_positions_are_limited_together(tmp_path):
    query = fasta(tmp_path / "q.fasta", ["ACDEFGHIKLMN"], "q")
    database = fasta(tmp_path / "d.fasta", ["WWACDWEFGHILMNWW"], "s")
    words = "edits", "-q", query, "-d", database, "--edits", 2, "--gaps"
    lines, facts = listed(tmp_path, *words, 1)
    assert (lines, facts["found"]) == ([], 0)
    assert "at most 1 gap position (insertions and deletions together)" in facts["rule"]["sentence"]
    assert len(listed(tmp_path, *words, 2)[0]) == 1


def test_edits_without_gaps_are_the_places_of_peptides(tmp_path):
    query, database = fasta(tmp_path / "q.fasta", ["AAAAAC"], "q"), fasta(tmp_path / "d.fasta", ["MMAAAAACCMM"], "s")
    lines, facts = listed(tmp_path, "edits", "-q", query, "-d", database, "--edits", 1, "--gaps", 0)
    assert len(lines) == 2
    assert "left out" not in facts["rule"]["sentence"]
    assert lines == listed(tmp_path, "peptides", "-q", query, "-d", database, "--mismatches", 1)[0]
    lines, facts = listed(tmp_path, "edits", "-q", query, "-d", database, "--edits", 1)
    assert len(lines) == 1
    assert " is left out if it has at least s differences more" in facts["rule"]["sentence"]


def test_former_words_for_kinds_of_gaps_are_read(tmp_path):
    query = fasta(tmp_path / "q.fasta", ["ACDEFGHIKLMN"], "q")
    database = fasta(tmp_path / "d.fasta", ["WWACDWEFGHIKLMNWW", "WWACDEFGHILMNWW"], "s")
    for former, word, found in (("subject", "insertions", "s1"), ("query", "deletions", "s2")):
        words = "edits", "-q", query, "-d", database, "--gaps-in"
        lines, facts = listed(tmp_path, *words, word)
        assert [one["sseqid"] for one in lines] == [found]
        assert f", {word} only (residues of the " in facts["rule"]["sentence"]
        assert facts["rule"]["parameters"]["gaps_in"] == word
        assert listed(tmp_path, *words, former)[1]["rule"] == facts["rule"]


def test_the_identity_of_a_short_query_is_that_of_its_window(tmp_path):
    rng = np.random.default_rng(1)
    text = "".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 60))
    query, database = fasta(tmp_path / "q.fasta", [text], "q"), fasta(tmp_path / "d.fasta", [f"MK{text}GG"], "s")
    lines, _ = listed(tmp_path, "window", "-q", query, "-d", database, "--no-background")
    assert [(one["identity"], one["fasta_identity"]) for one in lines] == [("75.00", "75.00")]
    found = swgui.rule("window", query, database, type="protein", engine="cpu")
    assert found.to_arrays(["identity"])["identity"].tolist() == [75]


def reworded(path, change, **parameters):
    """Write a certificate as an earlier build did: with another sentence, and parameters as they were named."""
    facts = json.loads(path.read_text())
    del facts["checksum_is"]
    facts["format"] = "swgui rule certificate 1"
    facts["rule"]["sentence"] = change(facts["rule"]["sentence"])
    facts["rule"]["parameters"].update(parameters)
    facts["certificate_sha256"] = checksum_of(facts)
    path.write_text(json.dumps(facts))


def test_sentences_of_earlier_builds_are_read_or_refused(tmp_path, capsys):
    query = fasta(tmp_path / "q.fasta", ["ACGTACGTACGGTTCA"], "q")
    database, path = fasta(tmp_path / "d.fasta", ["TTACGTACGTACGGTTCATT"], "s"), tmp_path / "places.json"

    def certified(*words):
        words = *words, "-q", query, "-d", database, "-o", tmp_path / "places.tsv", "--certificate", path
        assert rule(*words, "--type", "nucleotide") == 0

    former = " An end is left out if a listed one, s residues beside it, has at least s differences fewer and the "
    former += "limits leave that one s more gap positions."
    for sentence in (former, ""):
        certified("edits", "--edits", 2)
        reworded(path, lambda said, sentence=sentence: said.split(" An end ")[0] + sentence)
        assert verify(path, "--full") == 0
        assert ("left out" in path.read_text()) == bool(sentence)
    for words, change, parameters in (
        (("edits", "--gaps", 1), lambda said: said.replace(" (insertions and deletions together)", ""), {}),
        (
            ("edits", "--gaps-in", "insertions", "--every-end"),
            lambda said: re.sub(r", insertions only \(.*?\)", ", gaps in the query only", said),
            {"gaps_in": "subject"},
        ),
        (
            ("identity", "--over", "query"),
            lambda said: re.sub(r"so that .* between them", "with ... counted over the residues of the query", said),
            {},
        ),
    ):
        certified(*words)
        assert verify(path, "--full") == 0
        reworded(path, change, **parameters)
        with pytest.raises(SwguiError, match="another version of this program"):
            verify(path, "--full")
