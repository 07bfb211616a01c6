"""`swgui.connect`: another computer whose functions are those of the library, with the same results."""

import pytest

import swgui
from swgui import paths
from swgui.io.remote.computers import known_computers, link_to
from tests.other_computer import OtherComputer

PROTEINS = {
    "alpha": "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHG",
    "other": "MVLSAADKTNVKAAWSKVGGHAGEYGAEALERMFLGFPTTKTYFPHFDLSHGSAQVKAHG",
    "none": "WHKCPWMYNQFWCHRMWPKYQCWHMFYNWHKCPWMYNQFWCHRMWPKYQCWHMFYN",
}


@pytest.fixture
def other(tmp_path, monkeypatch):
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"SWGUI_{name}_DIR", str(tmp_path / name))
    (paths.data_dir() / "databases").mkdir(parents=True)
    source = tmp_path / "proteins.fasta"
    source.write_text("".join(f">{name}\n{text}\n" for name, text in PROTEINS.items()))
    swgui.Database.build(source, paths.data_dir() / "databases" / "proteins.swdb").close()
    return OtherComputer(monkeypatch)


def test_a_search_there_gives_the_same_hits(other, tmp_path):
    gpu = swgui.connect("ssh://gpu1")
    assert (repr(gpu), gpu.address) == ("swgui.connect('gpu1')", "gpu1")
    assert [(one.name, one.sequences) for one in gpu.databases()] == [("proteins", 3)]
    query = {"q": PROTEINS["alpha"]}
    away = gpu.search(query, "proteins", threads=1)
    here = swgui.search(query, paths.data_dir() / "databases" / "proteins.swdb", threads=1)
    assert len(here) >= 2
    numbers = away.to_arrays(["sseqid", "score", "evalue"]), here.to_arrays(["sseqid", "score", "evalue"])
    assert [[*map(str, column)] for column in numbers[0].values()] == [[*map(str, c)] for c in numbers[1].values()]
    assert [hit.alignment.cigar for hit in away] == [hit.alignment.cigar for hit in here]
    assert not away.partial
    assert gpu.runs() == {}
    with pytest.raises(swgui.SwguiError, match="no database"):
        gpu.search(query, "nr")
    with pytest.raises(swgui.InvalidParameter):
        gpu.search(query, swgui.Database.of(PROTEINS))


def test_functions_of_kinds_that_travel_are_there_and_no_others(other, tmp_path):
    gpu = swgui.connect("gpu1")
    away, here = gpu.network(tmp_path / "proteins.fasta"), swgui.network(tmp_path / "proteins.fasta")
    assert repr(away) == repr(here)
    assert "1 edge" in repr(here)
    for name in ("pair", "rule", "sweep", "nothing"):
        with pytest.raises(AttributeError):
            getattr(gpu, name)


def test_a_token_is_used_and_written_nowhere(other):
    gpu = swgui.connect("gpu1", token="a-secret")
    assert gpu.databases()
    assert known_computers() == []
    assert not any(b"a-secret" in path.read_bytes() for path in paths.data_dir().rglob("*") if path.is_file())
    assert link_to("gpu1").address.text == "gpu1"
