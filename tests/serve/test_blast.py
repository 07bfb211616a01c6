"""NCBI's URL interface, asked by unmodified Biopython, and by the expressions of other clients' sources."""

import io
import json
import re
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import urlencode

import pytest
from Bio import Blast
from Bio.Blast import NCBIWWW, NCBIXML

import swgui
from swgui.serve import searching
from swgui.serve.doors import blast
from swgui.serve.doors.blast_terms import read_terms
from swgui.serve.requests import Refused
from tests.serve.conftest import Client

# What other clients look for, as their sources have it: BioPerl, jbrowse-plugin-msaview, a script in R.
PUT_BIOPERL = re.compile(r"^\s+RID\s+=\s+(\S+)", re.MULTILINE)
RTOE_BIOPERL = re.compile(r"^\s+RTOE\s+=\s+(.*$)", re.MULTILINE)
PUT_MSAVIEW = re.compile(r"^    RID = (.*$)", re.MULTILINE)
WAITING = "<!DOCTYPE html>\n<html><body>\n<!--\nQBlastInfoBegin\n\tStatus=WAITING\nQBlastInfoEnd\n-->\n</body></html>\n"
STATUS = re.compile(r"\s+Status=([A-Z]+)", re.MULTILINE)


@pytest.fixture
def at_once(monkeypatch):
    """Let Biopython ask without its pause of 20 s a request."""
    for module in (Blast, NCBIWWW):
        monkeypatch.setattr(module.qblast, "previous", 0)
    monkeypatch.setattr("time.sleep", lambda seconds: None)


def sent(client, **fields):
    return client.ask("/Blast.cgi", urlencode(fields).encode())


def put(client, **fields):
    """Return the RID of a search."""
    page = sent(client, **{"CMD": "Put", "PROGRAM": "blastp", "DATABASE": "first"} | fields)[1].decode()
    assert page.startswith("<!DOCTYPE html>")
    return PUT_BIOPERL.search(page)[1]


def refusal(client, **fields):
    status, page = sent(client, **{"CMD": "Put", "PROGRAM": "blastp", "DATABASE": "first"} | fields)
    assert status in (200, 413)
    return re.search(r'<p class="error">Message ID#24 Error: (.*)</p></li></ul>\n', page.decode())[1]


def found(result):
    """Return (query, subject, score, E) of each hit of a search by the library."""
    return [
        (query.query.id, result.database.ids[index], score, evalue)
        for query in result.queries
        for index, score, evalue in zip(
            query.hits.db_index.tolist(), query.hits.scores.tolist(), query.hits.log10_evalues.tolist(), strict=True
        )
    ]


def read(records):
    return [
        (record.query.description.split()[0], hit[0].target.id, int(hit[0].score), hit[0].annotations["evalue"])
        for record in records
        for hit in record
    ]


def assert_same(got, expected):
    assert [one[:3] for one in got] == [one[:3] for one in expected]
    assert [one[3] for one in got] == pytest.approx([10.0 ** one[3] for one in expected], rel=1e-4)


@pytest.fixture(scope="module")
def hundred(databases):
    """Return the beginnings of 100 records in FASTA."""
    entries = Path(databases[0]).read_text().split(">")[1:101]
    return "".join(f">{head}\n{text[:70]}\n" for head, _, text in (entry.partition("\n") for entry in entries))


def test_biopython_gets_a_hundred_queries_as_the_library_finds_them(server, databases, hundred, at_once):
    url = f"{server.url}/Blast.cgi"
    answer = Blast.qblast("blastp", "first", hundred, url_base=url, expect=1e-3, hitlist_size=20)
    text = answer.read()
    hits = swgui.search(hundred, databases[0], engine="cpu", evalue=1e-3, top=20)
    expected = found(hits.result)
    assert len(expected) > 100
    with Blast.parse(io.BytesIO(text)) as records:
        assert_same(read(records), expected)
    older = NCBIWWW.qblast("blastp", "first", hundred, url_base=url, expect=1e-3, hitlist_size=20)
    records = list(NCBIXML.parse(older))
    assert len(records) == 100
    assert [int(one.hsps[0].score) for record in records for one in record.alignments] == [one[2] for one in expected]


