"""Requests of clients, and their refusal where necessary."""

import base64
import os
import socket
import ssl
import stat
import threading
import time
import urllib.parse
from contextlib import suppress

import pytest

from swgui.core.errors import InvalidParameter
from swgui.serve import http
from swgui.serve.protocol import evalue_text, fit_names, read_chains, read_mode
from swgui.serve.requests import FIELDS, Allowed, Refused, read_fields
from swgui.serve.server import FoldingServer, client_lines, read_address
from swgui.serve.tickets import TicketError
from tests.serve.conftest import Client

ALLOWED = Allowed(3, 20, 30)
FORM = b"q=%3E101%0AMKV%0A&mode=env"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "missing"), ("MKV", "does not begin"), (">a\n\n>b\nMKV", "Sequence 1 has no residues"),
        (">a\nMKV\n>b\nMK1V", "Sequence 2 has a symbol"), (">a\nMKV\n>a\nMKV", "header of an earlier"),
        (">\nMKV", "header of sequence 1"), (">a\0b\nMKV", "header of sequence 1"), (">a\nMK\u00c4", "Sequence 1"),
        (">a\nA\n>b\nA\n>c\nA\n>d\nA", "4 sequences"), (">a\n" + "A" * 21, "21 residues"),
        (">a\n" + "A" * 16 + "\n>b\n" + "A" * 16, "32 residues"), (">a\nMK-V", "symbol"), (">a\nMK*V", "symbol"),
    ],
)  # fmt: skip
def test_sequences_that_cannot_be_are_refused_with_the_record(text, said):
    with pytest.raises(Refused, match=said):
        read_chains(text, ALLOWED)


@pytest.mark.parametrize("text", ["ACGTACGTAC", "acguacguacgu", "GGGAAACCCUUUNNN", "ATGRYACGTACGTACGTACGTACGTACGTACGT"])
def test_what_is_no_protein_is_refused(text):
    every = Allowed(3, 100, 100)
    with pytest.raises(Refused, match="Sequence 2 is DNA or RNA"):
        read_chains(f">a\nMKVLAW\n>b\n{text}\n", every)


@pytest.mark.parametrize("text", ["GAGAGAGAGAGAGAGAGA", "ACGT", "AAAAAAAAAAAAAAAA", "GGSGGSGGSGGSGGS", "ACTGNAGTCANMK"])
def test_proteins_of_few_kinds_of_residues_are_taken(text):
    (chain,) = read_chains(f">a\n{text}\n", Allowed(1, 100, 100))
    assert chain.residues == text


def test_sequences_are_read_as_they_are_written():
    (one, two) = read_chains(">query_0 x\r\nmk v\r\nAU*\r\n>102\nBZXJO\n\n", ALLOWED)
    assert (one.id, one.residues) == ("query_0 x", "MKVAU")
    assert (two.id, two.residues) == ("102", "BZXJO")


def test_modes():
    assert read_mode("msa", "env").environment
    assert not read_mode("msa", "env-nofilter").filtered
    assert not read_mode("msa", "all-notemplates-m8output").templates
    assert read_mode("pair", "paircomplete-env").complete
    assert not read_mode("pair", "").complete
    wrong = [
        ("msa", "envy"),
        ("msa", ""),
        ("msa", "notemplates"),
        ("pair", "pairgreedy-paircomplete"),
        ("pair", "env-x"),
    ]
    for kind, mode in wrong:
        with pytest.raises(Refused, match="The mode"):
            read_mode(kind, mode)


def test_forms_of_every_kind():
    assert read_fields(FORM, "application/json")["q"] == ">101\nMKV\n"
    body = b'--x\r\nContent-Disposition: form-data; name="q"; filename="a.fa"\r\n\r\n>101\nMKV\n\r\n--x--\r\n'
    assert read_fields(body, "multipart/form-data; boundary=x")["q"].strip() == ">101\nMKV"
    assert read_fields(b"--", "multipart/form-data") == {}
    assert "q" not in read_fields(b"\xff\xfe\0", "")
    with pytest.raises(Refused, match="too many"):
        read_fields(b"&".join(b"a=1" for _ in range(FIELDS + 1)), "")


def test_names_and_numbers():
    assert fit_names(["a b", "a>b", "a_b", "\u00c4\0", ""], ["101"]) == ["a_b", "a_b_2", "a_b_3", "_", "__2"]
    assert fit_names(["101"], ["101"]) == ["101_2"]
    assert [evalue_text(value) for value in (-19.90866, -400.0, 0.0, -0.00000001)] == [
        "1.234E-20", "1.000E-400", "1.000E+00", "1.000E+00",
    ]  # fmt: skip


def test_any_way_to_write_the_path(client):
    for path in (
        "/ticket/msa",
        "//ticket/msa",
        "/api/ticket/msa",
        "/api//ticket//msa/",
        "/t/no-token-is-asked/ticket/msa",
    ):
        answer = client.json(path, FORM, **{"Content-Type": "application/json"})
        assert answer["status"] in ("PENDING", "RUNNING", "COMPLETE"), path
        assert len(answer["id"]) == 38


