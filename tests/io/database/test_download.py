"""Downloads against a server on this computer that behaves badly on request."""

import base64
import hashlib
import http.server
import threading

import numpy as np
import pytest

from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.io.database import download as module
from swgui.io.database.download import DownloadError, PublicSet, download, look_up
from swgui.io.database.public_sets import public_sets

CONTENT = np.random.default_rng(3).integers(0, 256, 1_500_000, dtype=np.uint8).tobytes()
MD5 = hashlib.md5(CONTENT).hexdigest()
LISTING = f"""<metalink><files>
<file name="other.gz"><verification><hash type="md5">{"0" * 32}</hash></verification></file>
<file name="set.fasta.gz"><size>5</size><verification><hash type="md5">{MD5}</hash></verification></file>
</files></metalink>"""


class Server(http.server.ThreadingHTTPServer):
    """Serves `content`; the other attributes say how badly."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.etag = '"one"'
        self.ranges = True
        self.cuts = []  # after how many bytes to break off, request by request
        self.status = 200
        self.asked = []  # ranges, request by request
        self.lines = []  # commands and paths of all requests
        self.listing, self.modified = LISTING, ""
        self.hashes = ()  # as Google's storage states them
        self.pause_at, self.go_on = 0, threading.Event()  # after how many bytes a reply waits, and for what

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/set.fasta.gz"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        server = self.server
        wanted = self.headers.get("Range", "")
        server.asked.append(wanted)
        server.lines.append((self.command, self.path))
        if self.path.startswith("/redirect/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/redirect/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if server.status != 200:
            self.send_error(server.status)
            return
        content = server.listing.encode() if self.path.endswith((".metalink", "/listing")) else server.content
        start, total = 0, len(content)
        if wanted and server.ranges and self.headers.get("If-Range") == server.etag:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= total:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{total}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(total - start))
        if server.etag:
            self.send_header("ETag", server.etag)
        for value in server.hashes:
            self.send_header("x-goog-hash", value)
        if server.modified:
            self.send_header("Last-Modified", server.modified)
        self.end_headers()
        if body:
            rest = content[start:]
            cut = server.cuts.pop(0) if server.cuts else len(rest)
            pause = min(server.pause_at, cut)
            self.wfile.write(rest[:pause])
            if pause:
                server.go_on.wait(60)
            self.wfile.write(rest[pause:cut])
            self.wfile.flush()
            if cut < len(rest):
                self.close_connection = True
                self.connection.shutdown(2)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(module, "_PAUSE_S", 0.01)
    running = Server()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.go_on.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def out(tmp_path):
    return tmp_path / "set.fasta.gz"


def files_beside(out):
    return sorted(path.name for path in out.parent.iterdir())


def test_a_file_is_loaded_and_verified(server, out):
    calls = []
    assert download(server.url, out, md5=MD5, progress=lambda done, total: calls.append((done, total))) == out
    assert out.read_bytes() == CONTENT
    assert files_beside(out) == ["set.fasta.gz"]
    assert calls[0] == (0, len(CONTENT))
    assert calls[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_broken_connections_are_continued(server, out):
    server.cuts = [400_000, 300_000, 10, 500_000]
    download(server.url, out, md5=MD5)
    assert out.read_bytes() == CONTENT
    assert server.asked[0] == ""
    assert server.asked[1:] == ["bytes=400000-", "bytes=700000-", "bytes=700010-", "bytes=1200010-"]


def test_a_connection_that_brings_nothing_is_given_up(server, out):
    server.cuts = [1000] + [0] * 20
    with pytest.raises(DownloadError, match="breaks off again and again"):
        download(server.url, out)
    assert len(server.asked) < 8
    assert out.with_name("set.fasta.gz.part").stat().st_size == 1000
    assert not out.exists()
    server.cuts = []
    download(server.url, out, md5=MD5)
    assert server.asked[-1] == "bytes=1000-"
    assert out.read_bytes() == CONTENT


def test_stop_and_go_on(server, out):
    cancel = threading.Event()
    with pytest.raises(Stopped):
        download(server.url, out, cancel=cancel, progress=lambda done, total: cancel.set() if done else None)
    assert 0 < out.with_name("set.fasta.gz.part").stat().st_size < len(CONTENT)
    download(server.url, out, md5=MD5)
    assert server.asked[-1].startswith("bytes=")
    assert out.read_bytes() == CONTENT


def test_a_file_that_changed_on_the_server_is_begun_again(server, out):
    server.cuts = [400_000, 0, 0, 0, 0]
    with pytest.raises(DownloadError):
        download(server.url, out)
    server.content, server.etag, server.cuts = CONTENT[::-1], '"two"', []
    download(server.url, out)
    assert out.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("change", [{"ranges": False}, {"etag": ""}, {"etag": 'W/"weak"'}])
def test_servers_that_cannot_continue_start_over(server, out, change):
    for name, value in change.items():
        setattr(server, name, value)
    server.cuts = [400_000]
    download(server.url, out, md5=MD5)
    assert out.read_bytes() == CONTENT


def test_a_part_that_is_complete_already(server, out):
    server.cuts = [400_000, 0, 0, 0, 0]
    with pytest.raises(DownloadError):
        download(server.url, out)
    out.with_name("set.fasta.gz.part").write_bytes(CONTENT)
    server.cuts = []
    download(server.url, out, md5=MD5)
    assert out.read_bytes() == CONTENT


def test_a_part_of_something_else_is_thrown_away(server, out):
    out.with_name("set.fasta.gz.part").write_bytes(b"x" * 2_000_000)
    out.with_name("set.fasta.gz.part.json").write_text("[]")
    download(server.url, out, md5=MD5)
    assert out.read_bytes() == CONTENT


def test_a_wrong_checksum_deletes_what_was_loaded(server, out):
    out.write_bytes(b"older")
    with pytest.raises(DownloadError, match="checksum"):
        download(server.url, out, md5="0" * 32)
    assert out.read_bytes() == b"older"
    assert files_beside(out) == ["set.fasta.gz"]


@pytest.mark.parametrize("status", [403, 404])
def test_refusals(server, out, status):
    server.status = status
    with pytest.raises(DownloadError, match=f"127.0.0.1 answers {status}"):
        download(server.url, out)
    assert len(server.asked) == 1


def test_a_busy_server_is_asked_again(server, out):
    server.status = 503
    with pytest.raises(DownloadError, match="breaks off"):
        download(server.url, out)
    assert len(server.asked) == module._ATTEMPTS


def test_nobody_there(out, monkeypatch):
    monkeypatch.setattr(module, "_PAUSE_S", 0.01)
    closed = Server()
    closed.server_close()
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1"):
        download(closed.url, out)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "/etc/passwd", ""])
def test_only_web_addresses(out, url):
    with pytest.raises(DownloadError, match="no web address"):
        download(url, out)


def test_redirects_lead_to_web_addresses_only(server, out):
    base = f"http://127.0.0.1:{server.server_port}/redirect/"
    download(f"{base}{server.url}", out, md5=MD5)
    assert out.read_bytes() == CONTENT
    with pytest.raises(DownloadError, match="not allowed"):
        download(f"{base}file:///etc/passwd", out)


def test_space_is_looked_for_first(server, out, monkeypatch):
    monkeypatch.setattr(module, "_SPARE_BYTES", 1 << 60)
    with pytest.raises(DownloadError, match="GB free"):
        download(server.url, out)


@pytest.mark.parametrize("place", ["missing/x", "."])
def test_places_that_cannot_be_written(server, tmp_path, place):
    with pytest.raises(DownloadError):
        download(server.url, tmp_path / place)


def test_two_at_once(server, out):
    started, release = threading.Event(), threading.Event()

    def hold(done, total):
        started.set()
        release.wait(60)

    thread = threading.Thread(target=lambda: download(server.url, out, md5=MD5, progress=hold))
    thread.start()
    assert started.wait(60)
    try:
        with pytest.raises(DownloadError, match="another window"):
            download(server.url, out)
    finally:
        release.set()
        thread.join()
    assert out.read_bytes() == CONTENT


def test_looking_up_a_public_set(server):
    wanted = PublicSet("x", "X", "about", server.url, server.url.replace(".fasta.gz", ".metalink"), "free")
    found = look_up(wanted)
    assert (found.size, found.md5, found.etag) == (len(CONTENT), MD5, '"one"')
    assert look_up(replace(wanted, listing_url="")).md5 == ""
    server.hashes = ("crc32c=AAAAAA==", f"md5={base64.b64encode(bytes.fromhex(MD5)).decode()}")
    assert look_up(replace(wanted, listing_url="")).md5 == MD5
    server.hashes = ("md5=short", "md5=AAAA")
    assert look_up(replace(wanted, listing_url="")).md5 == ""
    server.status = 503
    with pytest.raises(DownloadError):
        look_up(wanted)


def test_public_sets_are_described():
    for key, chosen in public_sets().items():
        assert chosen.key == key
        assert chosen.url.startswith("https://")
        assert chosen.listing_url == "" or chosen.listing_url.startswith("https://")
        assert chosen.about.endswith(".")
        assert chosen.terms
