"""Circular records of GenBank and EMBL files, from the entry to the certificate."""

import json

import numpy as np
import pytest
from Bio import SeqIO
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord

import swgui
from swgui.io.database.any_file import open_any_database
from swgui.io.sequences.reader import read_sequences
from tests.cli.test_rule import fasta, rule, texts_of, verify
from tests.cli.test_saved import run

pytestmark = pytest.mark.usefixtures("user_folders")

BASES = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(8).integers(0, 4, 400)].tobytes().decode()
TURNED = str.maketrans("ACGT", "TGCA")
PRIMERS = [BASES[370:388], BASES[30:48].translate(TURNED)[::-1]]  # a product of 78 bases across the origin


@pytest.fixture(params=["genbank", "embl"])
def entries(request, tmp_path):
    """Return a file with a circular and a linear entry of the same bases."""
    records = [SeqRecord(Seq(BASES), f"{kind[:4]}_1", f"{kind[:4]}_1", "of a test") for kind in ("circular", "linear")]
    for record, topology in zip(records, ("circular", "linear"), strict=True):
        record.annotations |= {"molecule_type": "DNA", "topology": topology}
    path = tmp_path / f"entries.{request.param}"
    SeqIO.write(records, path, request.param)
    return path


def products(path, tmp_path, *words):
    query, table, written = fasta(tmp_path / "p.fa", PRIMERS, "p"), tmp_path / "T.tsv", tmp_path / "C.json"
    page = tmp_path / "C.html"
    words = "-o", table, "--certificate", written, "--certificate-page", page, *words
    assert rule("primers", "-q", query, "-d", path, *words) == 0
    lines = [line.split("\t") for line in table.read_text().splitlines()]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    said = [(row["sseqid"], row["sstart"], row["send"], row["join"]) for row in rows]
    return said, json.loads(written.read_text()), texts_of(page.read_text("utf-8"))


@pytest.mark.parametrize("kept", ["as it is", "database", "packed"])
def test_a_product_across_the_origin_is_found(entries, kept, tmp_path, capsys):
    path = entries
    if kept != "as it is":
        path = tmp_path / "d.swdb"
        assert run("makedb", entries, "-o", path, *(["--packed"] if kept == "packed" else [])) == 0
    capsys.readouterr()
    found, facts, page = products(path, tmp_path)
    name = open_any_database(path).ids[0]
    assert found == [(name, "371", "48", "join(371..400,1..48)")]
    said = "1 record is circular and was read across the origin, all others as linear."
    assert said in capsys.readouterr().err
    assert said in page
    assert facts["database"]["circular"] == {"records": 1, "before": 0, "behind": 3000}
    assert verify(tmp_path / "C.json", "--full") == 0
    facts["database"]["circular"]["records"] = 0
    facts["certificate_sha256"] = swgui.jobs.certificate.checksum_of(facts)
    (tmp_path / "C.json").write_text(json.dumps(facts))
    assert verify(tmp_path / "C.json") == 1


def test_a_fasta_file_is_linear_unless_it_is_said_to_be_circular(tmp_path, capsys):
    path = fasta(tmp_path / "d.fa", [BASES], "s")
    found, facts, page = products(path, tmp_path)
    assert found == []
    assert "circular" not in facts["database"]
    assert "read as linear" in capsys.readouterr().err
    assert "read as linear" in page
    found, facts, page = products(path, tmp_path, "--circular")
    assert found == [("s1", "371", "48", "join(371..400,1..48)")]
    assert facts["rule"]["circular"] is True
    assert "read as circular" in page
    assert verify(tmp_path / "C.json", "--full") == 0


def test_formats_of_places_across_the_origin(tmp_path):
    path, query = fasta(tmp_path / "d.fa", [BASES], "s"), fasta(tmp_path / "q.fa", [BASES[390:] + BASES[:10]], "q")
    written = {}
    for form in ("bed", "gff3"):
        words = "-o", tmp_path / form, "--format", form, "--circular", "--strand", "plus"
        assert rule("peptides", "-q", query, "-d", path, "--type", "nucleotide", *words) == 0
        written[form] = [line.split("\t") for line in (tmp_path / form).read_text().splitlines()]
    assert [line[1:3] for line in written["bed"]] == [["390", "400"], ["0", "10"]]
    assert written["gff3"][1][3:5] == ["391", "410"]
    places = swgui.rule("peptides", str(query), str(path), type="nucleotide", engine="cpu", circular=True)
    columns = places.to_arrays(["sstart", "send", "join", "sseq"])
    assert (columns["sstart"][0], columns["send"][0], columns["join"][0]) == (391, 10, "join(391..400,1..10)")
    assert columns["sseq"][0] == BASES[390:] + BASES[:10]


def test_a_circular_entry_is_said_by_the_reader_and_written_back(entries, tmp_path, capsys):
    query, out = fasta(tmp_path / "q.fa", [BASES[100:200]], "q"), tmp_path / "hits.gb"
    words = "-q", query, "-d", entries, "-o", out, "--format", "genbank", "--engine", "cpu"
    assert run("search", *words, "--type", "nucleotide") == 0
    assert run("makedb", entries, "-o", tmp_path / "d.swdb") == 0
    assert "1 record is circular; only rules look across the origin of a subject." in capsys.readouterr().err
    assert [record.circular for record in read_sequences(out)] == [True, False]


def test_a_list_across_the_origin_is_compared(tmp_path, capsys):
    path = fasta(tmp_path / "d.fa", [BASES], "s")
    products(path, tmp_path, "--circular")
    words = "--rule", tmp_path / "C.json", "--table", tmp_path / "T.tsv", "-o", tmp_path / "audit.tsv"
    assert run("audit", *words, "--engine", "cpu") == 0
    assert "lists 1 of 1 place that meets the rule" in capsys.readouterr().err