def test_searches_with_the_same_settings_are_one_and_have_their_own_results(
    server, client, databases, proteins, monkeypatch
):
    numbers, steps = [], searching.search_steps

    def counted(request, *arguments, **options):
        numbers.append(len(request.queries))
        return steps(request, *arguments, **options)

    monkeypatch.setattr(searching, "search_steps", counted)
    texts = [
        f">one\n{proteins['alpha'][:90]}\n",
        f">a\n{proteins['beta'][9:]}\n>b\n{proteins['alone']}\n",
        ">c\nMKVLAWHKC\n",
    ]
    server.house.queue.pause(True)
    rids = [put(client, QUERY=text, EXPECT="0.01") for text in texts]
    other = put(client, QUERY=texts[0], EXPECT="0.02")
    server.house.queue.pause(False)
    for rid, text in zip([*rids, other], [*texts, texts[0]], strict=True):
        report = json.loads(sent(client, CMD="Get", RID=rid, FORMAT_TYPE="JSON2_S")[1])["BlastOutput2"]
        hits = swgui.search(text, databases[0], engine="cpu", evalue=0.02 if rid == other else 0.01, top=100)
        searches = [one["report"]["results"]["search"] for one in report]
        assert [one["query_title"] for one in searches] == [query.query.id for query in hits.result.queries]
        got = [hit["hsps"][0]["score"] for one in searches for hit in one["hits"]]
        assert got == [one[2] for one in found(hits.result)]
        assert f"cells: {hits.result.cells_done}" in report[0]["report"]["reference"]
    assert numbers == [4, 1]


@pytest.mark.parametrize(
    ("program", "query", "database"),
    [("blastn", "gene", "hg38"), ("blastx", "gene", "first"), ("tblastn", "beta", "hg38"), ("tblastx", "gene", "hg38")],
)
def test_biopython_reads_every_program(server, databases, genome, proteins, contigs, at_once, program, query, database):
    text = {"beta": proteins["beta"], "gene": contigs["chr2"][1150:1700]}[query]
    place = {"hg38": str(genome), "first": databases[0]}[database]
    answer = Blast.qblast(program, database, text, url_base=f"{server.url}/Blast.cgi", hitlist_size=5)
    hits = swgui.search(f">query\n{text}\n", place, program=program, engine="cpu", top=5)
    with Blast.parse(io.BytesIO(answer.read())) as records:
        got = [(hit[0].target.id, int(hit[0].score)) for record in records for hit in record]
    assert got == [one[1:3] for one in found(hits.result)]
    assert got


def test_biopython_gets_every_format(server, proteins, at_once):
    url, fasta = f"{server.url}/Blast.cgi", "".join(f">{name}\n{text}\n" for name, text in proteins.items())
    texts = {}
    for form in ("Text", "Tabular", "XML2", "JSON2"):
        texts[form] = Blast.qblast("blastp", "first", fasta, url_base=url, format_type=form, expect=1e-9).read()
    assert "\nQuery= alpha\nLength=142\n" in texts["Text"].decode()
    assert "\n# BLASTP swgui-" in texts["Tabular"].decode()
    xml, names = (zipfile.ZipFile(io.BytesIO(texts[form])) for form in ("XML2", "JSON2"))
    assert len(xml.namelist()) == len(names.namelist()) == 4
    with xml.open(xml.namelist()[1]) as file, Blast.parse(file) as records:
        scores = [int(hit[0].score) for record in records for hit in record]
    listed = json.loads(names.read(names.namelist()[0]))["BlastJSON"]
    reports = [json.loads(names.read(one["File"]))["BlastOutput2"]["report"]["results"]["search"] for one in listed]
    assert [one["query_title"] for one in reports] == list(proteins)
    assert [hit["hsps"][0]["score"] for hit in reports[0]["hits"]] == scores
    assert reports[2]["hits"] == []
    assert reports[2]["message"] == "No hits found"


