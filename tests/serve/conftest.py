"""A database that is quick to search, a folding server on loopback, and a client as simple as they come."""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import pytest

from swgui.commands.serve import serve_arguments
from swgui.paths import resources_dir
from swgui.serve.server import FoldingServer
from tests.serve.readers import members

EXAMPLES = resources_dir() / "examples"
CODONS = dict(
    zip(
        "ACDEFGHIKLMNPQRSTVWY",
        re.findall("...", "GCATGCGACGAATTCGGACACATCAAACTGATGAACCCACAGCGATCAACCGTCTGGTAC"),
        strict=True,
    )
)


def records(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()  # noqa: SIM115 - closed below
    with opened as file:
        return [(head, "".join(rest)) for head, *rest in (entry.split("\n") for entry in file.read().split(">")[1:])]


@pytest.fixture(scope="session")
def proteins():
    """Return alpha and beta globin, a long protein, and one without relatives here."""
    found = {head.split("|")[2].split()[0]: text for head, text in records(EXAMPLES / "sample_proteins.fasta")}
    return {
        "alpha": found["HBA_HUMAN"],
        "beta": found["HBB_HUMAN"],
        "alone": "WHKCPWMYNQFWCHRMWPKYQCWHMFYN" * 2,
    }


@pytest.fixture(scope="session")
def databases(tmp_path_factory):
    """Return two databases: relatives among others, one with odd headers and with a subject of two alike domains."""
    folder = tmp_path_factory.mktemp("databases")
    every = records(EXAMPLES / "sample_database.fasta.gz")
    alpha = next(text for head, text in every if "HBA_HORSE" in head)
    (folder / "first.fasta").write_text("".join(f">{head}\n{text}\n" for head, text in every[:400]))
    odd = [
        (">a>b\ttab Ä Danio rerio OX=7955", alpha.replace("KV", "RV")),
        ("TWICE two domains", alpha + "GSGSGSGSGS" * 5 + alpha.replace("LS", "LT")),
        ("same one", alpha.replace("AD", "AE")),
        ("same two", alpha.replace("AD", "GE")),
        ("stop*star with a stop", alpha[:70] + "*" + alpha[71:]),
    ]
    with (folder / "second.fasta").open("w", encoding="utf-8") as file:
        file.writelines(f">{head}\n{text}\n" for head, text in [*odd, *every[400:700]])
    return [str(folder / "first.fasta"), str(folder / "second.fasta")]


def reverse_complement(text):
    return text[::-1].translate(str.maketrans("ACGT", "TGCA"))


@pytest.fixture(scope="session")
def contigs(proteins):
    """Return two contigs of random bases; the second has the gene of beta globin on its minus strand."""
    random = np.random.default_rng(54)
    one, two = ("".join(random.choice(list("ACGT"), 3000)) for _ in range(2))
    gene = "".join(CODONS[residue] for residue in proteins["beta"])
    return {"chr1": one, "chr2": two[:1200] + reverse_complement(gene) + two[1200:]}


@pytest.fixture(scope="session")
def genome(contigs, tmp_path_factory):
    place = tmp_path_factory.mktemp("genome") / "assembly.fasta"
    place.write_text("".join(f">{name} contig\n{text}\n" for name, text in contigs.items()))
    return place


class Client:
    """Asks a server as the programs do."""

    def __init__(self, url, **headers):
        self.url, self.headers = url, headers

    def ask(self, path, body=None, **headers):
        """Return the HTTP status and what came."""
        request = urllib.request.Request(self.url + path, body, self.headers | headers)
        try:
            with urllib.request.urlopen(request, timeout=60, context=self.context) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    context = None

    def json(self, path, body=None, **headers):
        return json.loads(self.ask(path, body, **headers)[1])

    def post(self, chains, mode="env", kind="msa", path=None, **headers):
        text = chains if isinstance(chains, str) else "".join(f">{name}\n{text}\n" for name, text in chains.items())
        body = urllib.parse.urlencode({"q": text, "mode": mode}).encode()
        return self.json(path or f"/ticket/{kind}", body, **headers)

    def done(self, ticket):
        """Wait until a ticket is done and return its state."""
        end = time.monotonic() + 60
        while ticket["status"] in ("PENDING", "RUNNING", "UNKNOWN") and time.monotonic() < end:
            time.sleep(0.05)
            ticket = self.json(f"/ticket/{ticket['id']}")
        return ticket

    def fetch(self, chains, mode="env", kind="msa"):
        """Return the files of a job."""
        ticket = self.done(self.post(chains, mode, kind))
        assert ticket["status"] == "COMPLETE", ticket
        status, packed = self.ask(f"/result/download/{ticket['id']}")
        assert status == 200
        return members(packed)


@pytest.fixture(scope="session")
def start(databases, genome):
    """Return a function that starts a server; all are stopped in the end."""
    running = []

    def begin(folder, **given):
        values = {"databases": databases, "address": "127.0.0.1:0", "engine": "cpu", "folder": str(folder)}
        values |= {"search_database": [f"hg38={genome}"]} | given
        server = FoldingServer(serve_arguments(**values))
        running.append(server)
        server.start(threading.Event())
        return server

    yield begin
    for server in running:
        server.close()


@pytest.fixture(scope="session")
def server(start, tmp_path_factory):
    return start(tmp_path_factory.mktemp("folding") / "own")


@pytest.fixture
def client(server):
    return Client(server.url)