def test_the_same_job_has_one_ticket(client, proteins):
    first = client.post({"101": proteins["beta"]})
    assert client.post({"101": proteins["beta"]})["id"] == first["id"]
    assert client.post({"101": proteins["beta"]}, "all")["id"] != first["id"]
    assert client.post({"102": proteins["beta"]})["id"] != first["id"]


def test_refusals_are_answers_that_clients_read(client):
    for fields, said in (
        ({"q": ""}, "missing"),
        ({"q": ">a\nM1"}, "symbol"),
        ({"q": ">a\nACGUACGUACGU"}, "is DNA or RNA"),
        ({"q": ">a\nM", "mode": "x"}, "mode"),
    ):
        status, _ = client.ask("/ticket/msa", urllib.parse.urlencode(fields).encode())
        answer = client.json("/ticket/msa", urllib.parse.urlencode(fields).encode())
        assert (status, answer["status"], answer["id"]) == (200, "ERROR", "")
        assert said in answer["reason"]
    assert client.json("/ticket/nuclmsa", FORM)["status"] == "ERROR"
    assert client.ask("/template/1abc_A")[0] == 404
    assert client.ask("/nothing")[0] == 404
    assert client.json("/queue") == {"queued": 0}


def test_several_tickets_are_asked_for_at_once(client, proteins):
    one = client.done(client.post({"101": proteins["alpha"]}))
    body = urllib.parse.urlencode([("tickets[]", one["id"]), ("tickets[]", "nothing")]).encode()
    assert [answer["status"] for answer in client.json("/tickets", body)] == ["COMPLETE", "UNKNOWN"]
    assert client.json(f"/ticket/type/{one['id']}") == {"type": "msa"}


def test_what_is_too_long_is_refused_at_once(client):
    status, answer = client.ask("/ticket/msa", b"q=" + b"A" * (1 << 20))
    assert status == 413
    assert b'"ERROR"' in answer
    assert client.ask("/ticket/msa", urllib.parse.urlencode({"q": ">a\n" + "A" * 10_001}).encode())[0] == 413


def test_lost_and_foreign_tickets(client):
    lost = "A" * 38
    assert client.json(f"/ticket/{lost}")["status"] == "ERROR"
    assert client.json("/ticket/short") == {"id": "", "status": "UNKNOWN"}
    for path in (lost, "../../secret", "..%2f..%2fsecret", "%2e%2e/tickets.sqlite", f"{lost}%00"):
        status, answer = client.ask(f"/result/download/{path}")
        assert status in (400, 404)
        assert b"ERROR" in answer


def raw(server, *parts, pause=0.0):
    """Send bytes, and return all that comes back."""
    host, port = server.place
    with socket.create_connection((host, port), timeout=60) as connection:
        answer = b""
        with suppress(ConnectionError):  # the server may go before all is sent
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            while more := connection.recv(1 << 16):
                answer += more
        return answer


def test_what_is_no_http_hurts_nobody(server, client):
    for sent in (b"\0\xff\r\n\r\n", b"GET\r\n\r\n", b"PUT / HTTP/1.1\r\n\r\n", b"POST /ticket/msa HTTP/1.1\r\n\r\n"):
        assert b'"ERROR"' in raw(server, sent)
    answer = raw(server, b"GET /queue HTTP/1.0\r\nHost: evil.example\r\n\r\n")
    assert b"403" in answer.split(b"\r\n")[0]
    assert b"Access-Control" not in answer
    assert client.json("/queue") == {"queued": 0}


def test_slow_clients_are_given_up(server, client, monkeypatch):
    head = b"POST /ticket/msa HTTP/1.0\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n"
    with monkeypatch.context() as hasty:
        hasty.setattr(http, "TRANSFER_SECONDS", 0.3)
        assert raw(server, head, *[b"q"] * 6, pause=0.1) == b""
        assert raw(server, b"GET /que", b"ue", b" HTTP", pause=0.2) == b""
    assert client.json("/queue") == {"queued": 0}


def no_thread(_thread):
    raise RuntimeError("can't start new thread")


def test_connections_without_a_thread_are_not_counted(server, client, monkeypatch):
    monkeypatch.setattr(http, "MAX_CONNECTIONS", 4)
    with monkeypatch.context() as busy:
        busy.setattr(threading.Thread, "start", no_thread)
        for _ in range(5):
            with pytest.raises(OSError):
                client.ask("/queue")
    assert client.json("/queue") == {"queued": 0}


def test_results_are_private(server, client, proteins):
    client.fetch({"101": proteins["alpha"]})
    tickets = server.tickets
    places = [tickets.archive(ticket.id) for ticket in tickets.recent(100) if ticket.state == "COMPLETE"]
    assert places
    if os.name == "posix":
        assert {stat.S_IMODE(place.stat().st_mode) for place in places} == {0o600}
        assert {stat.S_IMODE(place.stat().st_mode) for place in (tickets.folder, places[0].parent)} == {0o700}
    everything = (tickets.folder / "tickets.sqlite").read_bytes()
    assert proteins["alpha"].encode() not in everything


