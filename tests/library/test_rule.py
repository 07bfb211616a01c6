"""``swgui.rule``."""

import numpy as np
import pytest

import swgui

DATABASE = {"s1": "MKVLAAGICCWWSIINFEKLHH", "s2": "GGGSIINYEKLGGG", "s3": "ACDE"}


def test_places_are_columns_and_have_a_certificate(tmp_path):
    found = swgui.rule("peptides", {"pep": "SIINFEKL"}, DATABASE, mismatches=1, type="protein", engine="cpu")
    assert len(found) == 2
    assert not found.partial
    arrays = found.to_arrays()
    assert arrays["qseqid"].tolist() == ["pep", "pep"]
    assert arrays["sseqid"].tolist() == ["s1", "s2"]
    assert (arrays["sstart"].tolist(), arrays["send"].tolist()) == ([13, 4], [20, 11])
    assert arrays["differences"].tolist() == [0, 1]
    assert np.allclose(arrays["identity"], [100, 87.5])
    assert found.to_arrays(["sseq"])["sseq"].tolist() == ["SIINFEKL", "SIINYEKL"]
    facts = found.certificate()
    assert facts["expected"] == facts["tested"] == (22 - 7) + (14 - 7)
    assert (facts["found"], facts["left_out"], facts["complete"]) == (2, 0, True)
    found.write(tmp_path / "places.tsv")
    lines = (tmp_path / "places.tsv").read_text().splitlines()
    assert lines[2].split("\t")[:7] == ["pep", "s2", "4", "11", "plus", "1", "87.50"]
    frame = pytest.importorskip("pandas") and found.to_pandas(["sseqid", "sstart"])
    assert frame["sstart"].tolist() == [13, 4]


def test_none_is_a_result():
    found = swgui.rule("words", "WYWYWYWYW", swgui.Database.of(DATABASE), length=6, engine="cpu", type="protein")
    assert len(found) == 0
    assert found.certificate()["found"] == 0
    assert {name: len(values) for name, values in found.to_arrays().items() if len(values)} == {}


def test_mistakes_are_sentences():
    for words, message in (
        (("peptide", "SIINFEKL", DATABASE), "There is no rule 'peptide'"),
        (("peptides", {"a": "SIINFEKL"}, DATABASE), "mismatches must be 0 to 250"),
    ):
        with pytest.raises(swgui.InvalidParameter, match=message):
            swgui.rule(*words, mismatches=-1)
    with pytest.raises(swgui.InvalidParameter, match="pam is no option"):
        swgui.rule("peptides", {"a": "SIINFEKL"}, DATABASE, pam="NGG")
    with pytest.raises(swgui.InvalidParameter, match="no column 'score'"):
        swgui.rule("peptides", {"a": "SIINFEKL"}, DATABASE, type="protein", engine="cpu").to_arrays(["score"])


def test_identity_finds_every_hit_of_a_search_over_the_whole_query():
    rng = np.random.default_rng(2)
    letters = np.array(list("ARNDCQEGHILKMFPSTWYV"))
    query = letters[rng.integers(0, 20, 60)]
    database = {}
    for number in range(12):
        changed = query.copy()
        changed[rng.integers(0, 60, 2 * number)] = "W"
        cut = int(rng.integers(5, 55))
        text = "".join([*changed[:cut], *(["AG"] * (number % 3)), *changed[cut + number % 2 :]])
        database[f"s{number}"] = f"MKKL{text}GGH"
    query = {"q": "".join(query)}
    names = "sseqid", "nident", "length", "qstart", "qend"
    hits = swgui.search(query, database, engine="cpu", type="protein", evalue=1e9).to_arrays(names)
    whole = np.flatnonzero((hits["qstart"] == 1) & (hits["qend"] == 60))
    assert len(whole) > 4
    for row in whole:
        share = f"{hits['nident'][row]}/{hits['length'][row]}"
        found = swgui.rule("identity", query, database, identity=share, engine="cpu", type="protein")
        assert hits["sseqid"][row] in found.to_arrays(["sseqid"])["sseqid"]
