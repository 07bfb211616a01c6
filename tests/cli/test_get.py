"""``swgui get`` against a server on this computer, by a list of its own."""

import gzip
import hashlib
import json
import socket
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from swgui import paths
from swgui.cli import main
from swgui.io.database import public_sets, web
from swgui.io.database.file import open_database
from swgui.io.database.library import user_databases
from tests.io.database.test_download import server as plain_server

__all__ = ["plain_server"]

pytestmark = pytest.mark.usefixtures("user_folders")
TRP_CAGE = Path(__file__).parents[1] / "data" / "structures" / "1l2y.pdb"
FASTA = "".join(f">p{number} made up\nMKVLWAALLVTFLAGCQAKVEQAVE{'ACDEFGHIKL' * number}\n" for number in range(1, 9))
PACKED = gzip.compress(FASTA.encode(), mtime=0)


LISTING = '<file name="few.fasta.gz"><hash type="md5">{}</hash></file>'
PROTEOMES = """Release 2026_03
Proteome_ID\tTax_ID\tOSCODE\tSUPERREGNUM\t#(1)\t#(2)\t#(3)\tSpecies Name
UP000002311\t559292\tYEAST\teukaryota\t6067\t27\t6727\tSaccharomyces cerevisiae (strain S288c) (Baker's yeast)
UP000202840\t683179\tNone\tviruses\t3\t0\t3\tSaccharum streak virus
UP000000001\t11\tAAAAA\tbacteria\t8\t0\t8\tBacillus first
UP000000002\t12\tBBBBB\tbacteria\t9\t0\t9\tBacillus second (yeast bacillus)
"""
MODELS = json.dumps([
    {"archive_name": "UP000002311_559292_YEAST_v6.tar", "species": "Saccharomyces cerevisiae", "common_name": "Yeast",
     "num_predicted_structures": 6039, "size_bytes": 1_000_000, "type": "proteome"},
    {"archive_name": "swissprot_cif_v6.tar", "label": "Swiss-Prot (CIF files)", "size_bytes": 1},
])  # fmt: skip


@pytest.fixture
def server(plain_server, monkeypatch, tmp_path):
    plain_server.content, plain_server.listing = PACKED, LISTING.format(hashlib.md5(PACKED).hexdigest())
    url = f"http://127.0.0.1:{plain_server.server_port}"
    entry = {"key": "few", "title": "A few", "about": "Made up.", "url": f"{url}/few.fasta.gz",
             "listing_url": f"{url}/listing", "terms": "Free"}  # fmt: skip
    (tmp_path / "sets.json").write_text(json.dumps([entry]))
    monkeypatch.setenv(public_sets.LIST_VARIABLE, str(tmp_path / "sets.json"))
    return plain_server


def test_a_set_becomes_a_database_that_the_window_lists(server, capsys):
    assert main(["get", "few"]) == 0
    out, err = capsys.readouterr()
    assert "8 protein sequences" in out
    assert "verified by a checksum" in err
    (known,) = user_databases()
    assert (known.name, known.sequences) == ("A few", 8)
    assert list((paths.data_dir() / "downloads").iterdir()) == []


def test_a_file_that_was_loaded_by_hand_is_taken(server, tmp_path, capsys):
    (tmp_path / "here.fasta.gz").write_bytes(PACKED)
    words = ["get", "few", "--from", str(tmp_path / "here.fasta.gz")]
    assert main([*words, "-o", str(tmp_path / "x.fasta")]) == 2
    assert "in .swdb" in capsys.readouterr().err
    assert main([*words, "--json"]) == 0
    assert (json.loads(capsys.readouterr().out)["name"], server.asked) == ("A few", [])
    assert len(user_databases()) == 1


def test_a_server_that_is_not_known_is_a_sentence_with_ways_out(server, monkeypatch, tmp_path, capsys):
    entry = json.loads((tmp_path / "sets.json").read_text())[0] | {"url": "http://nowhere.invalid/few.fasta.gz"}
    (tmp_path / "sets.json").write_text(json.dumps([entry]))

    def unknown(*words, **more):
        raise urllib.error.URLError(socket.gaierror(-2, "Name or service not known"))

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", unknown)
    assert main(["get", "few"]) == 1
    said = capsys.readouterr().err
    assert "nowhere.invalid cannot be reached" in said
    assert "HTTPS_PROXY" in said
    assert "Or load http://nowhere.invalid/few.fasta.gz elsewhere" in said
    assert "swgui get few --from few.fasta.gz" in said
    assert "Errno" not in said


def test_a_proxy_of_the_site_is_asked(by_organism, monkeypatch, tmp_path):
    proxy = f"http://127.0.0.1:{by_organism.server_port}"
    text = (tmp_path / "sets.json").read_text()
    (tmp_path / "sets.json").write_text(text.replace(proxy, "http://nowhere.invalid"))
    monkeypatch.setenv("http_proxy", proxy)
    web.opener.cache_clear()
    try:
        assert main(["get", "proteome:yeast", "--quiet"]) == 0
    finally:
        web.opener.cache_clear()
    assert by_organism.lines[0] == ("GET", "http://nowhere.invalid/proteome/listing")
    assert by_organism.lines[-1][1].startswith("http://nowhere.invalid/proteome/Eukaryota/UP000002311/")