def test_only_who_has_the_token(start, tmp_path, proteins):
    place = tmp_path / "tokens"
    place.write_text("ann a-token-of-ann-0001\n# others\nbob a-token-of-bob-0002\n")
    place.chmod(0o600)
    server = start(tmp_path / "folder", token_file=str(place))
    anybody = Client(server.url)
    assert anybody.ask("/queue")[0] == 401
    assert anybody.ask("/ticket/msa", FORM)[0] == 401
    ann = Client(server.url, **{"X-API-Key": "a-token-of-ann-0001"})
    ticket = ann.post({"101": proteins["alpha"]})
    assert ann.done(ticket)["status"] == "COMPLETE"
    bob = Client(server.url + "/t/a-token-of-bob-0002")
    assert bob.json(f"/ticket/{ticket['id']}")["status"] == "ERROR"
    assert bob.ask(f"/result/download/{ticket['id']}")[0] == 400
    assert bob.post({"101": proteins["alpha"]})["id"] != ticket["id"]
    for basic in (b"a-token-of-ann-0001:", b"me:a-token-of-ann-0001"):
        named = Client(server.url, Authorization=b"Basic " + base64.b64encode(basic))
        assert named.json(f"/ticket/{ticket['id']}")["status"] == "COMPLETE"
    assert Client(server.url, Authorization="Basic !").ask("/queue")[0] == 401


def test_encrypted(start, tmp_path):
    pytest.importorskip("cryptography")
    certificate, key = own_certificate(tmp_path)
    server = start(tmp_path / "folder", tls=[str(certificate), str(key)])
    client = Client(server.url.replace("127.0.0.1", "localhost"))
    client.context = ssl.create_default_context(cafile=str(certificate))
    assert server.url.startswith("https://")
    assert client.json("/queue") == {"queued": 0}
    assert raw(server, b"GET /queue HTTP/1.0\r\n\r\n") == b""


def own_certificate(folder):
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    files = folder / "certificate.pem", folder / "key.pem"
    pem = serialization.Encoding.PEM
    files[0].write_bytes(certificate.public_bytes(pem))
    files[1].write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return files


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"address": "0.0.0.0:8889"}, "others could read sequences"),
        ({"address": "nowhere"}, "is no address"),
        ({"address": "127.0.0.1:99999"}, "is no address"),
        ({"tls": ["one"]}, "takes two files"),
        ({"keep": 0.0}, "kept for some time"),
        ({"max_chains": 0}, "below 1"),
        ({"databases": ["a", "b", "c"]}, "one database or two"),
        ({"token_file": "/nowhere/tokens"}, "cannot be read"),
    ],
)
def test_settings_that_cannot_be_are_refused(start, tmp_path, given, said):
    with pytest.raises(InvalidParameter, match=said):
        start(tmp_path, **given)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_tokens_that_others_may_read_are_refused(start, tmp_path):
    place = tmp_path / "tokens"
    for text, mode, said in (
        ("ann a-token-of-ann-0001\n", 0o644, "chmod 600"), ("ann short\n", 0o600, "Line 1"), ("", 0o600, "no token"),
    ):  # fmt: skip
        place.write_text(text)
        place.chmod(mode)
        with pytest.raises(InvalidParameter, match=said):
            start(tmp_path, token_file=str(place))


def test_a_folder_and_a_port_have_one_server(start, server, tmp_path):
    with pytest.raises(TicketError, match="Another folding server"):
        start(server.tickets.folder)
    with pytest.raises(OSError, match="cannot listen"):
        start(tmp_path / "other", address=server.url.removeprefix("http://"))


def test_a_server_without_a_thread_says_so_and_leaves_folder_and_port(start, tmp_path, monkeypatch):
    with monkeypatch.context() as busy:
        busy.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(OSError, match=r"cannot listen at .*can't start new thread"):
            start(tmp_path)
    start(tmp_path)


def test_addresses_and_the_lines_of_clients():
    assert read_address("[::1]:80") == ("::1", 80)
    lines = dict(client_lines("http://127.0.0.1:8889"))
    assert "{" not in lines["Boltz"]
    assert lines["OpenFold3"] == "msa_computation_settings: {server_url: http://127.0.0.1:8889}"


def test_a_server_that_was_not_started_is_closed(databases, tmp_path):
    from swgui.commands.serve import serve_arguments

    before = {*threading.enumerate()}
    server = FoldingServer(serve_arguments(databases=databases, engine="cpu", folder=str(tmp_path)))
    server.stop_jobs(["x"])
    assert server.jobs() == []
    assert server.delete_results() == 0
    server.close()
    assert {thread for thread in threading.enumerate() if not thread.daemon} <= before