def test_biopython_stops_at_every_failure(server, client, proteins, at_once):
    url = f"{server.url}/Blast.cgi"
    for given, said in (
        ({"program": "blastp", "database": "nr"}, "no database 'nr' here. Databases: first, second, hg38"),
        ({"program": "blastp", "database": "first", "service": "psi"}, "is not offered"),
        ({"program": "blastp", "database": "first", "phi_pattern": "[ST]-x(2)"}, "PHI_PATTERN is not offered"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            Blast.qblast(sequence=proteins["beta"], url_base=url, **given)
    rid = put(client, QUERY=proteins["beta"], JOB_TITLE="to be deleted")
    assert sent(client, CMD="Get", RID=rid, FORMAT_TYPE="XML")[0] == 200
    sent(client, CMD="Delete", RID=rid)
    for gone, code, status in ((rid, 410, "FAILED"), ("A" * 11, 410, "FAILED"), ("nothing", 404, "UNKNOWN")):
        assert sent(client, CMD="Get", RID=gone, FORMAT_TYPE="XML")[0] == code
        page = sent(client, CMD="Get", RID=gone, FORMAT_OBJECT="SearchInfo")
        assert (page[0], STATUS.search(page[1].decode())[1]) == (200, status)


def test_biopython_gives_its_token_as_password_or_in_the_address(start, proteins, tmp_path, at_once):
    place = tmp_path / "tokens"
    place.write_text("ann a-token-of-ann-0001\n")
    place.chmod(0o600)
    server = start(tmp_path / "jobs", token_file=str(place))
    in_path = f"{server.url}/t/a-token-of-ann-0001/Blast.cgi"
    text = Blast.qblast("blastp", "first", proteins["beta"], url_base=in_path).read()
    try:
        url = f"{server.url}/Blast.cgi"
        given = Blast.qblast("blastp", "first", proteins["beta"], url_base=url, password="a-token-of-ann-0001")
        assert given.read() == text
    finally:
        urllib.request.install_opener(None)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        Blast.qblast("blastp", "first", proteins["beta"], url_base=url)
    assert [job.owner for job in server.jobs()] == ["ann"]


def test_pages_have_the_bytes_that_clients_look_for(client, proteins):
    page = sent(client, cmd="put", program="BLASTP", database="FIRST", query=proteins["alpha"], tool="x")[1].decode()
    rid = PUT_BIOPERL.search(page)[1]
    assert re.fullmatch("[A-Z0-9]{11}", rid)
    assert PUT_MSAVIEW.search(page)[1] == rid
    assert RTOE_BIOPERL.search(page)[1] == "1"
    page = client.ask(f"/blast/Blast.cgi?CMD=Get&RID={rid}&FORMAT_OBJECT=SearchInfo")[1].decode()
    assert STATUS.search(page)[1] == "READY"
    assert "\tThereAreHits=yes\n" in page
    text = client.ask(f"/cgi-bin/blast.cgi?CMD=Get&RID={rid}&FORMAT_TYPE=JSON2_S")[1]
    hit = json.loads(text)["BlastOutput2"][0]["report"]["results"]["search"]["hits"][0]
    assert hit["description"][0]["accession"] == "P69905"
    assert hit["hsps"][0]["hseq"] == proteins["alpha"]
    assert client.ask(f"/Blast.cgi?CMD=Get&RID={rid}")[1].count(b"Status=READY") == 1
    assert client.ask(f"/Blast.cgi?CMD=Get&RID={rid}&FORMAT_TYPE=ASN.1")[0] == 400
    assert put(client, QUERY=proteins["alpha"]) == put(client, QUERY=proteins["alpha"])


def test_a_job_that_waits_is_a_page_that_waits(server, client, proteins, monkeypatch):
    monkeypatch.setattr(blast, "HOLD", 0.0)
    queue = server.house.queue
    queue.pause(True)
    try:
        rid = put(client, QUERY=proteins["beta"], EXPECT="0.5")
        for form in ({"FORMAT_TYPE": "XML"}, {"FORMAT_OBJECT": "SearchInfo"}):
            page = sent(client, CMD="Get", RID=rid, **form)[1]
            assert page.decode() == WAITING
    finally:
        queue.pause(False)


def test_limits_of_the_result_and_notes_in_the_receipt(client, proteins):
    rid = put(client, QUERY=proteins["beta"], WORD_SIZE="3", NEW_THING="1", MEGABLAST="on", HITLIST_SIZE="9999")
    ask = {"CMD": "Get", "RID": rid, "FORMAT_TYPE": "JSON2_S"}
    report = json.loads(sent(client, **ask)[1])["BlastOutput2"][0]["report"]
    for said in ("WORD_SIZE has no effect", "NEW_THING", "MEGABLAST has no effect in blastp", "cut to 5000"):
        assert said in report["reference"]
    hits = report["results"]["search"]["hits"]
    few = json.loads(sent(client, EXPECT_HIGH="1e-20", **ask)[1])["BlastOutput2"][0]["report"]["results"]["search"]
    assert few["hits"] == [hit for hit in hits if hit["hsps"][0]["evalue"] <= 1e-20]
    text = sent(client, CMD="Get", RID=rid, FORMAT_TYPE="Text", ALIGNMENTS="2", DESCRIPTIONS="1")[1].decode()
    assert text.count("\n>") == 2


@pytest.mark.parametrize(
    ("sent", "key", "value"),
    [
        ({"GAPCOSTS": "11.0 1.0"}, "gap_open", 11), ({"MATRIX_NAME": "PAM70"}, "matrix", "PAM70"),
        ({"COMPOSITION_BASED_STATISTICS": "F"}, "composition", "none"), ({"FILTER": "L"}, "mask", True),
        ({"PERC_IDENT": "90"}, "min_identity", 90.0), ({"QUERY_FROM": "2", "QUERY_TO": "9"}, "query_range", "2-9"),
        ({"ENTREZ_QUERY": 'Homo sapiens[Organism] OR txid10090[ORGN] NOT "Gallus gallus"[orgn]'}, "organism",
         ["Homo sapiens", "10090"]),
        ({"SHORT_QUERY_ADJUST": "true"}, "scoring_preset", "peptide"), ({"HITLIST_SIZE": "50"}, "top", 50),
        ({"PROGRAM": "blastn", "NUCL_REWARD": "1", "NUCL_PENALTY": "-3"}, "mismatch", -3),
        ({"PROGRAM": "tblastn", "DB_GENETIC_CODE": "11"}, "subject_code", 11),
    ],
)  # fmt: skip
def test_parameters_become_options(sent, key, value):
    asked, _ = read_terms({"PROGRAM": "blastp", "DATABASE": "a b", "QUERY": ">q\nMKV\n"} | sent)
    assert asked.options[key] == value
    assert asked.databases == ("a", "b")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"PROGRAM": "psiblast"}, "without rounds"), ({"PROGRAM": "blast"}, "PROGRAM is"), ({"QUERY": ""}, "QUERY has"),
        ({"QUERY": "P69905"}, "accession"), ({"QUERY": "NP_000509.1\n"}, "accession"), ({"GAPCOSTS": "1.5 1"}, "whole"),
        ({"GAPCOSTS": "11"}, "two costs"), ({"MATRIX_NAME": "/etc/passwd"}, "no name of a matrix"),
        ({"EXPECT": "nan"}, "EXPECT"), ({"HITLIST_SIZE": "-1"}, "HITLIST_SIZE"), ({"FILTER": "R"}, "repeats"),
        ({"ENTREZ_QUERY": "kinase[title]"}, "organisms alone"), ({"LCASE_MASK": "yes", "QUERY": "mkv"}, "lower case"),
        ({"SEARCHSP_EFF": "7"}, "SEARCHSP_EFF"), ({"UNGAPPED_ALIGNMENT": "yes"}, "UNGAPPED"),
        ({"PERC_IDENT": "x"}, "PERC"), ({"COMPOSITION_BASED_STATISTICS": "9"}, "0, 1, 2 or 3"),
        ({"QUERY_FROM": "3"}, "QUERY_TO"),
    ],
)  # fmt: skip
def test_parameters_that_are_not_offered_are_refused_by_name(sent, said):
    with pytest.raises(Refused, match=re.escape(said)):
        read_terms({"PROGRAM": "blastp", "DATABASE": "a", "QUERY": ">q\nMKV\n"} | sent)


