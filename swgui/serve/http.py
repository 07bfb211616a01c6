"""HTTP for clients of a ColabFold server, by the standard library: a thread for each request, TLS on demand.

A client waits six seconds for any answer, so the server answers every request from its current state. Logs never
contain sequences, headers or tokens.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import io
import json
import logging
import os
import re
import shutil
import socket
import ssl
import sys
import threading
import time
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, cast
from urllib.parse import parse_qs, unquote

from swgui.core.errors import SwguiError
from swgui.core.words import count
from swgui.serve.protocol import ID, Allowed, Refused, read_chains, read_fields, read_mode
from swgui.serve.queue import Queue
from swgui.serve.tickets import COMPLETE, ERROR, LOST, Ticket, Tickets

RESULT_SECONDS: Final = 4.0  # maximum wait of the answer to a new job for its result
TRANSFER_SECONDS: Final = 30.0  # time limit of a whole request, and of the next bytes that a client takes of an answer
IDLE_SECONDS: Final = 10.0  # without a byte of a request, after which the connection ends
DRAIN_SECONDS: Final = 1.0  # in which the rest of a refused request is read and thrown away
MAX_WAITING: Final = 64  # answers that wait for results at a time
MAX_OF_ADDRESS: Final = 8  # connections of another computer
MAX_CONNECTIONS: Final = 256
LOCAL: Final = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
_SITE: Final = re.compile(r"\Ahttps?://[^/]*")  # that a proxy may put in front
_TOKEN_PATH: Final = re.compile(r"/t/([^/]+)")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the server."""

    allowed: Allowed  # limits of one request
    waiting: int  # jobs of one owner that are not done
    # Secret of each owner; empty if every client that reaches the address may use the server
    tokens: dict[str, str] = field(default_factory=dict, repr=False)
    # Host names of a server on loopback; other names come from web pages that try to
    hosts: frozenset[str] = frozenset()


