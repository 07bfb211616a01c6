"""Results as sequences, as text, in open files, in Arrow streams and in pickles."""

from __future__ import annotations

import io
import pickle
import sys
import types

import pytest

import swgui
from tests.library.conftest import GLOBIN, PROTEINS

RULE = {"s1": "MKVLAAGICCWWSIINFEKLHH", "s2": "GGGSIINYEKLGGG", "s3": "ACDE"}


@pytest.fixture
def places():
    return swgui.rule("peptides", {"pep": "SIINFEKL"}, RULE, mismatches=1, type="protein", engine="cpu")


@pytest.fixture
def network():
    return swgui.network({name: PROTEINS[name] for name in list(PROTEINS)[:3]}, engine="cpu")


def test_hits_are_equal_by_what_they_are(database):
    hits, again = (swgui.search(GLOBIN, database, top=4) for _ in range(2))
    assert hits == hits[:] == again
    assert hits != hits[:2]
    assert hits[0] == again[0] != hits[1]
    assert hits[0] in hits
    assert hits[2] not in hits[:2]
    assert hits.index(again[2]) == 2
    assert len({hits[0], again[0], hits[1]}) == 2
    assert hits[0].alignment == again[0].alignment != hits[1].alignment
    assert swgui.search(GLOBIN[:30], database, top=4) != hits


def test_places_of_a_rule_are_a_sequence(places):
    first, second = places
    assert (first.query_id, first.subject_id, first.start, first.end, first.differences) == ("pep", "s1", 12, 20, 0)
    assert RULE["s1"][first.start : first.end] == first["sseq"] == "SIINFEKL"
    assert (first["sstart"], first["send"]) == (first.start + 1, first.end)
    assert (second.mismatches, second["identity"]) == (1, 87.5)
    assert places[1] == places[-1] == second
    assert second in places
    assert second not in places[:1]
    assert places[:] == places != places[1:]
    assert places[1:].to_arrays()["sseqid"].tolist() == ["s2"]
    with pytest.raises(IndexError):
        places[2]
    with pytest.raises(swgui.InvalidParameter, match="no column 'score'"):
        first["score"]


def test_rows_of_clusters_and_alignments_of_a_pair_are_sequences(network):
    found = swgui.cluster({"a": GLOBIN, "b": GLOBIN, "c": PROTEINS["other9"]}, engine="cpu")
    assert [row["sequence"] for row in found] == ["a", "b", "c"]
    assert found[0]["representative"] == found[1]["representative"] != found[-1]["representative"]
    assert found[:2] == [found[0], found[1]]
    pair = swgui.pair(GLOBIN, PROTEINS["sp|P2|NEAR"], method="cpu")
    assert pair[0] == pair.alignment in pair
    assert len(pair) == len(pair.alignments)
    assert "sp|P1|ALPHA" in network
    assert list(network) == network.ids
    assert "other0" not in network


def test_every_result_becomes_text_and_goes_into_open_files(database, places, network, tmp_path):
    hits = swgui.search(GLOBIN, database, top=3)
    made = swgui.msa(GLOBIN, database, iterations=2, engine="cpu")[0]
    pair = swgui.pair(GLOBIN, PROTEINS["sp|P2|NEAR"], method="cpu")
    cases = (
        (hits, "blast6"), (hits, "tsv"), (hits[:2], "fasta"), (places, "bed"), (places, "csv"), (made, "a3m"),
        (pair, "fasta"), (network, "graphml"), (network.edges(), "tsv"),
    )  # fmt: skip
    for result, form in cases:
        file = tmp_path / f"out.{form}"
        result.write(file, form)
        text, data, packed = io.StringIO(), io.BytesIO(), tmp_path / "packed"
        result.write(text, form)
        result.write(data, form)
        with packed.open("w", encoding="utf-8", newline="\n") as opened:
            result.write(opened, form)
        assert file.read_bytes() == data.getvalue() == text.getvalue().encode() == packed.read_bytes()
        assert result.to_string(form) == text.getvalue() != ""
    assert hits.to_string() == hits.to_string("tsv")
    assert hits.to_string("tsv", columns=["sseqid"]).splitlines()[1] == "sp|P1|ALPHA"


