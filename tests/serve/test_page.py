"""The page for browsers: what a person without scripts sees, and who else may do what."""

import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

import pytest

import swgui
from swgui.serve.doors import Doors
from swgui.serve.doors.page_html import OFFERED
from tests.serve.conftest import Client

OTHER = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
HOSTILE = "<script>alert(1)</script>\"'&"


class Outline(HTMLParser):
    """Elements of a page, in order, with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def all(self, *tags):
        return [attributes for tag, attributes in self.found if tag in tags]


class Browser(Client):
    """Asks for pages, and follows what forms answer."""

    def page(self, path):
        status, body = self.ask(path)
        assert status == 200, body
        return body.decode()

    def send(self, path="/search", **fields):
        boundary = "----swgui"
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
            for name, text in fields.items()
        ]
        body = "".join([*parts, f"--{boundary}--\r\n"]).encode()
        return self.ask(path, body, **{"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def search(self, **fields):
        """Return the page of the result, once there is one, and its path."""
        status, body = self.send(**{"database": "first"} | fields)
        assert status == 200, body
        job = re.search(r"/job/([A-Z0-9]{11})", body.decode())[0]
        for _ in range(600):
            if json.loads(self.ask(f"{job}/state")[1])["done"]:
                return self.page(job), job
        raise AssertionError("the search did not end")


@pytest.fixture
def browser(server):
    return Browser(server.url)


def test_a_search_from_the_form_to_the_files(browser, databases, proteins, tmp_path):
    text = f">alpha\n{proteins['alpha']}\n>alone\n{proteins['alone']}\n"
    page, job = browser.search(query=text, top="7", evalue="1e-3")
    hits = swgui.search(text, databases[0], engine="cpu", top=7, evalue=1e-3)
    shown = re.findall(r'<td class="n">([\d,]+)</td><td class="n">([^<]+)</td>', page)
    assert [int(score) for score, _ in shown] == hits.result.queries[0].hits.scores.tolist()
    assert "No sequence of the database reaches the largest E-value." in page
    report = browser.page(f"{job}/report")
    assert all(f'id="hit{number}"' in report for number in range(len(shown)))
    links = [one["href"] for one in Outline(page).all("a") if "/as/" in one["href"]]
    assert {link.rpartition("/")[2] for link in links} == {*OFFERED, "swgui"} - {"gff3"}
    files = {link: browser.ask(link) for link in links}
    assert {status for status, _ in files.values()} == {200}
    (tmp_path / "a.swgui").write_bytes(files[f"{job}/as/swgui"][1])
    assert swgui.load(str(tmp_path / "a.swgui")).result.queries[0].hits.scores.tolist() == [
        int(score) for score, _ in shown
    ]
    assert browser.ask(f"{job}/as/passwd")[0] == 404
    assert "2 queries, 198 residues" in browser.page("/jobs")
    browser.send(f"{job}/delete")
    assert browser.ask(job)[0] == 410
    assert browser.ask(f"{job}/report")[0] == 410


def test_pages_are_fit_for_keyboard_and_screen_reader(browser, server, proteins):
    server.house.queue.pause(True)
    try:
        waiting = browser.send(query=proteins["beta"], database="first", evalue="0.3")[1].decode()
        pages = [browser.page("/"), browser.page("/jobs"), waiting]
        assert 'role="status">Waiting in the queue; it is the next.' in waiting
        assert '<noscript><meta http-equiv="refresh"' in waiting
    finally:
        server.house.queue.pause(False)
    for page in pages:
        outline = Outline(page)
        assert outline.all("html") == [{"lang": "en"}]
        assert len(outline.all("h1")) == len(outline.all("main")) == 1
        labelled = {label["for"] for label in outline.all("label")}
        assert {one["id"] for one in outline.all("input", "select", "textarea")} == labelled
        assert [one for _, one in outline.found if "style" in one or any(name.startswith("on") for name in one)] == []
        assert outline.all("style") == []
        assert all("src" in one for one in outline.all("script"))
        assert outline.all("a")[0]["href"] == "#main"
        described = [one["aria-describedby"] for one in outline.all("input", "textarea") if "aria-describedby" in one]
        assert all(f'id="{name}"' in page for name in described)
    for kind in ("css", "js"):
        assert browser.ask(f"/page.{kind}")[0] == 200


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"query": ""}, "There is no query"), ({"query": "MKV", "evalue": "x"}, "no such number"),
        ({"query": "MKV", "file": ">a\nMKV\n"}, "Clear one of them"),
        ({"query": "MKV", "database": "nr"}, "no database"),
        ({"query": "MKVLAW", "program": "blastn"}, "blastn"), ({"query": "MKV", "organism": "no such"}, "organism"),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_comes_back_with_the_reason_and_its_values(browser, fields, said):
    status, page = browser.send(**{"database": "first"} | fields)
    assert status in (400, 413)
    assert re.search(rf'<p class="error" role="alert">[^<]*{said}', page.decode())
    assert f">{fields['query']}</textarea>" in page.decode()


def test_names_from_elsewhere_are_text(start, tmp_path):
    place = tmp_path / "odd.fasta"
    residues = "MKVLAWHKCPWMYNQFWCHRMWPKYQCWHMFYN"
    place.write_text(f">x{HOSTILE} {HOSTILE}\n{residues}\n" + "".join(f">s{n}\n{residues[n:]}G\n" for n in range(9)))
    server = start(tmp_path / "jobs", databases=[], search_database=[f"odd={place}"])
    assert dict(server.lines)["Browser"] == f"{server.url}/"
    assert "ColabFold" not in dict(server.lines)  # it has no database for alignments
    browser = Browser(server.url)
    page, job = browser.search(query=f">{HOSTILE}\n{residues}\n", database="odd")
    every = [page, browser.page(f"{job}/report"), browser.send(query=HOSTILE, database=HOSTILE)[1].decode()]
    assert all("<script>alert" not in one for one in every)
    assert "&lt;script&gt;alert(1)" in page


def test_pages_of_other_sites_may_link_and_nothing_else(browser, start, proteins, tmp_path):
    assert browser.ask("/", **OTHER | {"Sec-Fetch-Mode": "navigate", "Origin": ""})[0] == 200
    form = b"query=MKVLAW&database=first"
    for path, body, more in (
        ("/search", form, {}), ("/search", form, {"Sec-Fetch-Mode": "navigate"}), ("/", None, {}),
        ("/Blast.cgi?CMD=Put&PROGRAM=blastp&DATABASE=first&QUERY=MKV", None, {"Origin": ""}),
        ("/search", form, {"Origin": "null", "Sec-Fetch-Site": ""}),
    ):  # fmt: skip
        assert browser.ask(path, body, **OTHER | more)[0] == 403, (path, more)
    open_to = Browser(start(tmp_path, allow_origin=["https://genomes.example"]).url)
    request = b"OPTIONS /Blast.cgi HTTP/1.0\r\nHost: 127.0.0.1\r\nOrigin: https://genomes.example\r\n\r\n"
    host, port = open_to.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(request)
        answer = connection.makefile("rb").read()
    assert b"204" in answer.split(b"\r\n")[0]
    assert b"Access-Control-Allow-Origin: https://genomes.example\r\n" in answer
    assert open_to.ask("/Blast.cgi", b"CMD=Info", **OTHER)[0] == 403
    assert open_to.ask("/Blast.cgi", b"CMD=Info", Origin="https://genomes.example")[0] == 200


def test_no_door_takes_what_changes_something_from_a_page_of_another_site(browser, server):
    """Every route that takes a POST is tried, and with a form that is too long."""
    job = f"/job/{'A' * 11}"
    paths = ["/search", f"{job}/stop", f"{job}/delete", "/Blast.cgi", "/cgi-bin/hgBlat", "/mcp", "/remote"]
    paths += ["/ticket/msa", "/tickets"]
    routes = [route for door in Doors().open for route in door.routes if "POST" in route.methods.split()]
    host, port = server.place
    tried = []
    for route in routes:
        path = next(path for path in paths if re.fullmatch(route.pattern, path))
        tried.append(path)
        assert browser.ask(path, b"x=1", **OTHER)[0] == 403, path
        assert browser.ask(path, b"x=1", Origin="null")[0] == 403, path
        if path.startswith(job):
            continue  # its form is not read
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(f"POST {path} HTTP/1.0\r\nHost: {host}\r\nContent-Length: {1 << 40}\r\n\r\n".encode())
            answer = connection.makefile("rb").read()
        assert b" 413 " in answer or b"longer than the" in answer, path
    assert set(tried) == set(paths)


def test_users_have_quotas_and_see_their_own_jobs_or_all(start, tmp_path, proteins):
    tokens = tmp_path / "tokens"
    tokens.write_text("ann a-token-of-ann-0001 databases=first waiting=1\nbob a-token-of-bob-0002 cells=5\n")
    tokens.chmod(0o600)
    for see in ("own", "all"):
        server = start(tmp_path / see, token_file=str(tokens), see=see)
        ann, bob = (Browser(f"{server.url}/t/a-token-of-{name}") for name in ("ann-0001", "bob-0002"))
        page = ann.page("/")
        assert re.findall(r'<option value="(\w+)"', page)[:2] == ["first", "auto"]
        assert 'action="/t/a-token-of-ann-0001/search"' in page
        _, job = ann.search(query=proteins["beta"])
        job = job.removeprefix("/t/a-token-of-ann-0001")
        assert bob.ask(job)[0] == (200 if see == "all" else 404)
        assert bob.send(f"{job}/delete")[0] == (403 if see == "all" else 404)
        assert b"cells" in bob.send(query=proteins["beta"], database="first")[1]
        assert b"no database" in ann.send(query=proteins["beta"], database="second")[1]
        server.house.queue.pause(True)
        ann.send(query=proteins["alpha"], database="first")
        assert b"1 job of yours is waiting already" in ann.send(query="MKVLAWHKC", database="first")[1]
        assert Browser(server.url).ask("/")[0] == 401


def test_forms_that_are_huge_and_readers_that_are_slow_stop_no_other(browser, server, proteins):
    assert browser.send(query="A" * (5 << 20), database="first")[0] == 413
    assert browser.ask("/search", b"&".join(b"a%d=1" % number for number in range(200)))[0] == 400
    _, job = browser.search(query=proteins["alpha"])
    host, port = server.place
    slow = [socket.create_connection((host, port), timeout=60) for _ in range(5)]
    for connection in slow:
        connection.sendall(f"GET {job}/report HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
    assert browser.page("/jobs")
    for connection in slow:
        connection.close()


@pytest.mark.nightly
def test_twenty_browsers_at_once(browser, proteins):
    start = threading.Barrier(20)

    def one(number):
        start.wait()
        return browser.search(query=proteins["alpha"][number:])[0]

    with ThreadPoolExecutor(20) as pool:
        pages = list(pool.map(one, range(20)))
    assert all("HBA_HUMAN" in page for page in pages)
