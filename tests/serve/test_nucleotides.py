"""Alignments of RNA at ``/ticket/nuclmsa``: archive, strands, letters, and refusals."""

import json
import re

import pytest

from swgui.io.sample_files import write_sample
from tests.serve.conftest import Client, reverse_complement

NAME = re.compile(r"rna\d+(_\d+)?/(\d+)-(\d+)")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Return the RNAs of the sample, by name."""
    folder = tmp_path_factory.mktemp("rna")
    list(write_sample(folder, ["rna.sto"]))
    lines = [line.split() for line in (folder / "rna.sto").read_text().splitlines()]
    return {words[0]: words[1] for words in lines if len(words) == 2 and words[0].startswith("rna")}


@pytest.fixture(scope="module")
def client(rows, start, tmp_path_factory):
    """Return a client of a server whose database has the RNAs as DNA, the second on the other strand."""
    folder = tmp_path_factory.mktemp("nucl")
    texts = {name: row.replace("U", "T") for name, row in rows.items()}
    texts["rna2"] = reverse_complement(texts["rna2"])
    (folder / "rna.fasta").write_text("".join(f">{name}\n{text}\n" for name, text in texts.items()))
    given = {"databases": [], "search_database": [], "nucleotide_database": str(folder / "rna.fasta")}
    return Client(start(folder / "jobs", **given).url)


def test_rows_of_both_strands_stand_below_the_query(client, rows):
    query = rows["rna2"].replace("U", "T")
    ticket = client.done(client.post({"7": query}, "", "nuclmsa"))
    assert ticket["status"] == "COMPLETE", ticket
    for place in ("/result/nuclmsa/download/", "/api/result/download/"):
        assert client.ask(f"{place}{ticket['id']}")[0] == 200
    files = client.fetch({"7": query}, "", "nuclmsa")
    assert sorted(files) == ["riboseek.a3m", "riboseek.sh", "swgui.json"]
    text = files["riboseek.a3m"].decode()
    assert text.endswith("\n\0")
    lines = text.rstrip("\0").splitlines()
    assert lines[:2] == [">7", rows["rna2"]]
    heads = [line[1:].split("\t") for line in lines[2::2]]
    assert heads
    assert all(NAME.fullmatch(head[0]) and len(head) == 10 for head in heads)
    assert not any("T" in row.upper() for row in lines[1::2])
    assert {len(re.sub("[a-z]", "", row)) for row in lines[1::2]} == {len(query)}
    receipt = json.loads(files["swgui.json"])
    assert receipt["both_strands"]
    assert receipt["chains"]["7"]["rows"] == len(heads)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (">1\nMKVLW\n", "no base: 'L'"),
        (">1\nACGU*X\n", "no base"),
        (">1\n" + "N" * 30 + "ACGU\n", "more than half"),
        ("", "missing or empty"),
    ],
)
def test_other_sequences_are_refused(client, text, said):
    answer = client.post(text, "", "nuclmsa")
    assert answer["status"] == "ERROR"
    assert said in answer["reason"]


def test_a_server_of_rna_alone_has_no_alignments_of_proteins(client):
    answer = client.post({"1": "MKVLWAALLVTFLAGCQAKVEQAVE"})
    assert (answer["status"], "--database" in answer["reason"]) == ("ERROR", True)


def test_a_server_without_rna_says_so(server):
    answer = Client(server.url).post({"1": "ACGUACGUAAUUGGCC"}, "", "nuclmsa")
    assert (answer["status"], "--nucleotide-database" in answer["reason"]) == ("ERROR", True)