class Server(ThreadingHTTPServer):
    """Listens at an address.

    Raises
    ------
    OSError
        If the address cannot be listened at, or the certificate cannot be read.
    """

    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def __init__(
        self, address: tuple[str, int], tickets: Tickets, queue: Queue, database: str, access: Access,
        certificate: tuple[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.tickets, self.queue, self.database, self.access = tickets, queue, database, access
        self.closing = False
        self.waiting_answers = threading.BoundedSemaphore(MAX_WAITING)
        self._connections: Counter[str] = Counter()
        self._counting = threading.Lock()
        self.context: ssl.SSLContext | None = None
        if certificate is not None:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.minimum_version = ssl.TLSVersion.TLSv1_2
            self.context.load_cert_chain(*certificate)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether to accept a connection: not if its address or all together have too many."""
        address = client_address[0]
        with self._counting:
            most = MAX_CONNECTIONS if address in LOCAL else MAX_OF_ADDRESS
            if self._connections[address] >= most or self._connections.total() >= MAX_CONNECTIONS:
                return False
            self._connections[address] += 1
        return True

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin to answer; stop counting a connection for which the system has no thread."""
        try:
            super().process_request(request, client_address)
        except RuntimeError:
            self._count_no_more(client_address[0])
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and stop counting the connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._count_no_more(client_address[0])

    def _count_no_more(self, address: str) -> None:
        with self._counting:
            self._connections[address] -= 1
            self._connections += Counter()  # forgets those without any

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect; log other errors without the request."""
        fault = sys.exc_info()[1]
        if isinstance(fault, OSError):
            return
        place = "".join(traceback.format_tb(fault.__traceback__)) if fault is not None else ""
        log.error("A request failed: %s\n%s", type(fault).__name__, place)


class _Timed(io.RawIOBase):
    """Bytes of a connection, all of which must come before a time."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._end = connection, time.monotonic() + TRANSFER_SECONDS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._connection.settimeout(min(left, IDLE_SECONDS))
        return self._connection.recv_into(buffer)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server_version = "swgui"
    sys_version = ""
    timeout = IDLE_SECONDS
    owner = ""

    def finish(self) -> None:
        """End the connection."""
        with suppress(OSError):
            super().finish()
        # Wrapping has detached the socket that the server itself would close.
        if self._server.context is not None:
            self.connection.close()

    @property
    def _server(self) -> Server:
        return cast("Server", self.server)

    def setup(self) -> None:
        """Begin to encrypt, and start the time limit."""
        self._began = time.monotonic()
        if self._server.context is not None:
            self.request.settimeout(IDLE_SECONDS)
            self.request = self._server.context.wrap_socket(self.request, server_side=True)
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_Timed(self.connection))

    def do_GET(self) -> None:
        """Answer a request."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Take in a job."""
        self._answer("POST")

    def _answer(self, method: str) -> None:
        """Answer any request; every refusal gives its reason, in the form that clients read."""
        try:
            self._check_host()
            path = _SITE.sub("", self.path).partition("?")[0].partition("#")[0]
            path = self._admitted(re.sub(r"/+", "/", unquote(path)))
            self._route(method, path.removeprefix("/api") or "/")
        except Refused as refused:
            self._refuse(refused)
        except SwguiError as fault:
            self._refuse(Refused(str(fault)))

    def _refuse(self, refused: Refused) -> None:
        """Answer with the reason, and read further for a moment: else a client that still sends would not get it."""
        self._send({"id": "", "status": refused.status, "reason": refused.reason}, refused.code)
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            end = time.monotonic() + DRAIN_SECONDS
            self.connection.settimeout(DRAIN_SECONDS)
            while time.monotonic() < end and self.connection.recv(1 << 16):
                pass

    def _check_host(self) -> None:
        host = (self.headers.get("Host") or "").rsplit("@")[-1]
        name = re.sub(r":\d+$", "", host).strip("[]").lower()
        if self._server.access.hosts and name not in self._server.access.hosts:
            raise Refused("The request names another host than this server.", 403)

    def _admitted(self, path: str) -> str:
        """Return the path without a token, once it is known whose request this is."""
        in_path = _TOKEN_PATH.match(path)
        tokens = self._server.access.tokens
        if not tokens:
            self.owner = "local" if self.client_address[0] in LOCAL else self.client_address[0]
            return path[in_path.end() :] if in_path else path
        given = [self.headers.get("X-API-Key") or "", in_path[1] if in_path else "", *self._basic()]
        bearer = self.headers.get("Authorization") or ""
        given.append(bearer[7:].strip() if bearer.lower().startswith("bearer ") else "")
        owners = [
            owner for owner, token in tokens.items() for text in given if _same(text, token)
        ]  # all are compared, however many agree
        if not owners:
            raise Refused("The token is missing or wrong.", 401)
        self.owner = owners[0]
        return path[in_path.end() :] if in_path else path

    def _basic(self) -> tuple[str, str]:
        """Return name and password of basic authentication; either may be the token."""
        kind, _, text = (self.headers.get("Authorization") or "").partition(" ")
        if kind.lower() != "basic":
            return "", ""
        with suppress(binascii.Error, ValueError):
            name, _, password = base64.b64decode(text.strip(), validate=True).decode().partition(":")
            return name, password
        return "", ""

    def _route(self, method: str, path: str) -> None:
        if method == "POST" and path.rstrip("/") == "/tickets":
            fields = parse_qs(self._body(self._server.access.allowed.body).decode("ascii", "replace"))
            self._send([self._status(ticket_id) for ticket_id in fields.get("tickets[]", [])])
        elif method == "POST":
            if path.rstrip("/") not in ("/ticket/msa", "/ticket/pair", "/ticket"):
                raise Refused("This path takes no POST requests.", 404)
            self._submit("pair" if path.rstrip("/").endswith("pair") else "msa")
        elif path.startswith("/ticket/type/"):
            ticket = self._ticket(path[len("/ticket/type/") :])
            self._send({"type": ticket.kind} if ticket else {"type": "", "status": ERROR, "reason": LOST})
        elif path.startswith("/ticket/"):
            self._send(self._status(path[len("/ticket/") :]))
        elif path.startswith("/result/download/"):
            self._download(path[len("/result/download/") :])
        elif path.rstrip("/") == "/queue":
            self._send({"queued": len(self._server.tickets.waiting())})
        elif path.startswith("/template/"):
            raise Refused("This server has no templates.", 404)
        else:
            raise Refused("There is nothing at this path.", 404)

    def _submit(self, kind: Any) -> None:
        access, tickets, queue = self._server.access, self._server.tickets, self._server.queue
        fields = read_fields(self._body(access.allowed.body), self.headers.get("Content-Type") or "")
        mode = fields.get("mode", "" if kind == "pair" else "env")
        read_mode(kind, mode)
        chains = read_chains(fields.get("q", ""), access.allowed)
        query = "".join(f">{chain.id}\n{chain.residues}\n" for chain in chains)
        lengths = [len(chain.residues) for chain in chains]
        if self._server.closing:
            raise Refused("The server is shutting down.", status="RATELIMIT")
        ticket = tickets.submit(self.owner, kind, mode, query, lengths, self._server.database, access.waiting)
        if ticket is None:
            jobs = count(access.waiting, "job of yours is", "jobs of yours are")
            raise Refused(f"{jobs} waiting already.", status="RATELIMIT")
        queue.touch(ticket.id)
        queue.notify()
        if ticket.live and not queue.paused and self._server.waiting_answers.acquire(blocking=False):
            try:
                ticket = queue.wait(ticket, self._began + RESULT_SECONDS)
            finally:
                self._server.waiting_answers.release()
        self._send(_status_of(ticket))

    def _body(self, most: int) -> bytes:
        try:
            length = int(self.headers.get("Content-Length") or "")
        except ValueError:
            raise Refused("The request has no Content-Length.", 411) from None
        if not 0 <= length <= most:
            raise Refused(f"The request is longer than the {most:,} bytes that are allowed.", 413)
        body = self.rfile.read(length)
        if len(body) < length:
            raise Refused("The request ended too early.", 400)
        return body

    def _ticket(self, ticket_id: str) -> Ticket | None:
        """Return a ticket of the client; tickets of other owners do not exist for it."""
        ticket = self._server.tickets.get(ticket_id) if ID.fullmatch(ticket_id) else None
        if ticket is None or (self._server.access.tokens and ticket.owner != self.owner):
            return None
        self._server.queue.touch(ticket_id)
        return ticket

    def _status(self, ticket_id: str) -> dict[str, str]:
        if (ticket := self._ticket(ticket_id)) is not None:
            return _status_of(ticket)
        if ID.fullmatch(ticket_id):  # its id cannot be guessed; without this, clients wait without end
            return {"id": ticket_id, "status": ERROR, "reason": LOST}
        return {"id": "", "status": "UNKNOWN"}

    def _download(self, ticket_id: str) -> None:
        ticket = self._ticket(ticket_id)
        if ticket is None or ticket.state != COMPLETE:
            raise Refused("This ticket has no result." if ticket is None or not ticket.live else "Not done.", 400)
        try:
            file = self._server.tickets.archive(ticket_id).open("rb")
        except OSError:
            raise Refused(LOST, 400) from None
        with file:
            self._head(200, "application/octet-stream", os.fstat(file.fileno()).st_size)
            self.send_header("Content-Disposition", f'attachment; filename="mmseqs_results_{ticket_id}.tar.gz"')
            self.end_headers()
            self.connection.settimeout(TRANSFER_SECONDS)
            shutil.copyfileobj(file, self.wfile, 1 << 18)

    def _send(self, answer: object, code: int = 200) -> None:
        text = json.dumps(answer).encode()
        self._head(code, "application/json", len(text))
        if code == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="swgui"')
        self.end_headers()
        self.wfile.write(text)

    def _head(self, code: int, kind: str, size: int) -> None:
        self.connection.settimeout(TRANSFER_SECONDS)
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a malformed HTTP request in the form of all other answers."""
        self.close_connection = True
        with suppress(OSError):
            self._send({"id": "", "status": ERROR, "reason": "The server does not know this request."}, code)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: paths hold tokens and tickets; each action logs itself."""


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def _status_of(ticket: Ticket) -> dict[str, str]:
    status = {"id": ticket.id, "status": ticket.state}
    return status | ({"reason": ticket.reason} if ticket.state == ERROR else {})
