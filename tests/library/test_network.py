"""``swgui.network``."""

import pytest

import swgui

MOTHER = "MKVLAAGICCWWSIINFEKLHHPTRDEYQNMKLVFGHWCAA"
SEQUENCES = {"a": MOTHER, "b": MOTHER[:-2] + "GG", "c": MOTHER[::-1], "d": "ACDE"}


def test_edges_clusters_and_files(tmp_path):
    found = swgui.network(swgui.Database.of(SEQUENCES), evalue=1e-3, engine="cpu")
    assert len(found) == 4
    edges = found.edges()
    assert (edges["source"].tolist(), edges["target"].tolist()) == (["a"], ["b"])
    assert edges["pident"][0] > 90
    assert found.edges(coverage=0.99)["source"].tolist() == []
    assert found.clusters("greedy", identity=0.9) == {"a": "a", "b": "a", "c": "c", "d": "d"}
    path = tmp_path / "n.swnet"
    found.write(path)
    again = swgui.network(path)
    assert again.edges()["score"].tolist() == edges["score"].tolist()
    again.write(tmp_path / "n.graphml")
    assert "<graphml" in (tmp_path / "n.graphml").read_text()
    frame = pytest.importorskip("pandas") and again.to_pandas()
    assert frame["target"].tolist() == ["b"]


def test_a_result_becomes_a_network():
    database = swgui.Database.of(SEQUENCES)
    found = swgui.search({"q": MOTHER[1:]}, database, engine="cpu", composition="none", evalue=1e-3)
    made = found.network(evalue=1e-3, engine="cpu")
    assert sorted(made.ids) == ["a", "b", "q"]
    assert len(made.edges()["source"]) == 3
    assert sorted(found[:1].network(evalue=1e-3, engine="cpu").ids) == ["a", "q"]


def test_mistakes_are_sentences(tmp_path):
    found = swgui.network(swgui.Database.of(SEQUENCES), engine="cpu")
    with pytest.raises(swgui.InvalidParameter, match="There is no rule 'leiden'"):
        found.clusters("leiden")
    with pytest.raises(swgui.InvalidParameter, match="no format of networks"):
        found.write(tmp_path / "n.xyz")
    found.write(tmp_path / "n.swnet")
    again = swgui.network(tmp_path / "n.swnet")
    with pytest.raises(swgui.InvalidParameter, match="made with BLOSUM62, gap 11/1"):
        swgui.network(tmp_path / "n.swnet", matrix="PAM30")
    assert swgui.network(tmp_path / "n.swnet", evalue=1e-9).edges()["evalue"].tolist() == [
        value for value in again.edges()["evalue"] if float(value) <= 1e-9
    ]
    for more in (lambda: swgui.network(tmp_path / "n.swnet", evalue=1), lambda: again.edges(evalue=1)):
        with pytest.raises(swgui.InvalidParameter, match="holds pairs with E up to 1e-05 only"):
            more()
    with pytest.raises(swgui.SwguiError, match="would replace it"):
        again.write(tmp_path / "n.swnet")