def test_searches_that_cannot_be_are_refused_when_they_are_sent(client, proteins):
    assert "residues" in refusal(client, QUERY=">a\n" + "A" * 1_000_001)
    assert "DNA" in refusal(client, QUERY="ACGT" * 20, PROGRAM="blastn")
    assert "names no database" in refusal(client, QUERY=proteins["beta"], DATABASE="")
    assert "no database '_x'" in refusal(client, QUERY=proteins["beta"], DATABASE="<x")
    assert "CMD is" in refusal(client, CMD="Run")


def test_searches_outlive_their_server_and_a_database_that_is_gone_is_a_sentence(start, databases, proteins, tmp_path):
    first = start(tmp_path)
    first.house.queue.pause(True)
    rids = [put(Client(first.url), QUERY=proteins["beta"], DATABASE=name) for name in ("first", "second")]
    first.close()
    client = Client(start(tmp_path, databases=databases[:1]).url)
    assert sent(client, CMD="Get", RID=rids[0], FORMAT_TYPE="XML")[1].startswith(b"<?xml ")
    status, page = sent(client, CMD="Get", RID=rids[1], FORMAT_TYPE="XML")
    assert status == 410
    assert b"There is no database" in page


def test_no_log_has_a_sequence_a_header_or_an_id(client, proteins, caplog, capfd):
    caplog.set_level("DEBUG", "swgui.serve")
    query = f">secret_name of a patient\n{proteins['alpha'][30:]}\n"
    rid = put(client, QUERY=query)
    sent(client, CMD="Get", RID=rid, FORMAT_TYPE="XML")
    refusal(client, QUERY=query, SERVICE="psi")
    sent(client, CMD="Delete", RID=rid)
    said = caplog.text + "".join(capfd.readouterr())
    assert "COMPLETE" in said
    assert [text for text in ("secret", "patient", proteins["alpha"][30:50], rid) if text in said] == []
