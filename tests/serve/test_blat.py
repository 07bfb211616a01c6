"""The address of BLAT, read by the rules of IGV and JBrowse: rows rebuilt into alignments are those of a search."""

import json
import re
from html import unescape
from urllib.parse import urlencode

import pytest

import swgui
from swgui.serve.doors import blat
from tests.serve.conftest import reverse_complement

FIELDS = [
    *("matches", "misMatches", "repMatches", "nCount", "qNumInsert", "qBaseInsert", "tNumInsert", "tBaseInsert"),
    *("strand", "qName", "qSize", "qStart", "qEnd", "tName", "tSize", "tStart", "tEnd", "blockCount", "blockSizes"),
    *("qStarts", "tStarts"),
]


@pytest.fixture(scope="module")
def queries(contigs):
    """Return stretches of the contigs: as they are, reversed, with a base more, with three fewer, and with an N."""
    one, two = contigs["chr1"], contigs["chr2"]
    return {
        "plain": one[100:400],
        "minus": reverse_complement(two[2000:2300]),
        "inserted": one[500:600] + "A" + one[600:700],
        "deleted": reverse_complement(two[300:400] + two[403:500]),
        "unknown": one[900:950] + "N" + one[951:1000],
    }


def sent(client, path="/cgi-bin/hgBlat", **fields):
    return client.ask(path, urlencode({"type": "DNA", "db": "hg38", "output": "json"} | fields).encode())


def rows_of(answer):
    """Return the rows as JBrowse has them: by the names of the fields."""
    assert answer["fields"] == FIELDS
    return [dict(zip(answer["fields"], row, strict=True)) for row in answer["blat"]]


def columns(row, query, target):
    """Return the aligned residues of a row: (query, target) of each block, and check its ends."""
    sizes, q_starts, t_starts = (
        [int(n) for n in row[name].split(",") if n] for name in ("blockSizes", "qStarts", "tStarts")
    )
    assert len(sizes) == len(q_starts) == len(t_starts) == row["blockCount"]
    assert (t_starts[0], t_starts[-1] + sizes[-1]) == (row["tStart"], row["tEnd"])
    ends = q_starts[0], q_starts[-1] + sizes[-1]
    minus = row["strand"] == "-"
    assert ends == (
        (row["qSize"] - row["qEnd"], row["qSize"] - row["qStart"]) if minus else (row["qStart"], row["qEnd"])
    )
    read = reverse_complement(query) if minus else query
    return [(read[q : q + size], target[t : t + size]) for size, q, t in zip(sizes, q_starts, t_starts, strict=True)]


def test_rows_are_the_alignments_of_a_search(client, contigs, genome, queries, tmp_path):
    fasta = "".join(f">{name} of a test\n{text}\n" for name, text in queries.items())
    answer = json.loads(sent(client, userSeq=fasta)[1])
    assert (answer["track"], answer["genome"]) == ("blat", "hg38")
    rows = {row["qName"]: row for row in rows_of(answer)}
    assert set(rows) == set(queries)
    for name, query in queries.items():
        row = rows[name]
        blocks = columns(row, query.replace("N", "n"), contigs[row["tName"]])
        pairs = [pair for block in blocks for pair in zip(*block, strict=True)]
        assert sum(a == b for a, b in pairs) == row["matches"]
        assert sum(a != b and a != "n" for a, b in pairs) == row["misMatches"] == 0
        assert row["nCount"] == (name == "unknown")
        assert row["tSize"] == len(contigs[row["tName"]])
    inserts = [tuple(rows[name][key] for key in FIELDS[4:8]) for name in ("plain", "inserted", "deleted")]
    assert inserts == [(0, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 3)]
    assert [rows[name]["strand"] for name in ("plain", "minus", "deleted")] == ["+", "-", "-"]
    hits = swgui.search(fasta, str(genome), engine="cpu", program="blastn", scoring_preset="dna-strict", evalue=1e-3)
    hits.write(tmp_path / "hits.psl")
    assert sorted((tmp_path / "hits.psl").read_text().splitlines()) == sorted(
        "\t".join(str(row[name]) for name in FIELDS) for row in rows.values()
    )
    hits.write(tmp_path / "hits.tsv", format="blast6")
    table = [line.split("\t") for line in (tmp_path / "hits.tsv").read_text().splitlines()]
    expected = {(line[0], *sorted(map(int, line[8:10]))) for line in table}
    assert {(row["qName"], row["tStart"] + 1, row["tEnd"]) for row in rows.values()} == expected