def test_a_download_is_resumed(server, tmp_path, capsys):
    folder = paths.data_dir() / "downloads"
    paths.make_folder(folder)
    (folder / "few.fasta.gz.part").write_bytes(PACKED[:40])
    note = {"url": f"http://127.0.0.1:{server.server_port}/few.fasta.gz", "size": len(PACKED), "etag": '"one"'}
    (folder / "few.fasta.gz.part.json").write_text(json.dumps(note))
    assert main(["get", "FEW", "-o", str(tmp_path / "mine.swdb"), "--quiet"]) == 0
    assert server.asked[-1] == "bytes=40-"
    assert len(open_database(tmp_path / "mine.swdb")) == 8


def test_the_file_itself_can_be_kept(server, tmp_path, capsys):
    assert main(["get", "few", "-o", str(tmp_path / "few.fasta.gz")]) == 0
    assert (tmp_path / "few.fasta.gz").read_bytes() == PACKED


def test_a_wrong_checksum_leaves_nothing(server, tmp_path, capsys):
    server.listing = LISTING.format("0" * 32)
    assert main(["get", "few", "-o", str(tmp_path / "few.swdb")]) == 1
    assert "its checksum" in capsys.readouterr().err
    assert not (tmp_path / "few.swdb").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["get", "nr"], "There is no public set 'nr'. There are few."),
        (["get", "few", "-o", "none/few.swdb"], "does not exist"),
    ],
)
def test_what_cannot_be_got_is_a_sentence(server, capsys, words, sentence):
    assert main(words) in (1, 2)
    assert sentence in capsys.readouterr().err
    assert server.asked == []


def test_too_little_room_is_said_before_the_download(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("swgui.cli.get.SPACE", 10**15)
    assert main(["get", "few", "-o", str(tmp_path / "few.swdb")]) == 1
    assert "Make room first" in capsys.readouterr().err
    assert [path for command, path in server.lines if command == "GET"] == ["/listing"]


@pytest.fixture
def by_organism(server, tmp_path):
    url = f"http://127.0.0.1:{server.server_port}"
    sets = json.loads((tmp_path / "sets.json").read_text())
    sets += [sets[0] | {"key": key, "url": f"{url}/{key}/", "listing_url": f"{url}/{key}/listing", "organisms": form}
             for key, form in (("proteome", "uniprot"), ("structures", "alphafold"))]  # fmt: skip
    (tmp_path / "sets.json").write_text(json.dumps(sets))
    server.listing = PROTEOMES
    return server


@pytest.mark.parametrize("organism", ["559292", "yeast", "UP000002311", "saccharomyces CEREVISIAE", "baker's yeast"])
def test_a_proteome_is_found_by_each_name_of_its_organism(by_organism, capsys, organism):
    assert main(["get", f"proteome:{organism}"]) == 0
    assert by_organism.lines[-1] == ("GET", "/proteome/Eukaryota/UP000002311/UP000002311_559292.fasta.gz")
    (known,) = user_databases()
    assert known.name == "Proteome of Saccharomyces cerevisiae (strain S288c) (Baker's yeast)"
    assert known.path.name == "proteome-559292.swdb"


def test_structures_of_an_organism_become_a_database(by_organism, tmp_path, capsys):
    with tarfile.open(tmp_path / "models.tar", "w") as archive:
        archive.add(TRP_CAGE, "AF-P00001-F1-model_v6.pdb")
    by_organism.listing, by_organism.content = MODELS, (tmp_path / "models.tar").read_bytes()
    assert main(["get", "structures:yeast"]) == 0
    assert by_organism.lines[-1] == ("GET", "/structures/UP000002311_559292_YEAST_v6.tar")
    (known,) = user_databases()
    assert (known.name, known.sequences) == ("Structures of Saccharomyces cerevisiae (Yeast)", 1)
    assert "alphabet 3Di" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("proteome:bacillus", ["2 organisms", "proteome:11 is Bacillus first", "Name one by its number"]),
        ("proteome:nothing", ["lists no organism 'nothing' among 4 sets"]),
        ("proteome:none", ["lists no organism 'none' among 4 sets"]),
        ("proteome", ["names no organism", "proteome:ORGANISM"]),
        ("structures:yeast", ["no organism in the form that swgui reads"]),
    ],
)
def test_an_organism_that_is_none_or_several_is_a_sentence(by_organism, capsys, name, sentences):
    assert main(["get", name]) in (1, 2)
    said = capsys.readouterr().err
    assert all(sentence in said for sentence in sentences)
    assert not any(path.endswith((".gz", ".tar")) for _command, path in by_organism.lines)


def test_a_proteome_that_was_loaded_by_hand_asks_for_nothing(by_organism, tmp_path):
    (tmp_path / "here.fasta.gz").write_bytes(PACKED)
    assert main(["get", "proteome:Baker's yeast", "--from", str(tmp_path / "here.fasta.gz")]) == 0
    (known,) = user_databases()
    assert (known.name, known.path.name, by_organism.asked) == (
        "A few Baker's yeast",
        "proteome-Baker-s-yeast.swdb",
        [],
    )


def test_without_a_name_all_are_listed(capsys):
    assert main(["get"]) == 0
    printed = capsys.readouterr().out
    for key, one in public_sets.public_sets().items():
        assert f"{key} " in printed
        assert one.title in printed
    assert {"swissprot", "uniref50", "pdb"} <= set(public_sets.public_sets())


def test_a_damaged_list_is_a_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "sets.json").write_text("[{]")
    monkeypatch.setenv(public_sets.LIST_VARIABLE, str(tmp_path / "sets.json"))
    assert main(["get"]) == 1
    assert "cannot be read" in capsys.readouterr().err
