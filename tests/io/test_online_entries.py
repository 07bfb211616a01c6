"""Entries over the web, from a server on this computer: requests, answers, and faults."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.entries.lookup import UnknownAccession
from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.io import online_entries
from swgui.io.database.web import DownloadError
from swgui.io.online_entries import SERVICES, fetch_entry, hosts_of, service_of
from tests.io.test_features import GENBANK, RESIDUES, UNIPROT

CHAINS = ">4HHB_1|Chains A, C[auth D]|alpha|Homo\nMVLS\n>4HHB_2|Chain B|beta|Homo\nVHLT\n"
ANSWERS = {"P69905": UNIPROT, "NM_000558.5": GENBANK, "4HHB": CHAINS, "P00001": "no entry\n", "P00002": "<html>\n"}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        accession = self.path.rsplit("/", 1)[-1].removesuffix(".txt")
        asked.append(accession)
        if accession not in ANSWERS:
            self.send_error(503 if accession == "P00009" else 404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(ANSWERS[accession].encode())


asked: list[str] = []


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    asked.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}/"
    local = tuple(replace(one, url=address + ("{}.txt" if one.name == "UniProt" else "{}")) for one in SERVICES)
    monkeypatch.setattr(online_entries, "SERVICES", local)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield
    server.shutdown()
    server.server_close()
    thread.join()


def fetch(accession: str) -> online_entries.Entry:
    return fetch_entry(accession, threading.Event())


@pytest.mark.parametrize(
    ("accession", "url"),
    [
        ("P69905", "https://rest.uniprot.org/uniprotkb/P69905.txt"),
        ("P69905-2", "https://rest.uniprot.org/uniprotkb/P69905-2.fasta"),
        ("HBA_HUMAN", "https://rest.uniprot.org/uniprotkb/HBA_HUMAN.txt"),
        ("4HHB_A", "https://www.rcsb.org/fasta/entry/4HHB"),
        ("NP_000549.1", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?retmode=text&db=protein&rettype=gp"
         "&id=NP_000549.1"),
        ("NM_000558.5", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?retmode=text&db=nuccore"
         "&rettype=gbwithparts&id=NM_000558.5"),
    ],
)  # fmt: skip
def test_every_form_has_its_address(accession: str, url: str) -> None:
    asked_of = service_of(accession)
    assert asked_of is not None
    assert asked_of[1] == url
    assert all(service.url.startswith("https://") for service in SERVICES)


def test_servers_are_named_before_they_are_asked() -> None:
    assert hosts_of(["P69905", "Q9XYZ1", "4HHB", "nonsense!"]) == ["rest.uniprot.org", "www.rcsb.org"]


@pytest.mark.usefixtures("served")
def test_entries_come_with_their_kind_and_features() -> None:
    entry = fetch("P69905")
    assert (entry.record.id, entry.record.residues, entry.where) == ("P69905", RESIDUES.encode(), "UniProt")
    assert entry.alphabet is PROTEIN
    assert entry.record.features[1].title == "Domain Globin"
    entry = fetch("NM_000558.5")
    assert (entry.record.id, entry.alphabet, entry.where) == ("TEST.1", NUCLEOTIDE, "NCBI")
    assert [fetch(name).record.residues for name in ("4HHB_B", "4HHB_D", "4HHB")] == [b"VHLT", b"MVLS", b"MVLS"]


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("accession", ["P12345", "P00001", "P00002", "4HHB_X", "NP_123456.1"])
def test_what_a_server_does_not_have_is_one_sentence(accession: str) -> None:
    with pytest.raises(UnknownAccession, match=f"has no sequence of the entry '{accession}'"):
        fetch(accession)


@pytest.mark.usefixtures("served")
def test_what_else_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownAccession, match="has the form of no accession"):
        fetch("what?")
    assert asked == []
    with pytest.raises(DownloadError, match=r"The connection to 127\.0\.0\.1 broke off"):
        fetch("P00009")
    monkeypatch.setattr(online_entries, "LARGEST", 100)
    with pytest.raises(DownloadError, match="is larger than"):
        fetch("P69905")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        fetch_entry("P69905", cancel)


def test_without_a_network_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    local = tuple(replace(one, url="http://127.0.0.1:9/{}") for one in SERVICES)
    monkeypatch.setattr(online_entries, "SERVICES", local)
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1"):
        fetch("P69905")


@pytest.mark.usefixtures("served", "user_folders")
def test_the_command_asks_nobody_unless_told_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "db.fasta").write_text(">sp|P69906|HBB_HUMAN beta\nVHLTPEEKSAV\n")
    command = ["fetch-query", "P69905", "-d", str(tmp_path / "db.fasta"), "-o", str(tmp_path / "out.fasta")]
    assert main(command) == 1
    told = capsys.readouterr().err
    assert "no entry 'P69905'" in told
    assert "--online asks UniProt, NCBI and the PDB" in told
    assert asked == []
    assert not (tmp_path / "out.fasta").exists()
    assert main([*command, "--online"]) == 0
    assert asked == ["P69905"]
    assert (tmp_path / "out.fasta").read_text().startswith(">P69905 HBA_TEST Hemoglobin subunit alpha OS=Homo")
    link = "https://www.uniprot.org/uniprotkb/P69906/entry"
    assert main(["fetch-query", "hbb_human", link, "-d", str(tmp_path / "db.fasta"), "--online"]) == 0
    out = capsys.readouterr()
    assert out.out == 2 * ">sp|P69906|HBB_HUMAN beta\nVHLTPEEKSAV\n"
    assert asked == ["P69905"]
    assert main(["search", "-q", str(tmp_path / "out.fasta"), "-d", str(tmp_path / "db.fasta")]) == 0


@pytest.mark.usefixtures("user_folders")
def test_the_command_never_writes_over_its_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "db.fasta").write_text(">P69906\nVHLTPEEKSAV\n")
    assert main(["fetch-query", "P69906", "-d", str(tmp_path / "db.fasta"), "-o", str(tmp_path / "db.fasta")]) == 2
    assert "P69906" in (tmp_path / "db.fasta").read_text()
    assert main(["fetch-query", "P69906", "-d", str(tmp_path / "db.fasta")]) == 0
    assert main(["fetch-query", "P69906"]) == 0  # the database is known now