def test_an_alignment_across_the_origin_is_two_rows(contigs, genome, tmp_path):
    text = contigs["chr1"]
    for query, strand in ((text[-70:] + text[:50], "+"), (reverse_complement(text[-70:] + text[:50]), "-")):
        hits = swgui.search(f">q\n{query}\n", str(genome), engine="cpu", circular=True, top=1, max_hsps=1)
        hits.write(tmp_path / "hits.psl")
        rows = [line.split("\t") for line in (tmp_path / "hits.psl").read_text().splitlines()]
        found = [(row[8], *map(int, row[11:13]), *map(int, row[15:17])) for row in rows]
        parts = [(0, 70), (70, 120)] if strand == "+" else [(50, 120), (0, 50)]
        assert found == [(strand, *parts[0], 2930, 3000), (strand, *parts[1], 0, 50)]


def test_igv_and_scripts_ask_in_their_ways(client, queries):
    encoded = sent(client, userSeq=queries["plain"])[1]
    plain = "&".join(f"{name}={text}" for name, text in (("userSeq", queries["plain"]), ("db", "hg38"), ("type", "DNA"),
                                                        ("output", "json"))).encode()  # fmt: skip
    assert client.ask("/cgi-bin/hgBlat", plain)[1] == encoded
    assert client.ask(f"/cgi-bin/hgBlat?{plain.decode()}")[1] == encoded
    (row,) = json.loads(encoded)["blat"]
    assert len(row) == 21  # IGV goes by the place
    assert row[9] == blat.UNNAMED
    psl = sent(client, userSeq=queries["plain"], output="psl")[1].decode()
    assert psl == "\t".join(map(str, row)) + "\n"
    assert json.loads(sent(client, userSeq="ACGTTGCA" * 12)[1])["blat"] == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"userSeq": "ACGT"}, "Sequence 1 has 4 bases"), ({"userSeq": ">a\n" + "ACGT" * 7000}, "28,000 bases"),
        ({"db": "mm39"}, "no database 'mm39' here"), ({"type": "protein"}, "type='protein' is not offered"),
        ({"output": "hyperlink"}, "output=json"), ({"db": "first"}, "blastn"),
        ({"userSeq": ">a\nACGTTGCATGCATGCATCGATGCA\n" * 26}, "26 sequences"), ({"userSeq": ""}, "0 bases"),
    ],
)  # fmt: skip
def test_refusals_are_pages_that_browsers_show(client, queries, fields, said):
    status, page = sent(client, **{"userSeq": queries["plain"]} | fields)
    text = unescape(re.sub("<[^>]*>", " ", page.decode()))
    assert (status, page[:1]) == (200, b"<")
    assert said in text
    assert not re.search(r"turnstile|cf[-_]chl", page.decode(), re.IGNORECASE)  # JBrowse's signs of a captcha


def test_a_server_that_is_busy_says_so(client, server, queries, monkeypatch):
    monkeypatch.setattr(blat, "HOLD", 0.0)
    server.house.queue.pause(True)
    try:
        assert b"Send the same again" in sent(client, userSeq=queries["minus"])[1]
    finally:
        server.house.queue.pause(False)
    assert client.ask("/cgi-bin/hgBlat", b"x=1", Host="elsewhere.example")[0] == 403