def test_open_files_that_do_not_fit_are_refused(database, network):
    hits = swgui.search(GLOBIN, database, top=3)
    pytest.importorskip("openpyxl")
    with pytest.raises(swgui.InvalidParameter, match="open for text"):
        hits.to_string("xlsx")
    book = io.BytesIO()
    hits.write(book, "xlsx")
    assert book.getvalue()[:2] == b"PK"
    unwritten = io.StringIO()
    for result in (hits, swgui.pair(GLOBIN, GLOBIN, method="cpu")):
        with pytest.raises(swgui.InvalidParameter, match="An open file has no ending"):
            result.write(unwritten)
    with pytest.raises(swgui.InvalidParameter, match="no format"):
        network.write(unwritten, "png")
    with pytest.raises(swgui.InvalidParameter, match="path must be"):
        hits.write(7, "tsv")
    assert unwritten.getvalue() == ""


def test_every_table_is_an_arrow_stream(database, places, network):
    arrow = pytest.importorskip("pyarrow")
    hits = swgui.search(GLOBIN, database, top=3)
    for result in (hits, places, network, network.edges(), swgui.pair(GLOBIN, GLOBIN, method="cpu")):
        table = arrow.table(result)
        arrays = result.to_arrays()
        assert table.column_names == list(arrays)
        assert table.num_rows == len(next(iter(arrays.values()))) > 0
    polars = pytest.importorskip("polars")
    assert network.to_polars(evalue=1e-30).equals(polars.DataFrame(network.edges(evalue=1e-30).to_arrow()))


def test_a_pickle_of_two_hits_has_these_two_alone(database):
    many = {**PROTEINS, **{f"more{number}": PROTEINS["other12"][::-1] * 20 for number in range(500)}}
    hits = swgui.search({"one": GLOBIN, "two": GLOBIN[:40]}, many, top=5)
    part = hits[2:4]
    data = pickle.dumps(part)
    assert len(data) < len(pickle.dumps(hits.database.encoded)) / 10
    back = pickle.loads(data)
    assert back == part
    assert [hit.rank for hit in back] == [hit.rank for hit in part] == [3, 1]
    assert [hit.text for hit in back] == [hit.text for hit in part]
    assert back.to_string("json", columns=["sseqid", "evalue", "pident"]).count("P3") > 0
    assert pickle.loads(pickle.dumps(hits)) == hits
    assert pickle.loads(pickle.dumps(hits["two"])) == hits["two"]
    assert pickle.loads(pickle.dumps(hits[4])) == hits[4]
    alignment = pickle.loads(pickle.dumps(hits[4].alignment))
    assert (alignment, alignment.text, alignment.rows) == (
        hits[4].alignment, hits[4].alignment.text, hits[4].alignment.rows,
    )  # fmt: skip
    with pytest.raises(pickle.PicklingError, match="only listed hits"):
        pickle.dumps(hits.find("more499", "one"))


def test_missing_files_are_file_not_found(database, tmp_path):
    calls = (
        (swgui.SequenceError, lambda: swgui.search(tmp_path / "no.fasta", database)),
        (swgui.DatabaseError, lambda: swgui.search(GLOBIN, tmp_path / "no.swdb")),
        (swgui.SequenceError, lambda: swgui.Database(tmp_path / "no.fasta")),
        (swgui.SwguiError, lambda: swgui.load(tmp_path / "no.swgui")),
        (swgui.SwguiError, lambda: swgui.network(tmp_path / "no.swnet")),
    )
    for kind, call in calls:
        with pytest.raises(FileNotFoundError, match="There is no") as missing:
            call()
        assert isinstance(missing.value, kind)
    with pytest.raises(swgui.SequenceError) as folder:
        swgui.search(tmp_path, database)
    assert not isinstance(folder.value, FileNotFoundError)


class _Graph:
    def __init__(self, name):
        self.name, self.nodes, self.edges = name, [], {}

    def add_nodes_from(self, names):
        self.nodes += names

    def add_edge(self, one, other, **facts):
        self.edges[one, other] = facts


def test_a_network_becomes_a_graph_of_networkx(network, monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", types.SimpleNamespace(Graph=_Graph))
    graph = network.to_networkx()
    assert graph.nodes == network.ids
    arrays = network.edges()
    assert list(graph.edges) == list(zip(arrays["source"], arrays["target"], strict=True))
    assert [facts["score"] for facts in graph.edges.values()] == arrays["score"].tolist()
    assert len(network.to_networkx(evalue=1e-300).edges) == 0
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(swgui.MissingPackage, match="pip install networkx"):
        network.to_networkx()
